//! Plans that reconcile makes pass, and each way of spoiling one is noticed.

use accord_model::claim::{Claim, Owner};
use accord_model::facts::AuthenticationMode;
use accord_model::finding::FindingKind;
use accord_model::ledger::{Ledger, Origin};
use accord_model::mapping::{EntryId, SectionName};
use accord_model::observed::{LedgerRead, Observed};
use accord_model::plan::{Change, EntryEdit, Plan, Refusal, Rights, Step};
use accord_model::reading::{Loss, LossCause, SectionState};
use accord_model::span::Range;

use super::{Contradiction, Contradictions};
use crate::reconcile::decide;
use crate::request::{Allow, Intent, Request};
use crate::simulator::{self, run};
use crate::testing::{claim, fragment, in_mode, map, mapping, observed, used_by_nodes};

fn check(observed: &Observed, plan: &Plan) -> Vec<Contradiction> {
    match super::check(observed, plan) {
        Ok(()) => vec![],
        Err(Contradictions(broken)) => broken,
    }
}

fn declare(owner: &str, claims: &[Claim], prune: bool) -> Intent {
    Intent::Declare {
        fragments: vec![fragment(owner, claims.to_vec())],
        prune,
    }
}

fn role(index: usize) -> EntryId {
    EntryId::new(SectionName::Roles, index)
}

/// A cluster in which EKS, nobody and two teams have entries, and a plan of one team that adds, updates, removes and
/// finds one each.
fn case() -> (Observed, Plan) {
    let mut seen = observed(
        map()
            .role("role/boss", "boss", &["system:masters"])
            .role(
                "role/ng-node",
                "system:node:{{EC2PrivateDNSName}}",
                &["system:bootstrappers", "system:nodes"],
            )
            .role("role/nobodys", "n", &["g"])
            .role("role/found", "f", &["g"])
            .build(),
    );
    used_by_nodes(&mut seen, "role/ng-node");
    run(
        &mut seen,
        declare("other", &[claim("role/theirs", "t", &["g"])], false),
    );
    run(
        &mut seen,
        declare(
            "a",
            &[
                claim("role/kept", "k", &["g"]),
                claim("role/gone", "x", &["g"]),
            ],
            false,
        ),
    );
    let claims = [
        claim("role/kept", "new", &["g"]),
        claim("role/found", "f", &["g"]),
        claim("role/added", "a", &["g"]),
    ];
    let plan = decide(&seen, &Request::new(declare("a", &claims, true))).unwrap();
    (seen, plan)
}

/// The plan's ledgers, in their order.
fn ledgers(plan: &mut Plan) -> Vec<&mut Ledger> {
    let ledgers = plan.steps.iter_mut().filter_map(|step| match step {
        Step::WriteLedger(ledger) => Some(&mut **ledger),
        _ => None,
    });
    ledgers.collect()
}

fn edits(plan: &mut Plan, change: impl Fn(&mut EntryEdit)) {
    for step in &mut plan.steps {
        if let Step::Edit(edit) = step {
            change(edit);
        }
    }
}

fn first(plan: &Plan, name: &str) -> usize {
    plan.steps.iter().position(|s| s.name() == name).unwrap()
}

fn removal(index: usize) -> Step {
    Step::Edit(EntryEdit::Remove {
        id: role(index),
        principal: String::new(),
    })
}

fn update(index: usize, arn: &str, username: &str) -> Step {
    Step::Edit(EntryEdit::Update {
        id: role(index),
        mapping: mapping(arn, username, &["g"]),
    })
}

fn lose(section: SectionName, seen: &mut Observed) {
    let section = seen.aws_auth.as_mut().unwrap().map.section_mut(section);
    section.state = SectionState::Lost(Loss {
        cause: LossCause::Unparseable,
        message: "it is broken".into(),
        range: Range::new(0, 0),
    });
}

type Spoil = fn(&mut Observed, &mut Plan);

