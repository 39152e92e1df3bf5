//! What is said about what the author wrote.

use accord_model::mapping::SectionName::{Accounts, Roles, Users};
use accord_model::reading::What;
use insta::assert_snapshot;

use super::{print, print_written, read_section, remarked};

#[test]
fn a_sound_map_has_no_remarks() {
    let text = "- rolearn: arn:aws:iam::1:role/A\n  username: a\n  groups:\n  - g\n- rolearn: arn:aws:iam::1:role/B\n  UserName: b # fine\n";
    assert_snapshot!(print(Roles, text), @r#"
    read
    mapRoles[0] "rolearn: arn:aws:iam::1:role/A\n  username: a\n  groups:\n  - g"
      kept "arn:aws:iam::1:role/A" "a" ["g"]
    mapRoles[1] "rolearn: arn:aws:iam::1:role/B\n  UserName: b"
      kept "arn:aws:iam::1:role/B" "b" []
    "#);
}

#[test]
fn written_fields_have_their_places() {
    let text = "- &a\n  \"rolearn\": 'x'\n  groups: &g [a, ~]\n- <<: *a\n  groups: *g\n  sso: {accountID: 1}\n  username: |\n    u\n- *a\n";
    assert_snapshot!(print_written(Roles, text), @r#"
    rolearn "\"rolearn\"" "'x'" String [] []
    groups "groups" "&g [a, ~]" List ["a", "~"] []
    << "<<" "*a" Map [] []
    groups "groups" "*g" List [] []
    sso "sso" "{accountID: 1}" Map [] ["accountID"]
    username "username" "|\n    u" String [] []
    "#);
}

#[test]
fn items_that_are_skipped() {
    let text = "- arn:aws:iam::1:role/A\n- 42\n-\n- [x]\n- role_arn: arn:aws:iam::1:role/B\n  username: b\n  groups: [system:masters]\n- rolearn: 12\n- username: u\n- rolearn: ''\n";
    assert_snapshot!(print(Roles, text), @r#"
    read
    mapRoles[0] "arn:aws:iam::1:role/A"
      meant "arn:aws:iam::1:role/A" "" []
      mapRoles[0] EntryWrongType(Written { shape: String, text: "arn:aws:iam::1:role/A" }) at "arn:aws:iam::1:role/A"
    mapRoles[1] "42"
      meant "42" "" []
      mapRoles[1] EntryWrongType(Written { shape: Number, text: "42" }) at "42"
    mapRoles[2] ""
      meant "" "" []
      mapRoles[2] EntryWrongType(Written { shape: Null, text: "" }) at ""
    mapRoles[3] "[x]"
      meant "" "" []
      mapRoles[3] EntryWrongType(Written { shape: List, text: "[x]" }) at "[x]"
    mapRoles[4] "role_arn: arn:aws:iam::1:role/B\n  username: b\n  groups: [system:masters]"
      meant "arn:aws:iam::1:role/B" "b" ["system:masters"]
      mapRoles[4].role_arn UnknownField { key: "role_arn", near: Some("rolearn"), value: Written { shape: String, text: "arn:aws:iam::1:role/B" } } at "role_arn"
      mapRoles[4] MissingArn { near: Some("role_arn") } at "role_arn: arn:aws:iam::1:role/B\n  username: b\n  groups: [system:masters]"
    mapRoles[5] "rolearn: 12"
      meant "12" "" []
      mapRoles[5].rolearn ArnWrongType(Written { shape: Number, text: "12" }) at "12"
    mapRoles[6] "username: u"
      meant "" "u" []
      mapRoles[6] MissingArn { near: None } at "username: u"
    mapRoles[7] "rolearn: ''"
      meant "" "" []
      mapRoles[7] MissingArn { near: None } at "rolearn: ''"
    "#);
}

#[test]
fn fields_that_are_not_known() {
    let text = "- userarn: arn:aws:iam::1:user/U\n  group: system:masters\n  user_name: u\n  comment: {a: b}\n  1: 2\n- rolearn: arn:aws:iam::1:user/V\n  sso: {}\n";
    assert_snapshot!(print(Users, text), @r#"
    read
    mapUsers[0] "userarn: arn:aws:iam::1:user/U\n  group: system:masters\n  user_name: u\n  comment: {a: b}\n  1: 2"
      kept "arn:aws:iam::1:user/U" "" []
      mapUsers[0].group UnknownField { key: "group", near: Some("groups"), value: Written { shape: String, text: "system:masters" } } at "group"
      mapUsers[0].user_name UnknownField { key: "user_name", near: Some("username"), value: Written { shape: String, text: "u" } } at "user_name"
      mapUsers[0].comment UnknownField { key: "comment", near: None, value: Written { shape: Map, text: "{a: b}" } } at "comment"
      mapUsers[0].1 UnknownField { key: "1", near: None, value: Written { shape: Number, text: "2" } } at "1"
    mapUsers[1] "rolearn: arn:aws:iam::1:user/V\n  sso: {}"
      meant "arn:aws:iam::1:user/V" "" []
      mapUsers[1].rolearn UnknownField { key: "rolearn", near: Some("userarn"), value: Written { shape: String, text: "arn:aws:iam::1:user/V" } } at "rolearn"
      mapUsers[1].sso UnknownField { key: "sso", near: None, value: Written { shape: Map, text: "{}" } } at "sso"
      mapUsers[1] MissingArn { near: Some("rolearn") } at "rolearn: arn:aws:iam::1:user/V\n  sso: {}"
    "#);
}

#[test]
fn values_of_the_wrong_type() {
    let text = "- rolearn: A\n  username: yes\n  userid: 1e3\n  groups: system:masters\n- rolearn: B\n  groups:\n  - system: masters\n  - 12\n  -\n  - [x]\n  - g\n";
    assert_snapshot!(print(Roles, text), @r#"
    read
    mapRoles[0] "rolearn: A\n  username: yes\n  userid: 1e3\n  groups: system:masters"
      kept "A" "" []
      mapRoles[0].groups GroupsWrongType(Written { shape: String, text: "system:masters" }) at "system:masters"
      mapRoles[0].userid UserIdWrongType(Written { shape: Number, text: "1e3" }) at "1e3"
      mapRoles[0].username UsernameWrongType(Written { shape: Bool, text: "yes" }) at "yes"
    mapRoles[1] "rolearn: B\n  groups:\n  - system: masters\n  - 12\n  -\n  - [x]\n  - g"
      kept "B" "" ["", "", "", "", "g"]
      mapRoles[1].groups[0] GroupWrongType(Written { shape: Map, text: "system: masters" }) at "system: masters"
      mapRoles[1].groups[1] GroupWrongType(Written { shape: Number, text: "12" }) at "12"
      mapRoles[1].groups[3] GroupWrongType(Written { shape: List, text: "[x]" }) at "[x]"
    "#);
}

#[test]
fn keys_that_meet() {
    let text = "- rolearn: A\n  username: one\n  username: two\n- rolearn: B\n  username: low\n  UserName: up\n- rolearn: C\n  groups: [z]\n  Groups: [a, b]\n- &m {rolearn: D, username: d}\n- {rolearn: E, username: e, <<: *m}\n- {<<: *m, rolearn: F}\n- rolearn: G\n  Username: 1\n  username: 2\n";
    assert_snapshot!(print(Roles, text), @r#"
    read
    mapRoles[0] "rolearn: A\n  username: one\n  username: two"
      kept "A" "two" []
      mapRoles[0].username DuplicateKey { key: "username", effect: "the last one counts" } at "username"
    mapRoles[1] "rolearn: B\n  username: low\n  UserName: up"
      kept "B" "low" []
      mapRoles[1].username DuplicateKey { key: "UserName", effect: "`username` counts, wherever it stands" } at "UserName"
    mapRoles[2] "rolearn: C\n  groups: [z]\n  Groups: [a, b]"
      kept "C" "" ["z"]
      mapRoles[2].groups DuplicateKey { key: "Groups", effect: "the lists are laid over each other: `Groups`, then `groups`" } at "Groups"
    mapRoles[3] "&m {rolearn: D, username: d}"
      kept "D" "d" []
    mapRoles[4] "{rolearn: E, username: e, <<: *m}"
      kept "D" "d" []
      mapRoles[4].rolearn MergeOverrides { key: "rolearn" } at "rolearn"
      mapRoles[4].username MergeOverrides { key: "username" } at "username"
    mapRoles[5] "{<<: *m, rolearn: F}"
      kept "F" "d" []
    mapRoles[6] "rolearn: G\n  Username: 1\n  username: 2"
      kept "G" "" []
      mapRoles[6].username DuplicateKey { key: "username", effect: "none of them is text" } at "username"
      mapRoles[6].username UsernameWrongType(Written { shape: Number, text: "1" }) at "1"
      mapRoles[6].username UsernameWrongType(Written { shape: Number, text: "2" }) at "2"
    "#);
}

#[test]
fn sso_blocks() {
    let text = "- sso: {permissionSetName: Admin, accountID: '111122223333'}\n- sso:\n    permissionSetName: Admin\n    accountID: 111122223333\n- sso: {permissionSetName: 'a b', accountID: '111122223333'}\n- sso: {permissionSetName: A, accountID: '111122223333', partition: moon}\n- rolearn: A\n  sso: foo\n- sso: {permission_set_name: A, accountID: '1'}\n- rolearn: B\n  sso: ~\n- sso: {}\n- sso: {permissionSetName: A, accountID: '111122223333', partition: [], accountid: 1}\n- rolearn: []\n  sso: {permissionSetName: A, accountID: '111122223333'}\n";
    assert_snapshot!(print(Roles, text), @r#"
    read
    mapRoles[0] "sso: {permissionSetName: Admin, accountID: '111122223333'}"
      kept "" "" [] Sso { permission_set_name: "Admin", account_id: "111122223333", partition: "" }
    mapRoles[1] "sso:\n    permissionSetName: Admin\n    accountID: 111122223333"
      meant "" "" []
      mapRoles[1].sso.accountID SsoAccountNumber { text: "111122223333" } at "111122223333"
    mapRoles[2] "sso: {permissionSetName: 'a b', accountID: '111122223333'}"
      meant "" "" []
      mapRoles[2].sso.permissionSetName SsoInvalid { reason: "permissionSetName is `a b`, not 1 to 32 letters, digits or any of `_+=,.@-`" } at "'a b'"
    mapRoles[3] "sso: {permissionSetName: A, accountID: '111122223333', partition: moon}"
      meant "" "" []
      mapRoles[3].sso.partition SsoInvalid { reason: "partition `moon` does not exist" } at "moon"
    mapRoles[4] "rolearn: A\n  sso: foo"
      meant "A" "" []
      mapRoles[4].sso SsoInvalid { reason: "both `rolearn` and `sso` are given" } at "foo"
    mapRoles[5] "sso: {permission_set_name: A, accountID: '1'}"
      meant "" "" []
      mapRoles[5].sso.permission_set_name UnknownField { key: "permission_set_name", near: Some("permissionSetName"), value: Written { shape: String, text: "A" } } at "permission_set_name"
      mapRoles[5].sso.accountID SsoInvalid { reason: "accountID is `1`, not twelve digits" } at "'1'"
    mapRoles[6] "rolearn: B\n  sso: ~"
      kept "B" "" []
    mapRoles[7] "sso: {}"
      meant "" "" []
      mapRoles[7].sso SsoInvalid { reason: "accountID is ``, not twelve digits" } at "{}"
    mapRoles[8] "sso: {permissionSetName: A, accountID: '111122223333', partition: [], accountid: 1}"
      kept "" "" [] Sso { permission_set_name: "A", account_id: "111122223333", partition: "" }
      mapRoles[8].sso.accountID DuplicateKey { key: "accountid", effect: "one of them counts" } at "accountid"
      mapRoles[8].sso.partition SsoFieldWrongType(Written { shape: List, text: "[]" }) at "[]"
      mapRoles[8].sso.accountID SsoFieldWrongType(Written { shape: Number, text: "1" }) at "1"
    mapRoles[9] "rolearn: []\n  sso: {permissionSetName: A, accountID: '111122223333'}"
      kept "" "" [] Sso { permission_set_name: "A", account_id: "111122223333", partition: "" }
      mapRoles[9].rolearn ArnWrongType(Written { shape: List, text: "[]" }) at "[]"
    "#);
}

#[test]
fn accounts() {
    let text = "- '111122223333'\n- 012345678901\n- 1111_2222_3333\n- 111122223333\n- default: 111122223333\n- ~\n- !!int x\n- '444455556666'\n";
    assert_snapshot!(print(Accounts, text), @r#"
    read
    mapAccounts[0] "'111122223333'"
      kept "111122223333"
    mapAccounts[1] "012345678901"
      kept "012345678901"
      mapAccounts[1] AccountAmbiguousNumber { text: "012345678901" } at "012345678901"
    mapAccounts[2] "1111_2222_3333"
      kept "1111_2222_3333"
      mapAccounts[2] AccountAmbiguousNumber { text: "1111_2222_3333" } at "1111_2222_3333"
    mapAccounts[3] "111122223333"
      kept "111122223333"
    mapAccounts[4] "default: 111122223333"
      kept ""
      mapAccounts[4] AccountWrongType { shape: Map, inside: Some("111122223333") } at "default: 111122223333"
    mapAccounts[5] "~"
      kept ""
    mapAccounts[6] "!!int x"
      kept ""
      mapAccounts[6] AccountsVoidedFromHere at "!!int x"
    mapAccounts[7] "'444455556666'"
      kept ""
    "#);
}

#[test]
fn what_stands_behind_the_end() {
    assert_snapshot!(print(Roles, "  - rolearn: A\n- rolearn: B\n  username: b\n  groups: [g, h]\n- rolearn: 'C'\n"), @r#"
    read
    mapRoles TrailingContent { lost: [Salvaged { arn: "B", groups: ["g", "h"], username: "b" }, Salvaged { arn: "C", groups: [], username: "" }] } at "- rolearn: B"
    mapRoles[0] "rolearn: A"
      kept "A" "" []
    "#);
    assert_snapshot!(print(Roles, "- rolearn: A\n---\n- rolearn: B\n  groups:\n    - g\n"), @r#"
    read
    mapRoles SecondDocument { lost: [Salvaged { arn: "B", groups: ["g"], username: "" }] } at "---"
    mapRoles[0] "rolearn: A"
      kept "A" "" []
    "#);
    assert_snapshot!(print(Roles, "[{rolearn: A}][{rolearn: B, groups: [g]}]"), @r#"
    read
    mapRoles TrailingContent { lost: [Salvaged { arn: "B", groups: ["g"], username: "" }] } at "[{rolearn: B, groups: [g]}]"
    mapRoles[0] "{rolearn: A}"
      kept "A" "" []
    "#);
    assert_snapshot!(print(Roles, "---\n---\n- rolearn: A\n"), @r#"
    empty
    mapRoles SecondDocument { lost: [Salvaged { arn: "A", groups: [], username: "" }] } at "---"
    "#);
    assert_snapshot!(print(Accounts, " - '1'\n- '2'\n"), @r#"
    read
    mapAccounts TrailingContent { lost: [Salvaged { arn: "2", groups: [], username: "" }] } at "- '2'"
    mapAccounts[0] "'1'"
      kept "1"
    "#);
}

#[test]
fn a_bare_marker_behind_the_end_is_nothing() {
    for text in [
        "- rolearn: A\n---\n",
        "- rolearn: A\n...\n# done\n",
        "---\n",
    ] {
        let read = read_section(Roles, None, text);
        assert!(
            !remarked(&read, |w| matches!(w, What::SecondDocument { .. })),
            "{text:?}"
        );
    }
}

#[test]
fn a_byte_order_mark() {
    assert_snapshot!(print(Roles, "\u{feff}- rolearn: A\n"), @r#"
    read
    mapRoles ByteOrderMark at "\u{feff}"
    mapRoles[0] "rolearn: A"
      kept "A" "" []
    "#);
}
