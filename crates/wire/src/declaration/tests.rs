use accord_model::claim::Owner;
use accord_model::mapping::SectionName;
use proptest::prelude::*;

use super::{Declared, as_map, read};
use crate::config_map::Manifest;
use crate::fragment;
use crate::sources::Sources;

fn declared(texts: &[&str], owner: Option<&str>) -> Result<(Declared, Sources), String> {
    let mut sources = Sources::new();
    let names: Vec<String> = (0..texts.len()).map(|n| format!("{n}.yaml")).collect();
    let files: Vec<(&str, &[u8])> = names
        .iter()
        .zip(texts)
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    let owner = owner.map(Owner::named);
    match read(&files, owner.as_ref(), &mut sources) {
        Ok(declared) => Ok((declared, sources)),
        Err(error) => Err(error.to_string()),
    }
}

/// The claims of a bare list, one a line.
fn claims(text: &str) -> String {
    let (declared, _) = declared(&[text], Some("a")).unwrap();
    assert_eq!(declared.problems, []);
    let claims = declared.fragments[0].claims.iter().map(|c| {
        let policies: Vec<String> = c
            .policies
            .iter()
            .map(|p| format!(" {}{:?}", p.policy, p.namespaces))
            .collect();
        let identity = format!("{:?} {:?}", c.identity.username, c.identity.groups);
        format!("{} {} {identity}{}", c.at, c.principal, policies.concat())
    });
    claims.collect::<Vec<_>>().join("\n")
}

