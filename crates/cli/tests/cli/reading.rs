//! What is read and told: explain, check, status.

use crate::common::World;
use crate::merge::shop;

#[test]
fn explains_as_a_short_story() {
    let world = shop();
    let explain = |who: &str| world.accord(&format!("explain {who} --state cluster.yaml"));
    insta::assert_snapshot!(explain("arn:aws:sts::111122223333:assumed-role/PlatformAdmin/kim"), @r"
    exit 0
    arn:aws:sts::111122223333:assumed-role/PlatformAdmin/kim
      is platform:kim in system:masters: an administrator
      by mapRoles[2] (cluster.yaml:63), which nobody claims
      compared as arn:aws:iam::111122223333:role/PlatformAdmin
      {{SessionName}} is the session's name.
    ");
    insta::assert_snapshot!(explain("arn:aws:sts::111122223333:assumed-role/shop-nodes/i-0abc1234def567890"), @r"
    exit 0
    arn:aws:sts::111122223333:assumed-role/shop-nodes/i-0abc1234def567890
      is system:node:{{EC2PrivateDNSName}} in system:bootstrappers, system:nodes
      by mapRoles[0] (cluster.yaml:51), which EKS wrote
      compared as arn:aws:iam::111122223333:role/shop-nodes
      {{EC2PrivateDNSName}} is the private DNS name that EC2 has for the instance: give it with
      --ec2-private-dns.
    ");
    insta::assert_snapshot!(explain("arn:aws:sts::111122223333:assumed-role/nobody/kim"), @r"
    exit 4
    arn:aws:sts::111122223333:assumed-role/nobody/kim
      does not get in
      No entry of aws-auth is for arn:aws:iam::111122223333:role/nobody.
      compared as arn:aws:iam::111122223333:role/nobody
    ");
    insta::assert_snapshot!(explain("fargate-profile/checkout"), @r"
    exit 0
    fargate-profile/checkout
      is system:node:{{SessionName}} in system:bootstrappers, system:nodes, system:node-proxier
      by mapRoles[1] (cluster.yaml:56), which EKS wrote
      compared as arn:aws:iam::111122223333:role/shop-fargate-pods
      Fargate profile checkout runs pods under the role
      arn:aws:iam::111122223333:role/shop-fargate-pods.
      {{SessionName}} is the session's name, and a role was asked for: ask for a session of it.
    ");
    insta::assert_snapshot!(explain("kim"), @r"
    exit 4
    kim
      is no identity
      This is not an ARN: it is not of the form arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE. Ask for
      the ARN that `aws sts get-caller-identity` prints.
    ");
}

#[test]
fn finds_mistakes_and_points_at_them() {
    let out = shop().accord("check mistakes.yaml").exits(4);
    insta::assert_snapshot!(out, @r#"
    exit 4
    locks-out[arn-has-path]: A role's ARN with its path never matches, because STS does not show the path.
     --> mistakes.yaml:9:16
      |
    9 |     - rolearn: arn:aws:iam::111122223333:role/teams/search/SearchAdmin
      |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ mapRoles[0].rolearn
      |
      = help: write `arn:aws:iam::111122223333:role/SearchAdmin`

    silent-wrong[arn-assumed-role]: This is the ARN of a session, as `aws sts get-caller-identity` prints it: it never matches, because the authenticator compares the role's.
      --> mistakes.yaml:12:16
       |
    12 |     - rolearn: arn:aws:sts::111122223333:assumed-role/Deploy/jenkins
       |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ mapRoles[1].rolearn
       |
       = help: write `arn:aws:iam::111122223333:role/Deploy`

    silent-wrong[groups-wrong-type]: `groups` is a string and not a list: the entry has no groups at all, and no error is shown to anybody.
      --> mistakes.yaml:17:15
       |
    17 |       groups: report-viewers
       |               ^^^^^^^^^^^^^^ mapRoles[2].groups
       |
       = help: write `[report-viewers]`

    silent-wrong[missing-arn]: The entry has no `rolearn`, and is skipped; `role_arn` is not read, and seems to mean it.
      --> mistakes.yaml:18:7
       |
    18 |     - role_arn: arn:aws:iam::111122223333:role/Billing
       |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ mapRoles[3]

    locks-out[unknown-field]: The authenticator ignores `group`; `groups` is meant. The entry has no groups.
      --> mistakes.yaml:24:7
       |
    24 |       group: [system:masters]
       |       ^^^^^ mapUsers[0].group
       |
       = help: write `groups`

    silent-wrong[account-bad-format]: `11122223333` is compared as it stands, and never matches. Perhaps `011122223333` is meant.
      --> mistakes.yaml:26:7
       |
    26 |     - 11122223333
       |       ^^^^^^^^^^^ mapAccounts[0]
       |
       = help: write `"011122223333"`

    6 findings: 2 locks-out, 4 silent-wrong.
    "#);
}

#[test]
fn judges_what_is_about_to_replace_the_map() {
    let out = shop()
        .accord("check replace.yaml --against cluster.yaml")
        .exits(4);
    insta::assert_snapshot!(out, @r"
    exit 4
    locks-out[caller-loses-access]: You are arn:aws:iam::111122223333:role/PlatformAdmin, and would no longer get in after this change.

    breaks-cluster[removal-of-eks-owned-entry]: The entry for arn:aws:iam::111122223333:role/shop-fargate-pods is one that EKS writes itself, for Fargate profile checkout.

    breaks-cluster[role-still-in-use]: arn:aws:iam::111122223333:role/shop-fargate-pods is used by Fargate profile checkout, and would lose its entry.

    breaks-cluster[fargate-role-not-mapped]: After this change: arn:aws:iam::111122223333:role/shop-fargate-pods is used by Fargate profile checkout and has no working entry in aws-auth: its pods stay pending.

    warning[held-by-other]: arn:aws:iam::111122223333:role/data-pipelines is claimed by data, and will be put back as claimed. Change the claim instead.

    Putting it in place would change access:

      loses    arn:aws:iam::111122223333:role/shop-fargate-pods  eks; it is not in what is proposed
               was system:node:{{SessionName}} in system:bootstrappers, system:nodes, system:node-proxier
      loses    arn:aws:iam::111122223333:role/PlatformAdmin      administrator, unclaimed; it is not in what is proposed
               was platform:{{SessionName}} in system:masters
      loses    arn:aws:iam::111122223333:role/data-pipelines     data; it is not in what is proposed
               was data-pipelines in data-editors
      loses    arn:aws:iam::111122223333:user/break-glass        administrator, unclaimed; it is not in what is proposed
               was break-glass in system:masters
      gains    arn:aws:iam::111122223333:role/ci                 administrator, unclaimed; mapRoles[1] of what is proposed
               as ci in system:masters

    5 findings: 3 breaks-cluster, 1 locks-out, 1 warning.
    ");
}

#[test]
fn checks_standard_input() {
    let mistakes = crate::common::repository("examples/mistakes.yaml");
    let out = World::new()
        .accord_with(&["check", "-", "-o", "json"], &mistakes)
        .exits(4);
    assert_eq!(out.json()["findings"][0]["file"], "-");
}

#[test]
fn sarif_names_rules_and_places() {
    let out = shop()
        .accord("check mistakes.yaml -o sarif")
        .exits(4)
        .json();
    assert_eq!(out["version"], "2.1.0");
    let result = &out["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "mistakes.yaml");
    assert!(place["region"]["startLine"].is_number());
}

#[test]
fn yaml_is_the_same_as_json() {
    let world = shop();
    let yaml = world
        .accord("status --state cluster.yaml -o yaml")
        .exits(0)
        .stdout;
    assert!(
        yaml.starts_with("version: 1\ncluster: arn:aws:eks:"),
        "{yaml}"
    );
}

#[test]
fn a_kind_is_explained() {
    insta::assert_snapshot!(World::new().accord("check --explain arn-has-path"), @r"
    exit 0
    # arn-has-path

    A role ARN with a path never matches, because STS shows none.

    STS shows a role's session without the role's path, and the authenticator compares with what STS shows. An entry with
    the path never matches. Users keep their paths; access entries need the path of a role.

    ## Example

    ```yaml
    rolearn: arn:aws:iam::111122223333:role/ci/gitlab/runner
    ```

    ## What to do

    Write `arn:aws:iam::111122223333:role/runner`.

    ## Severity

    `breaks-cluster` for an entry of nodes or Fargate pods, `locks-out` for an administrator's, else `silent-wrong`.
    `warning` if another entry already does the same.
    ");
    insta::assert_snapshot!(World::new().accord("check --explain no-such-kind"), @r"
    exit 2
    --- stderr
    error: invalid value 'no-such-kind' for '--explain <KIND>': `no-such-kind` is not known

    For more information, try '--help'.
    ");
}

#[test]
fn the_threshold_decides_the_exit_code() {
    let world = shop();
    for (severity, code) in [("info", 4), ("locks-out", 4), ("breaks-cluster", 0)] {
        let _ = world
            .accord(&format!("check mistakes.yaml --fail-on {severity}"))
            .exits(code);
    }
}

#[test]
fn status_shows_every_entry_with_its_owner() {
    insta::assert_snapshot!(shop().accord("status --state cluster.yaml"), @r"
    exit 0
    arn:aws:eks:eu-central-1:111122223333:cluster/shop (CONFIG_MAP)

    ENTRY        STATE      OWNER      PRINCIPAL                                         IDENTITY
    mapRoles[0]  in-effect  eks        arn:aws:iam::111122223333:role/shop-nodes         system:node:{{EC2PrivateDNSName}} in system:bootstrappers, system:nodes
    mapRoles[1]  in-effect  eks        arn:aws:iam::111122223333:role/shop-fargate-pods  system:node:{{SessionName}} in system:bootstrappers, system:nodes, system:node-proxier
    mapRoles[2]  in-effect  unclaimed  arn:aws:iam::111122223333:role/PlatformAdmin      platform:{{SessionName}} in system:masters
    mapRoles[3]  in-effect  data       arn:aws:iam::111122223333:role/data-pipelines     data-pipelines in data-editors
    mapUsers[0]  in-effect  unclaimed  arn:aws:iam::111122223333:user/break-glass        break-glass in system:masters

      info  username-caller-controlled  arn:aws:iam::111122223333:role/PlatformAdmin  cluster.yaml:64:17
               Whoever assumes the role chooses the session's name, and so this username: it may differ from
               run to run. Bind rights to the groups and never to this username.
    ");
}

#[test]
fn mends_what_needs_no_choice_and_tells_what_is_left() {
    let world = shop();
    let out = world.accord("check mistakes.yaml --fix").exits(4);
    insta::assert_snapshot!(out, @r#"
    exit 4
    silent-wrong[account-bad-format]: `11122223333` is compared as it stands, and never matches. Perhaps `011122223333` is meant.
      --> mistakes.yaml:26:7
       |
    26 |     - 11122223333
       |       ^^^^^^^^^^^ mapAccounts[0]
       |
       = help: write `"011122223333"`

    Mended mistakes.yaml.
    1 finding: 1 silent-wrong.
    "#);
    insta::assert_snapshot!(world.read("mistakes.yaml"), @r"
    # An aws-auth as people really write them. Every entry here is wrong in its own way, and nothing tells.
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: aws-auth
      namespace: kube-system
    data:
      mapRoles: |
        - rolearn: arn:aws:iam::111122223333:role/SearchAdmin
          username: search-admin
          groups: [system:masters]
        - rolearn: arn:aws:iam::111122223333:role/Deploy
          username: deploy
          groups: [deployers]
        - rolearn: arn:aws:iam::111122223333:role/Reporting
          username: reporting
          groups: [report-viewers]
        - rolearn: arn:aws:iam::111122223333:role/Billing
          username: billing
          groups: [billing-viewers]
      mapUsers: |
        - userarn: arn:aws:iam::111122223333:user/ada
          username: ada
          groups: [system:masters]
      mapAccounts: |
        - 11122223333
    ");
    // There is nothing more to mend.
    let mended = world.read("mistakes.yaml");
    let again = world.accord("check mistakes.yaml --fix -o json").exits(4);
    assert_eq!(again.json().get("fixed"), None);
    assert_eq!(world.read("mistakes.yaml"), mended);
    insta::assert_snapshot!(world.accord("check - --fix"), @r"
    exit 2
    --- stderr
    error: standard input cannot be mended; give a file
    ");
}

#[test]
fn fixing_leaves_a_sound_file() {
    let world = shop();
    let _ = world.accord("check cluster.yaml --fix").exits(0);
    assert_eq!(
        world.read("cluster.yaml"),
        crate::common::repository("examples/cluster.yaml")
    );
}
