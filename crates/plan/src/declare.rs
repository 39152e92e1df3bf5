//! New claims of owners, and claims given up.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn::PrincipalKey;
use accord_model::claim::{Fragment, Owner};
use accord_model::finding::FindingKind;
use accord_model::ledger::Line;
use accord_model::plan::Refusal;

use crate::reconcile::ask::Ask;
use crate::reconcile::{Situation, claims};
use crate::request::{self, RequestError};

/// The fragments become their owners' claims. What an owner claimed before and is not in them stays claimed, unless
/// `prune`.
pub(crate) fn declare(situation: &Situation<'_>, fragments: &[Fragment], prune: bool) -> Ask {
    let mut declared: BTreeMap<&Owner, Fragment> = BTreeMap::new();
    for fragment in fragments {
        declared
            .entry(&fragment.owner)
            .and_modify(|all| all.claims.extend(fragment.claims.iter().cloned()))
            .or_insert_with(|| fragment.clone());
    }
    let mut ask = Ask {
        prunes: prune,
        ..Ask::default()
    };
    for (owner, mut fragment) in declared {
        ask.askers.insert(owner.clone());
        if let Some(old) = situation.fragment(owner) {
            fragment.created = old.created;
            fragment.admission = old.admission.clone();
            let new: BTreeSet<PrincipalKey> = fragment.claims.iter().map(claims::key).collect();
            let absent = old.claims.iter().filter(|c| !new.contains(&claims::key(c)));
            for claim in absent {
                ask.pruned.push(claims::printed(claim));
                match prune {
                    true => {
                        ask.given_up.insert(claims::key(claim));
                    }
                    false => fragment.claims.push(claim.clone()),
                }
            }
            if prune {
                for line in lines_in_unreadable(situation, old) {
                    if !new.contains(&line.key()) {
                        ask.pruned.push(line.principal.clone());
                        ask.given_up.insert(line.key());
                    }
                }
            } else {
                ask.refusals.extend(unreadable(old));
            }
        }
        ask.fragments.insert(owner.clone(), Some(fragment));
    }
    if !ask.given_up.is_empty() {
        ask.refusals
            .extend(situation.needs_ledger("Giving up a claim"));
    }
    ask
}

/// What an owner claimed, as far as the ledger knows, in sections that cannot be read any more.
fn lines_in_unreadable<'s>(
    situation: &'s Situation<'_>,
    old: &'s Fragment,
) -> impl Iterator<Item = &'s Line> {
    let is_unreadable = |l: &&Line| {
        old.unreadable
            .iter()
            .any(|(section, _)| *section == l.section)
    };
    let lines = situation.ledger.lines.values();
    lines
        .filter(|l| l.owners.contains(&old.owner))
        .filter(is_unreadable)
}

/// What is stored of an owner and cannot be read would be lost by writing over it.
fn unreadable(old: &Fragment) -> Option<Refusal> {
    let (section, why) = old.unreadable.first()?;
    Some(Refusal {
        kind: FindingKind::SectionUnparseable,
        principal: None,
        message: format!(
            "{section} of what {} claims now cannot be read: {why} Mend it first, or give it up with --prune.",
            old.owner
        ),
        held_by: None,
        allow: None,
        askers: true,
    })
}

/// Everything that the owner claims is given up.
///
/// # Errors
/// If nobody has that name.
pub(crate) fn remove(situation: &Situation<'_>, owner: &Owner) -> Result<Ask, RequestError> {
    request::known(situation.observed, owner)?;
    let mut ask = Ask::default();
    ask.askers.insert(owner.clone());
    ask.fragments.insert(owner.clone(), None);
    if situation.ledger.admitted.contains_key(owner) {
        ask.admitted.insert(owner.clone(), None);
    }
    let claimed = situation
        .fragment(owner)
        .into_iter()
        .flat_map(|f| &f.claims);
    ask.given_up.extend(claimed.map(claims::key));
    let lines = situation.ledger.lines.iter();
    ask.given_up.extend(
        lines
            .filter(|(_, l)| l.owners.contains(owner))
            .map(|(key, _)| key.clone()),
    );
    ask.refusals
        .extend(situation.needs_ledger("Giving up claims"));
    Ok(ask)
}
