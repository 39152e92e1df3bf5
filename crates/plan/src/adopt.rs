//! Claiming what is live, as it is: nobody's access changes.

use accord_model::arn::{self, PrincipalKey};
use accord_model::claim::{Admission, Claim, Fragment, Owner};
use accord_model::mapping::{Identity, SectionName};
use accord_model::plan::Rights;

use crate::access::{Answer, Via};
use crate::holder::key_of;
use crate::reconcile::ask::Ask;
use crate::reconcile::{Situation, claims};
use crate::request::RequestError;

/// The owner claims the principals as they are live, beside what it claims already.
///
/// # Errors
/// If a principal has no access, or its entry is picked at random.
pub(crate) fn adopt(
    situation: &Situation<'_>,
    owner: &Owner,
    principals: &[String],
) -> Result<Ask, RequestError> {
    let mut fragment = situation
        .fragment(owner)
        .cloned()
        .unwrap_or_else(|| Fragment {
            owner: owner.clone(),
            admission: Admission::Trusted,
            created: None,
            claims: Vec::new(),
            unreadable: Vec::new(),
        });
    let mut ask = Ask::default();
    ask.refusals
        .extend(situation.needs_ledger("Adopting an entry"));
    for principal in principals {
        let claim = live_claim(situation, principal)?;
        let key = claims::key(&claim);
        let others = situation
            .ledger
            .lines
            .get(&key)
            .into_iter()
            .flat_map(|l| &l.owners);
        if others.filter(|o| *o != owner).count() == 0 {
            ask.take.insert(key.clone());
        }
        fragment.claims.retain(|c| claims::key(c) != key);
        fragment.claims.push(claim);
    }
    ask.askers.insert(owner.clone());
    ask.fragments.insert(owner.clone(), Some(fragment));
    Ok(ask)
}

/// The claim that asks for just what a principal has.
fn live_claim(situation: &Situation<'_>, asked: &str) -> Result<Claim, RequestError> {
    let key = key_of(asked);
    let access = &situation.access;
    let deciding = access.rules().deciding(&key);
    let id = deciding.ids().first().copied();
    let written = id.and_then(|id| Some(access.rules().mapping(id)?.arn.clone()));
    let principal = written.unwrap_or_else(|| arn_of(asked, &key));
    let chances = access.answers(&principal);
    let chances: Vec<Rights> = chances.iter().map(Answer::rights).collect();
    let rights = match chances.as_slice() {
        [] => return Err(RequestError::NotThere(asked.to_owned())),
        [first, others @ ..] if others.iter().all(|o| o.means_same(first)) => first,
        _ => {
            let entries = deciding.ids().iter().map(ToString::to_string);
            return Err(RequestError::Ambiguous {
                principal: asked.to_owned(),
                entries: entries.collect::<Vec<_>>().join(", "),
            });
        }
    };
    // Whoever gets in by the account alone has no entry that could be adopted.
    let is_by_account = id.is_some_and(|id| id.section == SectionName::Accounts)
        || access
            .answers(&principal)
            .iter()
            .any(|a| matches!(a.via, Via::Map(id) if id.section == SectionName::Accounts));
    if is_by_account && !arn::is_account(key.as_str()) {
        return Err(RequestError::NotThere(asked.to_owned()));
    }
    let section = match id {
        Some(id) => id.section,
        None if principal.contains(":user/") => SectionName::Users,
        None => SectionName::Roles,
    };
    Ok(Claim {
        section,
        principal,
        identity: Identity {
            username: rights.username.clone(),
            groups: rights.groups.clone(),
        },
        policies: rights.policies.clone(),
        span: None,
        at: section.key().to_owned(),
    })
}

/// The ARN as asked for, without what an entry has not: a session, a role's path.
fn arn_of(asked: &str, key: &PrincipalKey) -> String {
    match arn::is_account(key.as_str()) {
        true => asked.to_owned(),
        false => arn::without_role_path(&arn::display_form(asked)).into_owned(),
    }
}
