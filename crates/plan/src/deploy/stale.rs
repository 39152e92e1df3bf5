//! Entries that are left behind by their roles.

use std::collections::BTreeSet;

use accord_model::deploy::{Action, Declared, Resource};
use accord_model::finding::{Finding, FindingKind};

use super::after::{States, key};
use super::entries::display;
use super::group::Group;
use super::place::whole;
use crate::lint::{Purpose, World};

/// Entries of roles that Terraform makes anew: they are bound to the roles that go.
pub(super) fn look(group: &Group<'_>, states: &States) -> Vec<Finding> {
    let world = World::of(&states.after);
    let is_new_entry = |r: &Resource| {
        matches!(
            r.action,
            Action::Create | Action::DeleteThenCreate | Action::CreateThenDelete
        )
    };
    let made: BTreeSet<String> = group
        .after()
        .filter(|(r, _)| is_new_entry(r))
        .filter_map(|(_, declared)| match declared {
            Declared::Entry(entry) => Some(key(&entry.principal.as_ref()?.value)),
            _ => None,
        })
        .collect();
    let mut findings = Vec::new();
    for (resource, role) in &group.remade_roles {
        let Some(entry) = states
            .entry_before(role)
            .filter(|_| !made.contains(&key(role)))
        else {
            continue;
        };
        let rights = crate::access::entry_answer(0, entry).rights();
        let purpose = match rights.is_admin() {
            true => Purpose::Admin,
            false => Purpose::of(&world, role, &rights.username, &rights.groups),
        };
        let finding = whole(
            resource,
            FindingKind::StalePrincipal,
            purpose.if_broken(),
            format!(
                "The role {role} would be made anew, and its access entry stays bound to the old one: it lets nobody in any \
                 more. Replace the entry too (`replace_triggered_by`)."
            ),
        );
        findings.push(finding.about(display(role)));
    }
    findings
}
