//! The last administrator, and whoever makes the change.

use accord_model::finding::{FindingKind, Severity};

use super::{Hazard, Transition};
use crate::access::Answer;
use crate::diff::Touched;
use crate::holder::key_of;

pub(super) fn hazards(transition: &Transition<'_>) -> Vec<Hazard> {
    let mut found = last_admin(transition);
    found.extend(caller(transition));
    found
}

/// Everybody who is an administrator now and not afterwards, if nobody is left.
fn last_admin(transition: &Transition<'_>) -> Vec<Hazard> {
    let demoted = |t: &&Touched| is_admin(&t.before) && !is_admin(&t.after);
    let demoted: Vec<&Touched> = transition.touched.iter().filter(demoted).collect();
    if demoted.is_empty() || !transition.after.administrators().is_empty() {
        return Vec::new();
    }
    let hazard = |t: &Touched| Hazard {
        kind: FindingKind::LastAdminRemoved,
        severity: Severity::LocksOut,
        principal: t.principal.clone(),
        message: format!(
            "{} is the last administrator known here. Without it only the cluster's creator, the identity that made it, \
             gets in as administrator, and no list shows who that is.",
            t.principal
        ),
        cause: t.key.clone(),
    };
    demoted.into_iter().map(hazard).collect()
}

/// Whoever makes the change gets in before and not, or no longer as administrator, afterwards. Somebody else than an
/// administrator who becomes another identity is warned: what that one may do is for RBAC to say.
fn caller(transition: &Transition<'_>) -> Option<Hazard> {
    let caller = transition.caller?;
    let (before, after) = (
        transition.before.resolve(caller).answers,
        transition.after.resolve(caller).answers,
    );
    let is_admin = |answers: &[Answer]| !answers.is_empty() && answers.iter().all(Answer::is_admin);
    let lost = |a: &Answer| {
        let keeps = |b: &Answer| {
            b.username == a.username && a.groups.iter().all(|group| b.groups.contains(group))
        };
        !after.iter().all(keeps)
    };
    let (severity, what) = if before.is_empty() {
        return None;
    } else if after.is_empty() {
        (Severity::LocksOut, "would no longer get in")
    } else if is_admin(&before) && !is_admin(&after) {
        (Severity::LocksOut, "would no longer be an administrator")
    } else if !is_admin(&after) && before.iter().any(lost) {
        (
            Severity::Warning,
            "would have another username or fewer groups",
        )
    } else {
        return None;
    };
    let own = key_of(&caller.canonical);
    let causes = |key: &str| transition.touched.iter().find(|t| t.key.as_str() == key);
    let cause = causes(own.as_str()).or_else(|| causes(&caller.account))?;
    Some(Hazard {
        kind: FindingKind::CallerLosesAccess,
        severity,
        principal: caller.canonical.clone(),
        message: format!(
            "You are {}, and {what} after this change.",
            caller.canonical
        ),
        cause: cause.key.clone(),
    })
}

/// Whether one of the identities that somebody may have is an administrator's.
fn is_admin(answers: &[Answer]) -> bool {
    answers.iter().any(Answer::is_admin)
}
