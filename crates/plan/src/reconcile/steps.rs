//! The writes, in an order that heals after a crash at any point.
//!
//! Fragments come first: an entry whose ledger line is written before its claim would look given up; and an entry that
//! is gone while its claim is still there would be added again by whoever reconciles next. The ledger comes before the
//! map, with what is intended, and after it once more, without the lines of what was removed: so an entry that Accord
//! wrote is never without its line. Only where an entry is put back to what it was before anybody claimed it does its
//! line go before everything else: with the line and without the claim it would look given up too.

use std::mem;

use accord_model::arn::PrincipalKey;
use accord_model::claim::{Fragment, Owner};
use accord_model::ledger::{Digest, Ledger, Suspension};
use accord_model::observed::Observed;
use accord_model::plan::Step;

use super::ask::Ask;
use super::row::{Next, Row};
use super::situation::Situation;

pub(super) fn steps(situation: &Situation<'_>, ask: &Ask, mut rows: Vec<Row<'_>>) -> Vec<Step> {
    let ledgers = match situation.keeps_ledger() {
        true => Ledgers::of(situation, ask, &mut rows),
        false => Ledgers::default(),
    };
    let write = |ledger: Option<Ledger>| ledger.map(|l| Step::WriteLedger(Box::new(l)));
    let edits: usize = rows.iter().map(|r| r.edits.len()).sum();
    let mut steps = Vec::with_capacity(edits + ask.fragments.len() + 3);
    steps.extend(write(ledgers.first));
    steps.extend(ask.fragments.iter().filter_map(|(owner, fragment)| {
        fragment_step(situation.observed, owner, fragment.as_ref())
    }));
    steps.extend(write(ledgers.intended));
    steps.extend(rows.into_iter().flat_map(|r| r.edits).map(Step::Edit));
    steps.extend(write(ledgers.done));
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

/// The ledger as it is written, wherever that changes it.
#[derive(Default)]
struct Ledgers {
    /// Before everything else.
    first: Option<Ledger>,
    /// Before the map.
    intended: Option<Ledger>,
    /// After the map.
    done: Option<Ledger>,
}

impl Ledgers {
    fn of(situation: &Situation<'_>, ask: &Ask, rows: &mut [Row<'_>]) -> Self {
        let changes = rows.iter().any(|r| r.line != Next::Keep)
            || ask.suspended.is_some()
            || !ask.admitted.is_empty();
        if !changes {
            return Self::default();
        }
        let mut ledger = situation.ledger.clone().into_owned();
        let dropped_first = rows.iter().filter(|r| r.line == Next::DropFirst);
        let dropped = dropped_first.filter(|r| ledger.lines.remove(r.key).is_some());
        let first = (dropped.count() > 0).then(|| ledger.clone());

        let current = first.as_ref().unwrap_or(&situation.ledger);
        let later = intend(&mut ledger, situation.observed, ask, rows);
        let is_new = differs(&ledger, current);
        if later.is_empty() {
            return Self {
                first,
                intended: is_new.then_some(ledger),
                done: None,
            };
        }
        let intended = is_new.then(|| ledger.clone());
        for key in later {
            ledger.lines.remove(key);
        }
        Self {
            first,
            intended,
            done: Some(ledger),
        }
    }
}

/// Makes of `ledger` what is intended; what has to go from it only after the map was written.
fn intend<'k>(
    ledger: &mut Ledger,
    observed: &Observed,
    ask: &Ask,
    rows: &mut [Row<'k>],
) -> Vec<&'k PrincipalKey> {
    if let Some(uid) = &observed.cluster_uid {
        ledger.cluster = Some(uid.clone());
    }
    if let Some(suspended) = &ask.suspended {
        ledger.suspended.clone_from(suspended);
    }
    ledger.suspended.retain(|s| s.until > observed.now);
    for (owner, admitted) in &ask.admitted {
        match admitted {
            Some(admitted) => ledger.admitted.insert(owner.clone(), admitted.clone()),
            None => ledger.admitted.remove(owner),
        };
    }
    let mut later = Vec::new();
    let mut written = Vec::new();
    for row in rows {
        match mem::replace(&mut row.line, Next::Keep) {
            Next::Keep | Next::DropFirst => {}
            Next::Write(line) => written.push((row.key.clone(), *line)),
            Next::Drop if !row.edits.is_empty() => later.push(row.key),
            Next::Drop => {
                ledger.lines.remove(row.key);
            }
        }
    }
    // At once, because thousands may be new.
    ledger.lines.append(&mut written.into_iter().collect());
    later
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
