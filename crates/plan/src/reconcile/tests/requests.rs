//! Adopting, restoring, rolling back.

use accord_model::claim::Owner;
use accord_model::facts::{FargateProfile, NodeGroup};
use accord_model::journal::JournalEntry;
use accord_model::plan::Plan;

use super::*;
use crate::request::{FragmentChange, Undo};
use crate::simulator::apply;
use crate::testing;

fn adopt(owner: &str, principals: &[&str]) -> Intent {
    Intent::Adopt {
        owner: Owner::named(owner),
        principals: principals.iter().map(|p| (*p).to_owned()).collect(),
    }
}

#[test]
fn adopting_changes_nobodys_access() {
    let mut seen = cluster(
        map()
            .role("role/ng-node", NODES.0, NODES.1)
            .role("role/Ops", "ops", &["b", "a", "b"])
            .account("444455556666"),
    );
    insta::assert_snapshot!(story(&mut seen, [
        adopt("a", &["arn:aws:sts::111122223333:assumed-role/ops/kim", "444455556666", "arn:aws:iam::111122223333:role/eks/ng-node"]),
        Intent::Sync,
        adopt("b", &["arn:aws:iam::111122223333:role/ops"]),
        Intent::Remove(Owner::named("a")),
        Intent::Remove(Owner::named("b")),
    ]), @r#"
      write-fragment
      write-ledger
    mapRoles[0] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"]
    mapRoles[1] role/Ops ops ["b", "a", "b"]
    mapAccounts[0] 444455556666
    [444455556666 Adopted for a
    role/ng-node Found for a
    role/Ops Adopted for a]


    mapRoles[0] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"]
    mapRoles[1] role/Ops ops ["b", "a", "b"]
    mapAccounts[0] 444455556666
    [444455556666 Adopted for a
    role/ng-node Found for a
    role/Ops Adopted for a]

      write-fragment
      write-ledger
    mapRoles[0] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"]
    mapRoles[1] role/Ops ops ["b", "a", "b"]
    mapAccounts[0] 444455556666
    [444455556666 Adopted for a
    role/ng-node Found for a
    role/Ops Adopted for a, b]

    444455556666 loses, a: given up by a
      delete-fragment
      write-ledger
      remove-mapping
      write-ledger
    mapRoles[0] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"]
    mapRoles[1] role/Ops ops ["b", "a", "b"]
    [role/Ops Adopted for b]

    role/Ops loses, b: given up by b
      delete-fragment
      remove-mapping
      write-ledger
    mapRoles[0] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"]
    []
    "#);
}

#[test]
fn only_what_is_there_can_be_adopted() {
    let seen = cluster(
        map()
            .role("role/x/never", "x", &[])
            .user("user/u", "one", &[])
            .user("user/U", "two", &[])
            .account("111122223333"),
    );
    let refused = |p: &str| {
        decide(&seen, &Request::new(adopt("a", &[p])))
            .unwrap_err()
            .to_string()
    };
    let told: Vec<String> = [
        "arn:aws:iam::111122223333:role/never",
        "arn:aws:iam::111122223333:user/u",
        "nonsense",
        "444455556666",
    ]
    .map(refused)
    .into();
    insta::assert_snapshot!(told.join("\n"), @r"
    there is no entry for arn:aws:iam::111122223333:role/never
    which entry decides for arn:aws:iam::111122223333:user/u is random: mapUsers[0], mapUsers[1]
    there is no entry for nonsense
    there is no entry for 444455556666
    ");
}

#[test]
fn what_was_found_becomes_ours_by_adopting() {
    let mut seen = cluster(map().role("role/x", "x", &[]));
    insta::assert_snapshot!(story(&mut seen, [
        declare("a", &[claim("role/x", "x", &[])]),
        adopt("a", &["arn:aws:iam::111122223333:role/x"]),
        prune("a", &[]),
    ]), @r"
      write-fragment
      write-ledger
    mapRoles[0] role/x x []
    [role/x Found for a]

      write-ledger
    mapRoles[0] role/x x []
    [role/x Adopted for a]

    role/x loses, a: given up by a
      write-fragment
      remove-mapping
      write-ledger

    []
    ");
}

#[test]
fn a_wiped_map_is_restored() {
    let mut seen = cluster(map());
    run(&mut seen, declare("a", &[claim("role/a", "a", &[])]));
    seen.aws_auth = None;
    seen.compute.node_groups.items.push(NodeGroup {
        name: "win".into(),
        role: Some("arn:aws:iam::111122223333:role/win".into()),
        windows: true,
        instance_profile: None,
    });
    seen.compute.fargate_profiles.items.push(FargateProfile {
        name: "fp".into(),
        arn: None,
        role: Some("arn:aws:iam::111122223333:role/eks/pods".into()),
    });
    let plan = decide(&seen, &Request::new(Intent::Restore { backup: None })).unwrap();
    apply(&mut seen, &plan);
    insta::assert_snapshot!(format!("{}\n{}", simulator::plan(&plan), told(&seen)), @r#"
    role/a gains, a: claimed by a; somebody had removed it
    role/ng-node gains, eks: used by node group ng
    role/pods gains, eks: used by Fargate profile fp
    role/win gains, eks: used by Windows node group win
      add-mapping
      add-mapping
      add-mapping
      add-mapping
    ? cannot-be-known
    mapRoles[0] role/a a []
    mapRoles[1] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"]
    mapRoles[2] role/pods system:node:{{SessionName}} ["system:bootstrappers", "system:nodes", "system:node-proxier"]
    mapRoles[3] role/win system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes", "eks:kube-proxy-windows"]
    "#);
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Restore { backup: None })), @"? cannot-be-known");
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Sync)), @r"");
}

