//! The entry of whoever made the cluster, or runs the tool.

use accord_model::arn;
use accord_model::deploy::{Action, Declared, Resource};
use accord_model::finding::{Finding, FindingKind, Severity};

use super::entries::display;
use super::group::Group;
use super::place::{at, whole};
use crate::caller::Caller;

/// The entry of whoever made the cluster, or of whoever runs the tool, goes to somebody else.
pub(super) fn changes_hands(resource: &Resource) -> Option<Finding> {
    let Some(Declared::Entry(before)) = &resource.before else {
        return None;
    };
    if !before.of_caller {
        return None;
    }
    let old = before.principal.as_ref()?;
    let new = match &resource.after {
        Some(Declared::Entry(after)) => after.principal.as_ref(),
        _ => None,
    };
    let message = match (resource.action, new) {
        (Action::Delete, _) => format!(
            "The entry of the cluster's creator, {}, would be dropped. Make sure that somebody else is an administrator.",
            old.value
        ),
        (action, Some(new)) if action.is_replacement() && old.value != new.value => format!(
            "The entry of the cluster's creator would go from {} to {}: its principal is whoever runs the tool, so it \
             changes hands with every run by somebody else. Name the administrators as entries of their own instead.",
            old.value, new.value
        ),
        _ => return None,
    };
    let finding = match new {
        Some(new) => at(
            resource,
            new,
            FindingKind::CreatorEntryReplaced,
            Severity::LocksOut,
            message,
        ),
        None => whole(
            resource,
            FindingKind::CreatorEntryReplaced,
            Severity::LocksOut,
            message,
        ),
    };
    Some(finding.about(display(&old.value)))
}

/// A cluster that is made with an entry for whoever makes it, and an access entry for the same principal: EKS refuses the
/// second.
pub(super) fn made_by_eks(group: &Group<'_>, caller: Option<&Caller>) -> Option<Finding> {
    let caller = caller?;
    let is_new = |r: &Resource| r.action == Action::Create;
    let makes = group.after().any(|(resource, declared)| match declared {
        Declared::Cluster(cluster) => {
            is_new(resource)
                && cluster
                    .creator_is_admin
                    .as_ref()
                    .is_none_or(|flag| flag.value)
        }
        _ => false,
    });
    let (resource, principal) =
        group
            .after()
            .filter(|_| makes)
            .find_map(|(resource, declared)| match declared {
                Declared::Entry(entry) => {
                    let principal = entry.principal.as_ref()?;
                    arn::same_identity(&principal.value, &caller.canonical)
                        .then_some((resource, principal))
                }
                _ => None,
            })?;
    let finding = at(
        resource,
        principal,
        FindingKind::CreatorEntryReplaced,
        Severity::LocksOut,
        format!(
            "{} makes the cluster, and so gets an administrator's entry from EKS, which refuses this one with 409. Leave it \
             out, or set bootstrapClusterCreatorAdminPermissions to false.",
            principal.value
        ),
    );
    Some(finding.about(display(&principal.value)))
}
