//! How far the way is, and what is in it.

use accord_model::facts::AuthenticationMode::{self, Api, ApiAndConfigMap, ConfigMap};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::migration::{Blocker, Difference, Fate, Stage, StageState, Verdict};

use super::ground::Ground;
use crate::lint::AWS_AUTH;

/// What is in the way of the migration as a whole.
pub(super) fn of_the_whole(ground: &Ground<'_>) -> Vec<Blocker> {
    let mut blockers = Vec::new();
    let mut blocked = |kind, severity, forbids, message: String| {
        let finding = Finding::new(kind, severity, message).in_object(AWS_AUTH);
        blockers.push(Blocker { finding, forbids });
    };
    match ground.mode() {
        Some(Api) => return blockers,
        Some(ConfigMap) => {}
        Some(ApiAndConfigMap) if ground.observed.access_entries.complete => {}
        Some(ApiAndConfigMap) => blocked(
            FindingKind::ListingIncomplete,
            Severity::Warning,
            Stage::CreateEntries,
            "Not all access entries are known, and an unknown one may decide for somebody: give what `aws eks \
             list-access-entries` and `describe-access-entry` print."
                .to_owned(),
        ),
        None => blocked(
            FindingKind::ListingIncomplete,
            Severity::Warning,
            Stage::SetMode,
            "The authentication mode is not known: give what `aws eks describe-cluster` prints.".to_owned(),
        ),
    }
    let Some(aws_auth) = &ground.observed.aws_auth else {
        return blockers;
    };
    for section in aws_auth.map.sections().filter(|s| !s.is_readable()) {
        blocked(
            FindingKind::SectionUnparseable,
            Severity::LocksOut,
            Stage::FinalMode,
            format!(
                "{} cannot be read, so whom it was meant to let in is not known: mend it first.",
                section.name
            ),
        );
    }
    if aws_auth.immutable {
        blocked(
            FindingKind::Immutable,
            Severity::Warning,
            Stage::RemoveMappings,
            "The ConfigMap aws-auth is immutable: no mapping can be removed.".to_owned(),
        );
    }
    blockers
}

/// Differences that nobody accepts.
pub(super) fn unproved(differences: &[Difference]) -> Vec<Blocker> {
    let open = differences.iter().filter(|d| d.accepted.is_none());
    open.map(|difference| Blocker {
        finding: Finding::new(
            FindingKind::EntryNotMigrated,
            Severity::LocksOut,
            "It would not have the same access afterwards.",
        )
        .about(difference.principal.clone()),
        forbids: Stage::Prove,
    })
    .collect()
}

/// Where a run that may go to the end would end.
pub(super) fn end(ground: &Ground<'_>, blockers: &[Blocker]) -> Option<AuthenticationMode> {
    match (ground.mode()?, super::first_forbidden(blockers)) {
        (Api, _) | (_, None) => Some(Api),
        (ConfigMap, Some(Stage::SetMode)) => Some(ConfigMap),
        _ => Some(ApiAndConfigMap),
    }
}

pub(super) fn states(
    ground: &Ground<'_>,
    fates: &[Fate],
    blockers: &[Blocker],
) -> [(Stage, StageState); 5] {
    let mode = ground.mode();
    let left = |wanted: &dyn Fn(Verdict) -> bool| fates.iter().any(|f| wanted(f.verdict));
    Stage::ALL.map(|stage| {
        let is_done = match stage {
            Stage::SetMode => matches!(mode, Some(ApiAndConfigMap | Api)),
            Stage::CreateEntries | Stage::Prove => !left(&|v| v == Verdict::Create),
            Stage::RemoveMappings => !left(&Verdict::moves),
            Stage::FinalMode => mode == Some(Api),
        };
        let is_blocked = blockers.iter().any(|b| b.forbids <= stage);
        let state = match (is_done, is_blocked) {
            (true, _) => StageState::Done,
            (false, true) => StageState::Blocked,
            (false, false) => StageState::Pending,
        };
        (stage, state)
    })
}
