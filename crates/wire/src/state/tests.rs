use accord_model::claim::{Admission, Owner};
use accord_model::facts::AuthenticationMode;
use accord_model::mapping::SectionName;
use accord_model::observed::{LedgerRead, Observed};
use accord_model::reading::{LossCause, SectionState};
use accord_model::time::Timestamp;
use proptest::prelude::*;

use super::StateFile;
use crate::sources::Sources;

const NOW: Timestamp = Timestamp {
    millis: 1_793_620_800_000,
};

fn parse(text: &str) -> Result<StateFile, String> {
    StateFile::parse("s.yaml", text.as_bytes(), &mut Sources::new()).map_err(|e| e.to_string())
}

fn observed(text: &str) -> (Observed, Sources) {
    let mut sources = Sources::new();
    let file = StateFile::parse("s.yaml", text.as_bytes(), &mut sources).unwrap();
    (file.observed(NOW, &[], &mut sources).unwrap(), sources)
}

const CLUSTER: &str = r#"# a cluster
apiVersion: v1
kind: ConfigMap
metadata:
  name: aws-auth
  namespace: kube-system
  managedFields:
  - manager: vpcLambda
    operation: Update
    time: "2026-11-01T00:00:00Z"
    fieldsV1:
      f:data:
        .: {}
        f:mapRoles: {}
data:
  mapRoles: |
    - rolearn: arn:aws:iam::111122223333:role/a
      username: a
  mapAccounts: "- '012345678901'\n- \"1\"\n"
  map-users: |
    - userarn: arn:aws:iam::111122223333:user/kim
      username: kim
binaryData:
  mapRoles: LSByb2xlYXJuOiBhCg==
---
{"cluster": {"name": "demo", "arn": "arn:aws:eks:eu-west-1:111122223333:cluster/demo", "accessConfig": {"authenticationMode": "API_AND_CONFIG_MAP"}}}
---
nodegroups: [ng1, win]
---
nodegroup:
  nodegroupName: win
  clusterName: demo
  amiType: WINDOWS_CORE_2022_x86_64
  nodeRole: arn:aws:iam::111122223333:role/win
---
{"fargateProfileNames": [], "nextToken": "more"}
---
{"accessEntries": ["arn:aws:iam::111122223333:role/x", "arn:aws:iam::111122223333:role/y"]}
---
{"accessEntry": {"principalArn": "arn:aws:iam::111122223333:role/x", "type": "STANDARD", "username": "x", "kubernetesGroups": ["g"], "tags": {"team": "a"}, "createdAt": "2026-11-01T00:00:00.5+00:00"}}
---
{"clusterName": "demo", "principalArn": "arn:aws:iam::111122223333:role/x", "associatedAccessPolicies": [
  {"policyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy", "accessScope": {"type": "namespace", "namespaces": ["n"]}},
  {"policyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSEditPolicy", "accessScope": {"type": "cluster", "namespaces": []}}]}
---
{"Roles": [{"Arn": "arn:aws:iam::111122223333:role/p/x", "RoleId": "AROA", "CreateDate": "2020-01-01T00:00:00Z"}], "IsTruncated": false}
---
{"UserId": "AROA:kim", "Account": "111122223333", "Arn": "arn:aws:sts::111122223333:assumed-role/a/kim"}
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: ip-1
    labels: {eks.amazonaws.com/nodegroup: win, kubernetes.io/os: windows}
  spec: {providerID: "aws:///eu-west-1a/i-0abc1234def567890"}
- apiVersion: v1
  kind: Namespace
  metadata: {name: kube-system, uid: 6b1f}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: x}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: mappings
  namespace: team-b
  uid: 77aa
  creationTimestamp: "2026-11-01T00:00:00Z"
  labels: {accord.dev/aws-auth: fragment}
data:
  mapRoles: |
    - rolearn: arn:aws:iam::111122223333:role/b
      username: b
      groups: [g, h, g]
"#;

