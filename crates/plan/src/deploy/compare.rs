//! Whom a deploy changes, and what that breaks.
//!
//! A value that is known only after the deploy may turn out to be somebody who is there now. Where it may be, and would
//! give just what that one has, nothing is said to be lost: it is said to be unknown. In every other case whoever is
//! not named loses what they have.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn::{Arn, PrincipalKey};
use accord_model::deploy::{Action, Declared, MapWrite, Resource};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::plan::{Change, Holder, Rights};
use accord_model::unknown;

use super::after::{States, key};
use super::group::Group;
use super::place::{in_write, of};
use crate::access::{Access, Via};
use crate::against;
use crate::caller::Caller;
use crate::diff::{self, Touched};
use crate::hazards::{self, Hazard, Transition};
use crate::holder::{Holders, key_of};
use crate::lint::World;

pub(super) fn compare(
    group: &Group<'_>,
    states: &States,
    caller: Option<&Caller>,
) -> (Vec<Finding>, Vec<Change>) {
    let States { before, after, .. } = states;
    if group.live.is_none() && before.aws_auth.is_none() {
        return (Vec::new(), Vec::new());
    }
    let (access, then) = (Access::of(before), Access::of(after));
    let holders = Holders::of(before);
    let causes = Causes::of(group);
    let unknown: Vec<(String, Rights)> = then
        .principals()
        .into_iter()
        .filter(|p| !unknown::is_known(p))
        .filter_map(|p| Some((p.clone(), then.rights(&p)?)))
        .collect();
    let mut touched = Vec::new();
    let mut changes = Vec::new();
    let mut perhaps: Vec<(String, String)> = Vec::new();
    for principal in diff::everybody(&access, &then) {
        let key = key_of(&principal);
        let this = Touched::of(principal, key, false, &access, &then);
        let change = this.change(|| {
            let via = this.before.first().map(|a| a.via);
            let holder = via.map_or(Holder::Unclaimed, |via| holders.holder(via));
            (holder, reason(&this, &causes))
        });
        let Some(change) = change else {
            continue;
        };
        let stays = change
            .before
            .as_ref()
            .filter(|_| change.after.is_none())
            .and_then(|had| {
                let mut candidates = unknown.iter();
                candidates
                    .find(|(who, gives)| may_be(who, &change.principal) && may_give(gives, had))
            });
        match stays {
            Some((who, _)) => perhaps.push((who.clone(), change.principal.clone())),
            None => {
                touched.push(this);
                changes.push(change);
            }
        }
    }
    // Whoever is not known yet is new only if they are not somebody who is there.
    let same: BTreeSet<&String> = perhaps.iter().map(|(who, _)| who).collect();
    let is_new = |c: &Change| c.before.is_some() || !same.contains(&c.principal);
    let keep: Vec<bool> = changes.iter().map(is_new).collect();
    let mut flags = keep.iter();
    changes.retain(|_| flags.next().copied().unwrap_or(true));
    let world = World::of(after);
    let found = hazards::hazards(&Transition {
        observed: before,
        then: after,
        world: &world,
        before: &access,
        after: &then,
        caller,
        touched: &touched,
    });
    let is_live = group.live.is_some();
    let ways: BTreeMap<&PrincipalKey, Via> = touched
        .iter()
        .filter_map(|t| Some((&t.key, t.before.first()?.via)))
        .collect();
    let mut findings: Vec<Finding> = found
        .into_iter()
        .filter(|h| is_live || !rests_on_all(h.kind))
        .map(|hazard| {
            let via = ways.get(&hazard.cause).copied();
            at_cause(Hazard::finding(hazard), via, &causes)
        })
        .collect();
    if group.writes().next().is_some() {
        findings.extend(
            against::destroyed(&access, &then)
                .into_iter()
                .map(|f| at_cause(f, None, &causes)),
        );
    }
    findings.extend(
        changes
            .iter()
            .filter_map(against::of_others)
            .map(|f| at_cause(f, None, &causes)),
    );
    findings.extend(uncertain(&perhaps, &causes));
    if !is_live {
        changes.clear();
    }
    (findings, changes)
}

/// Hazards that can be told only if everything is known.
fn rests_on_all(kind: FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::LastAdminRemoved
            | FindingKind::CallerLosesAccess
            | FindingKind::ListingIncomplete
    )
}

/// The resources that do something to somebody's access.
struct Causes<'a> {
    /// Those that are an entry, or one of its policies, by whom it is for.
    entries: BTreeMap<String, &'a Resource>,
    /// The one that writes the map.
    write: Option<(&'a Resource, &'a MapWrite)>,
    /// The one that takes the map away, else the cluster.
    other: Option<&'a Resource>,
}

impl<'a> Causes<'a> {
    fn of(group: &Group<'a>) -> Self {
        let acting = |r: &&'a Resource| r.action != Action::Keep;
        let mut entries: BTreeMap<String, &'a Resource> = BTreeMap::new();
        let mut policies: BTreeMap<String, &'a Resource> = BTreeMap::new();
        for resource in group.resources.iter().copied().filter(acting) {
            for declared in [&resource.after, &resource.before].into_iter().flatten() {
                let (found, principal) = match declared {
                    Declared::Entry(entry) => (&mut entries, &entry.principal),
                    Declared::EntryPolicy(policy) => (&mut policies, &policy.principal),
                    _ => continue,
                };
                if let Some(principal) = principal {
                    found.entry(key(&principal.value)).or_insert(resource);
                }
            }
        }
        for (principal, resource) in policies {
            entries.entry(principal).or_insert(resource);
        }
        let mut writes = group.writes();
        let cluster = group
            .after()
            .find(|(_, declared)| matches!(declared, Declared::Cluster(_)));
        let mut resources = group.resources.iter().copied();
        let map = resources.find(|r| matches!(r.before, Some(Declared::Map(_))));
        Self {
            entries,
            write: writes.find(|(r, _)| r.action != Action::Keep),
            other: map.or(cluster.map(|(r, _)| r)),
        }
    }

