//! A template that writes the map is judged like a manifest that does: one function decides, whatever carries the text.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use accord_engine::examine::{self, Examined};
use accord_engine::input::Input;
use accord_model::observed::Observed;
use accord_model::plan::Change;
use accord_model::time::Timestamp;
use accord_plan::{against, deploy};
use accord_wire::sources::Sources;
use accord_wire::state::StateFile;
use proptest::prelude::*;
use serde_json::json;

/// One entry: a role's number, its path, and which identity it has.
type Entry = (u8, bool, u8);

fn roles(entries: &[Entry]) -> String {
    let list: Vec<serde_json::Value> = entries
        .iter()
        .map(|(role, path, identity)| {
            let path = if *path { "p/" } else { "" };
            let (username, groups) = match identity % 4 {
                0 => (
                    "system:node:{{EC2PrivateDNSName}}",
                    vec!["system:bootstrappers", "system:nodes"],
                ),
                1 => ("admin", vec!["system:masters"]),
                2 => ("a", vec!["a", "b"]),
                _ => ("a", vec!["b"]),
            };
            json!({
                "rolearn": format!("arn:aws:iam::111122223333:role/{path}r{role}"),
                "username": username, "groups": groups,
            })
        })
        .collect();
    serde_json::Value::from(list).to_string()
}

fn manifest(entries: &[Entry]) -> serde_json::Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "aws-auth", "namespace": "kube-system"},
        "data": {"mapRoles": roles(entries), "mapUsers": "[]"},
    })
}

fn live(entries: &[Entry], sources: &mut Sources) -> Observed {
    let cluster = json!({"cluster": {"name": "demo", "arn": "arn:aws:eks:eu-west-1:111122223333:cluster/demo",
        "accessConfig": {"authenticationMode": "CONFIG_MAP"}}});
    let group = json!({"nodegroup": {"nodegroupName": "ng", "clusterName": "demo",
        "nodeRole": "arn:aws:iam::111122223333:role/r0"}});
    let text = format!("{}\n---\n{cluster}\n---\n{group}\n", manifest(entries));
    let file = StateFile::parse("live.yaml", text.as_bytes(), sources).unwrap();
    file.observed(Timestamp::default(), &[], sources).unwrap()
}

/// Changes without what is told of them, and kinds of findings with whom they are about.
fn bare(
    changes: &[Change],
    findings: &[accord_model::finding::Finding],
) -> (Vec<String>, Vec<String>) {
    let mut told: Vec<String> = changes
        .iter()
        .map(|c| {
            format!(
                "{} {:?} {:?} {} {}",
                c.principal, c.before, c.after, c.admin, c.owner
            )
        })
        .collect();
    told.sort();
    let mut kinds: Vec<String> = findings
        .iter()
        .map(|f| format!("{} {:?} {}", f.kind, f.principal, f.severity))
        .collect();
    kinds.sort();
    kinds.dedup();
    (told, kinds)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_template_and_a_manifest_are_judged_alike(
        before in prop::collection::vec((0u8..5, any::<bool>(), any::<u8>()), 0..6),
        after in prop::collection::vec((0u8..5, any::<bool>(), any::<u8>()), 0..6),
        joined in any::<bool>(),
    ) {
        let mut sources = Sources::new();
        let observed = live(&before, &mut sources);
        let text = json!([manifest(&after)]).to_string();
        let value = match joined {
            // The account is filled in by the target.
            true => {
                let parts: Vec<serde_json::Value> = text
                    .split("111122223333")
                    .flat_map(|part| [json!(part), json!({"Ref": "AWS::AccountId"})])
                    .collect();
                json!({"Fn::Join": ["", parts[..parts.len() - 1]]})
            }
            false => json!(text),
        };
        let template = json!({"Resources": {"Map": {
            "Type": "Custom::AWSCDK-EKS-KubernetesResource",
            "Properties": {"Manifest": value, "ClusterName": "demo", "Overwrite": true},
        }}});
        let mut read = |name: &str, text: String| {
            let input = Input { name: name.into(), bytes: text.into_bytes() };
            examine::read(&input, &[], Some(&observed), Timestamp::default(), &mut sources).unwrap()
        };
        let Examined::Deploy(deploy) = read("t.json", template.to_string()) else {
            panic!("not a template");
        };
        let manifest = read("m.json", manifest(&after).to_string());
        let outlook = deploy::judge(std::slice::from_ref(&*deploy), Some(&observed), None).unwrap();
        let map = &manifest.aws_auth().unwrap().map;
        let replacement = against::against(&observed, Some(map), None).unwrap();
        let mut findings = manifest.findings(Some(&observed));
        findings.extend(replacement.findings);
        prop_assert_eq!(bare(&outlook.changes, &outlook.findings), bare(&replacement.changes, &findings));
    }
}