#[test]
fn a_cluster_is_observed() {
    let (observed, _) = observed(CLUSTER);
    assert_eq!(
        observed.heading,
        "arn:aws:eks:eu-west-1:111122223333:cluster/demo"
    );
    let cluster = observed.cluster.unwrap();
    assert_eq!(cluster.mode, Some(AuthenticationMode::ApiAndConfigMap));
    assert_eq!(observed.cluster_uid.as_deref(), Some("6b1f"));
    assert_eq!(
        observed.caller.as_deref(),
        Some("arn:aws:sts::111122223333:assumed-role/a/kim")
    );
    assert!(matches!(observed.ledger, LedgerRead::Absent));
    assert!(observed.findings.is_empty());
    insta::assert_debug_snapshot!((observed.compute, observed.access_entries, observed.roles));
}

#[test]
fn aws_auth_is_read_with_its_places() {
    let (observed, sources) = observed(CLUSTER);
    let aws_auth = observed.aws_auth.unwrap();
    let place = |section: SectionName, item: usize| {
        let section = aws_auth.map.section(section);
        let place = sources.locate(section.span(section.items[item].range).unwrap());
        place.map(|p| (p.line, p.column)).unwrap()
    };
    assert_eq!(place(SectionName::Roles, 0), (17, 7));
    assert_eq!(place(SectionName::Accounts, 1), (19, 37));
    assert_eq!(aws_auth.managers[0].keys, ["mapRoles"]);
    let strays: Vec<(&str, bool, usize)> = aws_auth
        .stray_keys
        .iter()
        .map(|s| (s.key.as_str(), s.binary, s.lost.len()))
        .collect();
    assert_eq!(strays, [("map-users", false, 1), ("mapRoles", true, 1)]);
}

#[test]
fn the_size_is_that_of_all_values() {
    let (observed, _) = observed(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: aws-auth}\nimmutable: true\ndata: {mapRoles: '[]', x: abc}\nbinaryData: {b: AAECAw==}\n",
    );
    let aws_auth = observed.aws_auth.unwrap();
    assert_eq!((aws_auth.size, aws_auth.immutable), (2 + 3 + 4, true));
}

#[test]
fn a_fragment_is_read() {
    let (observed, sources) = observed(CLUSTER);
    assert!(observed.fragments.complete);
    let fragment = &observed.fragments.items[0];
    assert_eq!(fragment.owner.to_string(), "team-b/mappings");
    let uid = Some("77aa".to_owned());
    assert_eq!(fragment.admission, Admission::Asked { uid });
    assert!(fragment.created.is_some());
    let claim = &fragment.claims[0];
    assert_eq!(claim.identity.groups, ["g", "h"]);
    assert_eq!(claim.at, "mapRoles[0]");
    assert_eq!(sources.locate(claim.span.unwrap()).unwrap().column, 7);
}

#[test]
fn only_lists_make_a_kind_complete() {
    let complete = |text: &str| observed(text).0.compute.nodes.complete;
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n";
    assert!(!complete(node));
    assert!(complete("apiVersion: v1\nkind: NodeList\nitems: []\n"));
    assert!(!complete("apiVersion: v1\nkind: List\nitems: []\n"));
    assert!(!complete(
        "apiVersion: v1\nkind: NodeList\nmetadata: {continue: abc}\nitems: []\n"
    ));
    let (observed, _) = observed("apiVersion: v1\nkind: NodeList\nitems:\n- metadata: {name: a}\n");
    assert_eq!(observed.compute.nodes.items[0].name, "a");
}

#[test]
fn a_section_that_is_no_text_is_lost_and_its_entries_are_told() {
    let head =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: aws-auth, namespace: kube-system}\n";
    let (observed, sources) = observed(&format!(
        "{head}data:\n  mapRoles:\n    - rolearn: arn:aws:iam::111122223333:role/a\n      groups: [g]\n  mapAccounts: 123\n  mapUsers:\n"
    ));
    let map = observed.aws_auth.unwrap().map;
    let SectionState::Lost(loss) = &map.roles.state else {
        panic!("{:?}", map.roles.state)
    };
    assert_eq!(loss.cause, LossCause::NotText);
    let place = sources.locate(map.roles.span(loss.range).unwrap()).unwrap();
    assert_eq!((place.line, place.column), (6, 5));
    let item = &map.roles.items[0];
    assert_eq!(
        item.kept
            .as_ref()
            .unwrap()
            .mapping()
            .unwrap()
            .identity
            .groups,
        ["g"]
    );
    assert_eq!(
        sources
            .locate(map.roles.span(item.range).unwrap())
            .unwrap()
            .column,
        7
    );
    assert!(!map.accounts.is_readable());
    assert_eq!(map.users.state, SectionState::Empty);
}

