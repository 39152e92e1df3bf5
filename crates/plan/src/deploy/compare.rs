//! Whom a deploy changes, and what that breaks.
//!
//! A value that is known only after the deploy may turn out to be somebody who is there now. Where it may be, and would
//! give just what that one has, nothing is said to be lost: it is said to be unknown. In every other case whoever is
//! not named loses what they have.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn::PrincipalKey;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::plan::{Change, Holder, Rights};
use accord_model::unknown;

use super::after::States;
use super::causes::{Causes, at_cause, reason};
use super::group::Group;
use super::perhaps::{may_be, may_give};
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
