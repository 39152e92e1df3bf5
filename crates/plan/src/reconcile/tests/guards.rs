//! Hazards, the brake, and what is not known.

use accord_model::claim::Owner;
use accord_model::facts::{FargateProfile, Node};
use accord_model::mapping::EntryId;

use super::*;
use crate::simulator::apply;
use crate::testing::line;
use accord_model::ledger::Origin;

fn allowing(intent: Intent, allow: &[&str]) -> Request {
    Request {
        allow: allow.iter().map(|a| a.parse().unwrap()).collect(),
        ..Request::new(intent)
    }
}

fn owned(map_: MapBuilder, owner: &str, principals: &[&str]) -> Observed {
    let mut seen = cluster(map_);
    run(
        &mut seen,
        Intent::Adopt {
            owner: Owner::named(owner),
            principals: principals.iter().map(|p| mapping(p, "", &[]).arn).collect(),
        },
    );
    seen
}

#[test]
fn the_last_administrator_stays() {
    let seen = owned(
        map().role("role/boss", "boss", &["system:masters"]),
        "a",
        &["role/boss"],
    );
    let plan = decide(&seen, &Request::new(prune("a", &[]))).unwrap();
    insta::assert_snapshot!(simulator::plan(&plan), @"! last-admin-removed role/boss");
    insta::assert_snapshot!(plan.refusals[0].message, @"arn:aws:iam::111122223333:role/boss is the last administrator known here. Without it only the cluster's creator, the identity that made it, gets in as administrator, and no list shows who that is.");
    let allow = plan.refusals[0].allow.clone().unwrap();
    insta::assert_snapshot!(allow, @"last-admin-removed=arn:aws:iam::111122223333:role/boss");
    let plan = decide(&seen, &allowing(prune("a", &[]), &[&allow])).unwrap();
    insta::assert_snapshot!(simulator::plan(&plan), @r"
    role/boss loses (admin), a: given up by a
      write-fragment
      remove-mapping
      write-ledger
    ");
    assert_eq!(plan.allowed, [allow]);
    // A new administrator in the same plan will do.
    insta::assert_snapshot!(said(&seen, &Request::new(prune("a", &[claim("user/b", "b", &["system:masters"])]))), @r"
    role/boss loses (admin), a: given up by a
    user/b gains (admin), a: claimed by a
      write-fragment
      write-ledger
      remove-mapping
      add-mapping
      write-ledger
    ");
}

#[test]
fn whoever_asks_keeps_access() {
    let live = map().role("role/ops", "ops", &["system:masters"]).role(
        "role/sec",
        "sec",
        &["system:masters"],
    );
    let seen = owned(live, "a", &["role/ops", "role/sec"]);
    let as_ops = |claims: &[Claim]| Request {
        caller: Some("arn:aws:sts::111122223333:assumed-role/Ops/kim".into()),
        ..Request::new(prune("a", claims))
    };
    let sec = claim("role/sec", "sec", &["system:masters"]);
    insta::assert_snapshot!(said(&seen, &as_ops(std::slice::from_ref(&sec))), @"! caller-loses-access role/Ops");
    let demoted = claim("role/ops", "ops", &["viewers"]);
    insta::assert_snapshot!(said(&seen, &as_ops(&[sec, demoted])), @"! caller-loses-access role/Ops");
    // What RBAC gives to groups is not known: whoever loses one is only warned.
    let seen = owned(
        map().role("role/ops", "ops", &["g", "h"]),
        "a",
        &["role/ops"],
    );
    insta::assert_snapshot!(said(&seen, &as_ops(&[claim("role/ops", "ops", &["g"])])), @r"
    role/ops changes, a: changed by a
      write-fragment
      write-ledger
      update-mapping
    ? caller-loses-access role/Ops
    ");
    insta::assert_snapshot!(said(&seen, &as_ops(&[claim("role/ops", "ops", &["g", "h", "i"])])), @r"
    role/ops changes, a: changed by a
      write-fragment
      write-ledger
      update-mapping
    ");
}

#[test]
fn a_role_in_use_keeps_what_it_needs() {
    let mut seen = cluster(map());
    let windows = [NODES.1, &["eks:kube-proxy-windows", "extra"]].concat();
    run(
        &mut seen,
        declare("a", &[claim("role/ng-node", NODES.0, &windows)]),
    );
    insta::assert_snapshot!(lines(&seen), @"role/ng-node Added for a");
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Remove(Owner::named("a")))), @r"
    ! role-still-in-use role/ng-node
    ! node-role-not-in-map role/ng-node
    ");
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/ng-node", NODES.0, &["system:nodes"])]))), @r"
    ! role-still-in-use role/ng-node
    ! node-role-not-in-map role/ng-node
    ");
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/ng-node", NODES.0, NODES.1)]))), @r"
    role/ng-node changes, a: changed by a
      write-fragment
      write-ledger
      update-mapping
    ");
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/ng-node", "system:node:{{SessionName}}", &["system:bootstrappers", "system:nodes", "system:node-proxier"])]))), @r"
    ! role-still-in-use role/ng-node
    ! node-role-not-in-map role/ng-node
    ! role-shared-by-ec2-and-fargate role/ng-node
    ");
}

#[test]
fn a_profiles_role_keeps_its_mapping() {
    let mut seen = cluster(map());
    seen.compute.fargate_profiles.items.push(FargateProfile {
        name: "blue".into(),
        arn: None,
        role: Some("arn:aws:iam::111122223333:role/eks/pods".into()),
    });
    let pods = claim(
        "role/pods",
        "system:node:{{SessionName}}",
        &[
            "system:bootstrappers",
            "system:nodes",
            "system:node-proxier",
        ],
    );
    run(&mut seen, declare("a", &[pods]));
    let plan = decide(&seen, &Request::new(prune("a", &[]))).unwrap();
    insta::assert_snapshot!(simulator::plan(&plan), @r"
    ! removal-of-eks-owned-entry role/pods
    ! role-still-in-use role/pods
    ! fargate-role-not-mapped role/pods
    ");
    insta::assert_snapshot!(plan.refusals[0].message, @"The entry for arn:aws:iam::111122223333:role/pods is one that EKS writes itself, for Fargate profile blue.");
}

#[test]
fn what_uses_a_role_may_not_be_known() {
    let live = || map().role("role/nodes", NODES.0, NODES.1);
    let mut seen = owned(live(), "a", &["role/nodes"]);
    insta::assert_snapshot!(lines(&seen), @"role/nodes Adopted for a");
    seen.compute.nodes.items.push(Node {
        name: "stray".into(),
        node_group: None,
        windows: false,
        fargate: false,
        instance: None,
    });
    let give_up = Intent::Remove(Owner::named("a"));
    let plan = decide(&seen, &Request::new(give_up.clone())).unwrap();
    insta::assert_snapshot!(simulator::plan(&plan), @"! listing-incomplete role/nodes");
    insta::assert_snapshot!(plan.refusals[0].message, @"arn:aws:iam::111122223333:role/nodes has an entry as compute has, and node stray belongs to no known node group, so some role is in use and not known which: what uses the role cannot be known, so the entry is kept. List what is missing in the state, or give it with --facts.");
    assert_eq!(plan.refusals[0].allow, None);
    let rid = "listing-incomplete=arn:aws:iam::111122223333:role/nodes";
    assert_eq!(
        decide(&seen, &allowing(give_up.clone(), &[rid]))
            .unwrap()
            .refusals,
        plan.refusals
    );
    // Nothing is said where nothing is lost.
    let windows = [NODES.1, &["eks:kube-proxy-windows"]].concat();
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/nodes", NODES.0, &windows)]))), @r"
    role/nodes changes, a: changed by a
      write-fragment
      write-ledger
      update-mapping
    ");
    seen.compute.nodes.items.clear();
    insta::assert_snapshot!(said(&seen, &Request::new(give_up)), @r"
    role/nodes loses, a: given up by a
      delete-fragment
      remove-mapping
      write-ledger
    ");
}

#[test]
fn claims_that_vanish_are_released_when_nothing_forbids_it() {
    let mut seen = owned(
        map().role("role/boss", "boss", &["system:masters"]),
        "a",
        &["role/boss"],
    );
    seen.fragments.items.clear();
    insta::assert_snapshot!(story(&mut seen, [
        Intent::Sync,
        Intent::Sync,
        // Other work of the same owner is not held up by it.
        declare("a", &[claim("role/x", "x", &[])]),
        declare("b", &[claim("user/new", "new", &["system:masters"])]),
    ]), @r#"
      write-ledger
    ? last-admin-removed role/boss
    mapRoles[0] role/boss boss ["system:masters"]
    [role/boss Adopted for a, releasing]

    ? last-admin-removed role/boss
    mapRoles[0] role/boss boss ["system:masters"]
    [role/boss Adopted for a, releasing]

    role/x gains, a: claimed by a
      write-fragment
      write-ledger
      add-mapping
    ? last-admin-removed role/boss
    mapRoles[0] role/boss boss ["system:masters"]
    mapRoles[1] role/x x []
    [role/boss Adopted for a, releasing
    role/x Added for a]

    role/boss loses (admin), a: given up by a
    user/new gains (admin), b: claimed by b
      write-fragment
      write-ledger
      remove-mapping
      add-mapping
      write-ledger
    mapRoles[0] role/x x []
    mapUsers[0] user/new new ["system:masters"]
    [role/x Added for a
    user/new Added for b]
    "#);
}

#[test]
fn a_shadowed_entry_stays_dead() {
    let live = map().role("role/ops", "ops-old", &["system:masters"]).role(
        "role/ops",
        "ops",
        &["viewers"],
    );
    let seen = owned(live, "a", &["role/ops"]);
    let plan = decide(&seen, &Request::new(Intent::Remove(Owner::named("a")))).unwrap();
    insta::assert_snapshot!(simulator::plan(&plan), @"! shadowed-entry-revived role/ops");
    insta::assert_snapshot!(plan.refusals[0].message, @"There are 2 entries for arn:aws:iam::111122223333:role/ops: mapRoles[0] (username `ops-old`, groups system:masters), mapRoles[1] (username `ops`, groups viewers). Taking one out brings another to life, which gives username `ops-old` and groups system:masters. Take the others out by hand first.");
    // Also where it gives the same: giving it up would take nothing away.
    let twins = map()
        .role("role/ops", "ops", &[])
        .role("role/ops", "ops", &[]);
    insta::assert_snapshot!(said(&owned(twins, "a", &["role/ops"]), &Request::new(Intent::Remove(Owner::named("a")))), @"! shadowed-entry-revived role/ops");
    // Whoever is mapped by the account too is another matter.
    let account = map().role("role/ops", "ops", &[]).account("111122223333");
    insta::assert_snapshot!(said(&owned(account, "a", &["role/ops"]), &Request::new(Intent::Remove(Owner::named("a")))), @r"
    role/ops changes, a: given up by a
      delete-fragment
      remove-mapping
      write-ledger
    ");
}

#[test]
fn much_at_once_is_asked_about() {
    let mut seen = cluster(map());
    let many: Vec<Claim> = (0..20)
        .map(|i| claim(&format!("role/r{i}"), "x", &[]))
        .collect();
    run(&mut seen, declare("a", &many));
    let plan = decide(&seen, &Request::new(prune("a", &many[6..]))).unwrap();
    insta::assert_snapshot!(simulator::plan(&plan), @"! too-many-removals");
    insta::assert_snapshot!(plan.refusals[0].message, @"6 of 20 claimed entries would be removed at once (arn:aws:iam::111122223333:role/r0, arn:aws:iam::111122223333:role/r1, arn:aws:iam::111122223333:role/r2, …). That looks like a listing that went wrong. Nothing is removed unless you say that it is meant.");
    let meant = decide(
        &seen,
        &allowing(prune("a", &many[6..]), &["too-many-removals=all"]),
    )
    .unwrap();
    assert_eq!((meant.changes.len(), meant.allowed.len()), (6, 1));
    let few = decide(&seen, &Request::new(prune("a", &many[5..]))).unwrap();
    assert_eq!(few.changes.len(), 5);
    // What vanishes stops it too, and other work goes on.
    seen.fragments.items[0].claims.truncate(10);
    insta::assert_snapshot!(said(&seen, &Request::new(declare("b", &[claim("role/b", "b", &[])]))), @r"
    role/b gains, b: claimed by b
      write-fragment
      write-ledger
      add-mapping
    ! other: too-many-removals
    ");
}

#[test]
fn nothing_goes_that_an_incomplete_listing_may_hide() {
    let mut seen = cluster(map());
    run(&mut seen, declare("a", &[claim("role/x", "x", &[])]));
    seen.fragments.complete = false;
    insta::assert_snapshot!(said(&seen, &Request::new(prune("a", &[]))), @"! listing-incomplete role/x");
    seen.fragments.items.clear();
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Sync)), @"? listing-incomplete role/x");
}

#[test]
fn without_its_ledger_nothing_goes() {
    let mut seen = cluster(map());
    run(&mut seen, declare("a", &[claim("role/x", "x", &[])]));
    let intact = ledger(&seen);
    seen.ledger = LedgerRead::Unreadable("it has version 9".into());
    insta::assert_snapshot!(said(&seen, &Request::new(prune("a", &[]))), @r"
    ! ledger-unreadable
    ? ledger-unreadable
    ");
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/y", "y", &[])]))), @r"
    role/y gains, a: claimed by a
      write-fragment
      add-mapping
    ? ledger-unreadable
    ");
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Suspend(suspension(None, 9)))), @r"
    ! ledger-unreadable
    ? ledger-unreadable
    ");
    // A restored backup of another cluster.
    seen.cluster_uid = Some("here".into());
    seen.ledger = LedgerRead::Present(Ledger {
        cluster: Some("there".into()),
        ..intact
    });
    insta::assert_snapshot!(story(&mut seen, [prune("a", &[]), declare("a", &[claim("role/x", "x", &[])])]), @r"
      write-fragment
    ? ledger-of-other-cluster
    mapRoles[0] role/x x []
    [role/x Added for a]

      write-fragment
      write-ledger
    ? ledger-of-other-cluster
    mapRoles[0] role/x x []
    [role/x Found for a]
    ");
    assert_eq!(ledger(&seen).cluster.as_deref(), Some("here"));
}

#[test]
fn what_eks_wrote_is_never_the_owners() {
    let live = map().role("role/ng-node", NODES.0, NODES.1);
    let mut seen = cluster(live);
    // Not even by a line that says so, unless an owner took it over.
    let mut wrong = Ledger::default();
    let found = line("role/ng-node", "a", Origin::Found);
    wrong.lines.insert(found.key(), found);
    seen.ledger = LedgerRead::Present(wrong);
    insta::assert_snapshot!(story(&mut seen, [
        Intent::Sync,
        declare("a", &[claim("role/ng-node", NODES.0, NODES.1)]),
        Intent::Remove(Owner::named("a")),
    ]), @r#"
      write-ledger
    ? edited-since role/ng-node
    mapRoles[0] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"]
    []

      write-fragment
      write-ledger
    mapRoles[0] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"]
    [role/ng-node Found for a]

      delete-fragment
      write-ledger
    mapRoles[0] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"]
    []
    "#);
    let id = EntryId::new(SectionName::Roles, 0);
    assert!(seen.aws_auth.as_ref().unwrap().map.item(id).is_some());
}

#[test]
fn another_manager_of_the_section_is_named() {
    let mut seen = cluster(map());
    seen.aws_auth.as_mut().unwrap().managers = vec![accord_model::observed::FieldManager {
        name: "Terraform".into(),
        operation: "Apply".into(),
        time: None,
        keys: vec!["mapRoles".into()],
    }];
    let plan = decide(
        &seen,
        &Request::new(declare("a", &[claim("role/x", "x", &[])])),
    )
    .unwrap();
    insta::assert_snapshot!(plan.findings[0].message, @"`Terraform` owns the whole of mapRoles by Apply, and will put its own text back when it next runs. Let it leave the section alone, or declare the same mappings there.");
    apply(&mut seen, &plan);
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("user/u", "u", &[])]))), @r"
    user/u gains, a: claimed by a
      write-fragment
      write-ledger
      add-mapping
    ");
}
