//! What holds whatever owners do, in whatever order, and whatever others do to the map meanwhile.

use std::collections::BTreeMap;

use accord_model::arn::PrincipalKey;
use accord_model::claim::Owner;
use accord_model::ledger::{Digest, Origin};
use accord_model::mapping::Mapping;
use accord_model::plan::Plan;
use accord_model::reading::AuthMap;
use proptest::prelude::*;

use super::*;
use crate::rules::Rules;
use crate::simulator::{apply, crash, writes};
use crate::usage::Usage;

/// Something that somebody does.
#[derive(Clone, Debug)]
enum Action {
    /// An owner asks.
    Asks(Request),
    /// Somebody edits an entry's username.
    Edits(usize, usize),
    /// Somebody removes an entry.
    Removes(usize),
    /// Some tool adds an entry, perhaps a second one.
    Adds(Mapping, SectionName),
    /// An owner's fragment is deleted behind Accord's back.
    Vanishes(usize),
    /// A node group comes to use a role, or the last one goes.
    Uses(Option<usize>),
    /// Everything is wiped but the claims.
    Wipes,
    /// The ledger is lost.
    Forgets,
}

const PRINCIPALS: [&str; 6] = [
    "role/a",
    "role/b",
    "role/c",
    "user/d",
    "user/D",
    "444455556666",
];
const OWNERS: [&str; 3] = ["one", "two", "three"];

fn identities() -> impl Strategy<Value = (String, Vec<String>)> {
    let node = (
        NODES.0.to_owned(),
        NODES.1.iter().map(|g| (*g).to_owned()).collect(),
    );
    prop_oneof![
        (
            prop::sample::select(vec!["u", "v"]),
            prop::sample::subsequence(vec!["g", "h"], 0..=2)
        )
            .prop_map(|(u, gs)| (u.to_owned(), gs.into_iter().map(str::to_owned).collect())),
        Just(("admin".to_owned(), vec!["system:masters".to_owned()])),
        Just(node),
    ]
}

fn a_claim() -> impl Strategy<Value = Claim> {
    (0..PRINCIPALS.len(), identities()).prop_map(|(p, (username, groups))| {
        let mut claim = claim(PRINCIPALS[p], "", &[]);
        if claim.section != SectionName::Accounts {
            claim.identity.username = username;
            claim.identity.groups = groups;
        }
        claim
    })
}

/// One claim per principal.
fn claims() -> impl Strategy<Value = Vec<Claim>> {
    prop::collection::vec(a_claim(), 0..4).prop_map(|claims| {
        let each: BTreeMap<PrincipalKey, Claim> =
            claims.into_iter().map(|c| (c.key(), c)).collect();
        each.into_values().collect()
    })
}

fn requests() -> impl Strategy<Value = Request> {
    let owner = || (0..OWNERS.len()).prop_map(|o| Owner::named(OWNERS[o]));
    let declared = (0..OWNERS.len(), claims(), any::<bool>(), any::<bool>()).prop_map(
        |(o, claims, prune, take)| Request {
            take_over: match take {
                true => claims.iter().map(|c| c.principal.clone()).collect(),
                false => vec![],
            },
            ..Request::new(Intent::Declare {
                fragments: vec![fragment(OWNERS[o], claims)],
                prune,
            })
        },
    );
    let adopted = (owner(), 0..PRINCIPALS.len()).prop_map(|(owner, p)| {
        Request::new(Intent::Adopt {
            owner,
            principals: vec![claim(PRINCIPALS[p], "", &[]).principal],
        })
    });
    prop_oneof![
        6 => declared,
        1 => owner().prop_map(|o| Request::new(Intent::Remove(o))),
        1 => adopted,
        1 => Just(Request::new(Intent::Sync)),
        1 => Just(Request::new(Intent::Restore { backup: None })),
    ]
}

fn actions() -> impl Strategy<Value = Action> {
    prop_oneof![
        8 => requests().prop_map(Action::Asks),
        1 => (0..6usize, 0..2usize).prop_map(|(i, u)| Action::Edits(i, u)),
        1 => (0..6usize).prop_map(Action::Removes),
        2 => a_claim().prop_map(|c| {
            let mapping = Mapping { arn: c.principal, identity: c.identity, ..Mapping::default() };
            Action::Adds(mapping, c.section)
        }),
        1 => (0..OWNERS.len()).prop_map(Action::Vanishes),
        1 => prop::option::of(0..3usize).prop_map(Action::Uses),
        1 => Just(Action::Wipes),
        1 => Just(Action::Forgets),
    ]
}

