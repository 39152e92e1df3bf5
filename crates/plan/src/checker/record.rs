//! The ledger says of the entries just what they are, and in time; claims are stored before all that.

use std::collections::BTreeSet;

use accord_model::ledger::Door;
use accord_model::mapping::Identity;
use accord_model::observed::LedgerRead;
use accord_model::plan::Step;

use super::books::says;
use super::{Case, Found, Rule};

pub(super) fn check(case: &Case<'_>, found: &mut Found) {
    ledger(case, found);
    lines(case, found);
    claims(case, found);
}

fn ledger(case: &Case<'_>, found: &mut Found) {
    for step in &case.plan.steps {
        if let Step::WriteLedger(ledger) = step {
            let here = case.observed.cluster_uid.is_none()
                || ledger.cluster.is_none()
                || ledger.cluster == case.observed.cluster_uid;
            found.unless(
                case.keeps_ledger() && here,
                Rule::LedgerOfHere,
                "the ledger",
            );
        }
    }
}

/// Lines that come, change or go.
fn lines(case: &Case<'_>, found: &mut Found) {
    let (before, after) = (&case.books.before.lines, &case.books.after.lines);
    let rules = case.after.rules();
    for (key, line) in after
        .iter()
        .filter(|(key, line)| before.get(*key) != Some(*line))
    {
        if line.door == Door::AccessEntry {
            continue;
        }
        let none = Identity::default();
        let deciding = rules.deciding(key);
        let mut identities = deciding
            .ids()
            .iter()
            .map(|id| rules.mapping(*id).map_or(&none, |m| &m.identity));
        let true_of_all = !deciding.ids().is_empty() && identities.all(|i| says(line, key, i));
        found.unless(true_of_all, Rule::RecordedTruly, key);
    }
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        found.unless(!case.books.is_claimed(key), Rule::LineLasts, key);
    }
}

/// The order and number of the fragments' writes.
fn claims(case: &Case<'_>, found: &mut Found) {
    let mut written = BTreeSet::new();
    let mut map_written = false;
    for step in &case.plan.steps {
        let owner = match step {
            Step::WriteFragment(fragment) => &fragment.owner,
            Step::DeleteFragment(owner) => owner,
            Step::Edit(_) => {
                map_written = true;
                continue;
            }
            Step::WriteLedger(_) => continue,
        };
        let in_order = written.insert(owner) && !map_written;
        found.unless(in_order, Rule::ClaimsFirst, owner);
    }
}

impl Case<'_> {
    /// Whether there is a ledger that can be kept.
    pub(super) fn keeps_ledger(&self) -> bool {
        !matches!(self.observed.ledger, LedgerRead::Unreadable(_))
    }
}
