//! What is fixed in files of every kind, and what is left.

#![allow(clippy::unwrap_used, reason = "a test")]

use accord_engine::examine;
use accord_engine::fix::{self, Fixed};
use accord_engine::input::Input;
use accord_model::time::Timestamp;
use accord_wire::sources::Sources;

fn fixed(text: &str) -> (String, usize) {
    let input = Input {
        name: "f.yaml".into(),
        bytes: text.into(),
    };
    let mut sources = Sources::new();
    let Fixed { bytes, count } = fix::fix(&input, &[], Timestamp::default(), &mut sources).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    (text, count)
}

/// The findings that are left, as `at kind`.
fn left(text: &str) -> String {
    let input = Input {
        name: "f.yaml".into(),
        bytes: text.into(),
    };
    let mut sources = Sources::new();
    let examined = examine::read(&input, &[], None, Timestamp::default(), &mut sources).unwrap();
    let findings = examined.findings(None);
    let told = findings
        .iter()
        .map(|f| format!("{} {}", f.at.clone().unwrap_or_default(), f.kind));
    told.collect::<Vec<_>>().join("\n")
}

/// A manifest with these sections, each a literal block.
fn manifest(sections: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: aws-auth\n  namespace: kube-system\ndata:\n",
    );
    for (key, section) in sections {
        text.push_str(&format!("  {key}: |\n"));
        for line in section.lines() {
            text.push_str(&format!("    {line}\n"));
        }
    }
    text
}

#[test]
fn a_manifest_full_of_mistakes() {
    let before = manifest(&[
        (
            "mapRoles",
            "# ours\n\
             - rolearn: arn:aws:iam::111122223333:role/team/ops # path\n  username: ops\n  groups: ops\n\
             - role_arn: 'arn:aws:iam::111122223333:role/b'\n  username: yes\n  group: [g]\n\
             - rolearn: \"arn:aws:sts::111122223333:assumed-role/c/kim\"\n  username: c\n  groups:\n  - system: masters\n\
             - rolearn: arn:aws:iam::111122223333:role/d\n  username: d\n  groups:\n  - a\n   - b\n\
             - rolearn: arn:aws:iam::111122223333:user/e\n  username: e\n  groups: [g]\n",
        ),
        ("mapAccounts", "- 012345678901\n"),
    ]);
    let (after, count) = fixed(&before);
    insta::assert_snapshot!(after, @r#"
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: aws-auth
      namespace: kube-system
    data:
      mapRoles: |
        # ours
        - rolearn: arn:aws:iam::111122223333:role/ops # path
          username: ops
          groups: [ops]
        - rolearn: 'arn:aws:iam::111122223333:role/b'
          username: "yes"
          groups: [g]
        - rolearn: "arn:aws:iam::111122223333:role/c"
          username: c
          groups:
          - system:masters
        - rolearn: arn:aws:iam::111122223333:role/d
          username: d
          groups:
          - a
          - b
      mapAccounts: |
        - "012345678901"
      mapUsers: |
        - userarn: arn:aws:iam::111122223333:user/e
          username: e
          groups:
          - g
    "#);
    insta::assert_snapshot!(format!("{count} fixed\n{}", left(&after)), @"10 fixed");
}

#[test]
fn a_template_without_quotes_and_what_is_then_seen() {
    let before = manifest(&[(
        "mapRoles",
        "- rolearn: arn:aws:iam::111122223333:role/path/a\n  username: {{SessionName}}\n  groups: [g]\n\
         - rolearn: arn:aws:iam::111122223333:role/b\n  username: {{AccountID}}\n  groups: [g]\n",
    )]);
    let (after, count) = fixed(&before);
    insta::assert_snapshot!(after, @r#"
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: aws-auth
      namespace: kube-system
    data:
      mapRoles: |
        - rolearn: arn:aws:iam::111122223333:role/a
          username: "{{SessionName}}"
          groups: [g]
        - rolearn: arn:aws:iam::111122223333:role/b
          username: "{{AccountID}}"
          groups: [g]
    "#);
    assert_eq!(count, 3);
}

#[test]
fn a_misspelled_section_is_renamed_if_the_right_one_is_absent() {
    let entry = "- rolearn: arn:aws:iam::111122223333:role/a\n  username: a\n  groups: [g]\n";
    let (after, _) = fixed(&manifest(&[("maproles", entry)]));
    assert_eq!(after, manifest(&[("mapRoles", entry)]));
    let both = manifest(&[("maproles", entry), ("mapRoles", entry)]);
    assert_eq!(fixed(&both), (both, 0));
}

#[test]
fn what_needs_a_choice_or_would_take_something_stays() {
    let stays = |section: &str| {
        let before = manifest(&[("mapRoles", section)]);
        assert_eq!(fixed(&before), (before, 0));
    };
    // Two entries for one principal, in one way or another.
    let twice = "- rolearn: arn:aws:iam::111122223333:role/a\n  username: a\n  groups: [g]\n";
    stays(&format!("{twice}{twice}"));
    stays(&format!(
        "{twice}{}",
        twice.replace("role/a", "role/path/a")
    ));
    stays(&format!(
        "{twice}{}",
        twice.replace("rolearn", "role_arn").replace("[g]", "[h]")
    ));
    // Groups, or one name.
    stays("- rolearn: arn:aws:iam::111122223333:role/a\n  username: a\n  groups: a, b\n");
    // A comment would go with it.
    stays("- rolearn: arn:aws:iam::111122223333:user/a # kim\n  username: a\n  groups: [g]\n");
    // A field would.
    stays("- rolearn: arn:aws:iam::111122223333:user/a\n  username: a\n  groups: [g]\n  note: x\n");
}

#[test]
fn json_stays_json() {
    let section =
        r#"[{"rolearn":"arn:aws:iam::111122223333:role/p/a","username":"a","groups":"g"}]"#;
    let object = format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"aws-auth\",\"namespace\":\"kube-system\"}},\
         \"data\":{{\"mapRoles\":{section:?}}}}}"
    );
    let (after, count) = fixed(&object);
    assert_eq!(count, 2);
    insta::assert_snapshot!(after, @r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"aws-auth","namespace":"kube-system"},"data":{"mapRoles":"[{\"rolearn\":\"arn:aws:iam::111122223333:role/a\",\"username\":\"a\",\"groups\":[\"g\"]}]"}}"#);
}

