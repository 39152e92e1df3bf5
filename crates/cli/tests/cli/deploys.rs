//! What other tools' output would do: plans and templates against a state.

use serde_json::{Value, json};

use crate::common::World;

const ROLE: &str = "arn:aws:iam::111122223333:role";

/// A cluster in the mode CONFIG_MAP, with a node group, a Fargate profile, an administrator and a team in its map.
const CONFIG_MAP: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata:
  name: aws-auth
  namespace: kube-system
data:
  mapRoles: |
    - rolearn: arn:aws:iam::111122223333:role/nodes
      username: system:node:{{EC2PrivateDNSName}}
      groups: [system:bootstrappers, system:nodes]
    - rolearn: arn:aws:iam::111122223333:role/pods
      username: system:node:{{SessionName}}
      groups: [system:bootstrappers, system:nodes, system:node-proxier]
    - rolearn: arn:aws:iam::111122223333:role/team
      username: team
      groups: [team]
  mapUsers: |
    - userarn: arn:aws:iam::111122223333:user/root
      username: root
      groups: [system:masters]
---
{"cluster": {"name": "demo", "arn": "arn:aws:eks:eu-west-1:111122223333:cluster/demo",
  "accessConfig": {"authenticationMode": "CONFIG_MAP"}}}
---
{"nodegroups": ["ng"]}
---
{"nodegroup": {"nodegroupName": "ng", "clusterName": "demo", "nodeRole": "arn:aws:iam::111122223333:role/nodes"}}
---
{"fargateProfileNames": ["fp"]}
---
{"fargateProfile": {"fargateProfileName": "fp", "clusterName": "demo",
  "podExecutionRoleArn": "arn:aws:iam::111122223333:role/pods"}}
---
{"apiVersion": "v1", "kind": "NodeList", "items": []}
"#;

/// A cluster in the mode API: one administrator, one entry for nodes.
const API: &str = r#"
{"cluster": {"name": "demo", "arn": "arn:aws:eks:eu-west-1:111122223333:cluster/demo",
  "accessConfig": {"authenticationMode": "API"}}}
---
{"accessEntries": ["arn:aws:iam::111122223333:role/admin", "arn:aws:iam::111122223333:role/nodes"]}
---
{"accessEntry": {"clusterName": "demo", "principalArn": "arn:aws:iam::111122223333:role/admin", "type": "STANDARD",
  "username": "admin", "kubernetesGroups": []}}
---
{"principalArn": "arn:aws:iam::111122223333:role/admin", "clusterName": "demo", "associatedAccessPolicies": [
  {"policyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy", "accessScope": {"type": "cluster"}}]}
---
{"accessEntry": {"clusterName": "demo", "principalArn": "arn:aws:iam::111122223333:role/nodes", "type": "EC2_LINUX",
  "username": "system:node:{{EC2PrivateDNSName}}", "kubernetesGroups": ["system:nodes"]}}
---
{"nodegroups": ["ng"]}
---
{"nodegroup": {"nodegroupName": "ng", "clusterName": "demo", "nodeRole": "arn:aws:iam::111122223333:role/nodes"}}
"#;

/// A change of a resource in a plan.
fn change(address: &str, actions: &[&str], before: Value, after: Value, unknown: Value) -> Value {
    let plain = address.rsplit("module.").next().unwrap();
    let kind = plain
        .split('.')
        .find(|part| part.contains("aws_") || part.starts_with("kube"))
        .unwrap();
    json!({
        "address": address, "mode": "managed", "type": kind, "name": "x",
        "change": {"actions": actions, "before": before, "after": after, "after_unknown": unknown},
    })
}

fn plan(changes: Vec<Value>) -> String {
    let plan = json!({
        "format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": changes,
        "applyable": true, "complete": true, "errored": false,
    });
    serde_json::to_string_pretty(&plan).unwrap()
}

