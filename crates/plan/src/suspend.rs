//! Not putting entries back for a while.

use accord_model::ledger::Suspension;

use crate::holder::key_of;
use crate::reconcile::Situation;
use crate::reconcile::ask::{Ask, Scope};

/// The suspension takes the place of an earlier one of the same principal, or of all. No entry is touched.
pub(crate) fn suspend(situation: &Situation<'_>, suspension: &Suspension) -> Ask {
    let suspension = Suspension {
        principal: suspension.principal.as_ref().map(|p| key_of(p.as_str())),
        ..suspension.clone()
    };
    let mut suspended = situation.ledger.suspended.clone();
    suspended.retain(|s| s.principal != suspension.principal);
    suspended.push(suspension);
    Ask {
        suspended: Some(suspended),
        scope: Scope::Nothing,
        refusals: situation.needs_ledger("Suspending").into_iter().collect(),
        ..Ask::default()
    }
}
