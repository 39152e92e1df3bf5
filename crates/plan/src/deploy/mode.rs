//! The authentication mode, and the entry of whoever made the cluster.

use std::collections::BTreeSet;

use accord_model::arn;
use accord_model::deploy::{Declared, Given, Resource};
use accord_model::facts::AuthenticationMode;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::Identity;
use accord_model::plan::Rights;

use super::after::{States, mode};
use super::creator;
use super::group::Group;
use super::place::at;
use crate::access::{Access, Answer};
use crate::caller::Caller;
use crate::lint::{Purpose, World};
use crate::usage::EntryShape;

pub(super) fn look(group: &Group<'_>, states: &States, caller: Option<&Caller>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = creator::made_by_eks(group, caller).into_iter().collect();
    for resource in &group.resources {
        findings.extend(creator::changes_hands(resource));
        let Some(Declared::Cluster(cluster)) = &resource.after else {
            continue;
        };
        let Some(given) = &cluster.mode else {
            continue;
        };
        let before = states.before.cluster.as_ref().and_then(|c| c.mode);
        let Some((before, after)) = before.zip(mode(&given.value)) else {
            continue;
        };
        findings.extend(refused(resource, given, before, after));
        if before != after && after == AuthenticationMode::Api {
            findings.extend(not_migrated(resource, given, states));
        }
    }
    findings
}

/// Changes that EKS never makes.
fn refused(
    resource: &Resource,
    given: &Given<String>,
    before: AuthenticationMode,
    after: AuthenticationMode,
) -> Option<Finding> {
    use AuthenticationMode::{Api, ApiAndConfigMap, ConfigMap};
    let why = match (before, after) {
        (ConfigMap, Api) => "the way leads through API_AND_CONFIG_MAP, in a deploy of its own",
        (ApiAndConfigMap, ConfigMap) | (Api, ConfigMap | ApiAndConfigMap) => "there is no way back",
        _ => return None,
    };
    Some(at(
        resource,
        given,
        FindingKind::ModeChangeRefused,
        Severity::SilentWrong,
        format!(
            "EKS never changes the authentication mode from {} to {}: {why}.",
            before.name(),
            after.name()
        ),
    ))
}

/// Mappings that nobody reads any more once the mode is API. Nodes come first.
fn not_migrated(resource: &Resource, given: &Given<String>, states: &States) -> Vec<Finding> {
    let (before, after) = (Access::of(&states.before), Access::of(&states.after));
    if !before.reads_map() {
        return Vec::new();
    }
    let world = World::of(&states.after);
    let undone = "The switch to API cannot be undone.";
    let mut findings = Vec::new();
    let mut lost: Vec<(Purpose, Finding)> = Vec::new();
    for principal in before.principals() {
        let by_map: Vec<_> = before
            .answers(&principal)
            .into_iter()
            .filter(|a| matches!(a.via, crate::access::Via::Map(_)))
            .collect();
        let then = after.answers(&principal);
        let Some(answer) = by_map.first() else {
            continue;
        };
        if let Some(entry) = then.first() {
            findings.extend(differs(resource, given, &principal, answer, entry, &world));
            continue;
        }
        let is_account = arn::is_account(&principal);
        let purpose = Purpose::of(&world, &principal, &answer.username, &answer.groups);
        let (kind, message) = match is_account {
            true => (
                FindingKind::AccountNotMigratable,
                format!(
                    "{} lets everybody of account {principal} in, and access entries have nothing like it: make one for \
                     each principal that is meant. {undone}",
                    answer.via
                ),
            ),
            false => (
                FindingKind::EntryNotMigrated,
                format!(
                    "{} gets in by {} only, and would have no access entry when aws-auth is no longer read. {undone} Make \
                     the entry first.",
                    principal, answer.via
                ),
            ),
        };
        let finding = at(resource, given, kind, purpose.if_broken(), message).about(principal);
        lost.push((purpose, finding));
    }
    lost.sort_by_key(|(purpose, _)| std::cmp::Reverse(*purpose));
    findings.extend(lost.into_iter().map(|(_, finding)| finding));
    findings
}

/// An entry that gives something else than the mapping that it takes the place of. Cluster admin by policy and by group
/// are the same.
fn differs(
    resource: &Resource,
    given: &Given<String>,
    principal: &str,
    before: &Answer,
    after: &Answer,
    world: &World<'_>,
) -> Option<Finding> {
    let (had, gets) = (before.rights(), after.rights());
    let without_masters = |groups: &[String]| -> BTreeSet<String> {
        groups
            .iter()
            .filter(|g| *g != "system:masters")
            .cloned()
            .collect()
    };
    let same = had.username == gets.username
        && had.is_admin() == gets.is_admin()
        && without_masters(&had.groups) == without_masters(&gets.groups);
    // EKS itself gives compute other groups by an entry than by the map.
    let is_compute = EntryShape::of(&Identity {
        username: gets.username.clone(),
        groups: gets.groups.clone(),
    })
    .is_some_and(|_| had.username == gets.username);
    if same || is_compute {
        return None;
    }
    let purpose = match had.is_admin() && gets.is_admin() {
        true => Purpose::Other,
        false => Purpose::of(world, principal, &had.username, &had.groups),
    };
    Some(
        at(
            resource,
            given,
            FindingKind::EntryDiffers,
            purpose.if_broken(),
            format!(
                "{principal} has an access entry that gives something else than {}: {}.",
                before.via,
                differences(&had, &gets).join(", ")
            ),
        )
        .about(principal.to_owned()),
    )
}

/// What one has and the other has not, in words.
fn differences(had: &Rights, gets: &Rights) -> Vec<String> {
    let mut told = Vec::new();
    if had.username != gets.username {
        told.push(format!(
            "username `{}` instead of `{}`",
            gets.username, had.username
        ));
    }
    if had.groups != gets.groups {
        told.push(format!(
            "groups {} instead of {}",
            self::told(&gets.groups),
            self::told(&had.groups)
        ));
    }
    match (had.is_admin(), gets.is_admin()) {
        (true, false) => told.push("no longer an administrator".to_owned()),
        (false, true) => told.push("an administrator".to_owned()),
        _ => {}
    }
    told
}

fn told(groups: &[String]) -> String {
    match groups {
        [] => "none".to_owned(),
        groups => groups.join(", "),
    }
}
