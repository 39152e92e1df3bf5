//! The one reconcile function: what is claimed, what is live and what the ledger says, in; a plan, out.
//!
//! 1. [`mod@ask`]: a request becomes changed fragments, admissions and suspensions.
//! 2. [`claims`]: which claims are then in effect. [`contest`]: who holds a principal that several claim.
//! 3. [`table`]: what is done for one principal. [`judge`], [`claimed`], [`unclaimed`] apply it to what is [`live`], and
//!    a [`row`] is what comes of it.
//! 4. [`guard`]: hazards, and the brake on removing much at once.
//! 5. [`steps`]: the writes, in an order that heals after a crash at any point.
//!
//! # Invariants
//! - An entry that nobody claims is never touched, except where an older state is put back by name
//!   (`restore`, `rollback`).
//! - A principal never gets a second entry.
//! - If one principal of the asker's is refused, nothing of the asker's is written; the others' work goes on.
//! - Nothing is removed that rests on an incomplete listing.
//! - The order of claims, fragments and ledger lines does not matter.

pub(crate) mod ask;
mod claimed;
pub(crate) mod claims;
mod contest;
mod guard;
mod judge;
mod live;
mod row;
mod situation;
mod steps;
mod table;
#[cfg(test)]
mod tests;
mod unclaimed;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use accord_model::arn::PrincipalKey;
use accord_model::finding::FindingKind;
use accord_model::observed::Observed;
use accord_model::plan::{EntryEdit, Plan, Refusal};

pub(crate) use contest::rights;
pub(crate) use row::Row;
pub(crate) use situation::Situation;

use crate::caller::Caller;
use crate::request::{Intent, Request, RequestError};
use crate::{admit, adopt, declare, hazards, restore, rollback, suspend};
use ask::{Ask, Scope};
use claims::Claims;
use guard::Guarded;
use judge::Judge;

/// Decides what a request comes to.
///
/// # Errors
/// If the request itself is a mistake: somebody unknown, something that is not there.
pub fn decide(observed: &Observed, request: &Request) -> Result<Plan, RequestError> {
    let caller = Caller::who(request.caller.as_deref(), observed)?;
    let situation = Situation::of(observed, caller, &request.allow);
    let ask = ask(&situation, request)?;
    let plan = settle(&situation, &ask);
    if !plan.is_refused() || ask.scope == Scope::Missing {
        return Ok(plan);
    }
    let mut rest = settle(&situation, &ask.refused());
    let others = rest.refusals.into_iter().filter(|r| !r.askers);
    let own = plan.refusals.into_iter().filter(|r| r.askers);
    rest.refusals = own.chain(others).collect();
    Ok(rest)
}

fn ask(situation: &Situation<'_>, request: &Request) -> Result<Ask, RequestError> {
    let mut ask = match &request.intent {
        Intent::Sync => Ask::default(),
        Intent::Declare { fragments, prune } => declare::declare(situation, fragments, *prune),
        Intent::Remove(owner) => declare::remove(situation, owner)?,
        Intent::Adopt { owner, principals } => adopt::adopt(situation, owner, principals)?,
        Intent::Admit(owner) => admit::admit(situation, owner)?,
        Intent::Suspend(suspension) => suspend::suspend(situation, suspension),
        Intent::Restore { backup } => restore::restore(situation, backup.as_deref()),
        Intent::Rollback(undo) => rollback::rollback(situation, undo),
    };
    let take = request.take_over.iter().map(|p| crate::holder::key_of(p));
    ask.take.extend(take);
    Ok(ask)
}

/// Every principal that anything is known of, with what comes of it once what would break something is held back.
pub(crate) fn judged<'s>(
    situation: &'s Situation<'_>,
    ask: &'s Ask,
    claims: &'s Claims<'s>,
) -> (Vec<Row<'s>>, Guarded) {
    let judge = Judge {
        situation,
        ask,
        claims,
    };
    let keys: BTreeSet<&PrincipalKey> = claims
        .bids
        .keys()
        .chain(situation.ledger.lines.keys())
        .chain(ask.forced.keys())
        .collect();
    let mut rows: Vec<Row<'_>> = keys.into_iter().map(|key| judge.row(key)).collect();
    let guarded = guard::guard(situation, ask, &mut rows);
    (rows, guarded)
}

fn settle(situation: &Situation<'_>, ask: &Ask) -> Plan {
    let claims = Claims::gather(situation, ask);
    let (mut rows, guarded) = judged(situation, ask, &claims);
    let written = rows.iter().filter(|r| !r.edits.is_empty());
    let changes = written
        .zip(&guarded.touched)
        .filter_map(|(row, touched)| touched.change(|| (row.holder.clone(), row.reason.clone())));
    let changes = changes.collect();
    let edits = rows.iter().flat_map(|r| &r.edits);
    let sections = edits.map(EntryEdit::section).collect();
    let mut findings = situation.findings();
    findings.extend(ask.findings.iter().cloned());
    findings.extend(rows.iter_mut().flat_map(|r| mem::take(&mut r.findings)));
    findings.extend(guarded.findings);
    findings.extend(hazards::managers(situation.observed, &sections));
    let mut refusals = ask.refusals.clone();
    refusals.extend(proposed(&claims));
    refusals.extend(claims.refusals.iter().cloned());
    refusals.extend(rows.iter_mut().flat_map(|r| mem::take(&mut r.refusals)));
    refusals.extend(guarded.brake);
    Plan {
        changes,
        steps: steps::steps(situation, ask, rows),
        refusals,
        pruned: ask.pruned.clone(),
        prunes: ask.prunes,
        allowed: guarded.allowed,
        findings,
    }
}

/// How many claims of one namespace's fragments are told one by one. Whoever may write ConfigMaps there can propose any
/// number, and would otherwise bury what else is said.
const TOLD: usize = 10;

/// What is claimed by fragments that nobody has admitted.
fn proposed(claims: &Claims<'_>) -> Vec<Refusal> {
    let refusal = |principal, message| Refusal {
        kind: FindingKind::Proposed,
        principal,
        message,
        held_by: None,
        allow: None,
        askers: false,
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut refusals = Vec::new();
    for bid in &claims.proposed {
        let count = counts.entry(&bid.owner.namespace).or_default();
        *count += 1;
        if *count <= TOLD {
            let message = format!(
                "{} is outside kube-system, where anybody may be allowed to write: what it claims counts once somebody \
                 admits it as it is now, with `accord admit {}`.",
                bid.owner, bid.owner
            );
            refusals.push(refusal(Some(claims::printed(bid.claim)), message));
        }
    }
    let more = counts.into_iter().filter(|(_, count)| *count > TOLD);
    refusals.extend(more.map(|(namespace, count)| {
        let more = count - TOLD;
        let message = format!(
            "Fragments in {namespace} claim {more} more, which nobody has admitted; `accord status` lists them."
        );
        refusal(None, message)
    }));
    refusals
}
