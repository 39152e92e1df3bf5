//! Fragments outside kube-system, and such as cannot be read.

use accord_model::claim::{Admission, Fragment, Owner};

use super::*;
use crate::request::RequestError;

fn proposed(uid: Option<&str>, claims: Vec<Claim>) -> Fragment {
    Fragment {
        owner: Owner {
            namespace: "team".into(),
            name: "grants".into(),
        },
        admission: Admission::Asked {
            uid: uid.map(str::to_owned),
        },
        ..fragment("", claims)
    }
}

fn team() -> Owner {
    proposed(None, vec![]).owner
}

#[test]
fn a_proposed_fragment_counts_once_it_is_admitted() {
    let mut seen = cluster(map());
    seen.fragments.items = vec![proposed(Some("1"), vec![claim("role/x", "x", &[])])];
    let mut told = vec![story(
        &mut seen,
        [Intent::Sync, Intent::Admit(team()), Intent::Sync],
    )];
    // Changed, it is proposed anew, and what was admitted stays.
    seen.fragments.items = vec![proposed(
        Some("1"),
        vec![claim("role/x", "x", &["system:masters"])],
    )];
    told.push(story(&mut seen, [Intent::Sync, Intent::Admit(team())]));
    // Another object of that name was never admitted.
    seen.fragments.items = vec![proposed(
        Some("2"),
        vec![claim("role/x", "x", &["system:masters"])],
    )];
    run(
        &mut seen,
        declare("boss", &[claim("role/boss", "boss", &["system:masters"])]),
    );
    told.push(story(&mut seen, [Intent::Sync]));
    insta::assert_snapshot!(told.join("\n\n---\n\n"), @r#"
    ! other: proposed role/x

    []

    role/x gains, team/grants: claimed by team/grants
      write-ledger
      add-mapping
    mapRoles[0] role/x x []
    [role/x Added for team/grants]


    mapRoles[0] role/x x []
    [role/x Added for team/grants]

    ---

    ! other: proposed role/x
    mapRoles[0] role/x x []
    [role/x Added for team/grants]

    role/x changes (admin), team/grants: changed by team/grants
      write-ledger
      update-mapping
    mapRoles[0] role/x x ["system:masters"]
    [role/x Added for team/grants]

    ---

    ! other: proposed role/x
    mapRoles[0] role/boss boss ["system:masters"]
    [role/boss Added for boss]
    "#);
}

#[test]
fn what_cannot_be_admitted_is_said() {
    let mut seen = cluster(map());
    let admit = |seen: &Observed, owner: Owner| {
        decide(seen, &Request::new(Intent::Admit(owner)))
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!(admit(&seen, team()), @"there is no owner `team/grants`: nobody claims anything here");
    seen.fragments.items = vec![proposed(None, vec![]), fragment("a", vec![])];
    insta::assert_snapshot!(admit(&seen, team()), @"team/grants cannot be admitted: its UID is not known");
    insta::assert_snapshot!(admit(&seen, Owner::named("a")), @"a cannot be admitted: it is in kube-system, and counts without");
}

#[test]
fn a_declared_fragment_of_another_namespace_is_stored_and_proposed() {
    let mut seen = cluster(map());
    insta::assert_snapshot!(story(&mut seen, [
        Intent::Declare { fragments: vec![proposed(None, vec![claim("role/x", "x", &[])])], prune: false },
        Intent::Admit(team()),
        Intent::Remove(team()),
    ]), @r"
      write-fragment
    ! other: proposed role/x

    []

    role/x gains, team/grants: claimed by team/grants
      write-ledger
      add-mapping
    mapRoles[0] role/x x []
    [role/x Added for team/grants]

    role/x loses, team/grants: given up by team/grants
      delete-fragment
      write-ledger
      remove-mapping
      write-ledger

    []
    ");
    assert!(ledger(&seen).admitted.is_empty());
}

#[test]
fn claims_that_cannot_be_read_stay() {
    let mut seen = cluster(map());
    run(
        &mut seen,
        declare("a", &[claim("role/x", "x", &[]), claim("user/u", "u", &[])]),
    );
    let broken = &mut seen.fragments.items[0];
    broken.claims.retain(|c| c.section != SectionName::Roles);
    broken.unreadable = vec![(SectionName::Roles, "a tab.".into())];
    insta::assert_snapshot!(said(&seen, &Request::new(Intent::Sync)), @r"");
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/y", "y", &[])]))), @"! section-unparseable");
    insta::assert_snapshot!(said(&seen, &Request::new(prune("a", &[claim("user/u", "u", &[])]))), @r"
    role/x loses, a: given up by a
      write-fragment
      remove-mapping
      write-ledger
    ");
    // Who shares it is not alone with it.
    run(&mut seen, declare("b", &[claim("role/x", "x", &[])]));
    insta::assert_snapshot!(lines(&seen), @r"
    role/x Added for a, b
    user/u Added for a
    ");
}

#[test]
fn owners_have_short_names() {
    let mut seen = cluster(map());
    seen.fragments.items = vec![
        fragment("a", vec![]),
        proposed(None, vec![]),
        Fragment {
            owner: Owner {
                namespace: "other".into(),
                name: "both".into(),
            },
            ..proposed(None, vec![])
        },
        Fragment {
            owner: Owner {
                namespace: "team".into(),
                name: "both".into(),
            },
            ..proposed(None, vec![])
        },
    ];
    let named = |name: &str| match crate::request::owner_named(&seen, name) {
        Ok(owner) => owner.to_string(),
        Err(error @ (RequestError::UnknownOwner { .. } | RequestError::AmbiguousOwner { .. })) => {
            error.to_string()
        }
        Err(other) => panic!("{other}"),
    };
    let told: Vec<String> = [
        "a",
        "kube-system/accord-a",
        "grants",
        "team/grants",
        "both",
        "none",
    ]
    .map(named)
    .into();
    insta::assert_snapshot!(told.join("\n"), @r"
    a
    a
    team/grants
    team/grants
    `both` may be any of other/both, team/both
    there is no owner `none`: known are a, other/both, team/both, team/grants
    ");
}