#[test]
fn a_malformed_fragment_is_told_and_its_readable_sections_count() {
    let (observed, sources) = observed(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: accord-a\n  namespace: kube-system\n  labels: {accord.dev/aws-auth: fragment}\n\
         data:\n  mapRoles: |\n    - rolearn: arn:aws:iam::111122223333:role/a\n      group: [g]\n  mapAccounts: |\n    - 012345678901\n",
    );
    let fragment = &observed.fragments.items[0];
    assert_eq!(fragment.owner, Owner::named("a"));
    assert_eq!(fragment.admission, Admission::Trusted);
    assert_eq!(fragment.claims[0].principal, "012345678901");
    assert_eq!(fragment.unreadable[0].0, SectionName::Roles);
    let finding = &observed.findings[0];
    assert_eq!(finding.kind.name(), "object-malformed");
    assert_eq!(finding.at.as_deref(), Some("mapRoles[0].group"));
    assert_eq!(sources.locate(finding.span.unwrap()).unwrap().line, 10);
}

#[test]
fn a_fragment_with_a_misspelled_section_keeps_its_former_claims() {
    let (observed, _) = observed(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: accord-a\n  namespace: kube-system\n  labels: {accord.dev/aws-auth: fragment}\n\
         data:\n  maproles: '[]'\nbinaryData:\n  mapUsers: W10=\n",
    );
    let unreadable: Vec<SectionName> = observed.fragments.items[0]
        .unreadable
        .iter()
        .map(|(section, _)| *section)
        .collect();
    assert_eq!(unreadable, [SectionName::Roles, SectionName::Users]);
    assert_eq!(observed.findings[0].suggest.as_deref(), Some("mapRoles"));
}

#[test]
fn a_ledger_that_cannot_be_read_is_said_to_be_so() {
    let (observed, _) = observed(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: accord-ledger, namespace: kube-system}\ndata:\n  ledger.json: '{\"version\": 9}'\n---\n\
         apiVersion: v1\nkind: ConfigMap\nmetadata: {name: accord-journal-1, namespace: kube-system}\nbinaryData: {}\n",
    );
    let LedgerRead::Unreadable(reason) = observed.ledger else {
        panic!()
    };
    assert_eq!(reason, "it has version 9, and this Accord knows version 1");
    assert!(observed.findings[0].message.contains("no `entry.json.gz`"));
}

