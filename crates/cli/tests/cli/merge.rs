//! Several owners, one map: plan, apply, share, give up, on the example cluster.

use crate::common::{World, repository};

/// The example cluster and what its teams want.
pub(crate) fn shop() -> World {
    let world = World::new();
    for name in [
        "cluster.yaml",
        "payments.yaml",
        "search.yaml",
        "replace.yaml",
        "mistakes.yaml",
    ] {
        world.write(name, repository(&format!("examples/{name}")));
    }
    world
}

const APPLY: &str = "apply -f payments.yaml --owner payments --state cluster.yaml --yes";

#[test]
fn a_plan_shows_people() {
    let world = shop();
    let out = world.accord("plan -f payments.yaml --owner payments --state cluster.yaml");
    insta::assert_snapshot!(out, @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      gains    arn:aws:iam::111122223333:role/payments-deploy  claimed by payments
               as payments-deploy in payments-editors
      gains    arn:aws:iam::111122223333:role/payments-oncall  claimed by payments
               as payments:{{SessionName}} in payments-viewers

    2 gain access. 2 mappings, 1 fragment and the ledger would be written.
    ");
    let out = world
        .accord("plan -f payments.yaml --owner payments --state cluster.yaml --exit-code")
        .exits(3);
    drop(out);
    assert_eq!(
        world.read("cluster.yaml"),
        repository("examples/cluster.yaml")
    );
}

#[test]
fn applying_writes_the_entries_and_nothing_of_others() {
    let world = shop();
    let out = world.accord(&format!("{APPLY} --reason first"));
    insta::assert_snapshot!(out, @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      gains    arn:aws:iam::111122223333:role/payments-deploy  claimed by payments
               as payments-deploy in payments-editors
      gains    arn:aws:iam::111122223333:role/payments-oncall  claimed by payments
               as payments:{{SessionName}} in payments-viewers

    2 gain access. 2 mappings, 1 fragment and the ledger written.
    To undo: accord rollback ID
    ");
    let after = world.read("cluster.yaml");
    let before = repository("examples/cluster.yaml");
    // Every line that was there is still there, in its order.
    let mut lines = after.lines();
    for line in before.lines() {
        assert!(lines.any(|l| l == line), "lost: {line}");
    }
    insta::assert_snapshot!(world.accord(APPLY), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

    Nothing to do.
    ");
    assert_eq!(
        world.read("cluster.yaml"),
        after,
        "the second time writes nothing"
    );
    insta::assert_snapshot!(world.accord("status --state cluster.yaml"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop (CONFIG_MAP)

    ENTRY        STATE      OWNER             PRINCIPAL                                         IDENTITY
    mapRoles[0]  in-effect  eks               arn:aws:iam::111122223333:role/shop-nodes         system:node:{{EC2PrivateDNSName}} in system:bootstrappers, system:nodes
    mapRoles[1]  in-effect  eks               arn:aws:iam::111122223333:role/shop-fargate-pods  system:node:{{SessionName}} in system:bootstrappers, system:nodes, system:node-proxier
    mapRoles[2]  in-effect  unclaimed         arn:aws:iam::111122223333:role/PlatformAdmin      platform:{{SessionName}} in system:masters
    mapRoles[3]  in-effect  data (found)      arn:aws:iam::111122223333:role/data-pipelines     data-pipelines in data-editors
    mapRoles[4]  in-effect  payments (added)  arn:aws:iam::111122223333:role/payments-deploy    payments-deploy in payments-editors
    mapRoles[5]  in-effect  payments (added)  arn:aws:iam::111122223333:role/payments-oncall    payments:{{SessionName}} in payments-viewers
    mapUsers[0]  in-effect  unclaimed         arn:aws:iam::111122223333:user/break-glass        break-glass in system:masters

      info  username-caller-controlled  arn:aws:iam::111122223333:role/PlatformAdmin  cluster.yaml:64:17
               Whoever assumes the role chooses the session's name, and so this username: it may differ from
               run to run. Bind rights to the groups and never to this username.
      info  username-caller-controlled  arn:aws:iam::111122223333:role/payments-oncall  cluster.yaml:75:17
               Whoever assumes the role chooses the session's name, and so this username: it may differ from
               run to run. Bind rights to the groups and never to this username.
    ");
}

#[test]
fn another_owners_entry_is_not_taken() {
    let world = shop();
    let out = world.accord("apply -f search.yaml --owner search --state cluster.yaml --yes");
    insta::assert_snapshot!(out, @r"
    exit 5
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      refused  held-by-other arn:aws:iam::111122223333:role/data-pipelines
               data holds it as `data-pipelines` in data-editors, and search claims it as `search` in
               search-editors. Agree on one identity, or take it over with --take-over
               arn:aws:iam::111122223333:role/data-pipelines.

    Refused: nothing was written.
    ");
    assert_eq!(
        world.read("cluster.yaml"),
        repository("examples/cluster.yaml")
    );
}

#[test]
fn giving_up_leaves_the_map_as_it_was() {
    let world = shop();
    let _ = world.accord(APPLY).exits(0);
    let out = world.accord("remove payments --state cluster.yaml --yes");
    insta::assert_snapshot!(out, @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      loses    arn:aws:iam::111122223333:role/payments-deploy  given up by payments
               was payments-deploy in payments-editors
      loses    arn:aws:iam::111122223333:role/payments-oncall  given up by payments
               was payments:{{SessionName}} in payments-viewers

    2 lose access. 2 mappings, 1 fragment and the ledger written.
    To undo: accord rollback ID
    ");
    let map = |text: &str| {
        let start = text.find("name: aws-auth").unwrap();
        let end = text[start..].find("\n---").unwrap() + start;
        text[start..end].to_owned()
    };
    assert_eq!(
        map(&world.read("cluster.yaml")),
        map(&repository("examples/cluster.yaml"))
    );
}

#[test]
fn an_unknown_owner_is_named() {
    let out = shop()
        .accord("remove nobody --state cluster.yaml --yes")
        .exits(2);
    insta::assert_snapshot!(out, @r"
    exit 2
    --- stderr
    error: there is no owner `nobody`: known are data
    ");
}

#[test]
fn what_is_no_longer_in_the_files_is_shown_and_given_up_only_with_prune() {
    let world = shop();
    let _ = world.accord(APPLY).exits(0);
    world.write(
        "less.yaml",
        "- rolearn: arn:aws:iam::111122223333:role/payments-deploy\n  username: payments-deploy\n  groups: [payments-editors]\n",
    );
    let less = "plan -f less.yaml --owner payments --state cluster.yaml";
    insta::assert_snapshot!(world.accord(less), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

    No longer in the files; to give them up, add --prune:
      arn:aws:iam::111122223333:role/payments-oncall

    Nothing to do.
    ");
    insta::assert_snapshot!(world.accord(&format!("{less} --prune")), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      loses    arn:aws:iam::111122223333:role/payments-oncall  given up by payments
               was payments:{{SessionName}} in payments-viewers

    No longer in the files, and given up:
      arn:aws:iam::111122223333:role/payments-oncall

    1 loses access. 1 mapping, 1 fragment and the ledger would be written.
    ");
}

#[test]
fn drift_is_put_back() {
    let world = shop();
    let _ = world.accord(APPLY).exits(0);
    let drifted = world
        .read("cluster.yaml")
        .replacen("payments-viewers", "everything", 1);
    world.write("cluster.yaml", drifted);
    insta::assert_snapshot!(world.accord("sync --state cluster.yaml --yes"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      changes  arn:aws:iam::111122223333:role/payments-oncall  claimed by payments; somebody had edited it
               payments:{{SessionName}} in everything → payments:{{SessionName}} in payments-viewers

    1 is changed. 1 mapping written.
    To undo: accord rollback ID
    ");
}

#[test]
fn a_suspended_principal_is_left_alone_for_a_while() {
    let world = shop();
    let _ = world.accord(APPLY).exits(0);
    let out = world.accord(
        "suspend arn:aws:iam::111122223333:role/payments-oncall --until 2h --reason leak --state cluster.yaml --yes",
    );
    insta::assert_snapshot!(out, @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

    Nobody's access changes. The ledger written.
    To undo: accord rollback ID
    ");
    let drifted = world
        .read("cluster.yaml")
        .replacen("payments-viewers", "everything", 1);
    world.write("cluster.yaml", drifted);
    insta::assert_snapshot!(world.accord("sync --state cluster.yaml --yes"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      info  edited-since  arn:aws:iam::111122223333:role/payments-oncall
               It is not put back for a while: leak.

    Nothing to do.
    ");
}

#[test]
fn a_wrong_time_is_a_usage_error() {
    let out = shop().accord("suspend --all --until tomorrow --reason x --state cluster.yaml --yes");
    insta::assert_snapshot!(out, @r"
    exit 2
    --- stderr
    error: `tomorrow` is no time
    hint: give a time such as `2026-10-01T08:00:00Z`, or `90m`, `2h`, `3d` from now on
    ");
}

#[test]
fn adopting_prints_what_to_keep() {
    let world = shop();
    let adopt = "adopt --owner platform --principal arn:aws:iam::111122223333:role/PlatformAdmin --state cluster.yaml --yes";
    insta::assert_snapshot!(world.accord(&format!("{adopt} --print fragment")), @r"
    exit 0
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: accord-platform
      namespace: kube-system
      labels:
        accord.dev/aws-auth: fragment
    data:
      mapRoles: |
        - rolearn: arn:aws:iam::111122223333:role/PlatformAdmin
          username: platform:{{SessionName}}
          groups:
            - system:masters
    --- stderr
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

    Nobody's access changes. 1 fragment and the ledger written.
    To undo: accord rollback ID
    ");
    insta::assert_snapshot!(world.accord(&format!("{adopt} --print mapRoles")), @r"
    exit 0
    - rolearn: arn:aws:iam::111122223333:role/PlatformAdmin
      username: platform:{{SessionName}}
      groups:
        - system:masters
    --- stderr
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

    Nothing to do.
    ");
}

#[test]
fn adopting_what_is_not_there_is_a_usage_error() {
    let out = shop().accord(
        "adopt --owner x --principal arn:aws:iam::111122223333:role/none --state cluster.yaml --yes",
    );
    insta::assert_snapshot!(out, @r"
    exit 2
    --- stderr
    error: there is no entry for arn:aws:iam::111122223333:role/none
    ");
}

#[test]
fn another_cluster_than_expected_is_refused() {
    let world = shop();
    let out = world.accord(&format!(
        "{APPLY} --expect-cluster arn:aws:eks:eu-central-1:111122223333:cluster/other"
    ));
    insta::assert_snapshot!(out, @r"
    exit 5
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      refused  wrong-cluster
               This is `arn:aws:eks:eu-central-1:111122223333:cluster/shop`, and
               `arn:aws:eks:eu-central-1:111122223333:cluster/other` was expected.

    Refused: nothing was written.
    ");
    assert_eq!(
        world.read("cluster.yaml"),
        repository("examples/cluster.yaml")
    );
}

#[test]
fn a_bare_list_needs_an_owner() {
    let out = shop().accord("apply -f payments.yaml --state cluster.yaml --yes");
    insta::assert_snapshot!(out, @r"
    exit 2
    --- stderr
    error: a bare list of mappings has no owner of its own
     --> payments.yaml:2:1
      |
    2 | mapRoles:
      | ^^^^^^^^^
    hint: say whose it is: `--owner NAME`
    ");
}

#[test]
fn declarations_may_come_from_standard_input() {
    let world = shop();
    let out = world.accord_with(
        &[
            "apply",
            "-f",
            "-",
            "--owner",
            "payments",
            "--state",
            "cluster.yaml",
            "--yes",
            "-o",
            "json",
        ],
        &repository("examples/payments.yaml"),
    );
    assert_eq!(out.exits(0).json()["outcome"], "done");
}

#[test]
fn a_fragment_elsewhere_counts_only_when_admitted() {
    let world = shop();
    let fragment = "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: access\n  namespace: team\n  uid: 11111111-2222-3333-4444-555555555555\n  labels:\n    accord.dev/aws-auth: fragment\ndata:\n  mapRoles: |\n    - rolearn: arn:aws:iam::111122223333:role/team\n      username: team\n      groups: [team]\n";
    world.write(
        "cluster.yaml",
        format!("{}{fragment}", repository("examples/cluster.yaml")),
    );
    insta::assert_snapshot!(world.accord("sync --state cluster.yaml --yes"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      refused  proposed arn:aws:iam::111122223333:role/team
               team/access is outside kube-system, where anybody may be allowed to write: what it claims counts
               once somebody admits it as it is now, with `accord admit team/access`.

    Nobody's access changes. The ledger written.
    To undo: accord rollback ID
    ");
    insta::assert_snapshot!(world.accord("admit team/access --state cluster.yaml --yes"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      gains    arn:aws:iam::111122223333:role/team  claimed by team/access
               as team in team

    1 gains access. 1 mapping and the ledger written.
    To undo: accord rollback ID
    ");
}
