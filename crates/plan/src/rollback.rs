//! Undoing an applied plan: a plan of its own, guarded like any other.
//!
//! Owners' fragments become what they were, and reconcile does the rest. What nobody claims then is put back to what it
//! was by name. Whatever was changed since is not touched: the refusal says what it is.

use std::collections::BTreeSet;

use accord_model::arn::PrincipalKey;
use accord_model::claim::Fragment;
use accord_model::finding::FindingKind;
use accord_model::ledger::{Digest, Ledger};
use accord_model::mapping::{EntryId, Identity, Mapping};
use accord_model::plan::{Holder, Refusal};

use crate::reconcile::ask::{Ask, Forced};
use crate::reconcile::{Situation, claims};
use crate::request::{FragmentChange, Undo};
use crate::rules::Rules;

/// Undoes what `undo` says was done.
pub(crate) fn rollback(situation: &Situation<'_>, undo: &Undo) -> Ask {
    let mut ask = Ask::default();
    let mut touched: BTreeSet<PrincipalKey> = BTreeSet::new();
    for change in &undo.fragments {
        let sides = change.before.iter().chain(&change.after);
        touched.extend(sides.flat_map(|f| &f.claims).map(claims::key));
        fragment(situation, change, &mut ask);
    }
    let none = (Ledger::default(), Ledger::default());
    let (ledger_before, ledger_after) = undo.ledger.as_ref().unwrap_or(&none);
    records(ledger_before, ledger_after, &mut ask);
    let keys = ledger_before.lines.keys().chain(ledger_after.lines.keys());
    touched.extend(
        keys.filter(|k| ledger_before.lines.get(*k) != ledger_after.lines.get(*k))
            .cloned(),
    );

    let live = situation.access.rules();
    let maps = undo.map.as_ref().map(|(b, a)| (Rules::of(b), Rules::of(a)));
    let (before, after) = match &maps {
        Some((before, after)) => (before, after),
        None => (live, live),
    };
    touched.extend(changed(before, after));
    for key in touched {
        let (was, then, now) = (entry(before, &key), entry(after, &key), entry(live, &key));
        let line = ledger_before.lines.get(&key);
        if let Some(line) = line {
            ask.origins.insert(key.clone(), line.origin);
        }
        let same = |a: &Option<(EntryId, Mapping)>, b: &Option<(EntryId, Mapping)>| match (a, b) {
            (Some((_, a)), Some((_, b))) => a.identity.means_same(&b.identity),
            (None, None) => true,
            _ => false,
        };
        let principal = now
            .iter()
            .chain(&was)
            .chain(&then)
            .map(|(_, m)| m.arn.clone())
            .next()
            .unwrap_or_else(|| key.as_str().to_owned());
        if !same(&now, &then) && !same(&now, &was) {
            ask.refusals.push(Refusal {
                kind: FindingKind::EditedSince,
                principal: Some(principal.clone()),
                message: format!(
                    "The entry was edited since plan {}, so undoing that would undo somebody else's work too.",
                    undo.id
                ),
                held_by: None,
                allow: None,
                askers: true,
            });
            continue;
        }
        let section = was.as_ref().or(now.as_ref()).map(|(id, _)| id.section);
        let Some(section) = section.or(line.map(|l| l.section)) else {
            continue;
        };
        let usage = situation.world.usage();
        let is_eks = was
            .as_ref()
            .is_some_and(|(_, m)| usage.is_eks_written(&m.arn, &m.identity));
        ask.forced.insert(
            key,
            Forced {
                section,
                principal,
                entry: was.map(|(_, mapping)| mapping),
                line: line.cloned(),
                holder: if is_eks {
                    Holder::Eks
                } else {
                    Holder::Unclaimed
                },
                reason: format!("plan {} is undone", undo.id),
            },
        );
    }
    ask
}

/// The owner's fragment becomes what it was, if it still is what the plan made of it.
fn fragment(situation: &Situation<'_>, change: &FragmentChange, ask: &mut Ask) {
    let now = situation.fragment(&change.owner);
    let is = |side: &Option<Fragment>| match (now, side) {
        (None, None) => true,
        (Some(now), Some(side)) => {
            now.unreadable.is_empty()
                && Digest::of_claims(&now.claims) == Digest::of_claims(&side.claims)
        }
        _ => false,
    };
    ask.askers.insert(change.owner.clone());
    if !is(&change.after) && !is(&change.before) {
        ask.refusals.push(Refusal {
            kind: FindingKind::EditedSince,
            principal: None,
            message: format!("What {} claims was changed since.", change.owner),
            held_by: Some(change.owner.to_string()),
            allow: None,
            askers: true,
        });
        return;
    }
    let back: BTreeSet<PrincipalKey> = change
        .before
        .iter()
        .flat_map(|f| &f.claims)
        .map(claims::key)
        .collect();
    let given_up = now.into_iter().flat_map(|f| &f.claims).map(claims::key);
    ask.given_up
        .extend(given_up.filter(|key| !back.contains(key)));
    let before = change.before.clone().map(|before| Fragment {
        admission: now.map_or(before.admission.clone(), |n| n.admission.clone()),
        created: now.map_or(before.created, |n| n.created),
        ..before
    });
    ask.fragments.insert(change.owner.clone(), before);
}

/// Admissions and suspensions become what they were.
fn records(before: &Ledger, after: &Ledger, ask: &mut Ask) {
    let owners = before.admitted.keys().chain(after.admitted.keys());
    for owner in owners.filter(|o| before.admitted.get(*o) != after.admitted.get(*o)) {
        ask.admitted
            .insert(owner.clone(), before.admitted.get(owner).cloned());
    }
    if before.suspended != after.suspended {
        ask.suspended = Some(before.suspended.clone());
    }
}

/// The principals that have another entry in one map than in the other.
fn changed(before: &Rules<'_>, after: &Rules<'_>) -> Vec<PrincipalKey> {
    let keys = |rules: &Rules<'_>| -> BTreeSet<PrincipalKey> {
        let mappings = rules.mappings().map(|(_, m)| PrincipalKey::of(&m.arn));
        mappings
            .chain(rules.accounts().map(|(_, a)| PrincipalKey::of_account(a)))
            .collect()
    };
    let all: BTreeSet<PrincipalKey> = keys(before).union(&keys(after)).cloned().collect();
    let differs = |key: &PrincipalKey| match (entry(before, key), entry(after, key)) {
        (None, None) => false,
        (Some((_, a)), Some((_, b))) => !a.identity.means_same(&b.identity),
        _ => true,
    };
    all.into_iter().filter(differs).collect()
}

/// The entry that decides for a principal, of several the first; an account's has only its text.
fn entry(rules: &Rules<'_>, key: &PrincipalKey) -> Option<(EntryId, Mapping)> {
    let id = *rules.deciding(key).ids().first()?;
    let mapping = rules.mapping(id).cloned().unwrap_or_else(|| Mapping {
        arn: key.as_str().to_owned(),
        identity: Identity::default(),
        ..Mapping::default()
    });
    Some((id, mapping))
}
