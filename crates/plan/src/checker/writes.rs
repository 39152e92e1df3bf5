//! Each edit of the map has its grounds, and touches nobody else's entry.

use std::collections::BTreeSet;

use accord_model::arn::PrincipalKey;
use accord_model::facts::AuthenticationMode;
use accord_model::fold;
use accord_model::ledger::{Line, Origin};
use accord_model::mapping::{EntryId, Identity, Mapping, SectionName};
use accord_model::plan::EntryEdit;

use super::books::says;
use super::{Case, Found, Rule};
use crate::usage::EntryShape;

/// More than this many removals, and more than a fifth of what the ledger knows, are confirmed.
const REMOVALS: usize = 5;

pub(super) fn check(case: &Case<'_>, found: &mut Found) {
    let mut edited = BTreeSet::new();
    let mut added = BTreeSet::new();
    for edit in case.edits {
        found.unless(
            is_open(case, edit.section()),
            Rule::SectionOpen,
            edit.section(),
        );
        match edit {
            EntryEdit::Add { section, mapping } => {
                let key = key(*section, &mapping.arn);
                found.unless(added.insert(key.clone()), Rule::OneEntry, &mapping.arn);
                self::added(case, &key, mapping, found);
            }
            EntryEdit::Update { id, mapping } => {
                found.unless(edited.insert(*id), Rule::EditedOnce, id);
                match live(case, *id) {
                    Some(live) => updated(case, &live, mapping, found),
                    None => found.add(Rule::EntryDecides, id),
                }
            }
            EntryEdit::Remove { id, .. } => {
                found.unless(edited.insert(*id), Rule::EditedOnce, id);
                match live(case, *id) {
                    Some(live) => removed(case, &live, found),
                    None => found.add(Rule::EntryDecides, id),
                }
            }
        }
    }
    let removals = case.removals().count();
    let many = removals > REMOVALS && removals * 5 > case.books.before.lines.len();
    let confirmed = case
        .plan
        .allowed
        .iter()
        .any(|a| a == "too-many-removals=all");
    found.unless(
        !many || confirmed,
        Rule::Plausible,
        format!("{removals} removals"),
    );
}

/// An entry that is edited, as it is.
struct Live {
    id: EntryId,
    principal: String,
    key: PrincipalKey,
    /// Of an account's entry, `None`.
    mapping: Option<Mapping>,
    identity: Identity,
}

/// The entry with this id, if it is in effect and decides for its principal.
fn live(case: &Case<'_>, id: EntryId) -> Option<Live> {
    let rules = case.before.rules();
    let mapping = rules.mapping(id).cloned();
    let principal = match &mapping {
        Some(mapping) => mapping.arn.clone(),
        None => rules.accounts().find(|(i, _)| *i == id)?.1.to_owned(),
    };
    let key = key(id.section, &principal);
    let decides = rules.deciding(&key).ids().contains(&id);
    let identity = mapping.as_ref().map(|m| m.identity.clone());
    decides.then(|| Live {
        id,
        principal,
        key,
        mapping,
        identity: identity.unwrap_or_default(),
    })
}

/// The key of an entry, under which a claim on it is kept: claims are in ASCII, and an entry may equal one without.
pub(super) fn key(section: SectionName, principal: &str) -> PrincipalKey {
    match section {
        SectionName::Accounts => PrincipalKey::of_account(principal),
        SectionName::Roles | SectionName::Users => PrincipalKey::of(&fold::fold_key(principal)),
    }
}

fn is_open(case: &Case<'_>, section: SectionName) -> bool {
    let object = case.observed.aws_auth.as_ref();
    case.before.mode() != Some(AuthenticationMode::Api)
        && object.is_none_or(|o| !o.immutable && o.map.section(section).is_writable())
}

fn added(case: &Case<'_>, key: &PrincipalKey, mapping: &Mapping, found: &mut Found) {
    let principal = &mapping.arn;
    let is_removed = |id: &EntryId| case.removals().any(|removed| removed == *id);
    let there = case.before.rules().deciding(key);
    found.unless(
        there.ids().iter().all(is_removed),
        Rule::OneEntry,
        principal,
    );
    match case.books.during.lines.get(key) {
        Some(line) => recorded(case, key, line, principal, &mapping.identity, found),
        // What an older state is put back from is claimed by nobody.
        None => found.unless(
            !case.books.is_claimed(key) || !case.keeps_ledger(),
            Rule::RecordedBefore,
            principal,
        ),
    }
}

fn updated(case: &Case<'_>, live: &Live, new: &Mapping, found: &mut Found) {
    let only_identity = live.mapping.as_ref().is_some_and(|old| {
        let identity = new.identity.clone();
        *new == Mapping {
            identity,
            ..old.clone()
        }
    });
    found.unless(only_identity, Rule::IdentityOnly, live.id);
    let before = case.books.before.lines.get(&live.key);
    match case.books.during.lines.get(&live.key) {
        Some(line) => {
            recorded(case, &live.key, line, &live.principal, &new.identity, found);
            let by_eks = case.usage.is_eks_written(&live.principal, &live.identity);
            let own = match before {
                Some(before) if before.origin != Origin::Found => true,
                // Found, edited by somebody, and claimed as ever: put back.
                Some(before) => {
                    !by_eks
                        && !says(before, &live.key, &live.identity)
                        && before.claimed == line.claimed
                }
                None => false,
            };
            let own = own
                || line.origin == Origin::Adopted
                || case.books.wrote(&live.key, &live.identity);
            found.unless(own, Rule::OwnEntry, live.id);
        }
        // Put back to what it was before anybody claimed it.
        None => found.unless(
            case.books.wrote(&live.key, &live.identity),
            Rule::OwnEntry,
            live.id,
        ),
    }
}

fn removed(case: &Case<'_>, live: &Live, found: &mut Found) {
    let books = case.books;
    let line = books.before.lines.get(&live.key);
    found.unless(
        books.wrote(&live.key, &live.identity),
        Rule::OwnEntry,
        live.id,
    );
    let may_be_claimed = line.is_some_and(|line| books.may_be_claimed(line));
    found.unless(
        !books.is_claimed(&live.key) && !may_be_claimed,
        Rule::Unclaimed,
        live.id,
    );
    found.unless(
        case.observed.fragments.complete,
        Rule::ListedWholly,
        live.id,
    );
    let let_in = !case.after.answers(&live.principal).is_empty();
    let used = case.usage.of_role(&live.principal).is_some();
    if !let_in && !used {
        let shape = EntryShape::of(&live.identity);
        let known = shape.is_none_or(|shape| case.usage.is_complete_for(shape));
        found.unless(known, Rule::ListedWholly, live.id);
    }
    if !let_in && case.usage.is_eks_written(&live.principal, &live.identity) {
        found.unless(
            case.allows("role-still-in-use", &live.key),
            Rule::UsedRoleStays,
            live.id,
        );
    }
    let lasts = line.is_none() || books.during.lines.contains_key(&live.key);
    let goes = !books.after.lines.contains_key(&live.key);
    found.unless(lasts && goes, Rule::LineLasts, live.id);
}

/// What is written for a principal with a line: the line says it, and its owners want it or it was there before.
fn recorded(
    case: &Case<'_>,
    key: &PrincipalKey,
    line: &Line,
    principal: &str,
    identity: &Identity,
    found: &mut Found,
) {
    found.unless(says(line, key, identity), Rule::RecordedBefore, principal);
    let grounded = case.books.claims(key, line, identity)
        || line.releasing.is_some()
        || case.books.had(key, identity);
    found.unless(grounded, Rule::Grounded, principal);
}