#[test]
fn bare_lists_are_fixed_too() {
    let (after, count) = fixed(
        "- rolearn: arn:aws:iam::111122223333:role/p/a # x\r\n  username: 'a'\r\n  groups: [g]\r\n",
    );
    assert_eq!(
        after,
        "- rolearn: arn:aws:iam::111122223333:role/a # x\r\n  username: 'a'\r\n  groups: [g]\r\n"
    );
    assert_eq!(count, 1);
    let (after, _) = fixed(
        "mapRoles:\n  - rolearn: arn:aws:iam::111122223333:role/p/a\n    username: a\n    groups: [g]\nmapUsers: |\n  - userarn: arn:aws:iam::111122223333:user/u\n    username: yes\n    groups: [g]\n",
    );
    insta::assert_snapshot!(after, @r#"
    mapRoles:
      - rolearn: arn:aws:iam::111122223333:role/a
        username: a
        groups: [g]
    mapUsers: |
      - userarn: arn:aws:iam::111122223333:user/u
        username: "yes"
        groups: [g]
    "#);
}

#[test]
fn fragments_in_a_state_are_fixed_each_by_itself() {
    let list = "- rolearn: arn:aws:iam::111122223333:role/p/a\n  username: a\n  groups: [g]\n";
    let state = format!(
        "{}---\n{}",
        manifest(&[("mapRoles", list)]),
        manifest(&[("mapRoles", list)]).replace(
            "  name: aws-auth\n",
            "  name: accord-team\n  labels:\n    accord.dev/aws-auth: fragment\n"
        )
    );
    let (after, count) = fixed(&state);
    assert_eq!((after, count), (state.replace("role/p/a", "role/a"), 2));
}

#[test]
fn of_two_that_mean_the_same_role_neither_is_chosen() {
    let text = manifest(&[(
        "mapRoles",
        "- rolearn: arn:aws:iam::111122223333:role/x/ops\n  username: a\n\
         - rolearn: arn:aws:iam::111122223333:role/y/Ops\n  username: b\n",
    )]);
    assert_eq!(fixed(&text), (text, 0));
}

#[test]
fn a_user_among_roles_moves() {
    let roles = "- rolearn: arn:aws:iam::111122223333:role/ops\n  username: ops\n\
                 - userarn: arn:aws:iam::111122223333:user/boss\n  username: boss\n  groups:\n  - system:masters\n";
    let (text, _) = fixed(&manifest(&[("mapRoles", roles)]));
    insta::assert_snapshot!(text, @r"
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: aws-auth
      namespace: kube-system
    data:
      mapRoles: |
        - rolearn: arn:aws:iam::111122223333:role/ops
          username: ops
      mapUsers: |
        - userarn: arn:aws:iam::111122223333:user/boss
          username: boss
          groups:
          - system:masters
    ");
    // Beside another entry for the same user it would take something from it.
    let both = manifest(&[
        ("mapRoles", roles),
        (
            "mapUsers",
            "- userarn: arn:aws:iam::111122223333:user/boss\n  username: kim\n",
        ),
    ]);
    assert_eq!(fixed(&both), (both, 0));
    // A comment would be lost on the way, so it works where it is.
    let noted = roles.replace("  username: boss", "  username: boss # ours");
    let (text, _) = fixed(&manifest(&[("mapRoles", &noted)]));
    insta::assert_snapshot!(text, @r"
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: aws-auth
      namespace: kube-system
    data:
      mapRoles: |
        - rolearn: arn:aws:iam::111122223333:role/ops
          username: ops
        - rolearn: arn:aws:iam::111122223333:user/boss
          username: boss # ours
          groups:
          - system:masters
    ");
}

#[test]
fn keys_in_quotes_stay_in_quotes() {
    let text = r#"{"mapRoles": "[{\"rolearn\": \"arn:aws:iam::111122223333:role/a\", \"username\": \"a\", \"group\": \"g\"}]"}"#;
    let object = format!(
        r#"{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "aws-auth"}}, "data": {text}}}"#
    );
    let right = object.replace(r#"\"group\": \"g\""#, r#"\"groups\": [\"g\"]"#);
    assert_eq!(fixed(&object), (right, 1));
}

#[test]
fn line_breaks_stay_as_they_are() {
    let text = manifest(&[(
        "mapRoles",
        "- rolearn: arn:aws:iam::111122223333:role/x/a\n  username: a\n  groups:\n  - a\n    - b\n",
    )]);
    let right = text
        .replace("role/x/a", "role/a")
        .replace("        - b", "      - b");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(fixed(&crlf(&text)), (crlf(&right), 2));
}
