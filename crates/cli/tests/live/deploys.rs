//! What `check` says of a deploy, and what the deploy then does: the tools' own commands on a real API server.

use std::process::Command;

use accord_testkit::ADMIN;
use serde_json::Value;

use crate::world::{Access, World, changed};

/// A map that several have written to: EKS for nodes and a Fargate profile, people by hand.
const MAP: &str = "apiVersion: v1
kind: ConfigMap
metadata:
  name: aws-auth
  namespace: kube-system
data:
  mapRoles: |
    - rolearn: arn:aws:iam::111122223333:role/nodes
      username: system:node:{{EC2PrivateDNSName}}
      groups: [system:bootstrappers, system:nodes]
    - rolearn: arn:aws:iam::111122223333:role/pods-c
      username: system:node:{{SessionName}}
      groups: [system:bootstrappers, system:nodes, system:node-proxier]
    - rolearn: arn:aws:iam::111122223333:role/platform-admin
      username: admin
      groups: [system:masters]
  mapUsers: |
    - userarn: arn:aws:iam::111122223333:user/dana
      username: dana
      groups: [analysts]
";

/// What EKS knows of the cluster.
const FACTS: &str = r#"{"cluster": {"name": "demo", "arn": "arn:aws:eks:eu-west-1:111122223333:cluster/demo",
  "accessConfig": {"authenticationMode": "CONFIG_MAP"}}}
---
{"nodegroups": ["ng"]}
---
{"nodegroup": {"nodegroupName": "ng", "clusterName": "demo", "nodeRole": "arn:aws:iam::111122223333:role/nodes"}}
---
{"fargateProfileNames": ["c"]}
---
{"fargateProfile": {"fargateProfileName": "c", "clusterName": "demo",
  "podExecutionRoleArn": "arn:aws:iam::111122223333:role/pods-c"}}
"#;

/// The team's own declaration.
const TEAM: &str =
    "- rolearn: arn:aws:iam::111122223333:role/team\n  username: team\n  groups: [team]\n";

/// The manifest of the CDK's `AwsAuth` with one role of its own, as the construct renders it.
const MANIFEST: &str = r#"[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"aws-auth","namespace":"kube-system","labels":{"aws.cdk.eks/prune-c8042c56786f6c103203994ce7059306625de45988":""}},"data":{"mapRoles":"[{\"rolearn\":\"arn:aws:iam::111122223333:role/platform-admin\",\"username\":\"arn:aws:iam::111122223333:role/platform-admin\",\"groups\":[\"system:masters\"]},{\"rolearn\":\"arn:aws:iam::111122223333:role/cdk-dev\",\"username\":\"dev\",\"groups\":[\"devs\"]}]","mapUsers":"[]","mapAccounts":"[]"}}]"#;

fn principals() -> Vec<String> {
    [
        "role/nodes",
        "role/pods-c",
        "role/platform-admin",
        "role/team",
        "role/cdk-dev",
        "role/tf",
        "user/dana",
    ]
    .iter()
    .map(|name| format!("arn:aws:iam::111122223333:{name}"))
    .collect()
}

/// The changes that `check` predicts, as what each principal has afterwards.
fn predicted(report: &Value) -> Access {
    let changes = report["changes"].as_array().unwrap().iter().map(|change| {
        let after = &change["after"];
        let groups = after["groups"].as_array().cloned().unwrap_or_default();
        let mut groups: Vec<String> = groups
            .iter()
            .map(|g| g.as_str().unwrap().to_owned())
            .collect();
        groups.sort();
        let username = after["username"].as_str().unwrap_or_default().to_owned();
        let has = (!after.is_null()).then_some((username, groups));
        (change["principal"].as_str().unwrap().to_owned(), has)
    });
    changes.collect()
}

#[test]
fn the_handlers_commands_do_to_the_map_what_was_said_and_sync_heals_it() {
    let server = accord_testkit::server();
    let world = World::of(&server);
    server.kubectl_with_input(&["apply", "-f", "-"], MAP).ok();
    world.write("facts.yaml", FACTS);
    world.write("team.yaml", TEAM);
    world.accord(
        &["apply", "-f", "team.yaml", "--owner", "team", "--yes"],
        &[0],
    );
    let adopt = [
        "adopt",
        "--owner",
        "platform",
        "--yes",
        "--principal",
        "arn:aws:iam::111122223333:role/nodes",
        "--principal",
        "arn:aws:iam::111122223333:role/pods-c",
        "--principal",
        "arn:aws:iam::111122223333:user/dana",
    ];
    world.accord(&adopt, &[0]);
    world.snapshot("before.yaml");
    let all = principals();
    let before = world.access("before.yaml", &all);

    let manifest = serde_json::to_string(MANIFEST).unwrap();
    let template = format!(
        r#"{{"Resources": {{"DemoAwsAuthmanifest1F72A8CF": {{"Type": "Custom::AWSCDK-EKS-KubernetesResource",
            "Properties": {{"Manifest": {manifest}, "ClusterName": "demo", "Overwrite": true}}}}}}}}"#
    );
    world.write("template.json", template);
    let check = [
        "check",
        "template.json",
        "--against",
        "before.yaml",
        "--facts",
        "facts.yaml",
        "-o",
        "json",
    ];
    let report = world.json(&check, &[4]);
    let kinds: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["kind"].as_str().unwrap())
        .collect();
    for kind in [
        "removal-of-eks-owned-entry",
        "role-still-in-use",
        "node-role-not-in-map",
        "fargate-role-not-mapped",
    ] {
        assert!(kinds.contains(&kind), "{kind} in {kinds:?}");
    }

    // Create with Overwrite, as the handler does it: it writes the objects one behind the other, and applies.
    let objects: Vec<Value> = serde_json::from_str(MANIFEST).unwrap();
    let lines: Vec<String> = objects.iter().map(Value::to_string).collect();
    world.write("manifest.json", lines.join("\n"));
    let file = world.path("manifest.json");
    server
        .kubectl(&["apply", "-f", file.to_str().unwrap()])
        .ok();
    world.snapshot("after.yaml");
    let after = world.access("after.yaml", &all);
    assert_eq!(changed(&before, &after), predicted(&report));
    assert_eq!(changed(&before, &after).len(), 6, "{after:?}");

    // Every claimed entry comes back; what the CDK wrote for others stays.
    world.accord(&["sync", "--yes"], &[0]);
    world.snapshot("healed.yaml");
    let healed = world.access("healed.yaml", &all);
    let mut left: Vec<String> = changed(&before, &healed).into_keys().collect();
    left.sort();
    assert_eq!(
        left,
        [
            "arn:aws:iam::111122223333:role/cdk-dev",
            "arn:aws:iam::111122223333:role/platform-admin"
        ]
    );
}

