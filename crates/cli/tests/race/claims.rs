//! What was claimed when, by the fragments that were stored; and what the ledger said was Accord's to take out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::history::{History, LEDGER};
use crate::roles::{self, Entry};

/// What a principal becomes: username and sorted groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    username: String,
    groups: Vec<String>,
}

impl Identity {
    pub(crate) fn of(entry: &Entry<'_>) -> Self {
        let mut groups: Vec<String> = entry.groups.iter().map(|&g| g.to_owned()).collect();
        groups.sort();
        Self {
            username: entry.username.to_owned(),
            groups,
        }
    }
}

/// By principal. No two owners claim the same one in these tests.
pub(crate) type Claimed = BTreeMap<String, Identity>;

/// What was claimed, from each revision on at which that changed.
pub(crate) struct Claims {
    since: Since<Claimed>,
}

/// A value from each revision on at which it changed; the first is from the beginning.
type Since<T> = Vec<(u64, T)>;

fn at<T>(since: &Since<T>, revision: u64) -> &T {
    let after = since.partition_point(|(from, _)| *from <= revision);
    &since[after.max(1) - 1].1
}

/// The values that it had from one revision to another, both included.
fn from_to<T>(since: &Since<T>, from: u64, to: u64) -> impl Iterator<Item = &T> {
    let changes = since.iter();
    let later = changes.filter(move |(revision, _)| from < *revision && *revision <= to);
    std::iter::once(at(since, from)).chain(later.map(|(_, value)| value))
}

impl Claims {
    pub(crate) fn of(history: &History) -> Self {
        let mut owned: BTreeMap<&str, Claimed> = BTreeMap::new();
        let mut since = vec![(0, Claimed::new())];
        for version in &history.versions {
            let Some(owner) = version.owner() else {
                continue;
            };
            let entries = roles::entries(version.roles());
            let claimed = entries.map(|e| (e.principal.to_owned(), Identity::of(&e)));
            owned.insert(owner, claimed.collect());
            let all = owned.values().flatten();
            let all = all.map(|(who, what)| (who.clone(), what.clone()));
            since.push((version.revision, all.collect()));
        }
        Self { since }
    }

    /// What is claimed at a revision.
    pub(crate) fn at(&self, revision: u64) -> &Claimed {
        at(&self.since, revision)
    }

    /// What was claimed all the while, and always the same.
    pub(crate) fn throughout(&self, from: u64, to: u64) -> Claimed {
        let mut steady = self.at(from).clone();
        for claimed in from_to(&self.since, from, to) {
            steady.retain(|who, what| claimed.get(who) == Some(what));
        }
        steady
    }

    /// Whether there was a moment at which it was not claimed.
    pub(crate) fn was_free(&self, principal: &str, from: u64, to: u64) -> bool {
        from_to(&self.since, from, to).any(|claimed| !claimed.contains_key(principal))
    }

    /// Whether there was a moment at which it was claimed.
    pub(crate) fn was_claimed(&self, principal: &str, from: u64, to: u64) -> bool {
        from_to(&self.since, from, to).any(|claimed| claimed.contains_key(principal))
    }
}

/// The principals that the ledger named, from each revision on at which that changed.
pub(crate) struct Ledger {
    since: Since<BTreeSet<String>>,
}

impl Ledger {
    pub(crate) fn of(history: &History) -> Self {
        let mut since = vec![(0, BTreeSet::new())];
        let ledgers = history.versions.iter().filter(|v| v.name == LEDGER);
        since.extend(ledgers.map(|version| {
            let ledger: Value =
                serde_json::from_str(version.datum("ledger.json")).unwrap_or_default();
            let lines = ledger["mapRoles"].as_object().into_iter().flatten();
            (
                version.revision,
                lines.map(|(who, _)| who.clone()).collect(),
            )
        }));
        Self { since }
    }

    /// Whether there was a moment at which it was named.
    pub(crate) fn named(&self, principal: &str, from: u64, to: u64) -> bool {
        from_to(&self.since, from, to).any(|lines| lines.contains(principal))
    }
}
