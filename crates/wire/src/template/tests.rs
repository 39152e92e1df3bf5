use accord_model::deploy::{Declared, Deploy};
use accord_model::unknown;
use proptest::prelude::*;

use super::*;

fn deploy(text: &str, target: &Target) -> (Deploy, Sources) {
    let mut sources = Sources::new();
    let read = read("t.yaml", text.as_bytes(), target, &|_| None, &mut sources).unwrap();
    (read.expect("a template"), sources)
}

fn target() -> Target {
    Target::of_arn("arn:aws:eks:eu-west-1:111122223333:cluster/demo")
}

/// The principals of the access entries in a template, as people read them, each with its line and column.
fn principals(text: &str, target: &Target) -> String {
    let (deploy, sources) = deploy(text, target);
    let told = deploy.resources.iter().filter_map(|r| match &r.after {
        Some(Declared::Entry(entry)) => {
            let told = entry.principal.as_ref().map_or_else(
                || "nobody".to_owned(),
                |p| {
                    let place = sources.locate(p.span.unwrap()).unwrap();
                    format!(
                        "{} at {}:{}",
                        unknown::shown(&p.value),
                        place.line,
                        place.column
                    )
                },
            );
            Some(format!("{}: {told}", r.address))
        }
        _ => None,
    });
    told.collect::<Vec<_>>().join("\n")
}

const FUNCTIONS: &str = r#"
Parameters: {Given: {Type: String, Default: never-used}}
Mappings:
  Roles: {eu-west-1: {admin: arn:aws:iam::111122223333:role/mapped}}
Conditions:
  Here: !Equals [!Ref "AWS::Region", eu-west-1]
  Never: !Not [!Condition Here]
  Asked: !Equals [!Ref Given, x]
Resources:
  Named: {Type: AWS::IAM::Role, Properties: {RoleName: named, Path: /a/b/}}
  Made: {Type: AWS::IAM::Role, Properties: {AssumeRolePolicyDocument: {}}}
  User: {Type: AWS::IAM::User, Properties: {UserName: dana}}
  Ref: &entry {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !Ref Given}}
  Alias: *entry
  GetAtt: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !GetAtt Named.Arn}}
  GetAttList: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !GetAtt [Made, Arn]}}
  OfUser: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: {"Fn::GetAtt": User.Arn}}}
  Sub: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !Sub "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${!literal}-${Made}"}}
  SubWith: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !Sub ["${Who}", {Who: !GetAtt Named.Arn}]}}
  Join: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: {"Fn::Join": [":", ["arn:aws:iam:", !Ref "AWS::AccountId", role/joined]]}}}
  Split: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !Select [1, !Split ["|", "a|arn:aws:iam::111122223333:role/split"]]}}
  Map: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !FindInMap [Roles, !Ref "AWS::Region", admin]}}
  If: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !If [Here, yes-arn, no-arn]}}
  IfAsked: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !If [Asked, one, two]}}
  IfSame: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !If [Asked, same, same]}}
  Gone: {Type: AWS::EKS::AccessEntry, Condition: Never, Properties: {PrincipalArn: x}}
  NoValue: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !Ref "AWS::NoValue"}}
  Import: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !ImportValue some-export}}
"#;