fn histories() -> impl Strategy<Value = Vec<Action>> {
    prop::collection::vec(actions(), 1..14)
}

/// The n-th entry of the map, if there are any.
fn nth(seen: &Observed, n: usize) -> Option<EntryId> {
    let map = &seen.aws_auth.as_ref()?.map;
    let ids: Vec<EntryId> = map
        .sections()
        .flat_map(|s| s.kept())
        .map(|(id, _)| id)
        .collect();
    ids.get(n % ids.len().max(1)).copied()
}

fn mapping_at(seen: &Observed, id: EntryId) -> Option<Mapping> {
    let item = seen.aws_auth.as_ref()?.map.item(id)?;
    item.kept.as_ref()?.mapping().cloned()
}

/// Does it; the plan, if an owner asked for one that could be made, and what it was made of.
fn act(seen: &mut Observed, action: &Action) -> Option<(Observed, Plan)> {
    match action {
        Action::Asks(request) => {
            let plan = decide(seen, request).ok()?;
            let before = seen.clone();
            apply(seen, &plan);
            return Some((before, plan));
        }
        Action::Edits(n, username) => {
            if let Some((id, mut mapping)) =
                nth(seen, *n).and_then(|id| Some((id, mapping_at(seen, id)?)))
            {
                mapping.identity.username = ["by-hand", "u"][*username].into();
                simulator::edit(seen, &[EntryEdit::Update { id, mapping }]);
            }
        }
        Action::Removes(n) => {
            if let Some(id) = nth(seen, *n) {
                simulator::edit(
                    seen,
                    &[EntryEdit::Remove {
                        id,
                        principal: String::new(),
                    }],
                );
            }
        }
        Action::Adds(mapping, section) => {
            simulator::edit(
                seen,
                &[EntryEdit::Add {
                    section: *section,
                    mapping: mapping.clone(),
                }],
            );
        }
        Action::Vanishes(o) => seen
            .fragments
            .items
            .retain(|f| f.owner != Owner::named(OWNERS[*o])),
        Action::Uses(role) => match role {
            Some(role) => used_by_nodes(seen, PRINCIPALS[*role]),
            None => {
                used_by_nodes(seen, "role/none");
                seen.compute.node_groups.items.clear();
            }
        },
        Action::Wipes => seen.aws_auth = None,
        Action::Forgets => seen.ledger = LedgerRead::Absent,
    }
    None
}

fn start() -> Observed {
    let mut seen = cluster(map().role("role/a", "u", &["g"]).user(
        "user/d",
        "admin",
        &["system:masters"],
    ));
    act(&mut seen, &Action::Uses(None));
    seen
}

/// How many entries each principal has.
fn counts(seen: &Observed) -> BTreeMap<PrincipalKey, usize> {
    let map = seen
        .aws_auth
        .as_ref()
        .map_or_else(AuthMap::empty, |a| a.map.clone());
    let rules = Rules::of(&map);
    let mut counts = BTreeMap::new();
    for (_, mapping) in rules.mappings() {
        *counts.entry(PrincipalKey::of(&mapping.arn)).or_default() += 1;
    }
    for (_, account) in rules.accounts() {
        *counts.entry(PrincipalKey::of_account(account)).or_default() += 1;
    }
    counts
}

