//! What each family says, as a person reads it.

use std::fmt::Write;

use accord_model::facts::AuthenticationMode::{Api, ApiAndConfigMap, ConfigMap};
use accord_model::facts::{AssociatedPolicy, FargateProfile, NodeGroup, Role};
use accord_model::finding::Finding;
use accord_model::mapping::SectionName::{Accounts, Roles, Users};
use accord_model::observed::{Observed, StrayKey};
use accord_model::reading::{AuthMap, LossCause, Salvaged, Shape, What, Written};
use accord_model::time::Timestamp;

use super::{World, lint, lint_map};
use crate::testing::{entry, in_mode, map, observed};

const NODE: &str = "system:node:{{EC2PrivateDNSName}}";
const POD: &str = "system:node:{{SessionName}}";
const OF_NODES: &[&str] = &["system:bootstrappers", "system:nodes"];
const OF_PODS: &[&str] = &[
    "system:bootstrappers",
    "system:nodes",
    "system:node-proxier",
];

fn told(findings: &[Finding]) -> String {
    let mut out = String::new();
    for f in findings {
        let at = f.at.as_deref().unwrap_or("-");
        let _ = writeln!(out, "{at}: {} {}: {}", f.severity, f.kind, f.message);
        if let Some(text) = &f.suggest {
            let _ = writeln!(out, "    write: {}", text.replace('\n', "\\n"));
        }
    }
    out
}

fn of(map: AuthMap) -> String {
    told(&lint_map(&map, &[], "x", &World::default()))
}

fn of_cluster(observed: &Observed) -> String {
    told(&lint(observed))
}

fn written(shape: Shape, text: &str) -> Written {
    Written {
        shape,
        text: text.into(),
    }
}

#[test]
fn an_ordinary_map_has_no_findings() {
    let ordinary = map()
        .role("role/ng", NODE, OF_NODES)
        .role("role/pods", POD, OF_PODS)
        .role("role/admin", "admin", &["system:masters"])
        .role(
            "role/AWSReservedSSO_Dev_0123456789abcdef",
            "dev:{{SessionName}}",
            &["developers"],
        )
        .role("role/batch", "aws-batch", &[])
        .user("user/team/dana", "dana", &["system:masters"])
        .account("444455556666")
        .build();
    let seen = in_mode(observed(ordinary), Some(ConfigMap));
    assert_eq!(of_cluster(&seen), "");
}

