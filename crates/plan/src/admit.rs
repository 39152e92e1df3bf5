//! Accepting a proposed fragment.

use std::collections::BTreeSet;

use accord_model::arn::PrincipalKey;
use accord_model::claim::{Admission, Owner};
use accord_model::ledger::{Admitted, Digest};

use crate::reconcile::ask::Ask;
use crate::reconcile::{Situation, claims};
use crate::request::{self, RequestError};

/// The fragment is admitted as it is now: this object, and this meaning.
///
/// # Errors
/// If there is no such fragment, or it is none that can be admitted.
pub(crate) fn admit(situation: &Situation<'_>, owner: &Owner) -> Result<Ask, RequestError> {
    request::known(situation.observed, owner)?;
    let refuse = |reason| RequestError::NotAdmissible {
        owner: owner.to_string(),
        reason,
    };
    let fragment = situation
        .fragment(owner)
        .ok_or_else(|| refuse("its ConfigMap is gone"))?;
    let uid = match &fragment.admission {
        Admission::Trusted => return Err(refuse("it is in kube-system, and counts without")),
        Admission::Asked { uid: None } => return Err(refuse("its UID is not known")),
        Admission::Asked { uid: Some(uid) } => uid.clone(),
    };
    if !fragment.unreadable.is_empty() {
        return Err(refuse("a part of it cannot be read"));
    }
    let new: BTreeSet<PrincipalKey> = fragment.claims.iter().map(claims::key).collect();
    let before = situation.ledger.admitted.get(owner).into_iter();
    let before = before.flat_map(|a| &a.claims).map(claims::key);
    let mut ask = Ask {
        given_up: before.filter(|key| !new.contains(key)).collect(),
        ..Ask::default()
    };
    ask.askers.insert(owner.clone());
    ask.admitted.insert(
        owner.clone(),
        Some(Admitted {
            uid,
            digest: Digest::of_claims(&fragment.claims),
            claims: fragment.claims.clone(),
        }),
    );
    ask.refusals
        .extend(situation.needs_ledger("Admitting a fragment"));
    Ok(ask)
}
