//! What keeps a decided row from being written: hazards, one by one, and the brake on removing much at once.

use std::collections::BTreeMap;

use accord_model::arn::PrincipalKey;
use accord_model::finding::{Finding, FindingKind};
use accord_model::plan::Refusal;

use super::Situation;
use super::ask::Ask;
use super::row::Row;
use crate::diff::Touched;
use crate::hazards::{self, Hazard, Transition};

/// More than this many removals, and more than a fifth of what is claimed, are not plausible.
const PLAUSIBLE_REMOVALS: usize = 5;

/// The word that stands for the principal in `--allow too-many-removals=all`.
const ALL: &str = "all";

/// What is left of the rows.
#[derive(Default)]
pub(crate) struct Guarded {
    /// Hazards that were allowed to pass, as `KIND=PRINCIPAL`.
    pub(crate) allowed: Vec<String>,
    /// The brake's refusal.
    pub(crate) brake: Option<Refusal>,
    /// Hazards that are only traps, and refuse nothing.
    pub(crate) findings: Vec<Finding>,
    /// What comes of the rows that have edits, in their order.
    pub(crate) touched: Vec<Touched>,
}

/// Takes out of `rows` what a hazard forbids, until nothing that is left breaks anything.
pub(super) fn guard(situation: &Situation<'_>, ask: &Ask, rows: &mut [Row<'_>]) -> Guarded {
    let mut guarded = hold_back(situation, rows);
    let brake = brake(situation, ask, rows, &mut guarded.allowed);
    if brake.is_some() {
        // Fewer removals, so other entries than before may be the last of something.
        guarded = hold_back(situation, rows);
    }
    Guarded { brake, ..guarded }
}

fn hold_back(situation: &Situation<'_>, rows: &mut [Row<'_>]) -> Guarded {
    loop {
        let written = rows.iter().filter(|r| !r.edits.is_empty());
        if written.clone().next().is_none() {
            return Guarded::default();
        }
        let after = situation
            .access
            .after(written.clone().flat_map(|r| &r.edits));
        let touched: Vec<Touched> = written
            .map(|r| {
                let before = &situation.access;
                Touched::of(
                    r.principal.clone(),
                    r.key.clone(),
                    r.given_up,
                    before,
                    &after,
                )
            })
            .collect();
        let found = hazards::hazards(&Transition {
            observed: situation.observed,
            then: situation.observed,
            world: &situation.world,
            before: &situation.access,
            after: &after,
            caller: situation.caller.as_ref(),
            touched: &touched,
        });
        let (found, traps): (Vec<Hazard>, Vec<Hazard>) =
            found.into_iter().partition(Hazard::refuses);
        let mut allowed = Vec::new();
        let mut blocked: BTreeMap<PrincipalKey, Vec<Hazard>> = BTreeMap::new();
        for hazard in found {
            match is_allowed(situation, &hazard) {
                true => allowed.push(allowance(&hazard)),
                false => blocked
                    .entry(hazard.cause.clone())
                    .or_default()
                    .push(hazard),
            }
        }
        if blocked.is_empty() {
            return Guarded {
                allowed,
                brake: None,
                findings: traps.into_iter().map(Hazard::finding).collect(),
                touched,
            };
        }
        for row in rows.iter_mut() {
            if let Some(hazards) = blocked.remove(row.key) {
                block(situation, row, hazards);
            }
        }
    }
}

fn is_allowed(situation: &Situation<'_>, hazard: &Hazard) -> bool {
    let mut allow = situation.allow.iter();
    hazard.may_be_allowed() && allow.any(|a| a.covers(hazard.kind, &hazard.principal))
}

fn allowance(hazard: &Hazard) -> String {
    format!("{}={}", hazard.kind, hazard.principal)
}

fn block(situation: &Situation<'_>, row: &mut Row<'_>, hazards: Vec<Hazard>) {
    let releasing = situation
        .ledger
        .lines
        .get(row.key)
        .filter(|_| row.given_up && !row.askers);
    if let (Some(line), Some(first)) = (releasing, hazards.first()) {
        return row.keep(line, first.kind, &first.message);
    }
    row.hold_back();
    row.refusals
        .extend(hazards.into_iter().map(|hazard| Refusal {
            kind: hazard.kind,
            allow: hazard.may_be_allowed().then(|| allowance(&hazard)),
            principal: Some(hazard.principal),
            message: hazard.message,
            held_by: None,
            askers: row.askers,
        }));
}

/// Stops all removals if there are more than is plausible.
fn brake(
    situation: &Situation<'_>,
    ask: &Ask,
    rows: &mut [Row<'_>],
    allowed: &mut Vec<String>,
) -> Option<Refusal> {
    let claimed = situation.ledger.lines.len();
    let mut removed: Vec<&mut Row<'_>> = rows
        .iter_mut()
        .filter(|r| r.given_up && !r.edits.is_empty())
        .collect();
    let count = removed.len();
    if count <= PLAUSIBLE_REMOVALS || count * 5 <= claimed {
        return None;
    }
    let allow = format!("{}={ALL}", FindingKind::TooManyRemovals);
    if situation
        .allow
        .iter()
        .any(|a| a.covers(FindingKind::TooManyRemovals, ALL))
    {
        allowed.push(allow);
        return None;
    }
    let names: Vec<&str> = removed
        .iter()
        .map(|r| r.principal.as_str())
        .take(3)
        .collect();
    let message = format!(
        "{count} of {claimed} claimed entries would be removed at once ({}, …). That looks like a listing that went wrong. \
         Nothing is removed unless you say that it is meant.",
        names.join(", ")
    );
    let askers = ask.askers.is_empty() || removed.iter().any(|r| r.askers);
    for row in &mut removed {
        row.hold_back();
    }
    Some(Refusal {
        kind: FindingKind::TooManyRemovals,
        principal: None,
        message,
        held_by: None,
        allow: Some(allow),
        askers,
    })
}