/// Terraform with its Kubernetes provider, in a folder of its own.
struct Terraform<'w, 's> {
    world: &'w World<'s>,
    config: std::path::PathBuf,
}

impl Terraform<'_, '_> {
    fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new("terraform")
            .args(arguments)
            .current_dir(self.world.folder())
            .env("TF_CLI_CONFIG_FILE", &self.config)
            .env("TF_IN_AUTOMATION", "1")
            .env("CHECKPOINT_DISABLE", "1")
            .output()
            .unwrap_or_else(|error| panic!("terraform is needed on the PATH: {error}"));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "terraform {arguments:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Plans, and writes what `terraform show -json` prints.
    fn plan(&self, name: &str) {
        self.run(&["plan", "-input=false", "-no-color", "-out=tfplan"]);
        let shown = self.run(&["show", "-json", "tfplan"]);
        self.world.write(name, shown);
    }
}

#[test]
fn terraforms_plan_does_to_the_map_what_was_said() {
    let server = accord_testkit::server();
    let world = World::of(&server);
    let provider = std::env::var("ACCORD_TERRAFORM_PROVIDERS").unwrap_or_else(|_| {
        panic!("ACCORD_TERRAFORM_PROVIDERS is not set: run `cargo xtask test`, or first `eval \"$(cargo xtask envtest)\"`")
    });
    world.write(
        "terraform.rc",
        format!("provider_installation {{\n  dev_overrides {{ \"example.com/test/kubernetes\" = \"{provider}\" }}\n  direct {{}}\n}}\n"),
    );
    let terraform = Terraform {
        world: &world,
        config: world.path("terraform.rc"),
    };
    let main = |data: &str| {
        format!(
            "terraform {{\n  required_providers {{ kubernetes = {{ source = \"example.com/test/kubernetes\" }} }}\n}}\n\
             provider \"kubernetes\" {{ config_path = \"{}\" }}\n\
             resource \"kubernetes_config_map\" \"aws_auth\" {{\n  metadata {{\n    name = \"aws-auth\"\n    \
             namespace = \"kube-system\"\n  }}\n  data = {{ mapRoles = <<-EOT\n{data}    EOT\n  }}\n}}\n",
            server.kubeconfig(ADMIN).display()
        )
    };
    let own = "    - rolearn: arn:aws:iam::111122223333:role/tf\n      username: tf\n      groups: [tf]\n";
    world.write("main.tf", main(own));
    world.write("facts.yaml", FACTS);
    terraform.plan("create.json");
    terraform.run(&["apply", "-input=false", "-auto-approve", "tfplan"]);
    // EKS and people write beside it.
    server.kubectl_with_input(&["apply", "-f", "-"], MAP).ok();
    world.snapshot("before.yaml");
    let all = principals();
    let before = world.access("before.yaml", &all);

    // The next plan takes all of that out again.
    terraform.plan("update.json");
    let check = [
        "check",
        "update.json",
        "--against",
        "before.yaml",
        "--facts",
        "facts.yaml",
        "-o",
        "json",
    ];
    let report = world.json(&check, &[4]);
    terraform.run(&["apply", "-input=false", "-auto-approve", "tfplan"]);
    world.snapshot("after.yaml");
    let after = world.access("after.yaml", &all);
    assert_eq!(changed(&before, &after), predicted(&report));
    assert_eq!(changed(&before, &after).len(), 5, "{after:?}");

    // What is destroyed is the whole object.
    world.write("main.tf", main(own).split("resource").next().unwrap());
    terraform.plan("destroy.json");
    let check = [
        "check",
        "destroy.json",
        "--against",
        "after.yaml",
        "--facts",
        "facts.yaml",
        "-o",
        "json",
    ];
    let report = world.json(&check, &[4]);
    let destroyed = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["kind"] == "map-destroyed");
    let message = destroyed.unwrap()["message"].as_str().unwrap();
    assert!(
        message.contains("terraform state rm 'kubernetes_config_map.aws_auth'"),
        "{message}"
    );
    terraform.run(&["apply", "-input=false", "-auto-approve", "tfplan"]);
    let gone = server
        .kubectl(&["get", "configmap", "aws-auth", "--namespace=kube-system"])
        .err();
    assert!(gone.contains("NotFound"), "{gone}");
}
