//! The table's rows, sharing and conflicts.

use accord_model::claim::Owner;
use accord_model::finding::FindingKind;

use super::*;
use crate::simulator::apply;

#[test]
fn a_claim_lives_and_goes() {
    let mut seen = cluster(map().role("role/boss", "boss", &["system:masters"]));
    insta::assert_snapshot!(story(&mut seen, [
        declare("a", &[claim("role/x", "x", &["g"])]),
        declare("a", &[claim("role/X", "x", &["g", "g"])]),
        declare("a", &[claim("role/x", "y", &["g"])]),
        Intent::Sync,
        prune("a", &[]),
        Intent::Sync,
    ]), @r#"
    role/x gains, a: claimed by a
      write-fragment
      write-ledger
      add-mapping
    mapRoles[0] role/boss boss ["system:masters"]
    mapRoles[1] role/x x ["g"]
    [role/x Added for a]


    mapRoles[0] role/boss boss ["system:masters"]
    mapRoles[1] role/x x ["g"]
    [role/x Added for a]

    role/x changes, a: changed by a
      write-fragment
      write-ledger
      update-mapping
    mapRoles[0] role/boss boss ["system:masters"]
    mapRoles[1] role/x y ["g"]
    [role/x Added for a]


    mapRoles[0] role/boss boss ["system:masters"]
    mapRoles[1] role/x y ["g"]
    [role/x Added for a]

    role/x loses, a: given up by a
      write-fragment
      remove-mapping
      write-ledger
    mapRoles[0] role/boss boss ["system:masters"]
    []


    mapRoles[0] role/boss boss ["system:masters"]
    []
    "#);
}

#[test]
fn what_is_found_is_left() {
    let mut seen = cluster(map().role("role/x", "x", &["b", "a"]));
    insta::assert_snapshot!(story(&mut seen, [
        declare("a", &[claim("role/x", "x", &["a", "b"])]),
        Intent::Sync,
        declare("a", &[claim("role/x", "changed", &["a"])]),
        prune("a", &[]),
    ]), @r#"
      write-fragment
      write-ledger
    mapRoles[0] role/x x ["b", "a"]
    [role/x Found for a]


    mapRoles[0] role/x x ["b", "a"]
    [role/x Found for a]

    ! not-claimed role/x, held by unclaimed
    mapRoles[0] role/x x ["b", "a"]
    [role/x Found for a]

      write-fragment
      write-ledger
    mapRoles[0] role/x x ["b", "a"]
    []
    "#);
}

#[test]
fn what_was_found_and_edited_is_adopted_by_taking_it_over() {
    let mut seen = cluster(map().role("role/x", "x", &["g"]));
    let one = || declare("a", &[claim("role/x", "x", &["g"])]);
    run(&mut seen, one());
    by_hand(&mut seen, 0, "by-hand");
    let plan = decide(&seen, &taking(one(), "role/x")).unwrap();
    simulator::apply(&mut seen, &plan);
    insta::assert_snapshot!(lines(&seen), @"role/x Adopted for a");
    // To ask again changes nothing.
    let again = decide(&seen, &taking(one(), "role/x")).unwrap();
    assert_eq!(again.steps, []);
}

#[test]
fn what_others_hold_is_taken_over_only_by_name() {
    let live = || {
        cluster(
            map()
                .role("role/ng-node", NODES.0, NODES.1)
                .role("role/x", "x", &["g"]),
        )
    };
    let windows = [NODES.1, &["eks:kube-proxy-windows"]].concat();
    let claims = [
        claim("role/x", "mine", &["g"]),
        claim("role/ng-node", NODES.0, &windows),
    ];
    insta::assert_snapshot!(said(&live(), &Request::new(declare("a", &claims))), @r"
    ! held-by-other role/ng-node, held by eks
    ! not-claimed role/x, held by unclaimed
    ");
    let mut seen = live();
    let request = Request {
        take_over: claims.iter().map(|c| c.principal.clone()).collect(),
        ..Request::new(declare("a", &claims))
    };
    let plan = decide(&seen, &request).unwrap();
    apply(&mut seen, &plan);
    insta::assert_snapshot!(simulator::plan(&plan), @r"
    role/ng-node changes, a: taken over by a
    role/x changes, a: taken over by a
      write-fragment
      write-ledger
      update-mapping
      update-mapping
    ");
    insta::assert_snapshot!(format!("{}\n[{}]", told(&seen), lines(&seen)), @r#"
    mapRoles[0] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes", "eks:kube-proxy-windows"]
    mapRoles[1] role/x mine ["g"]
    [role/ng-node Adopted for a
    role/x Adopted for a]
    "#);
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Sync)), @r"");
}

#[test]
fn drift_is_put_back() {
    let mut seen = cluster(map());
    run(
        &mut seen,
        declare("a", &[claim("role/x", "x", &[]), claim("role/y", "y", &[])]),
    );
    by_hand(&mut seen, 0, "edited");
    removed_by_hand(&mut seen, 1);
    insta::assert_snapshot!(story(&mut seen, [Intent::Sync, Intent::Sync]), @r"
    role/x changes, a: claimed by a; somebody had edited it
    role/y gains, a: claimed by a; somebody had removed it
      update-mapping
      add-mapping
    mapRoles[0] role/x x []
    mapRoles[1] role/y y []
    [role/x Added for a
    role/y Added for a]


    mapRoles[0] role/x x []
    mapRoles[1] role/y y []
    [role/x Added for a
    role/y Added for a]
    ");
}

#[test]
fn an_edit_and_a_changed_claim_meet() {
    let mut seen = cluster(map());
    run(&mut seen, declare("a", &[claim("role/x", "x", &[])]));
    by_hand(&mut seen, 0, "edited");
    let changed = declare("a", &[claim("role/x", "claimed", &[])]);
    insta::assert_snapshot!(said(&seen, &Request::new(changed.clone())), @"! edited-by-two role/x, held by a");
    insta::assert_snapshot!(said(&seen, &taking(changed, "role/x")), @r"
    role/x changes, a: taken over by a
      write-fragment
      write-ledger
      update-mapping
    ");
    // To claim what was edited settles it too.
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/x", "edited", &[])]))), @r"
    write-fragment
    write-ledger
    ");
}

#[test]
fn an_earlier_digest_is_still_ours() {
    let mut seen = cluster(map());
    for username in ["one", "two", "three"] {
        run(&mut seen, declare("a", &[claim("role/x", username, &[])]));
    }
    by_hand(&mut seen, 0, "one");
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/x", "four", &[])]))), @r"
    role/x changes, a: changed by a
      write-fragment
      write-ledger
      update-mapping
    ");
    insta::assert_snapshot!(said(&seen, &Request::new(prune("a", &[]))), @r"
    role/x loses, a: given up by a
      write-fragment
      remove-mapping
      write-ledger
    ");
}

#[test]
fn what_was_edited_since_outlives_its_claim() {
    let mut seen = cluster(map());
    run(
        &mut seen,
        declare("a", &[claim("role/x", "x", &[]), claim("role/y", "y", &[])]),
    );
    by_hand(&mut seen, 0, "edited");
    removed_by_hand(&mut seen, 1);
    insta::assert_snapshot!(story(&mut seen, [prune("a", &[]), Intent::Sync]), @r"
      write-fragment
      write-ledger
    ? edited-since role/x
    mapRoles[0] role/x edited []
    []


    mapRoles[0] role/x edited []
    []
    ");
}

#[test]
fn owners_of_the_same_identity_share_it() {
    let mut seen = cluster(map());
    let same = [claim("role/x", "x", &["a", "b"])];
    insta::assert_snapshot!(story(&mut seen, [
        declare("a", &same),
        declare("b", &[claim("role/X", "x", &["b", "a"])]),
        Intent::Remove(Owner::named("a")),
        Intent::Remove(Owner::named("b")),
    ]), @r#"
    role/x gains, a: claimed by a
      write-fragment
      write-ledger
      add-mapping
    mapRoles[0] role/x x ["a", "b"]
    [role/x Added for a]

      write-fragment
      write-ledger
    mapRoles[0] role/x x ["a", "b"]
    [role/x Added for a, b]

      delete-fragment
      write-ledger
    mapRoles[0] role/x x ["a", "b"]
    [role/x Added for b]

    role/x loses, b: given up by b
      delete-fragment
      remove-mapping
      write-ledger

    []
    "#);
}

#[test]
fn of_different_identities_the_holder_keeps_his() {
    let mut seen = cluster(map());
    run(&mut seen, declare("a", &[claim("role/x", "x", &[])]));
    run(&mut seen, declare("b", &[claim("role/x", "x", &[])]));
    // Who still wants what was written holds it, though the other came first.
    insta::assert_snapshot!(story(&mut seen, [
        declare("a", &[claim("role/x", "other", &[])]),
        declare("c", &[claim("role/x", "third", &[]), claim("role/y", "y", &[])]),
        Intent::Remove(Owner::named("b")),
    ]), @r"
    ! held-by-other role/x, held by b
    mapRoles[0] role/x x []
    [role/x Added for a, b]

    ! held-by-other role/x, held by a, b
    mapRoles[0] role/x x []
    [role/x Added for a, b]

      delete-fragment
      write-ledger
    mapRoles[0] role/x x []
    [role/x Added for a]
    ");
    let plan = decide(
        &seen,
        &taking(declare("c", &[claim("role/x", "third", &[])]), "role/x"),
    )
    .unwrap();
    apply(&mut seen, &plan);
    insta::assert_snapshot!(simulator::plan(&plan), @r"
    role/x changes, c: taken over by c
      write-fragment
      write-ledger
      update-mapping
    ! other: held-by-other role/x, held by c
    ");
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Sync)), @"! other: held-by-other role/x, held by c");
}

#[test]
fn without_a_ledger_age_decides_and_then_the_name() {
    let mut seen = cluster(map());
    let at = |owner: &str, created: Option<u64>, username: &str| accord_model::claim::Fragment {
        created: created.map(|millis| Timestamp { millis }),
        ..fragment(owner, vec![claim("role/x", username, &[])])
    };
    seen.fragments.items = vec![
        at("d", None, "d"),
        at("c", Some(2), "c"),
        at("b", Some(1), "b"),
        at("a", Some(1), "a"),
    ];
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Sync)), @r"
    role/x gains, a: claimed by a
      write-ledger
      add-mapping
    ! other: held-by-other role/x, held by a
    ! other: held-by-other role/x, held by a
    ! other: held-by-other role/x, held by a
    ");
}

#[test]
fn without_prune_claims_stay() {
    let mut seen = cluster(map());
    run(
        &mut seen,
        declare("a", &[claim("role/x", "x", &[]), claim("role/y", "y", &[])]),
    );
    let plan = run(&mut seen, declare("a", &[claim("role/z", "z", &[])]));
    assert_eq!(
        plan.pruned,
        [
            "arn:aws:iam::111122223333:role/x",
            "arn:aws:iam::111122223333:role/y"
        ]
    );
    assert_eq!(seen.fragments.items[0].claims.len(), 3);
    let plan = run(&mut seen, prune("a", &[claim("role/z", "z", &[])]));
    assert_eq!(plan.pruned.len(), 2);
    insta::assert_snapshot!(simulator::plan(&plan), @r"
    role/x loses, a: given up by a
    role/y loses, a: given up by a
      write-fragment
      remove-mapping
      remove-mapping
      write-ledger
    ");
}

#[test]
fn suspended_entries_are_left_as_they_are() {
    let mut seen = cluster(map());
    run(
        &mut seen,
        declare("a", &[claim("role/x", "x", &[]), claim("role/y", "y", &[])]),
    );
    removed_by_hand(&mut seen, 0);
    by_hand(&mut seen, 0, "edited");
    run(&mut seen, Intent::Suspend(suspension(Some("role/x"), 100)));
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Sync)), @r"
    role/y changes, a: claimed by a; somebody had edited it
      update-mapping
    ? edited-since role/x
    ");
    run(&mut seen, Intent::Suspend(suspension(None, 50)));
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Sync)), @r"
    ? edited-since role/x
    ? edited-since role/y
    ");
    // A changed claim is new work, and goes on.
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/z", "z", &[])]))), @r"
    role/z gains, a: claimed by a
      write-fragment
      write-ledger
      add-mapping
    ? edited-since role/x
    ? edited-since role/y
    ");
    // One that has run out holds nothing, and goes when the ledger is next written.
    seen.now = Timestamp { millis: 70 };
    run(&mut seen, Intent::Sync);
    assert_eq!(ledger(&seen).suspended.len(), 2);
    run(&mut seen, declare("a", &[claim("role/z", "z", &[])]));
    assert_eq!(ledger(&seen).suspended, [suspension(Some("role/x"), 100)]);
    seen.now = Timestamp { millis: 100 };
    insta::assert_snapshot!(story(&mut seen, [Intent::Sync, Intent::Sync]), @r"
    role/x gains, a: claimed by a; somebody had removed it
      add-mapping
    mapRoles[0] role/y y []
    mapRoles[1] role/z z []
    mapRoles[2] role/x x []
    [role/x Added for a
    role/y Added for a
    role/z Added for a]


    mapRoles[0] role/y y []
    mapRoles[1] role/z z []
    mapRoles[2] role/x x []
    [role/x Added for a
    role/y Added for a
    role/z Added for a]
    ");
}

#[test]
fn if_one_is_refused_nothing_of_the_askers_is_written() {
    let mut seen = cluster(map().role("role/x", "x", &[]));
    run(&mut seen, declare("b", &[claim("role/b", "b", &[])]));
    run(&mut seen, declare("a", &[claim("role/a", "a", &[])]));
    removed_by_hand(&mut seen, 2);
    removed_by_hand(&mut seen, 1);
    let refused = declare(
        "a",
        &[claim("role/x", "mine", &[]), claim("role/y", "y", &[])],
    );
    insta::assert_snapshot!(story(&mut seen, [refused, Intent::Sync]), @r"
    role/b gains, b: claimed by b; somebody had removed it
      add-mapping
    ! not-claimed role/x, held by unclaimed
    mapRoles[0] role/x x []
    mapRoles[1] role/b b []
    [role/a Added for a
    role/b Added for b]

    role/a gains, a: claimed by a; somebody had removed it
      add-mapping
    mapRoles[0] role/x x []
    mapRoles[1] role/b b []
    mapRoles[2] role/a a []
    [role/a Added for a
    role/b Added for b]
    ");
    assert_eq!(seen.fragments.items[1].claims.len(), 1);
}

#[test]
fn nobody_can_be_what_is_claimed() {
    let seen = cluster(map());
    for (principal, kind) in [
        (
            "arn:aws:sts::111122223333:assumed-role/x/s",
            FindingKind::ArnAssumedRole,
        ),
        (
            "arn:aws:iam::111122223333:group/g",
            FindingKind::ArnNotAPrincipal,
        ),
        (
            "arn:aws:iam::111122223333:role/é",
            FindingKind::ArnMalformed,
        ),
        ("arn:aws:iam::111122223333:role/*", FindingKind::ArnWildcard),
        ("arn:", FindingKind::ArnMalformed),
    ] {
        let plan = decide(
            &seen,
            &Request::new(declare(
                "a",
                &[claim(principal, "x", &[]), claim("role/y", "y", &[])],
            )),
        )
        .unwrap();
        assert!(
            plan.is_refused() && plan.steps.is_empty(),
            "{principal}: {plan:?}"
        );
        assert_eq!(plan.refusals[0].kind, kind, "{principal}");
    }
    let twice = declare("a", &[claim("role/x", "x", &[]), claim("ROLE/x", "x", &[])]);
    insta::assert_snapshot!(said(&seen, &Request::new(twice)), @"! duplicate-arn ROLE/x");
}

#[test]
fn a_role_is_claimed_with_its_path_and_mapped_without() {
    let mut seen = cluster(map().role("role/found", "f", &[]));
    insta::assert_snapshot!(story(&mut seen, [
        declare("a", &[claim("role/team/x", "x", &[]), claim("role/team/found", "f", &[])]),
        declare("b", &[claim("role/x", "x", &[])]),
    ]), @r"
    role/x gains, a: claimed by a
      write-fragment
      write-ledger
      add-mapping
    mapRoles[0] role/found f []
    mapRoles[1] role/x x []
    [role/found Found for a
    role/x Added for a]

      write-fragment
      write-ledger
    mapRoles[0] role/found f []
    mapRoles[1] role/x x []
    [role/found Found for a
    role/x Added for a, b]
    ");
}

#[test]
fn accounts_are_claimed_too() {
    let mut seen = cluster(map().account("444455556666"));
    insta::assert_snapshot!(story(&mut seen, [
        declare("a", &[claim("444455556666", "", &[]), claim("777788889999", "", &[])]),
        prune("a", &[]),
    ]), @r"
    777788889999 gains, a: claimed by a
      write-fragment
      write-ledger
      add-mapping
    mapAccounts[0] 444455556666
    mapAccounts[1] 777788889999
    [444455556666 Found for a
    777788889999 Added for a]

    777788889999 loses, a: given up by a
      write-fragment
      write-ledger
      remove-mapping
      write-ledger
    mapAccounts[0] 444455556666
    []
    ");
}

#[test]
fn which_of_two_users_decides_is_random() {
    let live = map().user("user/u", "one", &[]).user("user/U", "two", &[]);
    let seen = cluster(live);
    let one = declare("a", &[claim("user/u", "one", &[])]);
    insta::assert_snapshot!(decide(&seen, &Request::new(one.clone())).unwrap().refusals[0].message, @"There is an entry already, one of mapUsers[0] as `one` without groups and mapUsers[1] as `two` without groups at random, and nobody claims it; a claims it as `one` without groups. To make it yours, use `accord adopt`, or --take-over arn:aws:iam::111122223333:user/u to change it.");
    let mut seen = cluster(map().user("user/u", "one", &[]).user("user/U", "two", &[]));
    let plan = decide(&seen, &taking(one, "user/u")).unwrap();
    apply(&mut seen, &plan);
    insta::assert_snapshot!(format!("{}\n{}", simulator::plan(&plan), told(&seen)), @r"
    user/u changes, a: taken over by a
      write-fragment
      write-ledger
      update-mapping
    mapUsers[0] user/u one []
    mapUsers[1] user/U one []
    ");
}
