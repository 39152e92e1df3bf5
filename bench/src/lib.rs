//! Inputs for measuring: maps and state files of any size, the same on every run.
//!
//! An entry is what people have in large maps: a role, a username and one group in block style, about 89 bytes, so
//! that 5,000 of them make 447 kB, near the half of what the API server takes.

use std::fmt::Write as _;

/// The sizes at which maps are measured.
pub const SIZES: [usize; 4] = [10, 500, 5_000, 10_000];

/// The principal of entry `i`.
pub fn principal(i: usize) -> String {
    format!("arn:aws:iam::111122223333:role/team-{i:05}")
}

/// The text of `mapRoles` with `entries` entries.
pub fn roles(entries: usize) -> String {
    let mut text = String::new();
    for i in 0..entries {
        let _ = write!(
            text,
            "- rolearn: {}\n  username: u{i:05}\n  groups:\n  - g{}\n",
            principal(i),
            i % 100
        );
    }
    text
}

/// A state file whose `aws-auth` has `entries` entries.
pub fn state(entries: usize) -> String {
    let mut text = String::from(
        "cluster:\n  name: large\n  arn: arn:aws:eks:eu-central-1:111122223333:cluster/large\n  accessConfig:\n    \
         authenticationMode: CONFIG_MAP\n---\n",
    );
    config_map(&mut text, "  name: aws-auth\n", entries);
    text
}

/// The same, and a fragment that claims the first `claims` principals of such maps.
pub fn claimed_state(entries: usize, claims: usize) -> String {
    let mut text = state(entries);
    text.push_str("---\n");
    let name = "  name: accord-team\n  labels:\n    accord.dev/aws-auth: fragment\n";
    config_map(&mut text, name, claims);
    text
}

/// A template of at least `bytes` bytes for the same cluster, as the CDK prints them: the map with 1,000 of its entries in
/// a manifest, access entries, and roles with policies that concern nobody here.
pub fn template(bytes: usize) -> String {
    let entries: Vec<String> = (0..1_000)
        .map(|i| {
            let role = principal(i);
            format!(r#"{{\\\"rolearn\\\":\\\"{role}\\\",\\\"username\\\":\\\"u{i:05}\\\",\\\"groups\\\":[\\\"g\\\"]}}"#)
        })
        .collect();
    let mut text = format!(
        r#"{{
 "Resources": {{
  "Map": {{
   "Type": "Custom::AWSCDK-EKS-KubernetesResource",
   "Properties": {{
    "Manifest": "[{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"aws-auth\",\"namespace\":\"kube-system\"}},\"data\":{{\"mapRoles\":\"[{}]\"}}}}]",
    "ClusterName": "large",
    "Overwrite": true
   }}
  }}"#,
        entries.join(",")
    );
    let mut i = 0;
    while text.len() < bytes {
        let _ = write!(
            text,
            r#",
  "Role{i}": {{
   "Type": "AWS::IAM::Role",
   "Properties": {{
    "AssumeRolePolicyDocument": {{
     "Statement": [{{"Action": "sts:AssumeRole", "Effect": "Allow", "Principal": {{"Service": "ec2.amazonaws.com"}}}}]
    }},
    "Policies": [{{
     "PolicyName": "all",
     "PolicyDocument": {{
      "Statement": [{{
       "Action": ["s3:GetObject", "s3:PutObject"],
       "Resource": {{"Fn::Join": ["", ["arn:", {{"Ref": "AWS::Partition"}}, ":s3:::bucket-{i}/*"]]}}
      }}]
     }}
    }}]
   }}
  }},
  "Entry{i}": {{
   "Type": "AWS::EKS::AccessEntry",
   "Properties": {{
    "ClusterName": "large",
    "PrincipalArn": {{"Fn::GetAtt": ["Role{i}", "Arn"]}},
    "KubernetesGroups": ["g{i}"]
   }}
  }}"#
        );
        i += 1;
    }
    text.push_str("\n }\n}\n");
    text
}

/// A plan of at least `bytes` bytes, as Terraform prints them: access entries that are made and changed.
pub fn plan(bytes: usize) -> String {
    let mut text = String::from(
        r#"{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":["#,
    );
    let mut i = 0;
    while text.len() < bytes {
        if i > 0 {
            text.push(',');
        }
        let role = principal(i);
        let _ = write!(
            text,
            r#"{{"address":"module.eks.aws_eks_access_entry.this[\"team-{i}\"]","module_address":"module.eks","mode":"managed","type":"aws_eks_access_entry","name":"this","index":"team-{i}","provider_name":"example.com/hashicorp/aws","change":{{"actions":["create"],"before":null,"after":{{"cluster_name":"large","principal_arn":"{role}","kubernetes_groups":["g{i}"],"tags":null,"timeouts":null,"type":"STANDARD"}},"after_unknown":{{"access_entry_arn":true,"created_at":true,"id":true,"modified_at":true,"tags_all":true,"user_name":true}},"before_sensitive":false,"after_sensitive":{{}}}}}}"#
        );
        i += 1;
    }
    text.push_str("]}");
    text
}

/// Appends a ConfigMap in `kube-system` with `mapRoles`.
fn config_map(text: &mut String, metadata: &str, entries: usize) {
    text.push_str("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  namespace: kube-system\n");
    text.push_str(metadata);
    text.push_str("data:\n  mapRoles: |\n");
    for line in roles(entries).lines() {
        let _ = writeln!(text, "    {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_thousand_entries_are_447_kilobytes() {
        let size = roles(5_000).len();
        assert!((440_000..455_000).contains(&size), "{size}");
    }
}
