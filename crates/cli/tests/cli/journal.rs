//! Kept plans, the journal, and the way back.

use crate::common::repository;
use crate::merge::shop;

const APPLY: &str = "apply -f payments.yaml --owner payments --state cluster.yaml --yes";

#[test]
fn a_kept_plan_is_applied_if_it_still_fits() {
    let world = shop();
    let out = world
        .accord("plan -f payments.yaml --owner payments --state cluster.yaml --out change.plan")
        .exits(0);
    drop(out);
    std::fs::remove_file(world.path("payments.yaml")).unwrap();
    let out = world
        .accord("apply change.plan --state cluster.yaml --yes -o json")
        .exits(0);
    assert_eq!(out.json()["outcome"], "done");
    insta::assert_snapshot!(world.accord("apply change.plan --state cluster.yaml --yes"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

    Nothing to do.
    ");
}

#[test]
fn a_kept_plan_that_no_longer_fits_is_refused() {
    let world = shop();
    let _ = world
        .accord("plan -f payments.yaml --owner payments --state cluster.yaml --out change.plan")
        .exits(0);
    // Meanwhile somebody adds one of the two roles by hand, exactly as it is wanted.
    let moved = repository("examples/cluster.yaml").replace(
        "  mapUsers: |",
        "    - rolearn: arn:aws:iam::111122223333:role/payments-deploy\n      username: payments-deploy\n      groups: [payments-editors]\n  mapUsers: |",
    );
    world.write("cluster.yaml", &moved);
    insta::assert_snapshot!(world.accord("apply change.plan --state cluster.yaml --yes"), @r"
    exit 5
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      gains    arn:aws:iam::111122223333:role/payments-oncall  claimed by payments
               as payments:{{SessionName}} in payments-viewers

      refused  plan-outdated
               The cluster has changed since the plan was made, and the same files would now change something
               else, as shown here. Make the plan anew.

    Refused: nothing was written.
    ");
    assert_eq!(world.read("cluster.yaml"), moved);
}

#[test]
fn a_file_that_is_no_plan_is_told_so() {
    let world = shop();
    insta::assert_snapshot!(world.accord("apply payments.yaml --state cluster.yaml --yes"), @r"
    exit 2
    --- stderr
    error: `payments.yaml` cannot be applied
      because it is not a plan that `accord plan --out` wrote
      because expected value at line 1 column 1
    hint: declarations are given with `-f`
    ");
}

#[test]
fn history_and_rollback() {
    let world = shop();
    insta::assert_snapshot!(world.accord("history --state cluster.yaml"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

    Nothing was applied yet.
    ");
    insta::assert_snapshot!(world.accord("rollback --state cluster.yaml --yes"), @r"
    exit 2
    --- stderr
    error: the journal has nothing that could be undone
    ");
    let _ = world.accord(&format!("{APPLY} --reason first")).exits(0);
    insta::assert_snapshot!(world.accord("rollback --state cluster.yaml --yes"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      loses    arn:aws:iam::111122223333:role/payments-deploy  unclaimed; plan ID is undone
               was payments-deploy in payments-editors
      loses    arn:aws:iam::111122223333:role/payments-oncall  unclaimed; plan ID is undone
               was payments:{{SessionName}} in payments-viewers

    2 lose access. 2 mappings, 1 fragment and the ledger written.
    To undo: accord rollback ID
    ");
    insta::assert_snapshot!(world.accord("history --state cluster.yaml"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

    ID 2026-01-02T03:04:05Z rollback by arn:aws:sts::111122223333:assumed-role/PlatformAdmin/kim, undoing ID
      loses    arn:aws:iam::111122223333:role/payments-deploy  unclaimed; plan ID is undone
               was payments-deploy in payments-editors
      loses    arn:aws:iam::111122223333:role/payments-oncall  unclaimed; plan ID is undone
               was payments:{{SessionName}} in payments-viewers

    ID 2026-01-02T03:04:05Z apply by arn:aws:sts::111122223333:assumed-role/PlatformAdmin/kim
      first
      gains    arn:aws:iam::111122223333:role/payments-deploy  claimed by payments
               as payments-deploy in payments-editors
      gains    arn:aws:iam::111122223333:role/payments-oncall  claimed by payments
               as payments:{{SessionName}} in payments-viewers
    ");
    let who =
        "explain arn:aws:sts::111122223333:assumed-role/payments-oncall/kim --state cluster.yaml";
    let _ = world.accord(who).exits(4);
}

#[test]
fn an_unknown_journal_entry_is_a_usage_error() {
    insta::assert_snapshot!(shop().accord("rollback 0199 --state cluster.yaml --yes"), @r"
    exit 2
    --- stderr
    error: the journal has no entry `0199`
    hint: `accord history` shows what there is
    ");
}