#[test]
fn what_cannot_be_understood_is_an_error_with_its_place() {
    let aws_auth =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: aws-auth, namespace: kube-system}\n";
    let told: Vec<String> = [
        "",
        "# nothing\n",
        "a: b\n",
        "- rolearn: a\n",
        "mapRoles: []\n",
        "just text\n",
        "nodegroups: [a]\n---\na: [\n",
        "nodegroup: {nodeRole: x}\n",
        "nodegroup: {nodegroupName: [x]}\n",
        "nodegroups: x\n",
        "cluster: {name: a, accessConfig: {authenticationMode: BOTH}}\n",
        "cluster: {name: a}\n---\ncluster: {name: b}\n",
        "cluster: {name: a}\n---\nnodegroup: {nodegroupName: n, clusterName: b}\n",
        &format!("{aws_auth}---\napiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: aws-auth}}\n"),
        &format!("{aws_auth}immutable: perhaps\n"),
        &format!("{aws_auth}data: [a]\n"),
        "apiVersion: v1\nkind: Node\n",
        "{\"associatedAccessPolicies\": [], \"principalArn\": null}",
    ]
    .iter()
    .map(|text| parse(text).err().unwrap_or_else(|| format!("no error: {text}")))
    .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    s.yaml:1:1: the file holds no document; a state file holds at least one
    s.yaml:1:1: the file holds no document; a state file holds at least one
    s.yaml:1:1: this document is not known; a Kubernetes object (`apiVersion` and `kind`), the caller (`Arn` and `UserId`) or one with `cluster`, `nodegroup`, `fargateProfile`, `accessEntry`, `associatedAccessPolicies`, `nodegroups`, `fargateProfileNames`, `accessEntries`, `Role`, `Roles`, `addon`, `association`, `addons`, `associations` was expected
    s.yaml:1:1: this document is not known; a Kubernetes object (`apiVersion` and `kind`), the caller (`Arn` and `UserId`) or one with `cluster`, `nodegroup`, `fargateProfile`, `accessEntry`, `associatedAccessPolicies`, `nodegroups`, `fargateProfileNames`, `accessEntries`, `Role`, `Roles`, `addon`, `association`, `addons`, `associations` was expected; a bare list of mappings is given with -f
    s.yaml:1:1: this document is not known; a Kubernetes object (`apiVersion` and `kind`), the caller (`Arn` and `UserId`) or one with `cluster`, `nodegroup`, `fargateProfile`, `accessEntry`, `associatedAccessPolicies`, `nodegroups`, `fargateProfileNames`, `accessEntries`, `Role`, `Roles`, `addon`, `association`, `addons`, `associations` was expected; mappings without a ConfigMap around them are given with -f
    s.yaml:1:1: this document is not known; a Kubernetes object (`apiVersion` and `kind`), the caller (`Arn` and `UserId`) or one with `cluster`, `nodegroup`, `fargateProfile`, `accessEntry`, `associatedAccessPolicies`, `nodegroups`, `fargateProfileNames`, `accessEntries`, `Role`, `Roles`, `addon`, `association`, `addons`, `associations` was expected
    s.yaml:4:1: this cannot be read, because no value stands where one belongs, and the text ends
    s.yaml:1:12: `nodegroup.nodegroupName` is missing
    s.yaml:1:28: `nodegroup.nodegroupName` is a list; text was expected
    s.yaml:1:13: `nodegroups` is text; a list was expected
    s.yaml:1:55: `BOTH` is no authentication mode; CONFIG_MAP, API_AND_CONFIG_MAP or API was expected
    s.yaml:3:10: this is another cluster than `a`, which is described too; a state file is of one cluster
    s.yaml:3:44: this is of the cluster `b`, and the cluster described here is `a`
    s.yaml:8:3: ConfigMap/kube-system/aws-auth is here for the second time; keep the one that is meant
    s.yaml:4:12: `immutable` is text; true or false was expected
    s.yaml:4:7: `data` is a list; a mapping was expected
    s.yaml:1:1: `metadata` is missing
    s.yaml:1:1: `principalArn` is missing
    ");
}

#[test]
fn bytes_that_are_no_text_are_said_to_be_so() {
    let mut sources = Sources::new();
    let error = StateFile::parse("s", b"a\nb\xc3\xa4\xff", &mut sources).unwrap_err();
    assert_eq!(
        error.to_string(),
        "s:2:3: the file is not text in UTF-8 from here on"
    );
}

#[test]
fn files_of_facts_are_put_together_unless_they_contradict() {
    let mut sources = Sources::new();
    let mut file =
        |name: &str, text: &str| StateFile::parse(name, text.as_bytes(), &mut sources).unwrap();
    let cluster = file("c.yaml", "cluster: {name: demo}\n---\nnodegroups: [a]\n");
    let group = file(
        "g.yaml",
        "nodegroup: {nodegroupName: a, nodeRole: r, clusterName: demo}\n",
    );
    let other = file(
        "o.yaml",
        "# of another\nnodegroup: {nodegroupName: a, clusterName: other}\n",
    );
    let map =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: aws-auth, namespace: kube-system}\n";
    let (one, two) = (file("1.yaml", map), file("2.yaml", map));
    let observed = cluster.observed(NOW, &[group], &mut sources).unwrap();
    assert_eq!(observed.compute.node_groups.items.len(), 1);
    assert_eq!(
        observed.compute.node_groups.items[0].role.as_deref(),
        Some("r")
    );
    assert!(observed.compute.node_groups.complete);
    let mut error = |main: &StateFile, more| {
        main.observed(NOW, &[more], &mut sources)
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!(error(&cluster, other), @"o.yaml:2:44: this is of the cluster `other`, and the cluster described here is `demo`");
    insta::assert_snapshot!(error(&one, two), @"2.yaml:1:1: ConfigMap/kube-system/aws-auth is in two files; the other one is at 1.yaml:1");
}

proptest! {
    #[test]
    fn no_text_panics(text in "([ a:{}\\[\\]\"'|>\\-\\n]|apiVersion: v1\\n|kind: ConfigMap\\n|metadata: \\{name: aws-auth\\}\\n|---\\n){0,30}") {
        let _ = parse(&text);
    }
}