const SPOILS: &[(&str, Spoil)] = &[
    ("nothing", |_, _| {}),
    ("an entry is removed that nobody claims", |_, plan| {
        plan.steps.push(removal(2))
    }),
    ("an entry is removed that EKS wrote", |_, plan| {
        plan.steps.push(removal(1))
    }),
    ("another team's entry is removed", |_, plan| {
        plan.steps.push(removal(4))
    }),
    ("an entry is updated that nobody claims", |_, plan| {
        plan.steps.push(update(2, "role/nobodys", "mine"));
    }),
    ("another team's entry is updated", |_, plan| {
        plan.steps.push(update(4, "role/theirs", "mine"))
    }),
    ("an entry is updated twice", |_, plan| {
        let again = plan.steps[first(plan, "update-mapping")].clone();
        plan.steps.push(again);
    }),
    ("an entry is added twice", |_, plan| {
        let again = plan.steps[first(plan, "add-mapping")].clone();
        plan.steps.push(again);
    }),
    ("an entry is added for who has one", |_, plan| {
        plan.steps.push(Step::Edit(EntryEdit::Add {
            section: SectionName::Users,
            mapping: mapping("role/Nobodys", "n", &["g"]),
        }));
    }),
    ("an edit is of an entry that is not there", |_, plan| {
        plan.steps.push(removal(9))
    }),
    ("an update changes the ARN", |_, plan| {
        edits(plan, |edit| {
            if let EntryEdit::Update { mapping, .. } = edit {
                mapping.arn.push('x');
            }
        });
    }),
    ("an update gives another group", |_, plan| {
        edits(plan, |edit| {
            if let EntryEdit::Update { mapping, .. } = edit {
                mapping.identity.groups.push("system:masters".into());
            }
        });
    }),
    ("an added entry gives another group", |_, plan| {
        edits(plan, |edit| {
            if let EntryEdit::Add { mapping, .. } = edit {
                mapping.identity.groups.push("system:masters".into());
            }
        });
    }),
    ("an edit is left out", |_, plan| {
        plan.steps.remove(first(plan, "add-mapping"));
    }),
    ("a removal is left out", |_, plan| {
        plan.steps.remove(first(plan, "remove-mapping"));
    }),
    ("the ledger is written too late", |_, plan| {
        let ledger = plan.steps.remove(first(plan, "write-ledger"));
        plan.steps.push(ledger);
    }),
    ("the ledger is not written at last", |_, plan| {
        plan.steps.pop();
    }),
    ("a line names another owner", |_, plan| {
        for ledger in ledgers(plan) {
            for line in ledger.lines.values_mut() {
                line.owners = vec![Owner::named("b")];
            }
        }
    }),
    ("a removed entry's line goes beforehand", |_, plan| {
        let last = ledgers(plan).pop().unwrap().clone();
        *ledgers(plan)[0] = last;
    }),
    ("a line of another team's is dropped", |_, plan| {
        for ledger in ledgers(plan) {
            ledger
                .lines
                .retain(|_, line| line.owners != [Owner::named("other")]);
        }
    }),
    ("a found entry's line says something else", |_, plan| {
        for ledger in ledgers(plan) {
            for line in ledger
                .lines
                .values_mut()
                .filter(|l| l.origin == Origin::Found)
            {
                line.digests.clear();
            }
        }
    }),
    ("the claims are not written", |_, plan| {
        plan.steps.remove(first(plan, "write-fragment"));
    }),
    ("the claims are written last", |_, plan| {
        let fragment = plan.steps.remove(first(plan, "write-fragment"));
        plan.steps.push(fragment);
    }),
    ("a change is not told", |_, plan| {
        plan.changes.pop();
    }),
    ("a change is told twice", |_, plan| {
        plan.changes.push(plan.changes[0].clone());
    }),
    ("a change is told of who keeps what it has", |_, plan| {
        plan.changes.push(Change {
            principal: "arn:aws:iam::111122223333:role/boss".into(),
            before: None,
            after: Some(Rights::default()),
            ..plan.changes[0].clone()
        });
    }),
    ("a change is told wrongly", |_, plan| {
        plan.changes[0].after = Some(Rights::default());
    }),
    ("not all fragments are known", |seen, _| {
        seen.fragments.complete = false
    }),
    ("a fragment cannot be read", |seen, plan| {
        for step in &mut plan.steps {
            if let Step::WriteFragment(fragment) = step {
                fragment
                    .unreadable
                    .push((SectionName::Roles, "it is broken".into()));
            }
        }
        let _ = seen;
    }),
    ("what is removed was edited since", |seen, plan| {
        let id = plan.edits().find_map(|e| match e {
            EntryEdit::Remove { id, .. } => Some(*id),
            _ => None,
        });
        let edit = EntryEdit::Update {
            id: id.unwrap(),
            mapping: mapping("role/gone", "edited", &["g"]),
        };
        simulator::edit(seen, &[edit]);
    }),
    ("the section is lost", |seen, _| {
        lose(SectionName::Roles, seen)
    }),
    ("the object is immutable", |seen, _| {
        seen.aws_auth.as_mut().unwrap().immutable = true
    }),
    ("the map is not read", |seen, _| {
        *seen = in_mode(seen.clone(), Some(AuthenticationMode::Api));
    }),
    ("the ledger cannot be read", |seen, _| {
        seen.ledger = LedgerRead::Unreadable("it is broken".into())
    }),
    ("the ledger is another cluster's", |seen, plan| {
        seen.cluster_uid = Some("here".into());
        for ledger in ledgers(plan) {
            ledger.cluster = Some("elsewhere".into());
        }
    }),
    ("what is written is refused", |_, plan| {
        plan.refusals.push(Refusal {
            kind: FindingKind::NotClaimed,
            principal: Some("arn:aws:iam::111122223333:role/added".into()),
            message: String::new(),
            held_by: None,
            allow: None,
            askers: false,
        });
    }),
];

