//! What a change of the map would break. One implementation, for plans (which refuse) and for `check --against` (which
//! reports).
//!
//! - [`lockout`]: the last administrator, and whoever makes the change.
//! - [`compute`]: roles that nodes and Fargate pods use.
//! - [`shadow`]: entries that come to life when another one goes.
//! - [`manager`]: other tools that write the same section.

mod compute;
mod lockout;
mod manager;
mod shadow;

use accord_model::arn::PrincipalKey;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::observed::Observed;

use crate::access::Access;
use crate::caller::Caller;
use crate::diff::Touched;
use crate::lint::World;

pub(crate) use manager::managers;

/// A change that is yet to be made.
pub(crate) struct Transition<'a> {
    pub(crate) observed: &'a Observed,
    /// What would be observed then; where only the map changes, the same.
    pub(crate) then: &'a Observed,
    /// Who uses which role then.
    pub(crate) world: &'a World<'a>,
    pub(crate) before: &'a Access<'a>,
    pub(crate) after: &'a Access<'a>,
    /// Who makes it.
    pub(crate) caller: Option<&'a Caller>,
    /// The principals whose entries change; all others have the same entries before and after.
    pub(crate) touched: &'a [Touched],
}

/// What would break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hazard {
    pub(crate) kind: FindingKind,
    pub(crate) severity: Severity,
    /// Whom it concerns.
    pub(crate) principal: String,
    /// What is the case, in whole sentences.
    pub(crate) message: String,
    /// The principal whose entry's change does it.
    pub(crate) cause: PrincipalKey,
}

impl Hazard {
    /// Whether a plan is refused for it; what is only a trap is just said.
    pub(crate) fn refuses(&self) -> bool {
        self.severity > Severity::Warning
    }

    /// Whether it may be allowed. What cannot be known, nobody can vouch for: the way out is to tell the facts.
    pub(crate) fn may_be_allowed(&self) -> bool {
        self.kind != FindingKind::ListingIncomplete
    }

    /// As a finding.
    pub(crate) fn finding(self) -> Finding {
        Finding::new(self.kind, self.severity, self.message)
            .in_object(crate::lint::AWS_AUTH)
            .about(self.principal)
    }
}

/// Everything that the change would break. Every kind that applies is there, in the order of the principals.
pub(crate) fn hazards(transition: &Transition<'_>) -> Vec<Hazard> {
    let mut found = lockout::hazards(transition);
    for touched in transition.touched {
        found.extend(compute::hazards(transition, touched));
        found.extend(shadow::hazard(transition, touched));
    }
    found
}