/// Entries, whatever their places; owners and origins.
fn world(seen: &Observed) -> String {
    let map = told(seen);
    let mut entries: Vec<&str> = map
        .lines()
        .filter_map(|l| l.split_once(' ').map(|(_, entry)| entry))
        .collect();
    entries.sort_unstable();
    format!("{}\n[{}]", entries.join("\n"), lines(seen))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Reconcile is idempotent: what was done need not be done again.
    #[test]
    fn what_was_applied_leaves_nothing_to_do(history in histories()) {
        let mut seen = start();
        for action in &history {
            let Some((_, plan)) = act(&mut seen, action) else { continue };
            let Action::Asks(request) = action else { continue };
            if let Ok(again) = decide(&seen, request)
                && !plan.is_refused()
            {
                prop_assert!(again.steps.is_empty(), "{}\nafter\n{}", simulator::plan(&again), simulator::plan(&plan));
            }
        }
        run(&mut seen, Intent::Sync);
        let again = decide(&seen, &Request::new(Intent::Sync)).unwrap();
        prop_assert!(again.steps.is_empty() && again.changes.is_empty(), "{}", simulator::plan(&again));
    }

    /// Removed is only what Accord wrote for somebody, or somebody took over; what EKS wrote and compute uses, never.
    #[test]
    fn nobody_elses_entry_is_touched(history in histories()) {
        let mut seen = start();
        for action in &history {
            let Some((before, plan)) = act(&mut seen, action) else { continue };
            let usage = Usage::of(&before.compute);
            let held = ledger(&before);
            for edit in plan.edits() {
                let EntryEdit::Remove { id, .. } = edit else { continue };
                let mapping = mapping_at(&before, *id);
                if let Some(mapping) = &mapping {
                    prop_assert!(!usage.is_eks_written(&mapping.arn, &mapping.identity), "{}", simulator::plan(&plan));
                    let line = held.lines.get(&PrincipalKey::of(&mapping.arn));
                    let digest = Digest::of_entry(&PrincipalKey::of(&mapping.arn), &mapping.identity);
                    prop_assert!(line.is_some_and(|l| l.origin != Origin::Found && l.digests.contains(&digest)), "{}", simulator::plan(&plan));
                }
            }
            // A principal never gets a second entry.
            let was = counts(&before);
            for (key, count) in counts(&seen) {
                prop_assert!(count <= was.get(&key).copied().unwrap_or(0).max(1), "{key}");
            }
        }
    }

    /// The order of fragments and of the claims in them does not matter.
    #[test]
    fn order_does_not_matter(history in histories()) {
        let mut seen = start();
        for action in &history {
            act(&mut seen, action);
        }
        let mut turned = seen.clone();
        turned.fragments.items.reverse();
        for fragment in &mut turned.fragments.items {
            fragment.claims.reverse();
        }
        let sync = Request::new(Intent::Sync);
        prop_assert_eq!(decide(&seen, &sync).unwrap(), decide(&turned, &sync).unwrap());
    }

    /// To claim what is there and to give it up again leaves the map as it was.
    #[test]
    fn what_is_found_is_left_as_it_was(history in histories(), picks in prop::collection::vec(0..6usize, 1..4)) {
        let mut seen = start();
        for action in &history {
            act(&mut seen, action);
        }
        run(&mut seen, Intent::Sync);
        let before = told(&seen);
        let claims: BTreeMap<PrincipalKey, Claim> = picks
            .iter()
            .filter_map(|n| {
                let mapping = mapping_at(&seen, nth(&seen, *n)?)?;
                let held = ledger(&seen).lines.contains_key(&PrincipalKey::of(&mapping.arn));
                let mut claim = claim(&mapping.arn, "", &[]);
                claim.identity = mapping.identity;
                (!held).then(|| (claim.key(), claim))
            })
            .collect();
        let claims: Vec<Claim> = claims.into_values().collect();
        let plan = run(&mut seen, declare("finder", &claims));
        if !plan.is_refused() {
            run(&mut seen, Intent::Remove(Owner::named("finder")));
        }
        prop_assert_eq!(told(&seen), before);
    }

    /// Wherever Accord dies, nobody else's entry suffers, and whoever asks again gets what was asked for.
    #[test]
    fn a_crash_heals(history in histories(), request in requests()) {
        let mut seen = start();
        for action in &history {
            act(&mut seen, action);
        }
        run(&mut seen, Intent::Sync);
        let Ok(plan) = decide(&seen, &request) else { return Ok(()) };
        if plan.is_refused() {
            return Ok(());
        }
        let mut whole = seen.clone();
        apply(&mut whole, &plan);
        for n in 0..writes(&plan) {
            let mut again = seen.clone();
            crash(&mut again, &plan, n);
            // Who has been removed is not known any more: then sync does the rest.
            let rest = decide(&again, &request).or_else(|_| decide(&again, &Request::new(Intent::Sync)));
            apply(&mut again, &rest.unwrap());
            prop_assert_eq!(world(&again), world(&whole), "after {} of\n{}", n, simulator::plan(&plan));

            let mut nobody_asks = seen.clone();
            crash(&mut nobody_asks, &plan, n);
            run(&mut nobody_asks, Intent::Sync);
            for (key, count) in counts(&seen) {
                let meant = counts(&whole).get(&key).copied().unwrap_or(0) >= count;
                let there = counts(&nobody_asks).get(&key).copied().unwrap_or(0) >= count;
                prop_assert!(there || !meant, "{key} is lost after {n} of\n{}", simulator::plan(&plan));
            }
        }
    }
}