/// What is said of a plan or template, one line for each finding and change.
fn said(file: &str, text: &str, state: Option<&str>) -> String {
    let world = World::with(file, text);
    world.write("cluster.yaml", state.unwrap_or_default());
    let mut arguments = vec!["check", file, "-o", "json"];
    if state.is_some() {
        arguments.extend(["--against", "cluster.yaml"]);
    }
    let json = world.accord_with(&arguments, "").json();
    let short = |v: &Value| {
        v.as_str()
            .unwrap_or("-")
            .replace("arn:aws:iam::111122223333:", "")
    };
    let findings = json["findings"].as_array().unwrap().iter().map(|f| {
        format!(
            "{} {} {} at {}, {}: {}",
            f["severity"].as_str().unwrap(),
            f["kind"].as_str().unwrap(),
            short(&f["object"]),
            short(&f["at"]),
            short(&f["principal"]),
            short(&f["message"]),
        )
    });
    let changes = json["changes"].as_array().unwrap().iter().map(|c| {
        format!(
            "{} {}, {}",
            short(&c["principal"]),
            c["change"].as_str().unwrap(),
            c["owner"].as_str().unwrap()
        )
    });
    findings.chain(changes).collect::<Vec<_>>().join("\n")
}

fn map(roles: &str) -> Value {
    json!({"metadata": [{"name": "aws-auth", "namespace": "kube-system"}], "data": {"mapRoles": roles}})
}

const NODES: &str = "- rolearn: arn:aws:iam::111122223333:role/nodes\n  username: system:node:{{EC2PrivateDNSName}}\n  groups: [system:bootstrappers, system:nodes]\n";
const PODS: &str = "- rolearn: arn:aws:iam::111122223333:role/pods\n  username: system:node:{{SessionName}}\n  groups: [system:bootstrappers, system:nodes, system:node-proxier]\n";

