//! How the targets take a section of `aws-auth` from their input, and a cluster to judge deploys on.

use accord_model::mapping::SectionName;
use accord_model::observed::Observed;
use accord_model::time::Timestamp;
use accord_wire::sources::Sources;
use accord_wire::state::StateFile;

/// The section that the input's first letter names (`r`, `u` or `a`), and its text.
pub fn section(input: &str) -> Option<(SectionName, &str)> {
    let (name, text) = input.split_at_checked(1)?;
    let name = match name {
        "r" => SectionName::Roles,
        "u" => SectionName::Users,
        "a" => SectionName::Accounts,
        _ => return None,
    };
    Some((name, text))
}

/// A cluster with a map, access entries and compute.
pub fn cluster(sources: &mut Sources) -> Observed {
    let file = StateFile::parse("cluster.yaml", CLUSTER.as_bytes(), sources);
    let file = file.expect("the cluster is a state file");
    let now = Timestamp {
        millis: 1_800_000_000_000,
    };
    file.observed(now, &[], sources)
        .expect("the cluster can be observed")
}

const CLUSTER: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: aws-auth, namespace: kube-system}
data:
  mapRoles: |
    - {rolearn: arn:aws:iam::111122223333:role/nodes, username: "system:node:{{EC2PrivateDNSName}}", groups: [system:bootstrappers, system:nodes]}
    - {rolearn: arn:aws:iam::111122223333:role/platform-admin, username: admin, groups: [system:masters]}
  mapAccounts: '["111122223333"]'
---
{"cluster": {"name": "demo", "arn": "arn:aws:eks:eu-west-1:111122223333:cluster/demo", "accessConfig": {"authenticationMode": "API_AND_CONFIG_MAP"}}}
---
{"nodegroups": ["ng"]}
---
{"nodegroup": {"nodegroupName": "ng", "nodeRole": "arn:aws:iam::111122223333:role/nodes"}}
---
{"accessEntry": {"principalArn": "arn:aws:iam::111122223333:role/ops", "type": "STANDARD", "username": "ops", "kubernetesGroups": ["ops"],
  "tags": {"aws:cloudformation:stack-name": "s", "aws:cloudformation:logical-id": "Ops"}}}
---
{"accessEntry": {"principalArn": "arn:aws:iam::111122223333:role/nodes", "type": "EC2_LINUX"}}
---
{"Roles": [{"Arn": "arn:aws:iam::111122223333:role/teams/ops"}]}
"#;
