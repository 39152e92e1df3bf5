//! Maps near and over what the API server takes, many writers at once, and commands that take a hazard.

use crate::common::{World, repository};
use crate::merge::shop;

/// A state with a map of that many users.
fn users(number: usize) -> String {
    let mut text = String::from(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: aws-auth\n  namespace: kube-system\ndata:\n  mapRoles: |\n    - rolearn: arn:aws:iam::111122223333:role/admin\n      username: old\n      groups: [system:masters]\n    - rolearn: arn:aws:iam::111122223333:role/admin\n      username: admin\n      groups: [system:masters]\n  mapUsers: |\n",
    );
    for n in 0..number {
        text.push_str(&format!(
            "    - userarn: arn:aws:iam::111122223333:user/person-{n:05}\n      username: person-{n:05}\n      groups:\n      - developers\n      - viewers\n"
        ));
    }
    text
}

const APPLY: &str = "apply -f payments.yaml --owner payments --state cluster.yaml --yes";

#[test]
fn a_map_over_one_mebibyte_is_refused_before_any_write() {
    let world = World::with("payments.yaml", repository("examples/payments.yaml"));
    let state = users(8_970);
    world.write("cluster.yaml", &state);
    insta::assert_snapshot!(world.accord(APPLY), @r"
    exit 5
    cluster.yaml

      gains    arn:aws:iam::111122223333:role/payments-deploy  claimed by payments
               as payments-deploy in payments-editors
      gains    arn:aws:iam::111122223333:role/payments-oncall  claimed by payments
               as payments:{{SessionName}} in payments-viewers

      refused  too-large
               The map would have 1049913 bytes (it has 1049674), and the API server takes at most 1048576.
               Give up entries, or map a role instead of many users. These entries do nothing, because a later
               one for the same principal decides: mapRoles[0].

    Refused: nothing was written.
    ");
    assert!(world.read("cluster.yaml") == state, "written");
}

#[test]
fn a_map_that_kubectl_apply_could_not_hold_is_warned_of() {
    let world = World::with("payments.yaml", repository("examples/payments.yaml"));
    world.write("cluster.yaml", users(3_000));
    let report = world.accord(&format!("{APPLY} -o json")).exits(0).json();
    let mut findings = report["findings"].as_array().unwrap().iter();
    assert!(findings.any(|f| f["kind"] == "size-near-limit"));
}

/// Two pipelines that add a role each at the same moment: both are there afterwards.
#[test]
fn writers_at_the_same_moment_lose_nothing() {
    let world = shop();
    let names = ["one", "two", "three", "four"];
    for name in names {
        world.write(
            &format!("{name}.yaml"),
            format!("- rolearn: arn:aws:iam::111122223333:role/{name}\n  username: {name}\n"),
        );
    }
    std::thread::scope(|scope| {
        for name in names {
            let world = &world;
            scope.spawn(move || {
                let apply =
                    format!("apply -f {name}.yaml --owner {name} --state cluster.yaml --yes");
                let _ = world.accord(&apply).exits(0);
            });
        }
    });
    for name in names {
        let explain = format!("explain arn:aws:iam::111122223333:role/{name} --state cluster.yaml");
        let _ = world.accord(&explain).exits(0);
    }
}

#[test]
fn a_role_that_nodes_use_is_not_given_up() {
    let world = shop();
    world.write(
        "nodes.yaml",
        "- rolearn: arn:aws:iam::111122223333:role/shop-nodes\n  username: system:node:{{EC2PrivateDNSName}}\n  groups: [system:bootstrappers]\n",
    );
    let out = world.accord(
        "apply -f nodes.yaml --owner nodes --take-over arn:aws:iam::111122223333:role/shop-nodes --state cluster.yaml --yes",
    );
    insta::assert_snapshot!(out, @r"
    exit 5
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      refused  role-still-in-use arn:aws:iam::111122223333:role/shop-nodes
               arn:aws:iam::111122223333:role/shop-nodes is used by node group general, and would lose a
               username or group that it needs.
               to let it pass: --allow 'role-still-in-use=arn:aws:iam::111122223333:role/shop-nodes'
      refused  node-role-not-in-map arn:aws:iam::111122223333:role/shop-nodes
               After this change: Nodes need the group `system:nodes` too. The role
               arn:aws:iam::111122223333:role/shop-nodes is used by node group general.
               to let it pass: --allow 'node-role-not-in-map=arn:aws:iam::111122223333:role/shop-nodes'

    Refused: nothing was written.
    ");
    assert_eq!(
        world.read("cluster.yaml"),
        repository("examples/cluster.yaml")
    );
}

#[test]
fn the_last_administrators_stay_unless_allowed() {
    let world = shop();
    let _ = world
        .accord("adopt --owner platform --principal arn:aws:iam::111122223333:role/PlatformAdmin --principal arn:aws:iam::111122223333:user/break-glass --state cluster.yaml --yes")
        .exits(0);
    insta::assert_snapshot!(world.accord("remove platform --state cluster.yaml --yes"), @r"
    exit 5
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      refused  last-admin-removed arn:aws:iam::111122223333:role/PlatformAdmin
               arn:aws:iam::111122223333:role/PlatformAdmin is the last administrator known here. Without it
               only the cluster's creator, the identity that made it, gets in as administrator, and no list
               shows who that is.
               to let it pass: --allow 'last-admin-removed=arn:aws:iam::111122223333:role/PlatformAdmin'
      refused  caller-loses-access arn:aws:iam::111122223333:role/PlatformAdmin
               You are arn:aws:iam::111122223333:role/PlatformAdmin, and would no longer get in after this
               change.
               to let it pass: --allow 'caller-loses-access=arn:aws:iam::111122223333:role/PlatformAdmin'
      refused  last-admin-removed arn:aws:iam::111122223333:user/break-glass
               arn:aws:iam::111122223333:user/break-glass is the last administrator known here. Without it only
               the cluster's creator, the identity that made it, gets in as administrator, and no list shows
               who that is.
               to let it pass: --allow 'last-admin-removed=arn:aws:iam::111122223333:user/break-glass'

    Refused: nothing was written.
    ");
}

#[test]
fn an_allowance_must_be_one() {
    insta::assert_snapshot!(shop().accord("sync --allow everything --state cluster.yaml --yes"), @r"
    exit 2
    --- stderr
    error: `--allow` takes what a refusal names
      because `everything` is not of the form KIND=PRINCIPAL
    ");
    insta::assert_snapshot!(shop().accord("sync --allow no-such=x --state cluster.yaml --yes"), @r"
    exit 2
    --- stderr
    error: `--allow` takes what a refusal names
      because there is no hazard `no-such`
    ");
}

#[test]
fn what_a_wipe_took_is_rebuilt_and_what_cannot_be_known_is_named() {
    let world = shop();
    let _ = world.accord(APPLY).exits(0);
    let state = world.read("cluster.yaml");
    let (before, rest) = state.split_once("  mapRoles: |").unwrap();
    let (_, after) = rest.split_once("  mapUsers: |").unwrap();
    world.write("cluster.yaml", format!("{before}  mapUsers: |{after}"));
    insta::assert_snapshot!(world.accord("restore --state cluster.yaml --yes"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      gains    arn:aws:iam::111122223333:role/data-pipelines     claimed by data; somebody had removed it
               as data-pipelines in data-editors
      gains    arn:aws:iam::111122223333:role/payments-deploy    claimed by payments; somebody had removed it
               as payments-deploy in payments-editors
      gains    arn:aws:iam::111122223333:role/payments-oncall    claimed by payments; somebody had removed it
               as payments:{{SessionName}} in payments-viewers
      gains    arn:aws:iam::111122223333:role/shop-fargate-pods  eks; used by Fargate profile checkout
               as system:node:{{SessionName}} in system:bootstrappers, system:nodes, system:node-proxier
      gains    arn:aws:iam::111122223333:role/shop-nodes         eks; used by node group general
               as system:node:{{EC2PrivateDNSName}} in system:bootstrappers, system:nodes

      warning  cannot-be-known
               Users, people's roles and accounts that nobody claims here are in no list that EKS keeps.
               Recover them from an older copy of the map, with `accord restore --from FILE`: a snapshot, a
               backup, what Terraform or CDK last wrote, or the API server's audit log. Or have their owners
               declare them.

    5 gain access. 5 mappings and the ledger written.
    To undo: accord rollback ID
    ");
}

#[test]
fn problems_in_a_declaration_are_refused_in_their_place() {
    let world = shop();
    world.write(
        "wrong.yaml",
        "- rolearn: arn:aws:iam::111122223333:role/a\n  username: a\n- rolearn: arn:aws:iam::111122223333:role/A\n  username: b\n- rolearn: ''\n  username: c\n",
    );
    insta::assert_snapshot!(world.accord("apply -f wrong.yaml --owner x --state cluster.yaml --yes"), @r"
    exit 5
    arn:aws:eks:eu-central-1:111122223333:cluster/shop

      refused  missing-arn
               `rolearn` must be an ARN.
      refused  duplicate-arn arn:aws:iam::111122223333:role/A
               `arn:aws:iam::111122223333:role/A` is claimed twice, first at mapRoles[0].

      silent-wrong  missing-arn  wrong.yaml:5:12
               `rolearn` must be an ARN.
      silent-wrong  duplicate-arn  wrong.yaml:3:3
               `arn:aws:iam::111122223333:role/A` is claimed twice, first at mapRoles[0].

    Refused: nothing was written.
    ");
}