/// The problems, one a line: place, kind and message.
fn problems(texts: &[&str], owner: Option<&str>) -> String {
    let (declared, sources) = declared(texts, owner).unwrap();
    let told = declared.problems.iter().map(|p| {
        let place = sources.locate(p.span.unwrap()).unwrap();
        let at = p.at.as_deref().unwrap_or_default();
        format!(
            "{}:{} {} {at}: {}",
            place.line, place.column, p.kind, p.message
        )
    });
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_bare_list_is_of_roles_and_its_users_are_users() {
    insta::assert_snapshot!(claims(
        "- rolearn: arn:aws:iam::111122223333:role/a\n  username: 'x:{{SessionName}}'\n  groups: [g, h, g]\n\
         - userARN: arn:aws:iam::111122223333:user/kim\n  Groups: ['1']\n\
         - {rolearn: 'arn:aws:iam::111122223333:role/b', policies: [{policy: AmazonEKSViewPolicy, namespaces: [ns]},\n\
             {policy: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSEditPolicy'}]}\n"
    ), @r#"
    mapRoles[0] arn:aws:iam::111122223333:role/a "x:{{SessionName}}" ["g", "h"]
    mapUsers[1] arn:aws:iam::111122223333:user/kim "" ["1"]
    mapRoles[2] arn:aws:iam::111122223333:role/b "" [] AmazonEKSViewPolicySome(["ns"]) AmazonEKSEditPolicyNone
    "#);
    assert_eq!(claims("[]\n"), "");
}

#[test]
fn sections_are_lists_or_texts_and_accounts_keep_their_zeros() {
    insta::assert_snapshot!(claims(
        "mapRoles: |\n  - rolearn: arn:aws:iam::111122223333:role/a\n    groups: []\nmapUsers:\n- userarn: arn:aws:iam::111122223333:user/kim\n\
         mapAccounts: [012345678901, '444455556666', 0x1]\n"
    ),  @r#"
    mapRoles[0] arn:aws:iam::111122223333:role/a "" []
    mapUsers[0] arn:aws:iam::111122223333:user/kim "" []
    mapAccounts[0] 012345678901 "" []
    mapAccounts[1] 444455556666 "" []
    mapAccounts[2] 0x1 "" []
    "#);
    assert_eq!(claims("mapRoles:\nmapUsers: []\nmapAccounts: ''\n"), "");
}

#[test]
fn what_cannot_be_meant_is_a_problem_with_its_place() {
    insta::assert_snapshot!(problems(&[
        "- a\n- {}\n- rolearn: ''\n- rolearn: [x]\n- rolearn: r1\n  role_arn: x\n- rolearn: r2\n  RoleArn: r2\n\
         - rolearn: r3\n  username: 12\n- rolearn: r4\n  groups: system:masters\n- rolearn: r5\n  groups: [a, ~, {b: c}, 1]\n\
         - sso: {permissionSetName: x}\n- rolearn: r6\n  userarn: u\n- rolearn: R7\n- rolearn: r7\n"
    ], Some("a")),  @r#"
    1:3 entry-wrong-type mapRoles[0]: An entry must be a mapping with a principal, a username and groups.
    2:3 missing-arn mapRoles[1]: The entry has no `rolearn`, so it is nobody's.
    3:12 missing-arn mapRoles[2].rolearn: `rolearn` must be an ARN.
    4:12 missing-arn mapRoles[3].rolearn: `rolearn` must be an ARN.
    6:3 unknown-field mapRoles[4].role_arn: `role_arn` is no field of a mapping.
    8:3 duplicate-key mapRoles[5].RoleArn: `RoleArn` is here for the second time.
    10:13 username-wrong-type mapRoles[6].username: A username must be text; write it in quotes: `"12"`.
    12:11 groups-wrong-type mapRoles[7].groups: `groups` must be a list: `[system:masters]`.
    14:15 group-wrong-type mapRoles[8].groups[1]: A group must be text; write it in quotes: `"~"`.
    14:18 group-wrong-type mapRoles[8].groups[2]: A group must be text.
    14:26 group-wrong-type mapRoles[8].groups[3]: A group must be text; write it in quotes: `"1"`.
    15:8 sso-matcher-inactive mapRoles[9].sso: EKS does not match `sso` blocks; name the role itself.
    17:12 wrong-section mapRoles[10].userarn: `mapRoles` takes `rolearn`; an entry with `userarn` belongs in `mapUsers`.
    19:3 duplicate-arn mapRoles[12]: `r7` is claimed twice, first at mapRoles[11].
    "#);
    insta::assert_snapshot!(problems(&[
        "- rolearn: r1\n  policies: [{policy: A, namespaces: []}]\n- rolearn: r2\n  policies: [{policy: A, namespaces: }]\n\
         - rolearn: r3\n  policies: [{policy: A}, {policy: A, namespaces: [ns]}]\n- rolearn: r4\n  policies: [{namespaces: [ns]}]\n\
         - rolearn: r5\n  policies: [{policy: A, namespace: n}]\n- rolearn: r6\n  policies: A\n- rolearn: r7\n  policies: [{policy: A, namespaces: [n]}]\n"
    ], Some("a")), @r#"
    2:38 access-scope-invalid mapRoles[0].policies[0].namespaces: `namespaces` must name at least one namespace; without the field the policy is for the whole cluster.
    4:37 access-scope-invalid mapRoles[1].policies[0].namespaces: `namespaces` must name at least one namespace; without the field the policy is for the whole cluster.
    6:27 duplicate-policy mapRoles[2].policies[1]: `A` is here for the second time.
    8:14 entry-invalid mapRoles[3].policies[0]: A policy must be named: `policy: AmazonEKSViewPolicy`.
    10:26 unknown-field mapRoles[4].policies[0].namespace: `namespace` is no field of a policy; it has `policy` and `namespaces`.
    12:13 entry-invalid mapRoles[5].policies: `policies` must be a list of access policies.
    14:39 access-scope-invalid mapRoles[6].policies[0].namespaces: A namespace must be text; write it in quotes: `"n"`.
    "#);
    insta::assert_snapshot!(problems(&[
        "maproles: []\nmapRoles: {a: b}\nmapUsers: |\n  - userarn: u\n   x: y\nmapAccounts: |\n  - '1'\n  ---\n  - '2'\nextra: 1\n"
    ], Some("a")), @r"
    1:1 section-key-case maproles: `maproles` is no section; `mapRoles` is.
    2:11 section-not-a-list mapRoles: `mapRoles` must be a list of mappings.
    5:4 section-unparseable mapUsers: `mapUsers` cannot be read, because a line in a list does not begin with `- `, or its indentation fits nothing before it.
    8:3 multi-document-ignored mapAccounts: What follows in `mapAccounts` is not read.
    10:1 unknown-field extra: `extra` is no section; `mapRoles`, `mapUsers` and `mapAccounts` are.
    ");
    insta::assert_snapshot!(problems(&[
        "mapRoles:\n- userarn: u\nmapUsers:\n- rolearn: r\nmapAccounts:\n- [a]\n- ~\n"
    ], Some("a")), @r"
    2:12 wrong-section mapRoles[0].userarn: `mapRoles` takes `rolearn`; an entry with `userarn` belongs in `mapUsers`.
    4:12 wrong-section mapUsers[0].rolearn: `mapUsers` takes `userarn`; an entry with `rolearn` belongs in `mapRoles`.
    6:3 account-wrong-type mapAccounts[0]: An account is twelve digits in quotes.
    7:3 account-wrong-type mapAccounts[1]: An account is twelve digits in quotes.
    ");
}

#[test]
fn files_of_one_call_are_one_declaration() {
    let (one, two) = ("- rolearn: r\n", "- rolearn: R\n- rolearn: s\n");
    insta::assert_snapshot!(problems(&[one, two], Some("a")), @"1:3 duplicate-arn mapRoles[0]: `R` is claimed twice, first at mapRoles[0].");
    let (declared, _) = declared(&[one, "- rolearn: s\n"], Some("a")).unwrap();
    assert_eq!(declared.fragments.len(), 1);
    assert_eq!(declared.fragments[0].claims.len(), 2);
}

const FRAGMENT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  namespace: team-a\n  labels: {accord.dev/aws-auth: fragment}\n\
                        data:\n  mapRoles: |\n    - rolearn: r\n      group: g\n";

#[test]
fn fragments_are_their_own_owners_also_in_lists() {
    let item = FRAGMENT
        .replace("  name: m", "  name: n")
        .replace('\n', "\n  ");
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}\n",
        item.trim_end()
    );
    let (declared, sources) = declared(&[FRAGMENT, &list], None).unwrap();
    let owners: Vec<String> = declared
        .fragments
        .iter()
        .map(|f| f.owner.to_string())
        .collect();
    assert_eq!(owners, ["team-a/m", "team-a/n"]);
    let problem = &declared.problems[1];
    assert_eq!(problem.object.as_deref(), Some("ConfigMap/team-a/n"));
    let place = sources.locate(problem.span.unwrap()).unwrap();
    assert_eq!((place.file.as_deref(), place.line), (Some("1.yaml"), 13));
}

#[test]
fn what_is_no_declaration_is_refused_with_the_way_out() {
    let object = |kind: &str, name: &str, more: &str| {
        format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, {more}}}\n")
    };
    let label = "labels: {accord.dev/aws-auth: fragment}";
    let told: Vec<String> = [
        (vec!["- rolearn: a\n"], None),
        (vec![FRAGMENT], Some("a")),
        (vec![FRAGMENT, FRAGMENT], None),
        (
            vec![&object("ConfigMap", "aws-auth", "namespace: kube-system")],
            Some("a"),
        ),
        (vec![&object("ConfigMap", "aws-auth", label)], None),
        (vec![&object("ConfigMap", "x", "namespace: n")], None),
        (vec![&object("ConfigMap", "x", label)], None),
        (vec![&object("Secret", "x", "namespace: n")], None),
        (vec![""], Some("a")),
        (vec!["# nothing yet\n---\n"], Some("a")),
        (vec!["nodegroups: []\n"], Some("a")),
        (vec!["text\n"], Some("a")),
        (vec!["- a: [\n"], Some("a")),
        (
            vec![
                &object(
                    "ConfigMap",
                    "accord-a",
                    &format!("namespace: kube-system, {label}"),
                ),
                "- rolearn: a\n",
            ],
            Some("a"),
        ),
    ]
    .into_iter()
    .map(|(texts, owner)| {
        declared(&texts, owner)
            .map(|_| "read".to_owned())
            .unwrap_or_else(|e| e)
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    0.yaml:1:1: a bare list of mappings has no owner of its own; say whose it is with --owner NAME
    0.yaml:1:1: a fragment has its own owner, which no flag can change; leave --owner out
    1.yaml:1:1: ConfigMap/team-a/m is declared for the second time, first in line 1
    0.yaml:1:1: this is a whole aws-auth, which many share, and no declaration of one owner; give the mappings that are yours as a list with --owner NAME, or compare the whole with `accord check FILE --against STATE`
    0.yaml:1:1: this is a whole aws-auth, which many share, and no declaration of one owner; give the mappings that are yours as a list with --owner NAME, or compare the whole with `accord check FILE --against STATE`
    0.yaml:1:1: ConfigMap/n/x has no such label; a ConfigMap with the label `accord.dev/aws-auth: fragment` was expected
    0.yaml:1:1: `metadata.namespace` is missing in x; whose the mappings are depends on it
    0.yaml:1:1: this is a Secret; a ConfigMap with the label `accord.dev/aws-auth: fragment` was expected
    0.yaml:1:1: the file declares nothing; write `[]` if nothing is what is meant
    0.yaml:1:1: the file declares nothing; write `[]` if nothing is what is meant
    0.yaml:1:1: this declares nothing; a list of mappings, a mapping with `mapRoles`, `mapUsers` or `mapAccounts`, or a ConfigMap with the label `accord.dev/aws-auth: fragment` was expected
    0.yaml:1:1: this declares nothing; a list of mappings, a mapping with `mapRoles`, `mapUsers` or `mapAccounts`, or a ConfigMap with the label `accord.dev/aws-auth: fragment` was expected
    0.yaml:2:1: this cannot be read, because no value stands where one belongs, and the text ends
    0.yaml:1:1: this fragment is also what --owner names; give one of them
    ");
}

#[test]
fn a_stored_fragment_is_read_as_it_was_declared() {
    let text = "mapRoles:\n- rolearn: arn:aws:iam::111122223333:role/a\n  username: '{{SessionName}}'\n  groups: [g, 'on', 'a: b']\n\
                - rolearn: b\n  policies: [{policy: V, namespaces: ['1', n]}, {policy: E}]\nmapAccounts: [012345678901]\n";
    let (first, _) = declared(&[text], Some("a")).unwrap();
    let manifest: Manifest = fragment::manifest(&first.fragments[0]);
    insta::assert_snapshot!(manifest.text("\n"),  @r#"
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: accord-a
      namespace: kube-system
      labels:
        accord.dev/aws-auth: fragment
    data:
      mapRoles: |
        - rolearn: arn:aws:iam::111122223333:role/a
          username: "{{SessionName}}"
          groups:
            - g
            - "on"
            - "a: b"
      mapAccounts: |
        - "012345678901"
    "#);
    let (second, _) = declared(&[&manifest.text("\n")], None).unwrap();
    assert_eq!(second.problems, []);
    let meaning = |d: &Declared| {
        let claims = d.fragments[0].claims.iter().cloned();
        claims
            .map(|c| accord_model::claim::Claim { span: None, ..c })
            .collect::<Vec<_>>()
    };
    assert_eq!(meaning(&first), meaning(&second));
    assert_eq!(first.fragments[0].owner, second.fragments[0].owner);
}

#[test]
fn owners_names_must_make_configmaps() {
    assert!(fragment::owner_named("team-a.1").is_ok());
    let told: Vec<String> = [
        "",
        "Team",
        "a_b",
        "a.",
        "-a",
        "ledger",
        "journal-1",
        &"a".repeat(250),
    ]
    .iter()
    .map(|name| {
        fragment::owner_named(name).map_or_else(
            |e| e.to_string().chars().take(60).collect(),
            |o| o.to_string(),
        )
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    `` cannot be an owner's name: lower-case letters, digits, `-
    `Team` cannot be an owner's name: lower-case letters, digits
    `a_b` cannot be an owner's name: lower-case letters, digits,
    `a.` cannot be an owner's name: lower-case letters, digits, 
    -a
    `ledger` cannot be an owner's name, because Accord keeps its
    `journal-1` cannot be an owner's name, because Accord keeps 
    `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    ");
}

#[test]
fn bare_lists_are_read_leniently_for_checking() {
    let mut sources = Sources::new();
    let mut map = |text: &str| as_map("f.yaml", text.as_bytes(), &mut sources).unwrap();
    let users = map("- userarn: u\n").unwrap();
    assert_eq!((users.roles.items.len(), users.users.items.len()), (0, 1));
    let both = map("mapRoles:\n  - rolearn: r\n    groups: x\nmapAccounts: |\n  - '1'\n").unwrap();
    assert_eq!((both.roles.items.len(), both.accounts.items.len()), (1, 1));
    for other in [
        "",
        "a: b\n",
        "apiVersion: v1\nkind: X\nmapRoles: []\n",
        "text",
        "a: [",
    ] {
        assert!(map(other).is_none(), "{other}");
    }
    let span = both
        .section(SectionName::Roles)
        .span(both.roles.items[0].range)
        .unwrap();
    let place = sources.locate(span).unwrap();
    assert_eq!((place.line, place.column), (2, 5));
}

proptest! {
    #[test]
    fn claims_survive_being_stored(
        principal in "[a-zA-Z0-9:/ {}#'\"\\[-]{1,10}",
        username in "\\PC{0,8}",
        groups in prop::collection::btree_set("\\PC{1,8}", 0..3),
        account in "[0-9_.e+-]{1,13}",
    ) {
        let owner = Owner::named("a");
        let claim = |section, principal: &str, username: &str, groups: Vec<String>| accord_model::claim::Claim {
            section,
            principal: principal.into(),
            identity: accord_model::mapping::Identity { username: username.into(), groups },
            policies: Vec::new(),
            span: None,
            at: format!("{section}[0]"),
        };
        let claims = vec![
            claim(SectionName::Roles, &principal, &username, groups.into_iter().collect()),
            claim(SectionName::Accounts, &account, "", Vec::new()),
        ];
        let stored = accord_model::claim::Fragment {
            owner,
            admission: accord_model::claim::Admission::Trusted,
            created: None,
            claims,
            unreadable: Vec::new(),
        };
        let (read, _) = declared(&[&fragment::manifest(&stored).text("\n")], None).unwrap();
        prop_assert_eq!(&read.problems, &[]);
        let mut read = read.fragments.into_iter().next().unwrap();
        for claim in &mut read.claims {
            claim.span = None;
        }
        prop_assert_eq!(read, stored);
    }

    #[test]
    fn no_text_panics(text in "([ a:{}\\[\\]\"'|>\\-\\n]|- rolearn: r\\n|mapRoles: \\||groups: |policies: ){0,30}") {
        let _ = declared(&[&text], Some("a"));
        let _ = as_map("f", text.as_bytes(), &mut Sources::new());
    }
}
