//! Whom a deploy changes, and what that breaks.
//!
//! A value that is known only after the deploy may turn out to be somebody who is there now. Where it may be, and would
//! give just what that one has, nothing is said to be lost: it is said to be unknown. In every other case whoever is
//! not named loses what they have.

use std::collections::BTreeSet;

use accord_model::arn::{self, Arn};
use accord_model::deploy::{Action, Declared, Given, Resource};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::plan::{Change, Holder, Rights};
use accord_model::unknown;

use super::after::States;
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
    let States { before, after } = states;
    if group.live.is_none() && before.aws_auth.is_none() {
        return (Vec::new(), Vec::new());
    }
    let (access, then) = (Access::of(before), Access::of(after));
    let holders = Holders::of(before);
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
            (holder, reason(&this, group))
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
    let mut findings: Vec<Finding> = found
        .into_iter()
        .filter(|h| is_live || !rests_on_all(h.kind))
        .map(|hazard| {
            let via = touched.iter().find(|t| t.key == hazard.cause);
            let via = via.and_then(|t| t.before.first()).map(|a| a.via);
            at_cause(Hazard::finding(hazard), via, group)
        })
        .collect();
    if group.writes().next().is_some() {
        findings.extend(
            against::destroyed(&access, &then)
                .into_iter()
                .map(|f| at_cause(f, None, group)),
        );
    }
    findings.extend(
        changes
            .iter()
            .filter_map(against::of_others)
            .map(|f| at_cause(f, None, group)),
    );
    findings.extend(uncertain(&perhaps, group));
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

fn reason(touched: &Touched, group: &Group<'_>) -> String {
    let by = match touched
        .after
        .first()
        .or(touched.before.first())
        .map(|a| a.via)
    {
        Some(Via::Entry(_)) => entry_of(group, &touched.principal),
        Some(Via::Map(_)) => group.writes().next().map(|(r, _)| r),
        None => None,
    };
    match (by, touched.after.first().map(|a| a.via)) {
        (Some(resource), Some(Via::Map(id))) => format!("{id} of `{}`", resource.address),
        (Some(resource), Some(Via::Entry(_))) => format!("`{}`", resource.address),
        (Some(resource), None) => format!("it is not in `{}`", resource.address),
        (None, None) => "the mode no longer reads what gave it access, or it is deleted".to_owned(),
        (None, Some(Via::Map(id))) => format!("{id} decides then"),
        (None, Some(Via::Entry(_))) => "its access entry decides then".to_owned(),
    }
}

/// The resource that is a principal's entry and does something to it, else that does something to one of its policies.
fn entry_of<'a>(group: &Group<'a>, principal: &str) -> Option<&'a Resource> {
    let is_it = |given: &Option<Given<String>>| {
        given
            .as_ref()
            .is_some_and(|p| p.value == principal || arn::same_identity(&p.value, principal))
    };
    let find = |wanted: &dyn Fn(&Declared) -> bool| {
        let acting = group
            .resources
            .iter()
            .copied()
            .filter(|r| r.action != Action::Keep);
        acting.into_iter().find(|resource| {
            let all = [&resource.after, &resource.before];
            all.into_iter().flatten().any(wanted)
        })
    };
    find(&|declared| matches!(declared, Declared::Entry(entry) if is_it(&entry.principal))).or_else(
        || find(&|declared| matches!(declared, Declared::EntryPolicy(p) if is_it(&p.principal))),
    )
}

/// A hazard at the resource that does it.
fn at_cause(mut finding: Finding, via: Option<Via>, group: &Group<'_>) -> Finding {
    let entry = || entry_of(group, finding.principal.as_deref()?);
    let resource = match via {
        Some(Via::Entry(_)) => entry(),
        _ => None,
    };
    if let Some(resource) = resource {
        finding = of(resource, finding);
        finding.span = finding.span.or(resource.span);
        return finding;
    }
    if let Some((resource, write)) = group.writes().find(|(r, _)| r.action != Action::Keep) {
        return in_write(finding, resource, write);
    }
    let cluster = group
        .after()
        .find(|(_, declared)| matches!(declared, Declared::Cluster(_)));
    let map = group
        .resources
        .iter()
        .copied()
        .find(|r| matches!(r.before, Some(Declared::Map(_))));
    if let Some(resource) = map.or(cluster.map(|(r, _)| r)) {
        finding = of(resource, finding);
        finding.span = finding.span.or(resource.span);
    }
    finding
}

/// Who may turn out to be whom.
fn uncertain(perhaps: &[(String, String)], group: &Group<'_>) -> Vec<Finding> {
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
            at_cause(finding, None, group)
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
