//! Who would have something else afterwards: effective access before and after, for every principal.
//!
//! The principals are those that the map or an access entry names, and each mapped account, which stands for everybody
//! in it that nothing else names. A username is text with placeholders in it: two are equal if they are letter for
//! letter, once the account, which a principal always has, is filled in.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn::{Arn, PrincipalKey};
use accord_model::facts::{AccessEntry, AssociatedPolicy, AuthenticationMode};
use accord_model::migration::{Difference, EntryRequest};
use accord_model::observed::Observed;
use accord_model::plan::{EntryEdit, Rights};

use super::ground::Ground;
use super::request::{CLUSTER_ADMIN, MASTERS};
use crate::access::Access;
use crate::template::Placeholder;
use crate::usage::{BOOTSTRAPPERS, KUBE_PROXY_WINDOWS, NODE_PROXIER, NODES};

/// Everybody whose access is not exactly the same once `created` are there, `removed` are gone, and the mode is `goal`.
pub(super) fn differences(
    ground: &Ground<'_>,
    created: &[&EntryRequest],
    removed: &[EntryEdit],
    goal: AuthenticationMode,
) -> Vec<Difference> {
    let mut then = ground.observed.clone();
    if let Some(cluster) = &mut then.cluster {
        cluster.mode = Some(goal);
    }
    let entries = &mut then.access_entries.items;
    entries.extend(
        created
            .iter()
            .map(|request| entry(ground.observed, request)),
    );
    let after = Access::of(&then);
    let after = after.after(removed);
    let before = &ground.access;

    let mut everybody: BTreeMap<PrincipalKey, String> = BTreeMap::new();
    for principal in before.principals().into_iter().chain(after.principals()) {
        everybody
            .entry(PrincipalKey::of(&principal))
            .or_insert(principal);
    }
    let told = everybody
        .into_values()
        .filter_map(|principal| difference(principal, before, &after));
    told.collect()
}

fn difference(principal: String, before: &Access<'_>, after: &Access<'_>) -> Option<Difference> {
    let account =
        Arn::parse(&principal).map_or_else(|| principal.clone(), |a| a.account.to_owned());
    let chances = |access: &Access<'_>| -> Vec<Rights> {
        let answers = access.answers(&principal);
        let rights = answers.iter().map(crate::access::Answer::rights);
        rights.map(|r| with_account(r, &account)).collect()
    };
    let (before, after) = (chances(before), chances(after));
    let within = |these: &[Rights], those: &[Rights]| {
        these.iter().all(|r| those.iter().any(|o| o.means_same(r)))
    };
    if within(&before, &after) && within(&after, &before) {
        return None;
    }
    let accepted = match (before.as_slice(), after.as_slice()) {
        ([before], [after]) => match compare(before, after) {
            Comparison::Same => None,
            Comparison::Accepted(why) => Some(why.to_owned()),
            Comparison::Differs => None,
        },
        _ => None,
    };
    Some(Difference {
        principal,
        before: before.into_iter().next(),
        after: after.into_iter().next(),
        accepted,
    })
}

/// How what a mapping gives compares with what an access entry gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// The same.
    Same,
    /// As good, and why.
    Accepted(&'static str),
    /// Something else.
    Differs,
}

pub(super) fn compare(before: &Rights, after: &Rights) -> Comparison {
    if before.means_same(after) {
        return Comparison::Same;
    }
    if before.username != after.username {
        return Comparison::Differs;
    }
    let (old, new) = (set(&before.groups), set(&after.groups));
    let is_of_nodes = |groups: &BTreeSet<&str>| {
        let of_nodes = [BOOTSTRAPPERS, NODES, NODE_PROXIER, KUBE_PROXY_WINDOWS];
        groups.contains(NODES) && groups.iter().all(|g| of_nodes.contains(g))
    };
    // The API server's own rules for nodes look at `system:nodes`; EKS adds what else the type needs.
    let loses_only_bootstrap = old.difference(&new).all(|g| *g == BOOTSTRAPPERS);
    if before.policies == after.policies
        && is_of_nodes(&old)
        && is_of_nodes(&new)
        && loses_only_bootstrap
    {
        return Comparison::Accepted(
            "EKS gives nodes and Fargate pods their groups by the entry's type",
        );
    }
    let mut substituted = before.clone();
    let is_admin_policy =
        |p: &accord_model::claim::PolicyGrant| p.policy == CLUSTER_ADMIN && p.namespaces.is_none();
    if old.contains(MASTERS) && after.policies.iter().any(is_admin_policy) {
        substituted.groups.retain(|g| g != MASTERS);
        let new = after.policies.iter().find(|p| is_admin_policy(p));
        substituted.policies.extend(new.cloned());
        if substituted.means_same(after) {
            return Comparison::Accepted(
                "the access policy AmazonEKSClusterAdminPolicy stands for the group system:masters, which no access \
                 entry can have",
            );
        }
    }
    Comparison::Differs
}

fn set(groups: &[String]) -> BTreeSet<&str> {
    groups.iter().map(String::as_str).collect()
}

fn with_account(mut rights: Rights, account: &str) -> Rights {
    let filled = |text: &str| text.replace(Placeholder::AccountId.text(), account);
    let username = filled(&rights.username);
    rights.username = username;
    rights.groups = rights.groups.iter().map(|g| filled(g)).collect();
    rights
}

/// The entry as EKS would keep it.
fn entry(observed: &Observed, request: &EntryRequest) -> AccessEntry {
    let partition = Arn::parse(&request.principal).map_or("aws", |a| a.partition);
    let policies = request.policies.iter().map(|grant| AssociatedPolicy {
        arn: format!(
            "arn:{partition}:eks::aws:cluster-access-policy/{}",
            grant.policy
        ),
        name: grant.policy.clone(),
        namespaces: grant.namespaces.clone(),
    });
    AccessEntry {
        principal: request.principal.clone(),
        kind: request.kind.clone(),
        username: request.username.clone(),
        groups: request.groups.clone(),
        policies: Some(policies.collect()),
        tags: Vec::new(),
        created: Some(observed.now),
    }
}