#[test]
fn an_update_of_the_whole_map_drops_what_eks_added() {
    // The plan that removes what the Fargate profile added: as it stands, and against the cluster.
    let both = format!("{NODES}{PODS}");
    let text = plan(vec![
        change(
            "kubernetes_config_map.aws_auth",
            &["update"],
            map(&both),
            map(NODES),
            json!({}),
        ),
        change(
            "aws_eks_fargate_profile.fp",
            &["no-op"],
            json!({"cluster_name": "demo", "fargate_profile_name": "fp", "pod_execution_role_arn": format!("{ROLE}/pods")}),
            json!({"cluster_name": "demo", "fargate_profile_name": "fp", "pod_execution_role_arn": format!("{ROLE}/pods")}),
            json!({}),
        ),
    ]);
    insta::assert_snapshot!(said("plan.json", &text, None), @r"
    breaks-cluster fargate-role-not-mapped kubernetes_config_map.aws_auth at data, role/pods: After this change: role/pods is used by Fargate profile fp and has no working entry in aws-auth, and whether access entries are read is not known: its pods stay pending.
    breaks-cluster removal-of-eks-owned-entry kubernetes_config_map.aws_auth at data, role/pods: The entry for role/pods is one that EKS writes itself, for Fargate profile fp.
    breaks-cluster role-still-in-use kubernetes_config_map.aws_auth at data, role/pods: role/pods is used by Fargate profile fp, and would lose its entry.
    ");
    insta::assert_snapshot!(said("plan.json", &text, Some(CONFIG_MAP)), @r"
    breaks-cluster fargate-role-not-mapped kubernetes_config_map.aws_auth at data, role/pods: After this change: role/pods is used by Fargate profile fp and has no working entry in aws-auth: its pods stay pending.
    breaks-cluster removal-of-eks-owned-entry kubernetes_config_map.aws_auth at data, role/pods: The entry for role/pods is one that EKS writes itself, for Fargate profile fp.
    breaks-cluster role-still-in-use kubernetes_config_map.aws_auth at data, role/pods: role/pods is used by Fargate profile fp, and would lose its entry.
    locks-out last-admin-removed kubernetes_config_map.aws_auth at data, user/root: user/root is the last administrator known here. Without it only the cluster's creator, the identity that made it, gets in as administrator, and no list shows who that is.
    role/pods loses, eks
    role/team loses, unclaimed
    user/root loses, unclaimed
    ");
}

#[test]
fn dropping_the_data_resource_destroys_the_keys() {
    let data = "kubernetes_config_map_v1_data.aws_auth";
    let gone = plan(vec![change(
        data,
        &["delete"],
        map(NODES),
        Value::Null,
        json!({}),
    )]);
    insta::assert_snapshot!(said("plan.json", &gone, Some(CONFIG_MAP)), @r"
    breaks-cluster fargate-role-not-mapped kubernetes_config_map_v1_data.aws_auth at -, role/pods: After this change: role/pods is used by Fargate profile fp and has no working entry in aws-auth: its pods stay pending.
    breaks-cluster node-role-not-in-map kubernetes_config_map_v1_data.aws_auth at -, role/nodes: After this change: role/nodes is used by node group ng and has no working entry in aws-auth: its nodes cannot join, and those that run turn NotReady.
    breaks-cluster removal-of-eks-owned-entry kubernetes_config_map_v1_data.aws_auth at -, role/nodes: The entry for role/nodes is one that EKS writes itself, for node group ng.
    breaks-cluster removal-of-eks-owned-entry kubernetes_config_map_v1_data.aws_auth at -, role/pods: The entry for role/pods is one that EKS writes itself, for Fargate profile fp.
    breaks-cluster role-still-in-use kubernetes_config_map_v1_data.aws_auth at -, role/nodes: role/nodes is used by node group ng, and would lose its entry.
    breaks-cluster role-still-in-use kubernetes_config_map_v1_data.aws_auth at -, role/pods: role/pods is used by Fargate profile fp, and would lose its entry.
    breaks-cluster map-destroyed kubernetes_config_map_v1_data.aws_auth at -, -: Destroying `kubernetes_config_map_v1_data.aws_auth` drops mapRoles from aws-auth, whoever wrote what is in there. Lost with it: role/nodes, role/pods and role/team. To let go of it without that: `terraform state rm 'kubernetes_config_map_v1_data.aws_auth'`, or a `removed` block with `destroy = false`.
    role/nodes loses, eks
    role/pods loses, eks
    role/team loses, unclaimed
    ");
    let forgotten = plan(vec![change(
        data,
        &["forget"],
        map(NODES),
        Value::Null,
        json!({}),
    )]);
    insta::assert_snapshot!(said("plan.json", &forgotten, Some(CONFIG_MAP)), @"");
}

#[test]
fn data_that_is_not_known_is_said_to_be_unknown_and_who_is_in_it_named() {
    let data = "module.eks.kubernetes_config_map_v1_data.aws_auth[0]";
    let mut after = map("");
    after["data"] = json!({});
    after["force"] = json!(true);
    let text = plan(vec![change(
        data,
        &["update"],
        map(NODES),
        after,
        json!({"data": {"mapRoles": true}}),
    )]);
    insta::assert_snapshot!(said("plan.json", &text, Some(CONFIG_MAP)), @"warning map-content-unknown module.eks.kubernetes_config_map_v1_data.aws_auth[0] at data.mapRoles, -: What would be written to mapRoles is known only after the deploy. In it now: role/nodes, role/pods and role/team. Whether they stay cannot be told.");
    let mut after = map("");
    after["data"] = Value::Null;
    let text = plan(vec![change(
        data,
        &["update"],
        map(NODES),
        after,
        json!({"data": true}),
    )]);
    insta::assert_snapshot!(said("plan.json", &text, Some(CONFIG_MAP)), @"warning map-content-unknown module.eks.kubernetes_config_map_v1_data.aws_auth[0] at data, -: What would be written to aws-auth is known only after the deploy. In it now: role/nodes, role/pods, role/team and user/root. Whether they stay cannot be told.");
}

fn entry(principal: &str, kind: &str) -> Value {
    json!({"cluster_name": "demo", "principal_arn": format!("{ROLE}/{principal}"), "type": kind})
}

#[test]
fn another_key_of_the_same_entry_is_a_move_that_deletes() {
    let text = plan(vec![
        change(
            "aws_eks_access_entry.this[\"old\"]",
            &["delete"],
            entry("admin", "STANDARD"),
            Value::Null,
            json!({}),
        ),
        change(
            "aws_eks_access_entry.this[\"new\"]",
            &["create"],
            Value::Null,
            entry("admin", "STANDARD"),
            json!({}),
        ),
    ]);
    insta::assert_snapshot!(said("plan.json", &text, Some(API)), @r#"
    locks-out moved-entry-will-be-deleted aws_eks_access_entry.this["old"] at -, role/admin: The access entry role/admin was only moved, from `aws_eks_access_entry.this["old"]` to `aws_eks_access_entry.this["new"]`, and would be deleted: the two are one thing to EKS, and are deleted and made at the same time, in any order. Tell it with a `moved` block, or with `terraform state mv 'aws_eks_access_entry.this["old"]' 'aws_eks_access_entry.this["new"]'`.
    locks-out last-admin-removed aws_eks_access_entry.this["old"] at -, role/admin: role/admin is the last administrator known here. Without it only the cluster's creator, the identity that made it, gets in as administrator, and no list shows who that is.
    breaks-workload replacement-same-principal aws_eks_access_entry.this["new"] at -, role/admin: `aws_eks_access_entry.this["old"]` still has the access entry role/admin: if it is made here first, EKS refuses it with 409.
    warning entry-without-rights aws_eks_access_entry.this["new"] at -, role/admin: The access entry for role/admin has neither groups nor policies: it lets somebody in who may do nothing, unless RBAC binds the username.
    role/admin changes, unclaimed
    "#);
    let mut moved = change(
        "aws_eks_access_entry.new",
        &["no-op"],
        entry("admin", "STANDARD"),
        entry("admin", "STANDARD"),
        json!({}),
    );
    moved["previous_address"] = json!("aws_eks_access_entry.old");
    insta::assert_snapshot!(said("plan.json", &plan(vec![moved]), Some(API)), @"");
}

#[test]
fn a_replacement_leaves_a_gap_or_meets_itself() {
    let address = "aws_eks_access_entry.nodes";
    let gap = plan(vec![change(
        address,
        &["delete", "create"],
        entry("nodes", "EC2_LINUX"),
        entry("nodes", "EC2_WINDOWS"),
        json!({}),
    )]);
    insta::assert_snapshot!(said("plan.json", &gap, Some(API)), @r"
    breaks-cluster replacement-gap aws_eks_access_entry.nodes at -, role/nodes: The access entry role/nodes would be deleted and then made anew: in between there is no access.
    role/nodes changes, unclaimed
    ");
    let first = plan(vec![change(
        address,
        &["create", "delete"],
        entry("nodes", "EC2_LINUX"),
        entry("nodes", "EC2_WINDOWS"),
        json!({}),
    )]);
    insta::assert_snapshot!(said("plan.json", &first, Some(API)), @r"
    breaks-workload replacement-same-principal aws_eks_access_entry.nodes at -, role/nodes: The access entry role/nodes would be made anew before the old one is deleted, and the two have the same identity: EKS refuses the new one with 409.
    role/nodes changes, unclaimed
    ");
    let profile = |selector: &str| {
        json!({"cluster_name": "demo", "fargate_profile_name": "fp", "selector": [{"namespace": selector}],
               "pod_execution_role_arn": format!("{ROLE}/pods")})
    };
    let profile = plan(vec![change(
        "aws_eks_fargate_profile.fp",
        &["delete", "create"],
        profile("a"),
        profile("b"),
        json!({}),
    )]);
    insta::assert_snapshot!(said("plan.json", &profile, None), @"breaks-cluster replacement-gap aws_eks_fargate_profile.fp at -, role/pods: The Fargate profile fp would be deleted and then made anew: in between its pods do not start, and those that run are stopped.");
}

#[test]
fn an_entry_that_is_there_is_not_made_again() {
    let text = plan(vec![change(
        "aws_eks_access_entry.a",
        &["create"],
        Value::Null,
        entry("admin", "STANDARD"),
        json!({}),
    )]);
    insta::assert_snapshot!(said("plan.json", &text, Some(API)), @"breaks-workload replacement-same-principal aws_eks_access_entry.a at -, role/admin: There is an access entry for role/admin already, of type STANDARD: EKS refuses the new one with 409. Take it into the state with `terraform import 'aws_eks_access_entry.a' 'demo:role/admin'`.");
    let nodes = plan(vec![change(
        "aws_eks_access_entry.n",
        &["create"],
        Value::Null,
        entry("others", "EC2_LINUX"),
        json!({"user_name": true, "kubernetes_groups": true}),
    )]);
    insta::assert_snapshot!(said("plan.json", &nodes, Some(API)), @"role/others gains, unclaimed");
}

#[test]
fn the_last_policy_of_an_administrator_goes() {
    let policy = |name: &str| {
        json!({"cluster_name": "demo", "principal_arn": format!("{ROLE}/admin"),
               "policy_arn": format!("arn:aws:eks::aws:cluster-access-policy/{name}"),
               "access_scope": [{"type": "cluster", "namespaces": []}]})
    };
    let text = plan(vec![
        change(
            "aws_eks_access_policy_association.a",
            &["delete"],
            policy("AmazonEKSClusterAdminPolicy"),
            Value::Null,
            json!({}),
        ),
        change(
            "aws_eks_access_policy_association.b",
            &["create"],
            Value::Null,
            policy("AmazonEKSViewPolicy"),
            json!({}),
        ),
    ]);
    insta::assert_snapshot!(said("plan.json", &text, Some(API)), @r"
    locks-out last-admin-removed aws_eks_access_policy_association.a at -, role/admin: role/admin is the last administrator known here. Without it only the cluster's creator, the identity that made it, gets in as administrator, and no list shows who that is.
    role/admin changes, unclaimed
    ");
}

#[test]
fn a_template_of_another_cluster_is_not_compared() {
    let text = "Resources:\n  E: {Type: AWS::EKS::AccessEntry, Properties: {ClusterName: other, PrincipalArn: arn:aws:iam::111122223333:role/a, KubernetesGroups: [g]}}\n";
    insta::assert_snapshot!(said("t.yaml", text, Some(API)), @"warning wrong-cluster - at -, -: t.yaml is for other, and the state is of demo: nothing was compared.");
}

#[test]
fn a_role_that_the_stack_makes_may_be_one_that_is_there() {
    // The stack made `app-Team4FA30A25-1ABCDEF` before; whether it is this one is known only after the deploy.
    let state = CONFIG_MAP.replace("role/team\n", "role/app-Team4FA30A25-1ABCDEF\n");
    let text = r#"
Resources:
  Team4FA30A25: {Type: AWS::IAM::Role}
  Map:
    Type: Custom::AWSCDK-EKS-KubernetesResource
    Properties:
      ClusterName: demo
      Overwrite: true
      Manifest: !Sub |
        [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "aws-auth", "namespace": "kube-system"},
          "data": {"mapRoles": "[{\"rolearn\": \"${Team4FA30A25.Arn}\", \"username\": \"team\", \"groups\": [\"team\"]},
            {\"rolearn\": \"arn:aws:iam::111122223333:role/nodes\", \"username\": \"system:node:{{EC2PrivateDNSName}}\", \"groups\": [\"system:bootstrappers\", \"system:nodes\"]}]",
            "mapUsers": "[{\"userarn\": \"arn:aws:iam::111122223333:user/root\", \"username\": \"root\", \"groups\": [\"system:masters\"]}]"}}]
"#;
    insta::assert_snapshot!(said("t.yaml", text, Some(&state)), @r"
    breaks-cluster fargate-role-not-mapped Map at Manifest[0].data, role/pods: After this change: role/pods is used by Fargate profile fp and has no working entry in aws-auth: its pods stay pending.
    breaks-cluster removal-of-eks-owned-entry Map at Manifest[0].data, role/pods: The entry for role/pods is one that EKS writes itself, for Fargate profile fp.
    breaks-cluster role-still-in-use Map at Manifest[0].data, role/pods: role/pods is used by Fargate profile fp, and would lose its entry.
    info map-content-unknown Map at Manifest[0].data, role/app-Team4FA30A25-1ABCDEF: Who role/${Team4FA30A25} is, is known only after the deploy. If it is role/app-Team4FA30A25-1ABCDEF, that one keeps what it has; else role/app-Team4FA30A25-1ABCDEF loses access.
    role/pods loses, eks
    ");
}

#[test]
fn tags_tell_what_a_stack_deletes_and_moves() {
    let tagged = |role: &str, id: &str| {
        format!(
            r#"{{"accessEntry": {{"clusterName": "demo", "principalArn": "{ROLE}/{role}", "type": "STANDARD",
              "username": "{role}", "kubernetesGroups": ["g"], "tags": {{"aws:cloudformation:stack-name": "teams",
              "aws:cloudformation:logical-id": "{id}"}}}}}}
---
"#
        )
    };
    let state = format!(
        "{}{}{}{API}",
        tagged("kept", "Kept"),
        tagged("moved", "Old"),
        tagged("dropped", "Dropped")
    );
    let entry = |id: &str, role: &str| {
        format!(
            "  {id}: {{Type: AWS::EKS::AccessEntry, Properties: {{ClusterName: demo, PrincipalArn: {ROLE}/{role}, Username: {role}, KubernetesGroups: [g]}}}}\n"
        )
    };
    let text = format!(
        "Resources:\n{}{}",
        entry("Kept", "kept"),
        entry("New", "moved")
    );
    let other = format!("Resources:\n{}", entry("Theirs", "kept"));
    insta::assert_snapshot!(said("t.yaml", &other, Some(&state)), @"breaks-workload replacement-same-principal Theirs at -, role/kept: `Kept` of the stack teams still has the access entry for role/kept: CloudFormation makes `Theirs` first, and EKS refuses it with 409.");
    insta::assert_snapshot!(said("t.yaml", &text, Some(&state)), @r"
    locks-out moved-entry-will-be-deleted New at -, role/moved: The access entry for role/moved was only moved, from the logical id `Old` to `New`, and the one under `Old` would be deleted. Keep the logical id.
    breaks-workload replacement-same-principal New at -, role/moved: `Old` still has the access entry for role/moved: CloudFormation makes `New` first, and EKS refuses it with 409.
    role/dropped loses, unclaimed
    ");
}

#[test]
fn a_role_made_anew_leaves_its_entry_bound_to_the_old_one() {
    let role = |path: &str| json!({"arn": format!("{ROLE}/nodes"), "name": "nodes", "path": path});
    let mut after = role("/");
    after["arn"] = Value::Null;
    let text = plan(vec![
        change(
            "aws_iam_role.nodes",
            &["delete", "create"],
            role("/"),
            after,
            json!({"arn": true}),
        ),
        change(
            "aws_eks_access_entry.nodes",
            &["no-op"],
            entry("nodes", "EC2_LINUX"),
            entry("nodes", "EC2_LINUX"),
            json!({}),
        ),
    ]);
    insta::assert_snapshot!(said("plan.json", &text, Some(API)), @"breaks-cluster stale-principal aws_iam_role.nodes at -, role/nodes: The role role/nodes would be made anew, and its access entry stays bound to the old one: it lets nobody in any more. Replace the entry too (`replace_triggered_by`).");
}

#[test]
fn a_new_profile_is_taken_out_of_a_map_that_is_held_as_a_whole() {
    let profile = json!({"cluster_name": "demo", "fargate_profile_name": "new", "pod_execution_role_arn": format!("{ROLE}/new-pods")});
    let text = plan(vec![
        change(
            "kubernetes_config_map.aws_auth",
            &["no-op"],
            map(NODES),
            map(NODES),
            json!({}),
        ),
        change(
            "aws_eks_fargate_profile.new",
            &["create"],
            Value::Null,
            profile.clone(),
            json!({}),
        ),
    ]);
    insta::assert_snapshot!(said("plan.json", &text, None), @"warning whole-map-writer aws_eks_fargate_profile.new at pod_execution_role_arn, role/new-pods: EKS adds an entry for role/new-pods to aws-auth, all of which `kubernetes_config_map.aws_auth` holds: the next plan takes it out again, and its pods stay pending. Write the entry there too.");
    let there = change(
        "aws_eks_fargate_profile.fp",
        &["create"],
        Value::Null,
        json!({"cluster_name": "demo", "fargate_profile_name": "fp", "pod_execution_role_arn": format!("{ROLE}/pods")}),
        json!({}),
    );
    insta::assert_snapshot!(said("plan.json", &plan(vec![there]), Some(CONFIG_MAP)), @"breaks-workload replacement-same-principal aws_eks_fargate_profile.fp at -, role/pods: There is a Fargate profile fp already: EKS refuses the new one with 409. Take it into the state with `terraform import 'aws_eks_fargate_profile.fp' 'demo:fp'`.");
}

#[test]
fn the_mode_changes_under_entries_that_differ() {
    let mode =
        |mode: &str| json!({"name": "demo", "access_config": [{"authentication_mode": mode}]});
    let state = CONFIG_MAP.replace("CONFIG_MAP", "API_AND_CONFIG_MAP");
    let mut team = entry("team", "STANDARD");
    team["kubernetes_groups"] = json!(["other"]);
    team["user_name"] = json!("team");
    let text = plan(vec![
        change(
            "aws_eks_cluster.demo",
            &["update"],
            mode("API_AND_CONFIG_MAP"),
            mode("API"),
            json!({}),
        ),
        change(
            "aws_eks_access_entry.team",
            &["create"],
            Value::Null,
            team,
            json!({}),
        ),
    ]);
    insta::assert_snapshot!(said("plan.json", &text, Some(&state)), @r"
    breaks-cluster fargate-role-not-mapped aws_eks_cluster.demo at -, role/pods: After this change: role/pods is used by Fargate profile fp and has no access entry that serves it: its pods stay pending.
    breaks-cluster node-role-not-in-map aws_eks_cluster.demo at -, role/nodes: After this change: role/nodes is used by node group ng and has no access entry that serves it: its nodes cannot join, and those that run turn NotReady.
    breaks-cluster removal-of-eks-owned-entry aws_eks_cluster.demo at -, role/nodes: The entry for role/nodes is one that EKS writes itself, for node group ng.
    breaks-cluster removal-of-eks-owned-entry aws_eks_cluster.demo at -, role/pods: The entry for role/pods is one that EKS writes itself, for Fargate profile fp.
    breaks-cluster role-still-in-use aws_eks_cluster.demo at -, role/nodes: role/nodes is used by node group ng, and would lose its entry.
    breaks-cluster role-still-in-use aws_eks_cluster.demo at -, role/pods: role/pods is used by Fargate profile fp, and would lose its entry.
    locks-out last-admin-removed aws_eks_cluster.demo at -, user/root: user/root is the last administrator known here. Without it only the cluster's creator, the identity that made it, gets in as administrator, and no list shows who that is.
    breaks-cluster entry-not-migrated aws_eks_cluster.demo at access_config[0].authentication_mode, role/nodes: role/nodes gets in by mapRoles[0] only, and would have no access entry when aws-auth is no longer read. The switch to API cannot be undone. Make the entry first.
    breaks-cluster entry-not-migrated aws_eks_cluster.demo at access_config[0].authentication_mode, role/pods: role/pods gets in by mapRoles[1] only, and would have no access entry when aws-auth is no longer read. The switch to API cannot be undone. Make the entry first.
    locks-out entry-not-migrated aws_eks_cluster.demo at access_config[0].authentication_mode, user/root: user/root gets in by mapUsers[0] only, and would have no access entry when aws-auth is no longer read. The switch to API cannot be undone. Make the entry first.
    silent-wrong entry-differs aws_eks_cluster.demo at access_config[0].authentication_mode, role/team: role/team has an access entry that gives something else than mapRoles[2]: groups other instead of team.
    role/nodes loses, eks
    role/pods loses, eks
    role/team changes, unclaimed
    user/root loses, unclaimed
    ");
    let back = plan(vec![change(
        "aws_eks_cluster.demo",
        &["update"],
        mode("API"),
        mode("API_AND_CONFIG_MAP"),
        json!({}),
    )]);
    insta::assert_snapshot!(said("plan.json", &back, None), @"silent-wrong mode-change-refused aws_eks_cluster.demo at access_config[0].authentication_mode, -: EKS never changes the authentication mode from API to API_AND_CONFIG_MAP: there is no way back.");
}

#[test]
fn associations_are_judged_like_entries() {
    let association = |role: &str| json!({"cluster_name": "demo", "namespace": "shop", "service_account": "orders", "role_arn": role});
    let text = plan(vec![
        change(
            "aws_eks_pod_identity_association.a",
            &["create"],
            Value::Null,
            association("arn:aws:iam::444455556666:role/x"),
            json!({}),
        ),
        change(
            "aws_eks_pod_identity_association.b",
            &["create"],
            Value::Null,
            association("arn:aws:iam::111122223333:user/x"),
            json!({}),
        ),
        change(
            "aws_eks_pod_identity_association.c",
            &["delete", "create"],
            association(&format!("{ROLE}/x")),
            association(&format!("{ROLE}/x")),
            json!({}),
        ),
        change(
            "aws_eks_addon.d",
            &["create"],
            Value::Null,
            json!({"cluster_name": "demo", "addon_name": "aws-ebs-csi-driver",
            "pod_identity_association": [{"service_account": "ebs-csi-controller-sa", "role_arn": format!("{ROLE}/x")}]}),
            json!({}),
        ),
        change(
            "aws_eks_pod_identity_association.e",
            &["create"],
            Value::Null,
            json!({"cluster_name": "demo", "namespace": "kube-system",
            "service_account": "ebs-csi-controller-sa", "role_arn": ""}),
            json!({}),
        ),
    ]);
    insta::assert_snapshot!(said("plan.json", &text, Some(API)), @r"
    breaks-workload association-cross-account aws_eks_pod_identity_association.a at role_arn, -: The role is in account 444455556666, and the cluster in 111122223333: EKS refuses the association. Give a role of 111122223333, and the other one as target role (`TargetRoleArn`, `targetRoleArn`), which must trust it with sts:AssumeRole and sts:TagSession.
    breaks-workload replacement-same-principal aws_eks_pod_identity_association.b at -, -: `aws_eks_pod_identity_association.a` and `aws_eks_pod_identity_association.b` declare the same Pod Identity association, shop/orders: EKS refuses the second with 409.
    breaks-workload entry-invalid aws_eks_pod_identity_association.b at role_arn, -: `user/x` is not the ARN of a role, which an association needs.
    breaks-workload replacement-gap aws_eks_pod_identity_association.c at -, -: The Pod Identity association shop/orders would be deleted and then made anew: in between new pods get no credentials.
    breaks-workload replacement-same-principal aws_eks_pod_identity_association.c at -, -: `aws_eks_pod_identity_association.a` and `aws_eks_pod_identity_association.c` declare the same Pod Identity association, shop/orders: EKS refuses the second with 409.
    breaks-workload addon-cannot-adopt-association aws_eks_addon.d at pod_identity_association[0].service_account, -: `aws_eks_pod_identity_association.e` makes an association for kube-system/ebs-csi-controller-sa too, and an add-on cannot take one over: EKS refuses the second with 409. Leave the association to the add-on, or leave it out here.
    breaks-workload entry-invalid aws_eks_pod_identity_association.e at role_arn, -: The association names no role.
    ");
}

#[test]
fn an_entry_decides_instead_of_what_a_template_maps() {
    let state = API.replace("\"API\"", "\"API_AND_CONFIG_MAP\"");
    let text = r#"{"Resources": {"Map": {"Type": "Custom::AWSCDK-EKS-KubernetesResource", "Properties": {"ClusterName": "demo", "Overwrite": true,
      "Manifest": "[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"aws-auth\",\"namespace\":\"kube-system\"},\"data\":{\"mapRoles\":\"[{\\\"rolearn\\\":\\\"arn:aws:iam::111122223333:role/admin\\\",\\\"username\\\":\\\"a\\\",\\\"groups\\\":[\\\"x\\\"]}]\"}}]"}},
      "Profile": {"Type": "AWS::EKS::FargateProfile", "Properties": {"ClusterName": "demo", "PodExecutionRoleArn": "arn:aws:iam::111122223333:role/pods"}}}}"#;
    insta::assert_snapshot!(said("t.json", text, Some(&state)), @r"
    warning fargate-role-not-in-aws-auth Map at Manifest[0].data, role/pods: After this change: role/pods has an access entry (FARGATE_LINUX) but no entry in aws-auth, and is used by Fargate profile Profile. Pods have been reported to stay pending in this mode until the role stands in both: add it to mapRoles, without path.
    silent-wrong shadowed-by-access-entry Map at Manifest[0].data.mapRoles[0], role/admin: An access entry for the same principal decides instead: username `admin`, AmazonEKSClusterAdminPolicy.
    role/pods gains, unclaimed
    ");
}
