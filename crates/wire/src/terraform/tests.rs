use accord_model::deploy::{Action, Declared, MapWriter};
use accord_model::unknown;
use proptest::prelude::*;

use super::*;

fn read_it(text: &str) -> (Deploy, Sources) {
    let mut sources = Sources::new();
    let target = Target::of_arn("arn:aws:eks:eu-west-1:111122223333:cluster/demo");
    let read = read("p.json", text.as_bytes(), &target, &mut sources).unwrap();
    (read.expect("a plan"), sources)
}

fn error(text: &str) -> String {
    let mut sources = Sources::new();
    match read("p.json", text.as_bytes(), &Target::default(), &mut sources) {
        Ok(Some(_)) => "a plan".to_owned(),
        Ok(None) => "something else".to_owned(),
        Err(error) => error.to_string(),
    }
}

const PLAN: &str = r#"{
  "format_version": "1.2", "terraform_version": "1.11.4",
  "resource_changes": [
    {"address": "module.iam.aws_iam_role.named", "mode": "managed", "type": "aws_iam_role", "change": {
      "actions": ["create"], "before": null,
      "after": {"name": "named", "path": "/teams/", "assume_role_policy": "{\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":{\"Service\":[\"pods.eks.amazonaws.com\"]},\"Action\":[\"sts:AssumeRole\",\"sts:Tag*\"]}]}"},
      "after_unknown": {"arn": true, "id": true}}},
    {"address": "module.iam.aws_iam_role.prefixed[0]", "mode": "managed", "type": "aws_iam_role", "change": {
      "actions": ["create"], "before": null, "after": {"name_prefix": "p-"}, "after_unknown": {"arn": true, "name": true}}},
    {"address": "module.iam.aws_eks_access_entry.named", "mode": "managed", "type": "aws_eks_access_entry", "change": {
      "actions": ["create"], "before": null, "after": {"cluster_name": "demo", "type": "STANDARD"},
      "after_unknown": {"principal_arn": true, "user_name": true, "kubernetes_groups": true}}},
    {"address": "module.iam.aws_eks_access_entry.each[\"a.b\"]", "mode": "managed", "type": "aws_eks_access_entry", "change": {
      "actions": ["create"], "before": null, "after": {"cluster_name": "demo", "kubernetes_groups": ["known", null]},
      "after_unknown": {"principal_arn": true, "kubernetes_groups": [false, true]}}},
    {"address": "data.aws_iam_role.read", "mode": "data", "type": "aws_iam_role", "change": {"actions": ["read"]}},
    {"address": "aws_vpc.other", "mode": "managed", "type": "aws_vpc", "change": {"actions": ["explode"]}},
    {"address": "kubernetes_config_map_v1_data.aws_auth", "mode": "managed", "type": "kubernetes_config_map_v1_data", "change": {
      "actions": ["update"], "before": {"metadata": [{"name": "aws-auth", "namespace": "kube-system"}], "data": {"mapRoles": "[]"}},
      "after": {"metadata": [{"name": "aws-auth", "namespace": "kube-system"}], "force": true, "data": {"mapRoles": "- rolearn: arn:aws:iam::111122223333:role/x\n  username: x\n"}},
      "after_unknown": {"data": {"mapUsers": true}}}},
    {"address": "kubernetes_config_map.other", "mode": "managed", "type": "kubernetes_config_map", "change": {
      "actions": ["create"], "after": {"metadata": [{"name": "other", "namespace": "kube-system"}], "data": {}}}}
  ],
  "configuration": {"root_module": {"module_calls": {"iam": {"source": "./iam", "module": {"resources": [
    {"address": "aws_eks_access_entry.named", "expressions": {
      "principal_arn": {"references": ["aws_iam_role.named.arn", "aws_iam_role.named"]}}},
    {"address": "aws_eks_access_entry.each", "expressions": {
      "principal_arn": {"references": ["each.value"]}, "kubernetes_groups": {"references": ["var.groups"]}}}
  ]}}}}}
}"#;

