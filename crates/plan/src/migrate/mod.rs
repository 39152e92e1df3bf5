//! From `aws-auth` to access entries, decided and proved.
//!
//! 1. [`ground`]: what is known that the migration rests on.
//! 2. [`fate`]: what becomes of each mapping. [`request`]: the access entry that stands for it, or why there is none.
//! 3. [`proof`]: who would have something else afterwards.
//! 4. [`stages`]: how far the way is, and what is in it.
//!
//! # Invariants
//! - A role's path is looked up, never guessed.
//! - The proof does not rest on the verdicts: it compares effective access before and after, for every principal that
//!   either names, with a representative for each mapped account.
//! - Every difference is listed. One that is accepted says why it is as good.

mod fate;
mod ground;
mod proof;
mod request;
mod stages;
#[cfg(test)]
mod tests;

use accord_model::facts::AuthenticationMode;
use accord_model::finding::Finding;
use accord_model::migration::{Blocker, EntryRequest, Migration, Stage, Verdict};
use accord_model::observed::Observed;
use accord_model::plan::EntryEdit;

use crate::lint;
use ground::Ground;

/// Decides the migration of a cluster. `to_the_end`: the switch to the mode `API` is wanted too.
pub fn migrate(observed: &Observed, to_the_end: bool) -> Migration {
    let ground = Ground::of(observed);
    let judged: Vec<fate::Judged> = fate::all(&ground);
    let mut blockers: Vec<Blocker> = stages::of_the_whole(&ground);
    blockers.extend(judged.iter().filter_map(|judged| judged.blocker.clone()));
    let fates: Vec<_> = judged.into_iter().map(|judged| judged.fate).collect();

    let can_end = blockers.is_empty();
    let goal = match to_the_end && can_end {
        true => AuthenticationMode::Api,
        false => AuthenticationMode::ApiAndConfigMap,
    };
    let entries: Vec<&EntryRequest> = fates
        .iter()
        .filter(|fate| fate.verdict == Verdict::Create)
        .filter_map(|fate| fate.entry.as_ref())
        .collect();
    let differences = match ground.mode() {
        Some(AuthenticationMode::Api) | None => Vec::new(),
        Some(_) => proof::differences(&ground, &entries, &removals(&fates), goal),
    };
    blockers.extend(stages::unproved(&differences));
    let stages = stages::states(&ground, &fates, &blockers);
    Migration {
        mode: ground.mode(),
        final_mode: stages::end(&ground, &blockers),
        stages,
        differences,
        blockers,
        findings: findings(&ground),
        fates,
    }
}

/// The edits that remove what has moved. Entries that do not decide go with the one that does, since they would come to
/// life with the access entry's end.
pub fn removals(fates: &[accord_model::migration::Fate]) -> Vec<EntryEdit> {
    let moved = |principal: &str| {
        let key = crate::holder::key_of(principal);
        fates
            .iter()
            .any(|fate| fate.verdict.moves() && crate::holder::key_of(&fate.principal) == key)
    };
    fates
        .iter()
        .filter(|fate| fate.verdict.moves() || moved(&fate.principal))
        .map(|fate| EntryEdit::Remove {
            id: fate.id,
            principal: fate.principal.clone(),
        })
        .collect()
}

fn findings(ground: &Ground<'_>) -> Vec<Finding> {
    let mut findings = lint::lint(ground.observed);
    // The migration says this better.
    findings.retain(|f| f.kind != accord_model::finding::FindingKind::ShadowedByAccessEntry);
    findings
}

/// The stage that the first blocker forbids.
pub(crate) fn first_forbidden(blockers: &[Blocker]) -> Option<Stage> {
    blockers.iter().map(|blocker| blocker.forbids).min()
}
