//! Entries that come to life when another one for the same principal goes.

use accord_model::arn;
use accord_model::finding::{FindingKind, Severity};
use accord_model::mapping::{EntryId, Identity, SectionName};

use super::{Hazard, Transition};
use crate::access::{Access, Answer, Via};
use crate::diff::Touched;

pub(super) fn hazard(transition: &Transition<'_>, touched: &Touched) -> Option<Hazard> {
    let (before, after) = (transition.before, transition.after);
    let all = before.rules().all(&touched.key);
    if all.len() < 2 || after.rules().all(&touched.key).len() >= all.len() {
        return None;
    }
    let (deciding, then) = (&touched.before, &touched.after);
    let decided = |id: &EntryId| deciding.iter().any(|a| a.via == Via::Map(*id));
    let shadowed: Vec<EntryId> = all.iter().copied().filter(|id| !decided(id)).collect();
    // The account that a role belongs to is another principal.
    let is_account = arn::is_account(touched.key.as_str());
    let revived = then.iter().find(|a| {
        matches!(a.via, Via::Map(id) if is_account || id.section != SectionName::Accounts)
            && (touched.given_up || !deciding.iter().any(|d| same(d, a)))
            && shadowed.iter().any(|id| gives(before, *id, a))
    })?;
    let entries: Vec<String> = all
        .iter()
        .map(|id| format!("{id} {}", told(before, *id)))
        .collect();
    Some(Hazard {
        kind: FindingKind::ShadowedEntryRevived,
        severity: Severity::PrivilegeGain,
        principal: touched.principal.clone(),
        message: format!(
            "There are {} entries for {}: {}. Taking one out brings another to life, which gives username `{}` and {}. \
             Take the others out by hand first.",
            all.len(),
            touched.principal,
            entries.join(", "),
            revived.username,
            groups(&revived.groups)
        ),
        cause: touched.key.clone(),
    })
}

fn identity<'a>(access: &'a Access<'_>, id: EntryId) -> Option<&'a Identity> {
    access.rules().mapping(id).map(|m| &m.identity)
}

/// Whether the entry gives just this; entries for the same account all do.
fn gives(access: &Access<'_>, id: EntryId, answer: &Answer) -> bool {
    match identity(access, id) {
        Some(identity) => identity.means_same(&Identity {
            username: answer.username.clone(),
            groups: answer.groups.clone(),
        }),
        None => id.section == SectionName::Accounts,
    }
}

fn same(a: &Answer, b: &Answer) -> bool {
    a.rights().means_same(&b.rights())
}

fn told(access: &Access<'_>, id: EntryId) -> String {
    match identity(access, id) {
        Some(identity) => format!(
            "(username `{}`, {})",
            identity.username,
            groups(&identity.groups)
        ),
        None => String::new(),
    }
}

fn groups(groups: &[String]) -> String {
    match groups {
        [] => "no groups".to_owned(),
        groups => format!("groups {}", groups.join(", ")),
    }
}