#[test]
fn what_is_not_known_is_named_after_what_it_refers_to() {
    let (deploy, _) = read_it(PLAN);
    let told: Vec<String> = deploy
        .resources
        .iter()
        .map(|r| {
            let told = match r.after.as_ref().unwrap() {
                Declared::Role(role) => {
                    format!("{} {:?}", unknown::shown(&role.arn), role.trust.pods_tag)
                }
                Declared::Entry(entry) => {
                    let groups = entry.groups.as_ref().map(|g| {
                        let items: Vec<_> =
                            g.items.iter().map(|g| unknown::shown(&g.value)).collect();
                        (items, g.open)
                    });
                    let principal = entry.principal.as_ref().unwrap();
                    format!(
                        "{} {groups:?} {:?}",
                        unknown::shown(&principal.value),
                        entry.username
                    )
                }
                Declared::Map(write) => {
                    let unknown: Vec<&str> = write.unknown.iter().map(|u| u.at.as_str()).collect();
                    let roles = write.map.as_ref().unwrap().map.roles.items.len();
                    format!(
                        "{:?} {roles} roles, unknown {unknown:?}, at {}",
                        write.how, write.prefix
                    )
                }
                other => format!("{other:?}"),
            };
            format!("{} {:?}: {told}", r.address, r.action)
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    module.iam.aws_iam_role.named Create: arn:aws:iam::111122223333:role/teams/named true
    module.iam.aws_iam_role.prefixed[0] Create: ${module.iam.aws_iam_role.prefixed[0].arn} false
    module.iam.aws_eks_access_entry.named Create: arn:aws:iam::111122223333:role/teams/named None None
    module.iam.aws_eks_access_entry.each["a.b"] Create: ${module.iam.aws_eks_access_entry.each["a.b"].principal_arn} Some((["known", "${module.iam.aws_eks_access_entry.each[\"a.b\"].kubernetes_groups[1]}"], true)) None
    kubernetes_config_map_v1_data.aws_auth Update: Keys { force: true } 1 roles, unknown ["data.mapUsers"], at data.
    "#);
}

#[test]
fn a_section_is_followed_to_the_plan() {
    let (deploy, sources) = read_it(PLAN);
    let write = deploy.resources.iter().find_map(|r| match &r.after {
        Some(Declared::Map(write)) => Some(write),
        _ => None,
    });
    let write = write.unwrap();
    assert_eq!(write.how, MapWriter::Keys { force: true });
    let roles = &write.map.as_ref().unwrap().map.roles;
    let field = &roles.items[0].written[1];
    let place = sources
        .locate(roles.span(field.value_range).unwrap())
        .unwrap();
    assert_eq!(
        (field.key.as_ref(), place.line, place.column),
        ("username", 20, 175)
    );
}

#[test]
fn what_is_no_plan_is_told_or_left_alone() {
    let cases = [
        r#"{"format_version": "1.2", "planned_values": {}}"#,
        r#"{"format_version": "0.1", "resource_changes": []}"#,
        r#"{"format_version": "2.0", "resource_changes": []}"#,
        r#"{"format_version": "1.0", "values": {"root_module": {}}}"#,
        r#"{"version": 4, "terraform_version": "1.11.4", "lineage": "x", "resources": []}"#,
        "{\"@level\":\"info\",\"@message\":\"Terraform 1.11.4\"}\n{\"@level\":\"info\"}",
        r#"{"format_version": "1.2", "resource_changes": [{"#,
        r#"{"format_version": "1.2", "resource_changes": {}}"#,
        r#"{"format_version": "1.2", "resource_changes": [{"type": "aws_eks_addon", "address": "a"}]}"#,
        r#"{"format_version": "1.2", "resource_changes": [{"type": "aws_eks_addon", "address": "a", "change": {"actions": ["explode"]}}]}"#,
        "PK\u{3}\u{4}",
        r#"{"apiVersion": "v1", "kind": "ConfigMap"}"#,
        "format_version: 1.2",
    ];
    let told: Vec<String> = cases.iter().map(|text| error(text)).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    a plan
    a plan
    p.json:1:20: the plan has version 2.0 of Terraform's format, and versions 0 and 1 are known
    p.json:1:1: this is a Terraform state, which says what there is and not what will be done; check what `terraform show -json PLAN` prints of a plan that was saved with -out
    p.json:1:1: this is a Terraform state, which says what there is and not what will be done; check what `terraform show -json PLAN` prints of a plan that was saved with -out
    p.json:1:1: this is the log that `terraform plan -json` prints; check what `terraform show -json PLAN` prints of a plan that was saved with -out
    p.json:1:49: this cannot be read, because no value stands where one belongs, and the text ends
    p.json:1:47: `resource_changes` is a mapping; a list was expected
    p.json:1:48: `change` is missing in the change of a
    p.json:1:112: the actions explode of a are not known
    p.json:1:1: this is a binary plan; print it with `terraform show -json PLAN`, and check that
    something else
    something else
    ");
}

#[test]
fn what_powershell_wrote_is_told() {
    let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bytes = [&[0xFF, 0xFE][..], &utf16].concat();
    let mut sources = Sources::new();
    let error = read("p.json", &bytes, &Target::default(), &mut sources).unwrap_err();
    assert!(error.to_string().contains("UTF-16"), "{error}");
}

#[test]
fn actions_are_read() {
    let of = |actions: &str| {
        let text = format!(
            r#"{{"format_version": "1.2", "resource_changes": [{{"type": "aws_eks_addon", "address": "a",
                "change": {{"actions": {actions}, "before": {{"addon_name": "x"}}, "after": null}}}}]}}"#
        );
        read_it(&text).0.resources[0].action
    };
    for (actions, action) in [
        (r#"["no-op"]"#, Action::Keep),
        (r#"["create"]"#, Action::Create),
        (r#"["update"]"#, Action::Update),
        (r#"["delete"]"#, Action::Delete),
        (r#"["delete", "create"]"#, Action::DeleteThenCreate),
        (r#"["create", "delete"]"#, Action::CreateThenDelete),
        (r#"["forget"]"#, Action::Forget),
    ] {
        assert_eq!(of(actions), action);
    }
}

#[test]
fn attributes_that_the_module_ignores_are_found_with_the_one_that_is_meant() {
    let text = r#"{"format_version": "1.2", "configuration": {"root_module": {"module_calls": {
      "eks": {"source": "terraform-aws-modules/eks/aws", "expressions": {"access_entries": {"constant_value": {
        "dana": {"principal_arn": "x", "username": "d", "policies": {}, "kubernetesGroups": ["g"], "frobnicate": 1,
          "policy_associations": {"a": {"policyArn": "y", "access_scope": {"type": "namespace", "namespace": ["n"]}}}}}}}},
      "given": {"source": "git::ssh://host/terraform-aws-eks.git?ref=v20", "expressions": {"access_entries": {"references": ["var.entries"]}}},
      "other": {"source": "./modules/entries", "expressions": {"access_entries": {"constant_value": {"x": {"foo": 1}}}}}
    }}}, "variables": {"entries": {"value": {"x": {"groups": ["g"]}}}}}"#;
    let (deploy, sources) = read_it(text);
    let told: Vec<String> = deploy
        .ignored
        .iter()
        .map(|i| {
            let place = sources.locate(i.attribute.span.unwrap()).unwrap();
            format!(
                "{} {} -> {:?} at {}:{}",
                i.address, i.attribute.at, i.meant, place.line, place.column
            )
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    module.eks access_entries.dana.username -> Some("user_name") at 3:40
    module.eks access_entries.dana.policies -> None at 3:57
    module.eks access_entries.dana.kubernetesGroups -> Some("kubernetes_groups") at 3:73
    module.eks access_entries.dana.frobnicate -> None at 3:100
    module.eks access_entries.dana.policy_associations.a.policyArn -> Some("policy_arn") at 4:41
    module.eks access_entries.dana.policy_associations.a.access_scope.namespace -> Some("namespaces") at 4:97
    module.given access_entries.x.groups -> Some("kubernetes_groups") at 7:52
    "#);
}

proptest! {
    #[test]
    fn no_plan_panics(cut in 0usize..3000, put in "[\\]\\[{}\",:a-z0-9]{0,3}") {
        let at = (0..=cut.min(PLAN.len())).rev().find(|at| PLAN.is_char_boundary(*at)).unwrap_or(0);
        let mut sources = Sources::new();
        let cut = format!("{}{put}", &PLAN[..at]);
        let _ = read("p", cut.as_bytes(), &Target::default(), &mut sources);
        let put = format!("{}{put}{}", &PLAN[..at], &PLAN[at..]);
        let _ = read("p", put.as_bytes(), &Target::default(), &mut sources);
    }
}
