//! Where an entry can be written, and where not.

use accord_model::claim::PolicyGrant;
use accord_model::facts::AuthenticationMode::{Api, ApiAndConfigMap};
use accord_model::reading::{Loss, LossCause, SectionState};
use accord_model::span::Range;

use super::*;
use crate::testing::{entry, in_mode};

fn lost(observed: &mut Observed, cause: LossCause) {
    observed.aws_auth.as_mut().unwrap().map.roles.state = SectionState::Lost(Loss {
        cause,
        message: "a tab is used as indentation".into(),
        range: Range::new(0, 2),
    });
}

#[test]
fn a_section_that_cannot_be_read_is_not_written() {
    let mut seen = cluster(map());
    run(
        &mut seen,
        declare("a", &[claim("role/x", "x", &[]), claim("user/u", "u", &[])]),
    );
    lost(&mut seen, LossCause::Unparseable);
    insta::assert_snapshot!(said(&seen, &Request::new(declare("b", &[claim("role/y", "y", &[])]))), @r"
    ! section-unparseable role/y
    ! other: section-unparseable role/x
    ? section-unparseable role/x
    ");
    // The other section is.
    insta::assert_snapshot!(said(&seen, &Request::new(declare("b", &[claim("user/v", "v", &[])]))), @r"
    user/v gains, b: claimed by b
      write-fragment
      write-ledger
      add-mapping
    ! other: section-unparseable role/x
    ? section-unparseable role/x
    ");
    // What is in it is not taken for gone.
    insta::assert_snapshot!(story(&mut seen, [prune("a", &[claim("user/u", "u", &[])])]), @r"
      write-fragment
    ? section-unparseable role/x
    mapUsers[0] user/u u []
    [role/x Added for a
    user/u Added for a]
    ");
}

#[test]
fn an_empty_mapping_loses_nobody_and_is_filled() {
    let mut seen = cluster(map());
    lost(&mut seen, LossCause::EmptyMapping);
    insta::assert_snapshot!(story(&mut seen, [declare("a", &[claim("role/x", "x", &[])])]), @r"
    role/x gains, a: claimed by a
      write-fragment
      write-ledger
      add-mapping
    ? section-not-a-list
    mapRoles[0] role/x x []
    [role/x Added for a]
    ");
}

#[test]
fn a_map_that_is_not_there_is_made() {
    let mut seen = cluster(map());
    seen.aws_auth = None;
    insta::assert_snapshot!(story(&mut seen, [declare("a", &[claim("role/x", "x", &[])]), Intent::Sync]), @r"
    role/x gains, a: claimed by a
      write-fragment
      write-ledger
      add-mapping
    mapRoles[0] role/x x []
    [role/x Added for a]


    mapRoles[0] role/x x []
    [role/x Added for a]
    ");
}

#[test]
fn an_immutable_map_takes_only_what_changes_nothing() {
    let mut seen = cluster(map().role("role/x", "x", &[]));
    seen.aws_auth.as_mut().unwrap().immutable = true;
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/x", "x", &[])]))), @r"
    write-fragment
    write-ledger
    ");
    let plan = decide(
        &seen,
        &Request::new(declare("a", &[claim("role/y", "y", &[])])),
    )
    .unwrap();
    insta::assert_snapshot!(simulator::plan(&plan), @"! immutable role/y");
    insta::assert_snapshot!(plan.refusals[0].message, @"The ConfigMap aws-auth is immutable, so no entry can be changed. Nothing is deleted and created to get around that: in between no node, pod or person would get in. Somebody has to do it knowingly, with the new map at hand.");
}

#[test]
fn a_map_that_is_not_read_takes_no_claims() {
    let mut seen = in_mode(cluster(map()), Some(Api));
    seen.access_entries.items = vec![entry("role/ops/x", "STANDARD", Some("x"))];
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/y", "y", &[])]))), @"! aws-auth-ignored role/y");
    // An access entry that gives just this is found.
    insta::assert_snapshot!(story(&mut seen, [
        declare("a", &[claim("role/x", "x", &[])]),
        Intent::Sync,
        prune("a", &[]),
    ]), @r"
      write-fragment
      write-ledger

    [role/x Found for a]



    [role/x Found for a]

      write-fragment
      write-ledger

    []
    ");
}

#[test]
fn an_access_entry_that_gives_something_else_decides() {
    let mut seen = in_mode(cluster(map()), Some(ApiAndConfigMap));
    seen.access_entries.items = vec![entry("role/x", "STANDARD", Some("entry"))];
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[claim("role/x", "x", &[])]))), @"! not-claimed role/x, held by unclaimed");
}

#[test]
fn only_an_access_entry_holds_policies() {
    let seen = cluster(map());
    let mut asked = claim("role/x", "x", &[]);
    asked.policies = vec![PolicyGrant {
        policy: "AmazonEKSViewPolicy".into(),
        namespaces: None,
    }];
    insta::assert_snapshot!(said(&seen, &Request::new(declare("a", &[asked]))), @"! policies-need-access-entry role/x");
}