fn journalled(id: &str, plan: &Plan) -> JournalEntry {
    JournalEntry {
        id: id.into(),
        at: Timestamp { millis: 0 },
        command: "apply".into(),
        caller: None,
        reason: None,
        allowed: vec![],
        done: true,
        changes: plan.changes.clone(),
        refusals: vec![],
        objects: vec![],
        undoes: None,
    }
}

#[test]
fn an_older_state_gives_back_what_was_not_revoked() {
    let mut seen = cluster(map().role("role/kept", "live", &[]));
    run(
        &mut seen,
        declare(
            "a",
            &[
                claim("role/gone", "g", &[]),
                claim("role/less", "l", &["system:masters"]),
            ],
        ),
    );
    let backup = Intent::Restore {
        backup: Some(Box::new(cluster(
            map()
                .role("role/kept", "older", &["system:masters"])
                .role("role/gone", "g", &[])
                .role("role/less", "l", &["system:masters"])
                .role("role/dying", "d", &[])
                .role("role/person", "first", &[])
                .role("role/Person", "person", &["g"])
                .role("role/with/path", "never", &[])
                .user("user/boss", "boss", &["system:masters"])
                .account("444455556666"),
        ))),
    };
    run(
        &mut seen,
        declare("b", &[claim("user/boss", "boss", &["system:masters"])]),
    );
    for (id, intent) in [
        ("1", declare("a", &[claim("role/less", "l", &["viewers"])])),
        ("2", prune("a", &[])),
    ] {
        let plan = run(&mut seen, intent);
        seen.journal.push(journalled(id, &plan));
    }
    // `less` was demoted, and then given up by hand of somebody who keeps no journal.
    seen.journal[1]
        .changes
        .retain(|c| c.principal.ends_with("gone"));
    // Somebody began to take access away, and whether that came to an end is not known.
    let mut begun = seen.journal[1].clone();
    begun.id = "3".into();
    begun.done = false;
    begun.changes[0].principal = claim("role/dying", "d", &[]).principal;
    seen.journal.push(begun);
    insta::assert_snapshot!(story(&mut seen, [backup]), @r#"
    444455556666 gains, unclaimed: it stands in the older state
    role/less gains, unclaimed: it stands in the older state
    role/ng-node gains, eks: used by node group ng
    role/Person gains, unclaimed: it stands in the older state
      add-mapping
      add-mapping
      add-mapping
      add-mapping
    ? cannot-be-known role/gone
    ? cannot-be-known role/dying
    mapRoles[0] role/kept live []
    mapRoles[1] role/less l ["viewers"]
    mapRoles[2] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"]
    mapRoles[3] role/Person person ["g"]
    mapUsers[0] user/boss boss ["system:masters"]
    mapAccounts[0] 444455556666
    [user/boss Added for b]
    "#);
}

/// Carries a request out, and what would undo it.
fn done(seen: &mut Observed, request: &Request) -> Intent {
    let before = seen.clone();
    let plan = decide(seen, request).unwrap();
    assert!(!plan.is_refused(), "{}", simulator::plan(&plan));
    apply(seen, &plan);
    let find = |o: &Observed, owner: &Owner| {
        o.fragments
            .items
            .iter()
            .find(|f| f.owner == *owner)
            .cloned()
    };
    let owners = crate::request::owners(&before)
        .into_iter()
        .chain(crate::request::owners(seen));
    let owners: std::collections::BTreeSet<Owner> = owners.collect();
    let map_of = |o: &Observed| {
        o.aws_auth
            .as_ref()
            .map_or_else(accord_model::reading::AuthMap::empty, |a| a.map.clone())
    };
    Intent::Rollback(Box::new(Undo {
        id: "0190".into(),
        fragments: owners
            .into_iter()
            .map(|owner| FragmentChange {
                before: find(&before, &owner),
                after: find(seen, &owner),
                owner,
            })
            .filter(|c| c.before != c.after)
            .collect(),
        map: plan.edits().next().map(|_| (map_of(&before), map_of(seen))),
        ledger: Some((ledger(&before), ledger(seen))),
    }))
}

#[test]
fn whatever_was_done_can_be_undone() {
    let start = || {
        let mut seen = cluster(
            map()
                .role("role/ng-node", NODES.0, NODES.1)
                .role("role/boss", "boss", &["system:masters"])
                .role("role/free", "free", &["g"]),
        );
        run(
            &mut seen,
            declare(
                "a",
                &[
                    claim("role/a", "a", &[]),
                    claim("role/free", "free", &["g"]),
                ],
            ),
        );
        run(&mut seen, declare("b", &[claim("role/b", "b", &[])]));
        seen
    };
    let requests = [
        Request::new(declare("a", &[claim("role/new", "new", &[])])),
        Request::new(declare("a", &[claim("role/a", "changed", &["g"])])),
        Request::new(prune("a", &[])),
        Request::new(Intent::Remove(Owner::named("b"))),
        Request::new(adopt("a", &["arn:aws:iam::111122223333:role/boss"])),
        Request::new(adopt("a", &["arn:aws:iam::111122223333:role/free"])),
        taking(
            declare("a", &[claim("role/boss", "mine", &["system:masters"])]),
            "role/boss",
        ),
        taking(declare("c", &[claim("role/b", "mine", &[])]), "role/b"),
        Request::new(Intent::Suspend(suspension(None, 9))),
    ];
    for request in requests {
        let mut seen = start();
        let undo = done(&mut seen, &request);
        let plan = run(&mut seen, undo.clone());
        assert!(
            !plan.is_refused(),
            "{request:?}\n{}",
            simulator::plan(&plan)
        );
        assert_eq!(sorted(&seen), sorted(&start()), "{request:?}");
        assert_eq!(said(&seen, &Request::new(Intent::Sync)), "", "{request:?}");
        // Once more undoes nothing.
        assert_eq!(said(&seen, &Request::new(undo)), "", "{request:?}");
    }
}

/// Entries without their places, and the lines.
fn sorted(seen: &Observed) -> String {
    let map = told(seen);
    let mut entries: Vec<&str> = map
        .lines()
        .filter_map(|l| l.split_once(' ').map(|(_, entry)| entry))
        .collect();
    entries.sort_unstable();
    format!("{}\n[{}]", entries.join("\n"), lines(seen))
}

#[test]
fn what_was_edited_since_is_not_undone() {
    let mut seen = cluster(map());
    let undo = done(
        &mut seen,
        &Request::new(declare("a", &[claim("role/x", "x", &[])])),
    );
    by_hand(&mut seen, 0, "edited");
    insta::assert_snapshot!(said(&seen, &Request::new(undo)), @"! edited-since role/x");

    let mut seen = cluster(map());
    let undo = done(
        &mut seen,
        &Request::new(declare("a", &[claim("role/x", "x", &[])])),
    );
    run(&mut seen, declare("a", &[claim("role/y", "y", &[])]));
    insta::assert_snapshot!(said(&seen, &Request::new(undo)), @"! edited-since , held by a");
}

#[test]
fn an_undo_is_guarded_like_any_plan() {
    let mut seen = cluster(map());
    let undo = done(
        &mut seen,
        &Request::new(declare(
            "a",
            &[claim("role/boss", "boss", &["system:masters"])],
        )),
    );
    insta::assert_snapshot!(said(&seen, &Request::new(undo)), @"! last-admin-removed role/boss");
    // Who shares it since keeps it.
    let mut seen = cluster(map());
    let undo = done(
        &mut seen,
        &Request::new(declare("a", &[claim("role/x", "x", &[])])),
    );
    run(&mut seen, declare("b", &[claim("role/x", "x", &[])]));
    insta::assert_snapshot!(story(&mut seen, [undo]), @r"
      delete-fragment
      write-ledger
    mapRoles[0] role/x x []
    [role/x Added for b]
    ");
}

#[test]
fn a_restore_can_be_undone() {
    let mut seen = cluster(map());
    let backup = testing::observed(map().role("role/person", "p", &[]).build());
    let undo = done(
        &mut seen,
        &Request::new(Intent::Restore {
            backup: Some(Box::new(backup)),
        }),
    );
    // The node group's role is in use; the person's entry goes.
    insta::assert_snapshot!(said(&seen, &Request::new(undo)), @r"
    ! removal-of-eks-owned-entry role/ng-node
    ! role-still-in-use role/ng-node
    ! node-role-not-in-map role/ng-node
    ");
}