#[test]
fn functions_give_what_can_be_known() {
    insta::assert_snapshot!(principals(FUNCTIONS, &target()), @r"
    Ref: ${Given} at 13:72
    Alias: ${Given} at 13:72
    GetAtt: arn:aws:iam::111122223333:role/a/b/named at 15:68
    GetAttList: arn:aws:iam::111122223333:role/${Made} at 16:72
    OfUser: arn:aws:iam::111122223333:user/dana at 17:68
    Sub: arn:aws:iam::111122223333:role/${literal}-${Made} at 18:65
    SubWith: arn:aws:iam::111122223333:role/a/b/named at 19:69
    Join: arn:aws:iam::111122223333:role/joined at 20:66
    Split: arn:aws:iam::111122223333:role/split at 21:67
    Map: arn:aws:iam::111122223333:role/mapped at 22:65
    If: yes-arn at 23:64
    IfAsked: ${!If [Asked, one, two]} at 24:69
    IfSame: same at 25:68
    NoValue: nobody
    Import: ${!ImportValue some-export} at 28:68
    ");
}

#[test]
fn without_a_target_its_account_is_not_known() {
    let text = "Resources:\n  R: {Type: AWS::IAM::Role}\n  E: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !GetAtt R.Arn}}\n";
    insta::assert_snapshot!(principals(text, &Target::default()), @"E: arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${R} at 3:63");
}

#[test]
fn a_manifest_is_followed_to_the_template() {
    let text = r#"{"Resources": {
      "Dev": {"Type": "AWS::IAM::Role"},
      "Map": {"Type": "Custom::AWSCDK-EKS-KubernetesResource", "Properties": {
        "Manifest": {"Fn::Join": ["", [
          "[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"aws-auth\",\"namespace\":\"kube-system\"},\"data\":{\"mapRoles\":\"[{\\\"rolearn\\\":\\\"",
          {"Fn::GetAtt": ["Dev", "Arn"]},
          "\\\",\\\"username\\\":\\\"dev\\\",\\\"groups\\\":[\\\"devs\\\"]}]\",\"mapUsers\":\"[]\"}}]"]]},
        "ClusterName": "demo", "Overwrite": true}}}}"#;
    let (deploy, sources) = deploy(text, &target());
    let write = deploy.resources.iter().find_map(|r| match &r.after {
        Some(Declared::Map(write)) => Some(write),
        _ => None,
    });
    let write = write.unwrap();
    let map = &write.map.as_ref().unwrap().map;
    let item = &map.roles.items[0];
    let kept = item.kept.as_ref().unwrap().mapping().unwrap();
    assert_eq!(
        unknown::shown(&kept.arn),
        "arn:aws:iam::111122223333:role/${Dev}"
    );
    assert_eq!(kept.identity.groups, ["devs"]);
    let places: Vec<String> = item
        .written
        .iter()
        .map(|field| {
            let place = sources
                .locate(map.roles.span(field.value_range).unwrap())
                .unwrap();
            format!("{} {}:{}", field.key, place.line, place.column)
        })
        .collect();
    assert_eq!(places, ["rolearn 5:169", "username 7:34", "groups 7:61"]);
    assert_eq!(write.prefix, "Manifest[0].data.");
}

#[test]
fn what_is_no_template_is_something_else_and_a_cut_one_is_an_error() {
    let mut sources = Sources::new();
    let mut kind = |text: &str| match read(
        "t",
        text.as_bytes(),
        &Target::default(),
        &|_| None,
        &mut sources,
    ) {
        Ok(Some(_)) => "template".to_owned(),
        Ok(None) => "other".to_owned(),
        Err(error) => error.to_string(),
    };
    for (text, expected) in [
        ("Resources: {A: {Type: X}}", "template"),
        ("AWSTemplateFormatVersion: 2010-09-09", "template"),
        ("Resources: [a]", "other"),
        ("mapRoles: []", "other"),
        ("apiVersion: v1\nkind: ConfigMap", "other"),
        ("", "other"),
    ] {
        assert_eq!(kind(text), expected, "{text}");
    }
    insta::assert_snapshot!(kind("{\"Resources\": {\"A\": {\"Type\": \"X\""), @"t:1:33: this cannot be read, because `,` or `}` is missing, and the text ends");
}

proptest! {
    #[test]
    fn no_template_panics(body in "[ \\n]{0,2}(Resources|Conditions|Parameters): *[\\[{]?(\\PC{0,60}|(!(Ref|Sub|If|Join|Select|GetAtt|Split) |[a-zA-Z:$\\{\\}\"' ,\\[\\]&*.-]){0,60})") {
        let mut sources = Sources::new();
        let _ = read("t", body.as_bytes(), &Target::default(), &|_| None, &mut sources);
    }

    #[test]
    fn no_function_panics(argument in "(!(Ref|Sub|If|Join|Select|GetAtt|Split|FindInMap|Equals) |[\\[{]|[a-zA-Z:$\\{\\}\"' ,\\]&*.0-9-]){0,40}") {
        let text = format!("Resources:\n  E:\n    Type: AWS::EKS::AccessEntry\n    Properties:\n      PrincipalArn: {argument}\n");
        let mut sources = Sources::new();
        let _ = read("t", text.as_bytes(), &Target::default(), &|_| None, &mut sources);
    }
}
