//! The writes, in an order that heals after a crash at any point.
//!
//! Fragments come first: an entry whose ledger line is written before its claim would look given up. The ledger comes
//! before the map, with what is intended, and after it once more, without the lines of what was removed: so an entry
//! that Accord wrote is never without its line.

use accord_model::claim::{Fragment, Owner};
use accord_model::ledger::{Digest, Ledger, Suspension};
use accord_model::observed::Observed;
use accord_model::plan::Step;

use super::ask::Ask;
use super::row::{Next, Row};
use super::situation::Situation;

pub(super) fn steps(situation: &Situation<'_>, ask: &Ask, rows: &[Row]) -> Vec<Step> {
    let mut steps = Vec::new();
    if let Some(ledger) = let_go(situation, rows).filter(|_| situation.keeps_ledger()) {
        steps.push(Step::WriteLedger(Box::new(ledger)));
    }
    steps.extend(ask.fragments.iter().filter_map(|(owner, fragment)| {
        fragment_step(situation.observed, owner, fragment.as_ref())
    }));
    let (intended, done) = ledgers(situation, ask, rows);
    let edits = rows
        .iter()
        .flat_map(|r| r.edits.iter().cloned())
        .map(Step::Edit);
    if !situation.keeps_ledger() {
        steps.extend(edits);
        return steps;
    }
    let current = match steps.first() {
        Some(Step::WriteLedger(written)) => written.as_ref().clone(),
        _ => situation.ledger.clone().into_owned(),
    };
    if differs(&intended, &current) {
        steps.push(Step::WriteLedger(Box::new(intended.clone())));
    }
    steps.extend(edits);
    if done != intended {
        steps.push(Step::WriteLedger(Box::new(done)));
    }
    steps
}

fn fragment_step(observed: &Observed, owner: &Owner, fragment: Option<&Fragment>) -> Option<Step> {
    let there = observed.fragments.items.iter().find(|f| f.owner == *owner);
    match (there, fragment) {
        (Some(_), None) => Some(Step::DeleteFragment(owner.clone())),
        (None, None) => None,
        (Some(there), Some(new))
            if there.unreadable.is_empty()
                && Digest::of_claims(&there.claims) == Digest::of_claims(&new.claims) =>
        {
            None
        }
        (_, Some(new)) => Some(Step::WriteFragment(new.clone())),
    }
}

/// The ledger without the lines of entries that are put back to what they were before anybody claimed them. Written
/// before the fragments: with its line and without its claim such an entry would look given up, and be removed.
fn let_go(situation: &Situation<'_>, rows: &[Row]) -> Option<Ledger> {
    let dropped = |r: &&Row| r.stays_unclaimed && situation.ledger.lines.contains_key(&r.key);
    let dropped: Vec<&Row> = rows.iter().filter(dropped).collect();
    if dropped.is_empty() {
        return None;
    }
    let mut ledger = situation.ledger.clone().into_owned();
    for row in dropped {
        ledger.lines.remove(&row.key);
    }
    Some(ledger)
}

/// The ledger as it is written before the map, and after it.
fn ledgers(situation: &Situation<'_>, ask: &Ask, rows: &[Row]) -> (Ledger, Ledger) {
    let observed = situation.observed;
    let mut intended = situation.ledger.clone().into_owned();
    if let Some(uid) = &observed.cluster_uid {
        intended.cluster = Some(uid.clone());
    }
    if let Some(suspended) = &ask.suspended {
        intended.suspended = suspended.clone();
    }
    intended.suspended.retain(|s| s.until > observed.now);
    for (owner, admitted) in &ask.admitted {
        match admitted {
            Some(admitted) => intended.admitted.insert(owner.clone(), admitted.clone()),
            None => intended.admitted.remove(owner),
        };
    }
    for row in rows {
        match &row.line {
            Next::Keep => {}
            Next::Write(line) => {
                intended.lines.insert(row.key.clone(), (**line).clone());
            }
            Next::Drop if row.edits.is_empty() || row.stays_unclaimed => {
                intended.lines.remove(&row.key);
            }
            Next::Drop => {}
        }
    }
    let mut done = intended.clone();
    for row in rows {
        if row.line == Next::Drop {
            done.lines.remove(&row.key);
        }
    }
    (intended, done)
}

/// Whether there is more to write than that a suspension has run out.
fn differs(new: &Ledger, old: &Ledger) -> bool {
    let lasting = |s: &&Suspension| new.suspended.contains(s);
    new.lines != old.lines
        || new.admitted != old.admitted
        || !new
            .suspended
            .iter()
            .eq(old.suspended.iter().filter(lasting))
}
