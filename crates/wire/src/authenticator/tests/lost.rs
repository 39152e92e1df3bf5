//! Sections that are lost: why, where, and who is lost with them.

use accord_model::mapping::SectionName::{Accounts, Roles, Users};
use insta::assert_snapshot;

use super::{print, print_written};

#[test]
fn a_line_indented_by_one() {
    assert_snapshot!(print(Users, "- userarn: arn:aws:iam::111122223333:user/dana\n username: dana\n  groups:\n  - system:masters\n"), @r#"
    lost, Unparseable: a line in a list does not begin with `- `, or its indentation fits nothing before it: "username: dana"
    mapUsers[0] "userarn: arn:aws:iam::111122223333:user/dana\n username: dana\n  groups:\n  - system:masters"
      kept "arn:aws:iam::111122223333:user/dana" "dana" ["system:masters"]
    "#);
}

#[test]
fn a_field_indented_too_little() {
    assert_snapshot!(print(Roles, "- rolearn: A\n  username: a\n  groups:\n    - g\n    - h # two\n- rolearn: \"B\"\nusername: b\n"), @r#"
    lost, Unparseable: a line in a list does not begin with `- `, or its indentation fits nothing before it: "username: b"
    mapRoles[0] "rolearn: A\n  username: a\n  groups:\n    - g\n    - h"
      kept "A" "a" ["g", "h"]
    mapRoles[1] "rolearn: \"B\"\nusername: b"
      kept "B" "b" []
    "#);
}

#[test]
fn tabs() {
    assert_snapshot!(print(Roles, "- rolearn: A\t\n  groups:\n\t- g\n\t- h\n"), @r#"
    lost, Unparseable: a tab is used as indentation: "\t"
    mapRoles[0] "rolearn: A\t\n  groups:\n\t- g\n\t- h"
      kept "A" "" ["g", "h"]
    "#);
}

#[test]
fn a_template_without_quotes() {
    let text = "- rolearn: A\n  username: system:node:{{EC2PrivateDNSName}}\n- rolearn: B\n  username: {{SessionName}}\n  groups:\n  - g\n";
    assert_snapshot!(print(Roles, text), @r#"
    lost, UnquotedTemplate: a value begins with `{{` and has no quotes, which makes it a mapping to YAML: "{{SessionName}}"
    mapRoles[0] "rolearn: A\n  username: system:node:{{EC2PrivateDNSName}}"
      kept "A" "system:node:{{EC2PrivateDNSName}}" []
    mapRoles[1] "rolearn: B\n  username: {{SessionName}}\n  groups:\n  - g"
      kept "B" "{{SessionName}}" ["g"]
    "#);
    assert_snapshot!(print_written(Roles, text), @r#"
    rolearn "rolearn" "A" String [] []
    username "username" "system:node:{{EC2PrivateDNSName}}" String [] []
    rolearn "rolearn" "B" String [] []
    username "username" "{{SessionName}}" Map [] ["{SessionName}"]
    groups "groups" "- g" List ["g"] []
    "#);
}

#[test]
fn a_template_with_text_behind_it() {
    let text = "- rolearn: A\n  username: {{AccountID}}:{{SessionName}} # who\n- rolearn: B\n";
    assert_snapshot!(print(Roles, text), @r#"
    lost, UnquotedTemplate: a value begins with `{{` and has no quotes, which makes it a mapping to YAML: "{{AccountID}}:{{SessionName}}"
    mapRoles[0] "rolearn: A\n  username: {{AccountID}}:{{SessionName}}"
      kept "A" "{{AccountID}}:{{SessionName}}" []
    mapRoles[1] "rolearn: B"
      kept "B" "" []
    "#);
    assert_snapshot!(print_written(Roles, text), @r#"
    rolearn "rolearn" "A" String [] []
    username "username" "{{AccountID}}:{{SessionName}}" Map [] []
    rolearn "rolearn" "B" String [] []
    "#);
}

#[test]
fn a_template_as_a_group_or_as_all() {
    assert_snapshot!(print(Roles, "- rolearn: A\n  groups:\n  - {{SessionName}}\n"), @r#"
    lost, UnquotedTemplate: a value begins with `{{` and has no quotes, which makes it a mapping to YAML: "{{SessionName}}"
    mapRoles[0] "rolearn: A\n  groups:\n  - {{SessionName}}"
      kept "A" "" ["{{SessionName}}"]
    "#);
    assert_snapshot!(print(Roles, "{{ .Values.mapRoles }}\n"), @r#"lost, UnquotedTemplate: a value begins with `{{` and has no quotes, which makes it a mapping to YAML: "{{ .Values.mapRoles }}""#);
    assert_snapshot!(print(Roles, "- rolearn: A\n  x: {a: {b: c}: d}\n"), @r#"
    lost, Unparseable: `,` or `}` is missing: ": d}"
    mapRoles[0] "rolearn: A\n  x: {a: {b: c}: d}"
      kept "A" "" []
    "#);
}

#[test]
fn no_list() {
    assert_snapshot!(print(Roles, "rolearn: A\nusername: a\ngroups: [system:masters]\n"), @r#"
    lost, NotAList: it is a mapping, where a list belongs: "rolearn: A\nusername: a\ngroups: [system:masters]"
    mapRoles[0] "rolearn: A\nusername: a\ngroups: [system:masters]"
      kept "A" "a" ["system:masters"]
    "#);
    assert_snapshot!(print(Roles, "-rolearn: A\n"), @r#"
    lost, NotAList: no space follows the `-`, which makes it a mapping, where a list belongs: "-rolearn: A"
    mapRoles[0] "-rolearn: A"
      kept "A" "" []
    "#);
    assert_snapshot!(print(Roles, "{}\n"), @r#"lost, EmptyMapping: it is a mapping, where a list belongs: "{}""#);
    assert_snapshot!(print(Roles, "{\"rolearn\": \"A\"}"), @r#"
    lost, NotAList: it is a mapping, where a list belongs: "{\"rolearn\": \"A\"}"
    mapRoles[0] "{\"rolearn\": \"A\"}"
      kept "A" "" []
    "#);
    assert_snapshot!(print(Roles, "none"), @r#"lost, NotAList: it is a single value, where a list belongs: "none""#);
    assert_snapshot!(print(Accounts, "111122223333,444455556666\n"), @r#"
    lost, NotAList: it is a single value, where a list belongs (`- '111122223333'`): "111122223333,444455556666"
    mapAccounts[0] "111122223333"
      kept "111122223333"
    mapAccounts[1] "444455556666"
      kept "444455556666"
    "#);
}

#[test]
fn the_yaml_once_more() {
    assert_snapshot!(print(Roles, "|\n  - rolearn: A\n    username: a\n  - rolearn: B\n"), @r#"
    lost, DoubleEncoded: it is a text that holds the YAML once more: "|\n  - rolearn: A\n    username: a\n  - rolearn: B"
    mapRoles[0] "rolearn: A\n    username: a"
      kept "A" "a" []
    mapRoles[1] "rolearn: B"
      kept "B" "" []
    "#);
    assert_snapshot!(print(Roles, "\"- rolearn: A\\n  username: a\\n\""), @r#"
    lost, DoubleEncoded: it is a text that holds the YAML once more: "\"- rolearn: A\\n  username: a\\n\""
    mapRoles[0] "rolearn: A\\n  username: a"
      kept "A" "a" []
    "#);
}

#[test]
fn json_with_escaped_slashes() {
    assert_snapshot!(print(Roles, r#"[{"rolearn": "arn:aws:iam::1:role\/A", "groups": ["g"]}]"#), @r#"
    lost, Unparseable: `\/` is not a known escape sequence: "\\/"
    mapRoles[0] "{\"rolearn\": \"arn:aws:iam::1:role\\/A\", \"groups\": [\"g\"]}"
      kept "arn:aws:iam::1:role/A" "" ["g"]
    "#);
}

#[test]
fn what_cannot_become_json() {
    for (text, part) in [
        ("- rolearn: A\n  x: .inf\n", ".inf"),
        ("- rolearn: A\n  x: {y: {~: 1}}\n", "~"),
        ("- rolearn: A\n  [a]: 1\n", "[a]"),
        ("- rolearn: A\n  x: !!int y\n", "!!int y"),
        ("- rolearn: A\n  x: !!binary '%'\n", "!!binary '%'"),
        ("- rolearn: A\n  <<: 1\n", "1"),
        (
            "- rolearn: A\n  18446744073709551615: 1\n",
            "18446744073709551615",
        ),
        ("- &a {rolearn: A, x: *a}\n", "*a"),
    ] {
        let printed = print(Roles, text);
        let first = printed.lines().next().unwrap();
        assert!(first.starts_with("lost, Unparseable"), "{first}");
        assert!(first.ends_with(&format!("{part:?}")), "{first}");
        assert!(printed.contains("kept \"A\""), "{printed}");
    }
}
