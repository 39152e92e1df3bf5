//! Roles that nodes and Fargate pods use, and would lose their entry or a group they need.

use std::collections::BTreeSet;

use accord_model::finding::{FindingKind, Severity};
use accord_model::mapping::Identity;
use accord_model::observed::Observed;

use super::{Hazard, Transition};
use crate::access::{Access, Answer, Via};
use crate::diff::Touched;
use crate::lint;
use crate::usage::{EntryShape, Use, UsedRole};

pub(super) fn hazards(transition: &Transition<'_>, touched: &Touched) -> Vec<Hazard> {
    let (before, after) = (&touched.before, &touched.after);
    let hazard = |kind, severity, message| Hazard {
        kind,
        severity,
        principal: touched.principal.clone(),
        message,
        cause: touched.key.clone(),
    };
    let usage = transition.world.usage();
    let Some(role) = usage.of_role(&touched.principal) else {
        let unknown = unknown_use(transition, before, after);
        return unknown
            .map(|why| {
                let message = format!(
                    "{} has an entry as compute has, and {why}: what uses the role cannot be known, so the entry is \
                     kept. List what is missing in the state, or give it with --facts.",
                    touched.principal
                );
                hazard(FindingKind::ListingIncomplete, Severity::BreaksCluster, message)
            })
            .into_iter()
            .collect();
    };
    let mut found = Vec::new();
    let worse = standing(transition, role);
    let loses_something = || {
        role.uses()
            .into_iter()
            .any(|u| loses(transition, u, before, after))
    };
    if !before.is_empty() && (!worse.is_empty() || loses_something()) {
        if before
            .iter()
            .any(|a| is_eks_written(transition, touched, a))
            && after.is_empty()
        {
            found.push(hazard(
                FindingKind::RemovalOfEksOwnedEntry,
                Severity::BreaksCluster,
                format!(
                    "The entry for {} is one that EKS writes itself, for {}.",
                    role.arn,
                    role.told()
                ),
            ));
        }
        let what = match after.is_empty() {
            true => "its entry",
            false => "a username or group that it needs",
        };
        found.push(hazard(
            FindingKind::RoleStillInUse,
            Severity::BreaksCluster,
            format!(
                "{} is used by {}, and would lose {what}.",
                role.arn,
                role.told()
            ),
        ));
    }
    found.extend(
        worse
            .into_iter()
            .map(|(kind, severity, message)| hazard(kind, severity, message)),
    );
    if let Some(message) = newly_shared(role, before, after) {
        found.push(hazard(
            FindingKind::RoleSharedByEc2AndFargate,
            Severity::BreaksCluster,
            message,
        ));
    }
    found
}

/// What the lints would say of the role afterwards and do not say now.
fn standing(transition: &Transition<'_>, role: &UsedRole) -> Vec<(FindingKind, Severity, String)> {
    let said = |observed: &Observed, access: &Access<'_>| {
        lint::role_in_use(observed, transition.world, access, role)
    };
    let before = said(transition.observed, transition.before);
    let known: BTreeSet<FindingKind> = before.iter().map(|f| f.kind).collect();
    said(transition.then, transition.after)
        .into_iter()
        .filter(|f| !known.contains(&f.kind))
        .map(|f| {
            (
                f.kind,
                f.severity,
                format!("After this change: {}", f.message),
            )
        })
        .collect()
}

fn is_eks_written(transition: &Transition<'_>, touched: &Touched, answer: &Answer) -> bool {
    matches!(answer.via, Via::Map(_))
        && transition
            .world
            .usage()
            .is_eks_written(&touched.principal, &identity(answer))
}

fn identity(answer: &Answer) -> Identity {
    Identity {
        username: answer.username.clone(),
        groups: answer.groups.clone(),
    }
}

/// Whether one use of a role loses the username or a group that it has and needs.
fn loses(transition: &Transition<'_>, used_for: Use, before: &[Answer], after: &[Answer]) -> bool {
    let entries = &transition.then.access_entries.items;
    let served = |a: &Answer| match a.via {
        Via::Entry(index) => entries
            .get(index)
            .is_some_and(|e| used_for.is_served_by_entry(&e.kind)),
        Via::Map(_) => used_for.is_served_by(&a.username, &a.groups),
    };
    let certain = |test: &dyn Fn(&Answer) -> bool| !after.is_empty() && after.iter().all(test);
    let loses = |test: &dyn Fn(&Answer) -> bool| before.iter().any(test) && !certain(test);
    if certain(&served) {
        return false;
    }
    loses(&|a| a.username == used_for.username())
        || used_for
            .groups()
            .iter()
            .any(|group| loses(&|a| a.groups.iter().any(|g| g == group)))
}

/// Why it cannot be known that nothing is lost: an entry in the shape of compute would lose what compute needs, and
/// what uses such roles is not known completely.
fn unknown_use(transition: &Transition<'_>, before: &[Answer], after: &[Answer]) -> Option<String> {
    let of_map = |a: &&Answer| matches!(a.via, Via::Map(_));
    let shapes = before
        .iter()
        .filter(of_map)
        .filter_map(|a| EntryShape::of(&identity(a)));
    shapes
        .filter(|shape| {
            let uses: &[Use] = match shape {
                EntryShape::Nodes => &[Use::LinuxNodes, Use::WindowsNodes],
                EntryShape::Fargate => &[Use::FargatePods],
            };
            uses.iter().any(|u| loses(transition, *u, before, after))
        })
        .find_map(|shape| transition.world.usage().why_incomplete(shape))
}

/// An entry made for the other kind of compute than the one that uses the role.
fn newly_shared(role: &UsedRole, before: &[Answer], after: &[Answer]) -> Option<String> {
    let shapes = |answers: &[Answer]| -> Vec<EntryShape> {
        answers
            .iter()
            .filter_map(|a| EntryShape::of(&identity(a)))
            .collect()
    };
    let (before, after) = (shapes(before), shapes(after));
    let uses = role.uses();
    let on_fargate = uses.contains(&Use::FargatePods);
    let on_nodes = uses.iter().any(|u| *u != Use::FargatePods);
    let other = match (on_nodes, on_fargate) {
        (true, false) => EntryShape::Fargate,
        (false, true) => EntryShape::Nodes,
        _ => return None,
    };
    (after.contains(&other) && !before.contains(&other)).then(|| {
        let (made, needs) = match other {
            EntryShape::Fargate => ("Fargate pods", "nodes"),
            EntryShape::Nodes => ("nodes", "Fargate pods"),
        };
        format!(
            "The entry would be one for {made}, and {} is used by {}: EC2 nodes and Fargate pods need different usernames, \
             and one entry cannot serve both. Give the {made} a role of their own, and leave this one to the {needs}.",
            role.arn,
            role.told()
        )
    })
}
