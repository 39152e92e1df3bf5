//! The changes told are those that happen; nobody is locked out unasked; what is refused is not done.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn::PrincipalKey;
use accord_model::finding::FindingKind;
use accord_model::mapping::EntryId;
use accord_model::plan::{Change, EntryEdit, Refusal, Rights};

use super::{Case, Found, Rule, writes};
use crate::access::Access;
use crate::holder::key_of;

pub(super) fn check(case: &Case<'_>, found: &mut Found) {
    told(case, found);
    admins(case, found);
    refused(case, found);
}

/// What is told of each principal is what it has before and after, and of whom nothing is told nothing changes.
fn told(case: &Case<'_>, found: &mut Found) {
    let mut told: BTreeMap<PrincipalKey, &Change> = BTreeMap::new();
    for change in &case.plan.changes {
        let twice = told.insert(PrincipalKey::of(&change.principal), change);
        found.unless(twice.is_none(), Rule::ToldTruly, &change.principal);
    }
    let mut everybody: BTreeMap<PrincipalKey, String> = BTreeMap::new();
    let changes = case.plan.changes.iter().map(|c| c.principal.clone());
    let principals = case.before.principals().into_iter();
    for principal in principals.chain(case.after.principals()).chain(changes) {
        everybody
            .entry(PrincipalKey::of(&principal))
            .or_insert(principal);
    }
    let edited = edited(case);
    for (key, principal) in everybody {
        let told = told.get(&key);
        // Who gets in by the same entries as before, unedited, has no change.
        let same = case.before.rules().deciding(&key);
        let untouched = told.is_none()
            && !same.ids().is_empty()
            && same == case.after.rules().deciding(&key)
            && same.ids().iter().all(|id| !edited.contains(id));
        if untouched {
            continue;
        }
        let (before, after) = (
            chances(case.before, &principal),
            chances(case.after, &principal),
        );
        let is_true = match told {
            None => covers(&before, &after) && covers(&after, &before),
            Some(change) => {
                let admin = before.iter().chain(&after).any(Rights::is_admin);
                !(covers(&before, &after) && covers(&after, &before))
                    && is_one_of(&change.before, &before)
                    && is_one_of(&change.after, &after)
                    && change.admin == admin
            }
        };
        found.unless(is_true, Rule::ToldTruly, principal);
    }
}

fn edited(case: &Case<'_>) -> BTreeSet<EntryId> {
    let ids = case.edits.iter().filter_map(|edit| match edit {
        EntryEdit::Add { .. } => None,
        EntryEdit::Update { id, .. } | EntryEdit::Remove { id, .. } => Some(*id),
    });
    ids.collect()
}

/// What a principal may have; nothing, if it has no access.
fn chances(access: &Access<'_>, principal: &str) -> Vec<Rights> {
    access
        .answers(principal)
        .iter()
        .map(|a| a.rights())
        .collect()
}

/// Whether each of `these` is among `those`.
fn covers(those: &[Rights], these: &[Rights]) -> bool {
    these.iter().all(|r| those.iter().any(|o| o.means_same(r)))
}

fn is_one_of(told: &Option<Rights>, chances: &[Rights]) -> bool {
    match told {
        Some(told) => covers(chances, std::slice::from_ref(told)),
        None => chances.is_empty(),
    }
}

fn admins(case: &Case<'_>, found: &mut Found) {
    let removes_any = case.plan.changes.iter().any(|c| c.admin);
    if removes_any && case.after.administrators().is_empty() {
        let had = !case.before.administrators().is_empty();
        let kind = FindingKind::LastAdminRemoved.name();
        let allowed = case.plan.allowed.iter().any(|a| a.starts_with(kind));
        found.unless(!had || allowed, Rule::AdminLeft, "the cluster");
    }
}

/// A refusal that rests on the principal itself leaves its entry alone. A refusal of a claim that another one holds
/// against does not, and a refused asker's plan is not carried out anyway.
fn refused(case: &Case<'_>, found: &mut Found) {
    let standing = |r: &&Refusal| {
        let of_entry = matches!(
            r.kind,
            FindingKind::NotClaimed
                | FindingKind::EditedByTwo
                | FindingKind::RoleStillInUse
                | FindingKind::RemovalOfEksOwnedEntry
                | FindingKind::LastAdminRemoved
                | FindingKind::ShadowedEntryRevived
        );
        of_entry && !r.askers
    };
    let refused: BTreeSet<PrincipalKey> = case
        .plan
        .refusals
        .iter()
        .filter(standing)
        .filter_map(|r| r.principal.as_deref().map(key_of))
        .collect();
    for edit in case.edits {
        let principal = match edit {
            EntryEdit::Add { mapping, .. } => Some(mapping.arn.as_str()),
            EntryEdit::Update { id, .. } | EntryEdit::Remove { id, .. } => {
                case.before.rules().mapping(*id).map(|m| m.arn.as_str())
            }
        };
        if let Some(principal) = principal {
            let key = writes::key(edit.section(), principal);
            found.unless(!refused.contains(&key), Rule::RefusedStays, principal);
        }
    }
}

impl Case<'_> {
    /// The entries that are removed.
    pub(super) fn removals(&self) -> impl Iterator<Item = EntryId> {
        self.edits.iter().filter_map(|edit| match edit {
            EntryEdit::Remove { id, .. } => Some(*id),
            EntryEdit::Add { .. } | EntryEdit::Update { .. } => None,
        })
    }

    /// Whether a hazard was allowed to pass for a principal.
    pub(super) fn allows(&self, kind: &str, key: &PrincipalKey) -> bool {
        let allowed = self.plan.allowed.iter().filter_map(|a| a.split_once('='));
        allowed
            .into_iter()
            .any(|(k, p)| k == kind && key_of(p) == *key)
    }
}