    fn entry(&self, principal: &str) -> Option<&'a Resource> {
        self.entries.get(&key(principal)).copied()
    }
}

fn reason(touched: &Touched, causes: &Causes<'_>) -> String {
    let via = touched
        .after
        .first()
        .or(touched.before.first())
        .map(|a| a.via);
    let by = match via {
        Some(Via::Entry(_)) => causes.entry(&touched.principal),
        Some(Via::Map(_)) => causes.write.map(|(r, _)| r),
        None => None,
    };
    match (by, touched.after.first().map(|a| a.via)) {
        (Some(resource), Some(Via::Map(id))) => format!("{id} of `{}`", resource.address),
        (Some(resource), Some(Via::Entry(_))) => format!("`{}`", resource.address),
        (Some(resource), None) => format!("it is not in `{}`", resource.address),
        (None, None) => match causes.other {
            Some(resource) if resource.after.is_none() => format!("`{}` goes", resource.address),
            Some(resource) => format!("after `{}` nothing gives it access", resource.address),
            None => "nothing gives it access any more".to_owned(),
        },
        (None, Some(Via::Map(id))) => format!("{id} decides then"),
        (None, Some(Via::Entry(_))) => "its access entry decides then".to_owned(),
    }
}

/// A hazard at the resource that does it.
fn at_cause(mut finding: Finding, via: Option<Via>, causes: &Causes<'_>) -> Finding {
    let entry = || causes.entry(finding.principal.as_deref()?);
    let of_entry = match via {
        Some(Via::Entry(_)) => entry(),
        _ => None,
    };
    match (of_entry, causes.write) {
        (None, Some((resource, write))) => in_write(finding, resource, write),
        (resource, _) => {
            if let Some(resource) = resource.or(causes.other) {
                finding = of(resource, finding);
                finding.span = finding.span.or(resource.span);
            }
            finding
        }
    }
}

/// Who may turn out to be whom.
fn uncertain(perhaps: &[(String, String)], causes: &Causes<'_>) -> Vec<Finding> {
    perhaps
        .iter()
        .map(|(who, is)| {
            let finding = Finding::new(
                FindingKind::MapContentUnknown,
                Severity::Info,
                format!(
                    "Who {who} is, is known only after the deploy. If it is {is}, that one keeps what it has; else {is} \
                     loses access."
                ),
            )
            .about(is.clone());
            at_cause(finding, None, causes)
        })
        .collect()
}

/// Whether a text that is not all known may turn out to be `text`.
pub(super) fn may_be(unknown: &str, text: &str) -> bool {
    if unknown::is_known(unknown) {
        return unknown == text;
    }
    if unknown::is_whole(unknown) {
        return true;
    }
    let made_up = Arn::parse(unknown)
        .and_then(|a| a.name())
        .filter(|name| unknown::is_whole(name));
    if let Some((made_up, name)) = made_up.zip(Arn::parse(text).and_then(|a| a.name()))
        && !is_made_from(made_up, name)
    {
        return false;
    }
    fits(unknown, text)
}

/// Whether CloudFormation may have made up a name for this logical id: the stack's name, the logical id (each cut where
/// the whole would be too long) and random letters, joined by hyphens. A mark with dots in its name is no logical id.
fn is_made_from(mark: &str, name: &str) -> bool {
    let Some(id) = unknown::names(mark).pop() else {
        return true;
    };
    let id = id.rsplit('/').next().unwrap_or_default().to_owned();
    if !id.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return true;
    }
    const SHORTEST: usize = 8;
    let head = id.get(..id.len().min(SHORTEST)).unwrap_or(&id);
    name.match_indices('-').any(|(at, _)| {
        name.get(at + 1..)
            .is_some_and(|rest| starts_alike(rest, head))
    })
}

fn starts_alike(text: &str, head: &str) -> bool {
    text.get(..head.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(head))
}

/// Whether the known parts of `unknown` stand in `text` in their order, with something for each mark in between.
fn fits(unknown: &str, text: &str) -> bool {
    let mut rest = text;
    let mut is_first = true;
    for part in unknown.split('\u{FDD0}') {
        // Behind the first part each begins with a mark.
        let known = match part.split_once('\u{FDD1}') {
            Some((_, known)) => known,
            None => part,
        };
        if is_first {
            let Some(after) = rest.strip_prefix(known) else {
                return false;
            };
            rest = after;
            is_first = false;
        } else if known.is_empty() {
            rest = rest.get(1..).unwrap_or_default();
        } else {
            let Some(at) = rest.find(known) else {
                return false;
            };
            rest = rest.get(at + known.len()..).unwrap_or_default();
        }
    }
    true
}

/// Whether rights that are not all known may turn out to be these.
fn may_give(gives: &Rights, had: &Rights) -> bool {
    let groups_known = gives.groups.iter().all(|g| unknown::is_known(g));
    let same_groups = !groups_known
        || gives.groups.iter().collect::<BTreeSet<_>>()
            == had.groups.iter().collect::<BTreeSet<_>>();
    same_groups && may_be(&gives.username, &had.username) && {
        let named = |rights: &Rights| -> BTreeSet<String> {
            rights.policies.iter().map(|p| p.policy.clone()).collect()
        };
        named(gives) == named(had)
    }
}