#[test]
fn an_arn_that_nobody_has_is_told_with_what_to_write() {
    let judged = map()
        .role("role/ci/gitlab/Runner", "runner", &["system:masters"])
        .role("ROLE/eks/ng", NODE, OF_NODES)
        .role("arn:aws:sts::111122223333:assumed-role/Developer/kim", "kim", &["developers"])
        .role("instance-profile/ng-node", NODE, OF_NODES)
        .role("arn:aws:eks:eu-west-1:111122223333:fargateprofile/demo/default/a1", POD, OF_PODS)
        .role("arn:aws:iam::${account_id}:role/ng", NODE, OF_NODES)
        .role("arn:aws:iam::XXXXXXXXXXXX:role/a", "a", &["g"])
        .role("role/<name>", "a", &["g"])
        .role("arn:aws:iam:111122223333:role/b", "b", &["g"])
        .role("arn:aws:iam::111122223333::role/c", "c", &["g"])
        .role("arn:aws:iam::12345678901:role/d", "d", &["g"])
        .role("arn:aws:iam::111122223333:role:e", "e", &["g"])
        .role("arn:aws:iam:eu-west-1:111122223333:role/f", "f", &["g"])
        .role("arn:aws-gov:iam::111122223333:role/g", "g", &["g"])
        .role("role/h\n", "h", &["g"])
        .role("role/AWSReservedSSO_Admin_*", "i", &["system:masters"])
        .role("role/", "j", &["g"])
        .role("role/ké", "k", &["g"])
        .role("role/\u{212A}elvin", "l", &["g"])
        .role("arn:aws:s3:::bucket", "m", &["g"])
        .role("arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_View_fedcba9876543210", "n", &["g"])
        .user("group/admins", "admins", &["system:masters"])
        .user("111122223333", "account", &["g"])
        .build();
    insta::assert_snapshot!(of(judged), @r"
    mapRoles[5].rolearn: breaks-cluster arn-malformed: With `${account_id}` in it, this is no ARN that anybody has.
    mapRoles[5].rolearn: breaks-cluster placeholder-left: `${account_id}` was never filled in.
    mapRoles[1].rolearn: breaks-cluster arn-has-path: A role's ARN with its path never matches, because STS does not show the path.
        write: arn:aws:iam::111122223333:role/ng
    mapRoles[3].rolearn: breaks-cluster arn-not-a-principal: This is an instance profile: nobody authenticates as that. Write the ARN of the profile's role; it is often named alike, role/ng-node (a guess).
    mapRoles[4].rolearn: breaks-cluster arn-not-a-principal: This is a Fargate profile: nobody authenticates as that. Write the ARN of its pod execution role.
    mapRoles[15].rolearn: locks-out arn-wildcard: `*` and `?` are literal characters here and match nobody. List the real roles or users, or use access entries.
    mapRoles[0].rolearn: locks-out arn-has-path: A role's ARN with its path never matches, because STS does not show the path.
        write: arn:aws:iam::111122223333:role/Runner
    mapUsers[0].userarn: locks-out arn-not-a-principal: This is an IAM group: nobody authenticates as that. IAM groups do not sign in: map a role that the group's members may assume, or list the users.
    mapRoles[6].rolearn: silent-wrong arn-malformed: With `XXXXXXXXXXXX` in it, this is no ARN that anybody has.
    mapRoles[7].rolearn: silent-wrong arn-malformed: With `<name>` in it, this is no ARN that anybody has.
    mapRoles[8].rolearn: silent-wrong arn-malformed: There is a colon missing before the account.
        write: arn:aws:iam::111122223333:role/b
    mapRoles[9].rolearn: silent-wrong arn-malformed: There is a colon too many behind the account.
        write: arn:aws:iam::111122223333:role/c
    mapRoles[10].rolearn: silent-wrong arn-malformed: The account `12345678901` has eleven digits; perhaps a leading zero was lost: `012345678901`.
    mapRoles[11].rolearn: silent-wrong arn-malformed: Behind the kind of resource comes a slash, not a colon.
        write: arn:aws:iam::111122223333:role/e
    mapRoles[12].rolearn: silent-wrong arn-malformed: IAM has no regions, and this ARN has `eu-west-1` for one.
        write: arn:aws:iam::111122223333:role/f
    mapRoles[16].rolearn: silent-wrong arn-malformed: The role's name is missing.
    mapRoles[17].rolearn: silent-wrong arn-malformed: The ARN has a letter that no IAM name can have: it never matches.
    mapRoles[14].rolearn: silent-wrong arn-invisible-character: The ARN has white space, a line break or an invisible character in it, and nothing is trimmed: it never matches.
        write: arn:aws:iam::111122223333:role/h
    mapRoles[6].rolearn: silent-wrong placeholder-left: `XXXXXXXXXXXX` was never filled in.
    mapRoles[7].rolearn: silent-wrong placeholder-left: `<name>` was never filled in.
    mapRoles[13].rolearn: silent-wrong unknown-partition: There is no partition `aws-gov`.
    mapRoles[20].rolearn: silent-wrong arn-has-path: A role's ARN with its path never matches, because STS does not show the path. The suffix of the name changes when the permission set is provisioned anew.
        write: arn:aws:iam::111122223333:role/AWSReservedSSO_View_fedcba9876543210
    mapRoles[2].rolearn: silent-wrong arn-assumed-role: This is the ARN of a session, as `aws sts get-caller-identity` prints it: it never matches, because the authenticator compares the role's.
        write: arn:aws:iam::111122223333:role/Developer
    mapRoles[19].rolearn: silent-wrong arn-not-a-principal: This is something of the service `s3`: nobody authenticates as that. Write the ARN of a role or user.
    mapUsers[1].userarn: silent-wrong arn-not-a-principal: This is something of the service `iam`: nobody authenticates as that. Write the ARN of a role or user.
    mapRoles[18].rolearn: warning arn-invisible-character: The ARN has a letter that only looks like a Latin one, and matches because the authenticator folds it; other tools will not. Write it in ASCII.
    ");
}

#[test]
fn an_entry_beside_a_working_copy_is_only_superfluous() {
    let twice = map()
        .role("role/eks/ng", NODE, OF_NODES)
        .role("role/ng", NODE, OF_NODES)
        .build();
    insta::assert_snapshot!(of(twice), @r"mapRoles[0].rolearn: warning arn-has-path: A role's ARN with its path never matches, because STS does not show the path. mapRoles[1] already does what this entry means: remove this one.");
}

#[test]
fn what_works_in_an_odd_place_is_told_mildly() {
    let odd = map()
        .role("user/dana", "dana", &["g"])
        .user("role/ops", "ops", &["g"])
        .build();
    insta::assert_snapshot!(of(odd), @r"
    mapRoles[0]: info wrong-section: This is a user in mapRoles: it works, because the authenticator does not look at the kind of ARN, but it belongs in mapUsers.
    mapUsers[0]: info wrong-section: This is a role in mapUsers: it works, because the authenticator does not look at the kind of ARN, but it belongs in mapRoles.
    ");
}

#[test]
fn copies_are_told_at_the_one_that_wins() {
    let copies = map()
        .role("role/admins", "operator", &["system:masters"])
        .role("role/Admins", "", &["team-b-dev"])
        .role("role/ng", NODE, OF_NODES)
        .role("role/ng", NODE, &["system:nodes", "system:bootstrappers"])
        .role("role/ng2", NODE, OF_NODES)
        .role("role/ng2", POD, OF_PODS)
        .user("user/u", "one", &["a"])
        .user("user/U", "two", &["b"])
        .role("user/dana", "from-roles", &["a"])
        .user("user/dana", "from-users", &["b"])
        .build();
    insta::assert_snapshot!(of(copies), @r"
    mapRoles[5].rolearn: breaks-cluster duplicate-arn: mapRoles[4] is for the same principal, and of equal ones the last wins as a whole: in effect are the username `system:node:{{SessionName}}` and the groups system:bootstrappers, system:nodes, system:node-proxier.
    mapRoles[1].rolearn: locks-out duplicate-arn: mapRoles[0] is for the same principal, and of equal ones the last wins as a whole: in effect are no username and the groups team-b-dev. Lost: system:masters.
    mapUsers[2].userarn: silent-wrong duplicate-arn: mapRoles[6] is for the same principal, and mapRoles is asked first: in effect are the username `from-roles` and the groups a. Lost: b.
    mapUsers[1].userarn: silent-wrong duplicate-arn-case-only: mapUsers[0] differs only in letter case. Entries that are spelled differently are kept apart and compared without case, so which of them answers is random, from one request to the next. Keep one.
    mapRoles[1]: warning username-missing: There is no username, so it is empty: nothing in Kubernetes tells who this was.
    mapRoles[3].rolearn: warning duplicate-arn: mapRoles[2] is for the same principal, and of equal ones the last wins as a whole: in effect are the username `system:node:{{EC2PrivateDNSName}}` and the groups system:nodes, system:bootstrappers.
    mapRoles[6]: info wrong-section: This is a user in mapRoles: it works, because the authenticator does not look at the kind of ARN, but it belongs in mapUsers.
    ");
}

#[test]
fn beyond_ascii_roles_can_be_random_or_replaced_by_nobody() {
    let odd = map()
        .role("role/s", "one", &["system:masters"])
        .role("role/\u{17F}", "two", &["g"])
        .role("role/i", "one", &["g"])
        .role("role/\u{130}", "two", &["g"])
        .build();
    insta::assert_snapshot!(of(odd), @r"
    mapRoles[1].rolearn: locks-out duplicate-arn-case-only: mapRoles[0] differs only in letter case. Entries that are spelled differently are kept apart and compared without case, so which of them answers is random, from one request to the next. Keep one.
    mapRoles[3].rolearn: silent-wrong arn-malformed: The ARN has a letter that no IAM name can have: it never matches.
    mapRoles[3].rolearn: silent-wrong duplicate-arn: mapRoles[2] is for the same principal, and of equal ones the last wins as a whole: in effect are the username `two` and the groups g.
    mapRoles[1].rolearn: warning arn-invisible-character: The ARN has a letter that only looks like a Latin one, and matches because the authenticator folds it; other tools will not. Write it in ASCII.
    ");
}

#[test]
fn odd_usernames_and_groups_are_told() {
    let odd = map()
        .role(
            "role/ng",
            "<system:node:{{EC2PrivateDNSName}}>",
            &["<system:bootstrappers>", "<system:nodes>"],
        )
        .role("role/ng2", NODE, &["system:bootstrappers - system:nodes"])
        .role("role/ng3", "system:node:{{EC2PrivateDnsName}}", OF_NODES)
        .role("role/a", "a:{{Email}}", &["${team}"])
        .role("role/b", "", &["system:master"])
        .role("role/c", "{{SessionName}}", &["g", "x, y"])
        .role("role/d", "ci:{{SessionNameRaw}}", &["system:masters ", ""])
        .role(
            "role/AWSReservedSSO_Dev_0123456789abcdef",
            NODE,
            &["system:masters"],
        )
        .role("role/e", POD, &["system:masters"])
        .user("user/f", "{{SessionName}}", &["g"])
        .build();
    insta::assert_snapshot!(of(odd), @r#"
    mapRoles[1].groups[0]: breaks-cluster group-suspicious: This is one group with the name `system:bootstrappers - system:nodes`: `system:bootstrappers` and `system:nodes` were joined by a stray indentation. Give each a line of its own, with its dash in the same column.
    mapRoles[2].username: breaks-cluster template-unknown: The authenticator does not know `{{EC2PrivateDnsName}}`, which stays as it is; `{{EC2PrivateDNSName}}` is meant.
        write: "system:node:{{EC2PrivateDNSName}}"
    mapRoles[0].username: breaks-cluster placeholder-left: `<system:node:{{EC2PrivateDNSName}}>` is taken literally: a placeholder was never filled in, or its brackets were kept.
        write: "system:node:{{EC2PrivateDNSName}}"
    mapRoles[0].groups[0]: breaks-cluster placeholder-left: `<system:bootstrappers>` is taken literally: a placeholder was never filled in, or its brackets were kept.
        write: system:bootstrappers
    mapRoles[0].groups[1]: breaks-cluster placeholder-left: `<system:nodes>` is taken literally: a placeholder was never filled in, or its brackets were kept.
        write: system:nodes
    mapRoles[4].groups[0]: locks-out group-suspicious: `system:master` is not `system:masters`: groups are compared exactly.
        write: system:masters
    mapRoles[6].groups[0]: locks-out group-suspicious: The group `system:masters ` has white space or an invisible character in it, and nothing is trimmed.
        write: system:masters
    mapRoles[7].username: locks-out node-template-on-human-role: `{{EC2PrivateDNSName}}` is for nodes: whoever else has this role is denied, because the session is not named after an EC2 instance.
    mapRoles[5].groups[1]: silent-wrong group-suspicious: This is one group with the name `x, y`: `x` and `y` were joined by a stray comma. Give each a line of its own, with its dash in the same column.
    mapUsers[0].username: silent-wrong username-missing: Only roles have sessions: for a user the session's name is empty, and this username is not what it seems.
    mapRoles[3].username: silent-wrong template-unknown: The authenticator does not know `{{Email}}`, which stays as it is.
    mapRoles[3].groups[0]: silent-wrong placeholder-left: `${team}` is taken literally: a placeholder was never filled in, or its brackets were kept.
    mapRoles[6].groups[1]: warning group-suspicious: This group is empty text.
    mapRoles[4]: warning username-missing: There is no username, so it is empty: nothing in Kubernetes tells who this was.
    mapRoles[5].username: warning username-caller-controlled: Whoever assumes the role chooses the session's name, and so the whole username, somebody else's too. Put a prefix before it, and bind rights to the groups and never to this username.
    mapRoles[8].username: warning node-template-on-human-role: `system:node:…` is a node's name: people who have this role look like nodes to Kubernetes.
    mapRoles[6].username: info username-caller-controlled: Whoever assumes the role chooses the session's name, and so this username: it may differ from run to run. Bind rights to the groups and never to this username.
    "#);
}

#[test]
fn accounts_that_never_match_are_told() {
    let mut accounts = map();
    for text in [
        "1111-2222-3333",
        "1111_2222_3333",
        "12345678901",
        " 444455556666",
        "1.11122223333e+11",
        "",
        "111122223333",
    ] {
        accounts = accounts.account(text);
    }
    insta::assert_snapshot!(of(accounts.build()), @r#"
    mapAccounts[0]: silent-wrong account-bad-format: `1111-2222-3333` is compared as it stands, and never matches. Perhaps `111122223333` is meant.
        write: "111122223333"
    mapAccounts[1]: silent-wrong account-bad-format: `1111_2222_3333` is compared as it stands, and never matches. Perhaps `111122223333` is meant.
        write: "111122223333"
    mapAccounts[2]: silent-wrong account-bad-format: `12345678901` is compared as it stands, and never matches. Perhaps `012345678901` is meant.
        write: "012345678901"
    mapAccounts[3]: silent-wrong account-bad-format: ` 444455556666` is compared as it stands, and never matches. Perhaps `444455556666` is meant.
        write: "444455556666"
    mapAccounts[4]: silent-wrong account-bad-format: `1.11122223333e+11` is not twelve digits, and never matches.
    mapAccounts[5]: silent-wrong account-bad-format: This item is empty, and no account is.
    "#);
}

#[test]
fn sso_blocks_do_nothing_here() {
    let sso = map().sso("Admin", "").sso("View", "aws-us-gov").build();
    insta::assert_snapshot!(of(sso), @r"
    mapRoles[0].sso.permissionSetName: privilege-gain sso-prefix-overmatch: Where the matcher is on, this admits every permission set of the account whose name begins with `Admin_`, such as `Admin_ReadOnly`: the pattern is not anchored to the role's suffix.
    mapRoles[0]: silent-wrong sso-matcher-inactive: EKS does not match `sso` blocks: the entry lets nobody in. Write a `rolearn` for the permission set's role, role/AWSReservedSSO_NAME_SUFFIX, or create an access entry.
    mapRoles[1]: silent-wrong sso-matcher-inactive: EKS does not match `sso` blocks: the entry lets nobody in. Write a `rolearn` for the permission set's role, role/AWSReservedSSO_NAME_SUFFIX, or create an access entry.
    mapRoles[1].sso.partition: silent-wrong sso-partition-never-matches: With `partition: aws-us-gov` the entry never matches, not even where the matcher is on: the authenticator drops the partition from its pattern. Write a `rolearn` per role, or create an access entry.
    ");
}

#[test]
fn what_was_read_otherwise_than_written_is_told() {
    let read = map()
        .role("role/a", "a", &[])
        .remark(
            Roles,
            ".groups",
            What::GroupsWrongType(written(Shape::String, "system:masters")),
        )
        .role("role/b", "b", &["", "viewers"])
        .remark(
            Roles,
            ".groups[0]",
            What::GroupWrongType(written(Shape::Map, "system: masters")),
        )
        .role("role/c", "c", &[])
        .remark(
            Roles,
            ".group",
            What::UnknownField {
                key: "group".into(),
                near: Some("groups"),
                value: written(Shape::String, "system:masters"),
            },
        )
        .role("role/d", "", &["g"])
        .remark(
            Roles,
            ".username",
            What::UsernameWrongType(written(Shape::Bool, "on")),
        )
        .role("role/e", "e", &["", "x"])
        .remark(
            Roles,
            ".groups[0]",
            What::GroupWrongType(written(Shape::Number, "12")),
        )
        .remark(
            Roles,
            ".username",
            What::DuplicateKey {
                key: "username".into(),
                effect: "the last one wins".into(),
            },
        )
        .written(Roles, &["rolearn", "username", "UserName"])
        .role("role/f", "f", &["g"])
        .remark(
            Roles,
            ".comment",
            What::UnknownField {
                key: "comment".into(),
                near: None,
                value: written(Shape::String, "hi"),
            },
        )
        .meant("role/g")
        .remark(
            Roles,
            "",
            What::MissingArn {
                near: Some("role_arn".into()),
            },
        )
        .meant("user/h")
        .remark(
            Roles,
            "",
            What::MissingArn {
                near: Some("userarn".into()),
            },
        )
        .skipped()
        .remark(
            Roles,
            "",
            What::EntryWrongType(written(Shape::String, "arn:aws:iam::111122223333:role/i")),
        )
        .skipped()
        .remark(
            Roles,
            ".sso.accountID",
            What::SsoAccountNumber {
                text: "111122223333".into(),
            },
        )
        .account("")
        .remark(
            Accounts,
            "",
            What::AccountWrongType {
                shape: Shape::Map,
                inside: Some("111122223333".into()),
            },
        )
        .section_remark(Users, What::ByteOrderMark)
        .section_remark(
            Roles,
            What::TrailingContent {
                lost: vec![Salvaged {
                    arn: "arn:aws:iam::111122223333:role/z".into(),
                    groups: vec!["system:masters".into()],
                    username: "z".into(),
                }],
            },
        )
        .build();
    insta::assert_snapshot!(of(read), @r#"
    mapRoles: locks-out trailing-content-ignored: The list ends before this line, which is indented less than the first entry or stands behind the closing bracket; what follows is not read, without any error: arn:aws:iam::111122223333:role/z is lost.
    mapRoles[2].group: locks-out unknown-field: The authenticator ignores `group`; `groups` is meant. The entry has no groups.
        write: groups: [system:masters]
    mapRoles[0].groups: locks-out groups-wrong-type: `groups` is a string and not a list: the entry has no groups at all, and no error is shown to anybody.
        write: [system:masters]
    mapRoles[1].groups[0]: locks-out group-wrong-type: `system: masters` is a mapping, because a space follows the colon, and is read as an empty group. `system:masters` is meant.
        write: system:masters
    mapRoles[8]: silent-wrong entry-wrong-type: This list item is a string and not a mapping with `rolearn`: it is skipped; the other entries are not affected.
        write: rolearn: arn:aws:iam::111122223333:role/i
    mapRoles[6]: silent-wrong missing-arn: The entry has no `rolearn`, and is skipped; `role_arn` is not read, and seems to mean it.
    mapRoles[4].username: silent-wrong duplicate-key: `username` is given more than once: the last one wins.
    mapRoles[4].groups[0]: silent-wrong group-wrong-type: `12` is a number to YAML 1.1 and not text: it is read as an empty group.
        write: "12"
    mapRoles[3].username: silent-wrong username-wrong-type: The username `on` is a boolean to YAML 1.1 and not text: the username is empty.
        write: "on"
    mapAccounts[0]: silent-wrong account-bad-format: This item is empty, and no account is.
    mapAccounts[0]: silent-wrong account-wrong-type: mapAccounts is a list of account ids as text, and this item is a mapping: it is dropped.
        write: "111122223333"
    mapRoles[9].sso.accountID: silent-wrong account-ambiguous-number: `111122223333` without quotes is a number, and an `accountID` must be text: the entry is dropped.
        write: "111122223333"
    mapRoles[7]: silent-wrong wrong-section: An entry with `userarn` belongs in mapUsers; in mapRoles it has no `rolearn`, and is skipped.
    mapRoles[5].comment: warning unknown-field: The authenticator ignores `comment`.
    mapUsers: info byte-order-mark: The section begins with a byte order mark. The authenticator drops it; other tools may not.
    "#);
}

#[test]
fn a_lost_section_names_who_is_lost() {
    let lost = map()
        .role("role/ng", NODE, OF_NODES)
        .role("role/ops", "ops", &["ops"])
        .lost(
            Roles,
            LossCause::Unparseable,
            "a tab is used as indentation",
        )
        .user("user/dana", "dana", &["system:masters"])
        .lost(Users, LossCause::NotAList, "this is a mapping")
        .lost(Accounts, LossCause::NotAList, "this is a string")
        .build();
    insta::assert_snapshot!(of(lost), @r#"
    mapRoles: breaks-cluster section-unparseable: mapRoles cannot be read: a tab is used as indentation. The whole section is void, not just this line: arn:aws:iam::111122223333:role/ng and arn:aws:iam::111122223333:role/ops are lost.
    mapUsers: locks-out section-not-a-list: mapUsers cannot be read: this is a mapping. The whole section is void, not just this line: arn:aws:iam::111122223333:user/dana is lost. Write each entry behind a dash, `- userarn: arn:aws:iam::111122223333:user/dana`.
    mapAccounts: silent-wrong section-not-a-list: mapAccounts cannot be read: this is a string. None of its entries is in effect. Write each account as an item in quotes, `- "111122223333"`.
    "#);
    let other = map()
        .role("role/ng", NODE, OF_NODES)
        .lost(Roles, LossCause::DoubleEncoded, "")
        .lost(Users, LossCause::NotText, "")
        .build();
    insta::assert_snapshot!(of(other), @r"
    mapRoles: breaks-cluster section-double-encoded: mapRoles is a quoted string that holds the YAML once more. The whole section is void, not just this line: arn:aws:iam::111122223333:role/ng is lost. Take one layer of quotes away.
    mapUsers: silent-wrong section-wrong-type: `data.mapUsers` must be a string, and this is a list or mapping: the API server refuses the object, and what is in the cluster stays as it is. Write `mapUsers: |` and the same lines below it.
    ");
    let template = map()
        .role("role/dev", "{{SessionName}}", &["developers"])
        .lost(Roles, LossCause::UnquotedTemplate, "")
        .build();
    insta::assert_snapshot!(of(template), @r"mapRoles[0]: silent-wrong unquoted-template: A value that begins with `{{` must be in quotes, else it is a mapping used as a key, and mapRoles cannot be read. The whole section is void, not just this line: arn:aws:iam::111122223333:role/dev is lost.");
}

#[test]
fn a_key_that_is_no_section_is_told() {
    let key = |key: &str, binary| StrayKey {
        key: key.into(),
        meant: Roles,
        binary,
        span: None,
        lost: vec![Salvaged {
            arn: "arn:aws:iam::111122223333:role/ng".into(),
            groups: vec!["system:nodes".into()],
            username: NODE.into(),
        }],
    };
    let stray = [key("maproles", false), key("mapRoles", true)];
    let findings = lint_map(&AuthMap::empty(), &stray, "x", &World::default());
    insta::assert_snapshot!(told(&findings), @r"
    maproles: breaks-cluster section-key-case: The authenticator reads `mapRoles` and ignores `maproles`: arn:aws:iam::111122223333:role/ng is lost.
        write: mapRoles
    mapRoles: breaks-cluster section-in-binarydata: `mapRoles` stands under `binaryData`, which the authenticator does not read; put it under `data`: arn:aws:iam::111122223333:role/ng is lost.
    ");
}

fn with_compute(map: AuthMap) -> Observed {
    let role = |name: &str| Some(format!("arn:aws:iam::111122223333:role/eks/{name}"));
    let mut seen = in_mode(observed(map), Some(ConfigMap));
    let group = |name: &str, windows| NodeGroup {
        name: name.into(),
        role: role(name),
        windows,
        instance_profile: Some(format!(
            "arn:aws:iam::111122223333:instance-profile/{name}-profile"
        )),
    };
    seen.compute.node_groups.items = vec![group("linux", false), group("win", true)];
    seen.compute.fargate_profiles.items = vec![FargateProfile {
        name: "jobs".into(),
        arn: Some("arn:aws:eks:eu-west-1:111122223333:fargateprofile/demo/jobs/a1".into()),
        role: role("pods"),
    }];
    seen
}

#[test]
fn compute_without_a_working_entry_is_told() {
    let nothing = with_compute(map().build());
    insta::assert_snapshot!(of_cluster(&nothing), @r"
    -: breaks-cluster fargate-role-not-mapped: arn:aws:iam::111122223333:role/pods is used by Fargate profile jobs and has no working entry in aws-auth: its pods stay pending.
        write: - rolearn: arn:aws:iam::111122223333:role/pods\n  username: system:node:{{SessionName}}\n  groups:\n  - system:bootstrappers\n  - system:nodes\n  - system:node-proxier
    -: breaks-cluster node-role-not-in-map: arn:aws:iam::111122223333:role/linux is used by node group linux and has no working entry in aws-auth: its nodes cannot join, and those that run turn NotReady.
        write: - rolearn: arn:aws:iam::111122223333:role/linux\n  username: system:node:{{EC2PrivateDNSName}}\n  groups:\n  - system:bootstrappers\n  - system:nodes
    -: breaks-cluster node-role-not-in-map: arn:aws:iam::111122223333:role/win is used by Windows node group win and has no working entry in aws-auth: its nodes cannot join, and those that run turn NotReady.
        write: - rolearn: arn:aws:iam::111122223333:role/win\n  username: system:node:{{EC2PrivateDNSName}}\n  groups:\n  - system:bootstrappers\n  - system:nodes\n  - eks:kube-proxy-windows
    ");
    let incomplete = with_compute(
        map()
            .role("role/linux", POD, OF_NODES)
            .role("role/win", NODE, OF_NODES)
            .role("role/pods", NODE, &["system:nodes"])
            .build(),
    );
    insta::assert_snapshot!(of_cluster(&incomplete), @r#"
    mapRoles[2].username: breaks-cluster fargate-groups-incomplete: Fargate pods need the username `system:node:{{SessionName}}`, and the entry for their role arn:aws:iam::111122223333:role/pods has `system:node:{{EC2PrivateDNSName}}`. It is used by Fargate profile jobs.
        write: "system:node:{{SessionName}}"
    mapRoles[1].groups: breaks-cluster windows-group-missing: Windows nodes need the group `eks:kube-proxy-windows` too. The role arn:aws:iam::111122223333:role/win is used by Windows node group win.
        write: [system:bootstrappers, system:nodes, eks:kube-proxy-windows]
    mapRoles[0].username: breaks-cluster node-role-not-in-map: Nodes need the username `system:node:{{EC2PrivateDNSName}}`, and the entry for their role arn:aws:iam::111122223333:role/linux has `system:node:{{SessionName}}`. It is used by node group linux.
        write: "system:node:{{EC2PrivateDNSName}}"
    "#);
    let wrong_arn = with_compute(
        map()
            .role("instance-profile/linux-profile", NODE, OF_NODES)
            .role(
                "arn:aws:eks:eu-west-1:111122223333:fargateprofile/demo/jobs/a1",
                POD,
                OF_PODS,
            )
            .role(
                "role/win",
                NODE,
                &[
                    "system:bootstrappers",
                    "system:nodes",
                    "eks:kube-proxy-windows",
                ],
            )
            .build(),
    );
    insta::assert_snapshot!(of_cluster(&wrong_arn), @r"
    mapRoles[0].rolearn: breaks-cluster arn-not-a-principal: This is an instance profile: nobody authenticates as that.
        write: arn:aws:iam::111122223333:role/linux
    mapRoles[1].rolearn: breaks-cluster arn-not-a-principal: This is a Fargate profile: nobody authenticates as that.
        write: arn:aws:iam::111122223333:role/pods
    -: breaks-cluster fargate-role-not-mapped: arn:aws:iam::111122223333:role/pods is used by Fargate profile jobs and has no working entry in aws-auth: its pods stay pending.
        write: - rolearn: arn:aws:iam::111122223333:role/pods\n  username: system:node:{{SessionName}}\n  groups:\n  - system:bootstrappers\n  - system:nodes\n  - system:node-proxier
    -: breaks-cluster node-role-not-in-map: arn:aws:iam::111122223333:role/linux is used by node group linux and has no working entry in aws-auth: its nodes cannot join, and those that run turn NotReady.
        write: - rolearn: arn:aws:iam::111122223333:role/linux\n  username: system:node:{{EC2PrivateDNSName}}\n  groups:\n  - system:bootstrappers\n  - system:nodes
    ");
}

#[test]
fn one_role_for_ec2_and_fargate_is_told() {
    let mut seen = with_compute(map().role("role/shared", NODE, OF_NODES).build());
    let shared = Some("arn:aws:iam::111122223333:role/shared".to_owned());
    seen.compute.node_groups.items.truncate(1);
    seen.compute.node_groups.items[0].role = shared.clone();
    seen.compute.fargate_profiles.items[0].role = shared;
    insta::assert_snapshot!(of_cluster(&seen), @r"-: breaks-cluster role-shared-by-ec2-and-fargate: arn:aws:iam::111122223333:role/shared is used by node group linux, Fargate profile jobs. EC2 nodes and Fargate pods need different usernames, and an entry has one: it wins for both. Give the Fargate profiles a role of their own.");
}

#[test]
fn access_entries_and_the_mode_are_weighed() {
    let people = map()
        .role("role/ops", "ops", &["system:masters"])
        .role("role/view", "view", &["viewers"])
        .role("role/pods", POD, OF_PODS)
        .build();
    let mut seen = observed(people);
    let mut ops = entry("role/team/ops", "STANDARD", Some("ops"));
    ops.groups = vec!["viewers".into()];
    ops.policies = Some(vec![AssociatedPolicy {
        arn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy".into(),
        name: "AmazonEKSViewPolicy".into(),
        namespaces: None,
    }]);
    ops.created = Some(Timestamp { millis: 1 });
    seen.access_entries.items = vec![ops, entry("role/pods", "FARGATE_LINUX", None)];
    insta::assert_snapshot!(of_cluster(&in_mode(seen.clone(), Some(ApiAndConfigMap))), @r"mapRoles[0]: locks-out shadowed-by-access-entry: An access entry for the same principal decides instead: username `ops`, viewers and AmazonEKSViewPolicy.");
    insta::assert_snapshot!(of_cluster(&in_mode(seen.clone(), Some(Api))), @r"-: silent-wrong aws-auth-ignored: The authentication mode is API: aws-auth is not read at all. Without an access entry, and so without access: arn:aws:iam::111122223333:role/view.");
    seen.roles.items = vec![Role {
        arn: "arn:aws:iam::111122223333:role/team/ops".into(),
        id: None,
        created: Some(Timestamp { millis: 2 }),
    }];
    insta::assert_snapshot!(of_cluster(&in_mode(seen, Some(ApiAndConfigMap))), @r"-: silent-wrong stale-principal: The role arn:aws:iam::111122223333:role/team/ops was made anew after its access entry, which is bound to the old role and lets nobody in. Delete the entry and create it again.");
}

#[test]
fn in_the_mixed_mode_a_pod_role_should_stand_in_both() {
    let mut seen = with_compute(map().build());
    seen = in_mode(seen, Some(ApiAndConfigMap));
    seen.compute.node_groups.items.clear();
    seen.access_entries.items = vec![entry("role/eks/pods", "FARGATE_LINUX", None)];
    insta::assert_snapshot!(of_cluster(&seen), @r"
    -: warning fargate-role-not-in-aws-auth: arn:aws:iam::111122223333:role/pods has an access entry (FARGATE_LINUX) but no entry in aws-auth, and is used by Fargate profile jobs. Pods have been reported to stay pending in this mode until the role stands in both: add it to mapRoles, without path.
        write: - rolearn: arn:aws:iam::111122223333:role/pods\n  username: system:node:{{SessionName}}\n  groups:\n  - system:bootstrappers\n  - system:nodes\n  - system:node-proxier
    ");
    insta::assert_snapshot!(of_cluster(&in_mode(seen, Some(Api))), @"");
}

#[test]
fn another_partition_and_a_large_map_are_told() {
    let mut seen = in_mode(
        observed(
            map()
                .role("arn:aws-cn:iam::111122223333:role/ng", NODE, OF_NODES)
                .build(),
        ),
        Some(ConfigMap),
    );
    insta::assert_snapshot!(of_cluster(&seen), @r"
    mapRoles[0].rolearn: breaks-cluster partition-mismatch: The cluster is in the partition `aws`, and nobody of `aws-cn` can call it.
        write: arn:aws:iam::111122223333:role/ng
    ");
    seen.aws_auth.as_mut().unwrap().map = AuthMap::empty();
    seen.aws_auth.as_mut().unwrap().size = 300_000;
    insta::assert_snapshot!(of_cluster(&seen), @r"-: warning size-near-limit: The map has 300000 bytes, over the limit of 262144: `kubectl apply` cannot keep its copy of it in an annotation, and fails; use server-side apply.");
    seen.aws_auth.as_mut().unwrap().size = 1_100_000;
    insta::assert_snapshot!(of_cluster(&seen), @r"-: breaks-cluster too-large: The map has 1100000 bytes, over the limit of 1048576: the API server refuses the object.");
}