#[test]
fn every_way_of_spoiling_a_plan_is_noticed() {
    let told: Vec<String> = SPOILS
        .iter()
        .map(|(what, spoil)| {
            let (mut seen, mut plan) = case();
            spoil(&mut seen, &mut plan);
            let mut rules: Vec<String> = check(&seen, &plan)
                .iter()
                .map(|c| format!("{:?}", c.rule))
                .collect();
            rules.sort();
            rules.dedup();
            format!("{what}: {}", rules.join(" "))
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    nothing: 
    an entry is removed that nobody claims: OwnEntry ToldTruly
    an entry is removed that EKS wrote: OwnEntry ToldTruly UsedRoleStays
    another team's entry is removed: LineLasts ToldTruly Unclaimed
    an entry is updated that nobody claims: OwnEntry ToldTruly
    another team's entry is updated: Grounded RecordedBefore ToldTruly
    an entry is updated twice: EditedOnce
    an entry is added twice: OneEntry
    an entry is added for who has one: OneEntry
    an edit is of an entry that is not there: EntryDecides
    an update changes the ARN: IdentityOnly
    an update gives another group: Grounded RecordedBefore RecordedTruly ToldTruly
    an added entry gives another group: Grounded RecordedBefore RecordedTruly ToldTruly
    an edit is left out: RecordedTruly ToldTruly
    a removal is left out: ToldTruly
    the ledger is written too late: LineLasts RecordedBefore
    the ledger is not written at last: LineLasts
    a line names another owner: Grounded
    a removed entry's line goes beforehand: LineLasts
    a line of another team's is dropped: LineLasts
    a found entry's line says something else: RecordedTruly
    the claims are not written: Grounded LineLasts Unclaimed
    the claims are written last: ClaimsFirst
    a change is not told: ToldTruly
    a change is told twice: ToldTruly
    a change is told of who keeps what it has: ToldTruly
    a change is told wrongly: ToldTruly
    not all fragments are known: ListedWholly
    a fragment cannot be read: Unclaimed
    what is removed was edited since: OwnEntry ToldTruly
    the section is lost: EntryDecides RecordedTruly SectionOpen ToldTruly
    the object is immutable: SectionOpen
    the map is not read: SectionOpen ToldTruly
    the ledger cannot be read: LedgerOfHere OwnEntry
    the ledger is another cluster's: LedgerOfHere
    what is written is refused: RefusedStays
    ");
}

#[test]
fn hazards_pass_only_if_they_were_allowed() {
    let mut seen = observed(map().build());
    used_by_nodes(&mut seen, "role/ng-node");
    let claims = [
        claim("role/boss", "boss", &["system:masters"]),
        claim(
            "role/ng-node",
            "system:node:{{EC2PrivateDNSName}}",
            &["system:bootstrappers", "system:nodes"],
        ),
    ];
    run(&mut seen, declare("a", &claims, false));
    let mut request = Request::new(Intent::Remove(Owner::named("a")));
    request.allow = ["last-admin-removed=arn:aws:iam::111122223333:role/boss"]
        .into_iter()
        .chain([
            "role-still-in-use",
            "removal-of-eks-owned-entry",
            "node-role-not-in-map",
        ])
        .map(|kind| match kind.contains('=') {
            true => kind.to_owned(),
            false => format!("{kind}=arn:aws:iam::111122223333:role/ng-node"),
        })
        .map(|text| text.parse::<Allow>().unwrap())
        .collect();
    let mut plan = decide(&seen, &request).unwrap();
    assert_eq!(plan.refusals, []);
    assert_eq!(check(&seen, &plan), []);
    plan.allowed.clear();
    let broken: Vec<String> = check(&seen, &plan)
        .iter()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(broken.join("\n"), @r"
    mapRoles[1]: a role in use would lose its entry, and that was not allowed
    the cluster: nobody would be an administrator, and that was not allowed
    ");
}

#[test]
fn many_removals_are_confirmed() {
    let mut seen = observed(map().build());
    used_by_nodes(&mut seen, "role/ng-node");
    let claims: Vec<Claim> = (0..8)
        .map(|i| claim(&format!("role/r{i}"), "u", &["g"]))
        .collect();
    run(&mut seen, declare("a", &claims, false));
    let mut request = Request::new(Intent::Remove(Owner::named("a")));
    request.allow = vec!["too-many-removals=all".parse().unwrap()];
    let mut plan = decide(&seen, &request).unwrap();
    assert_eq!(check(&seen, &plan), []);
    plan.allowed.clear();
    let broken: Vec<String> = check(&seen, &plan)
        .iter()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(broken.join("\n"), @"8 removals: so many removals were not confirmed");
}
