//! Every form of list, and every kind of edit, as people would see it; and the properties that hold for all of them.

mod lists;
mod properties;

use accord_model::mapping::{EntryId, Identity, Mapping, SectionName};
use accord_model::plan::EntryEdit;

use super::*;

fn mapping(name: &str, username: &str, groups: &[&str]) -> Mapping {
    Mapping {
        arn: format!("arn:aws:iam::111122223333:role/{name}"),
        identity: Identity {
            username: username.into(),
            groups: groups.iter().map(|g| (*g).into()).collect(),
        },
        ..Mapping::default()
    }
}

fn add(text: &str) -> String {
    let edit = EntryEdit::Add {
        section: SectionName::Roles,
        mapping: mapping("new", "new", &["a", "b"]),
    };
    edit_section(SectionName::Roles, text, &[edit]).unwrap()
}

fn removal(index: usize) -> EntryEdit {
    EntryEdit::Remove {
        id: EntryId::new(SectionName::Roles, index),
        principal: String::new(),
    }
}

fn remove(text: &str, index: usize) -> String {
    edit_section(SectionName::Roles, text, &[removal(index)]).unwrap()
}

fn change(text: &str, index: usize, username: &str, groups: &[&str]) -> Result<String, EditError> {
    let id = EntryId::new(SectionName::Roles, index);
    edit_section(
        SectionName::Roles,
        text,
        &[EntryEdit::Update {
            id,
            mapping: mapping("x", username, groups),
        }],
    )
}

fn update(text: &str, username: &str, groups: &[&str]) -> String {
    change(text, 0, username, groups).unwrap()
}

#[test]
fn a_new_entry_looks_like_its_neighbours() {
    insta::assert_snapshot!(add("- rolearn: arn:aws:iam::1:role/A\n  username: a\n  groups:\n    - g\n"), @r"
    - rolearn: arn:aws:iam::1:role/A
      username: a
      groups:
        - g
    - rolearn: arn:aws:iam::111122223333:role/new
      username: new
      groups:
        - a
        - b
    ");
    insta::assert_snapshot!(add("# ours\n  - \"groups\":\n    - \"g\"\n    \"rolearn\": \"arn:aws:iam::1:role/A\"\n    \"username\": \"a\"\n\n# end\n"), @r#"
    # ours
      - "groups":
        - "g"
        "rolearn": "arn:aws:iam::1:role/A"
        "username": "a"
      - "groups":
        - "a"
        - "b"
        "rolearn": "arn:aws:iam::111122223333:role/new"
        "username": "new"

    # end
    "#);
    insta::assert_snapshot!(add("-   roleARN: arn:aws:iam::1:role/A # x\n    Groups: ['g', \"h\"]\n    UserName: a"), @r#"
    -   roleARN: arn:aws:iam::1:role/A # x
        Groups: ['g', "h"]
        UserName: a
    -   roleARN: arn:aws:iam::111122223333:role/new
        Groups: ['a', 'b']
        UserName: new
    "#);
}

#[test]
fn a_new_entry_in_brackets_stays_in_brackets() {
    insta::assert_snapshot!(add(r#"[{"rolearn":"arn:aws:iam::1:role/A","groups":["g"],"username":"a"}]"#), @r#"[{"rolearn":"arn:aws:iam::1:role/A","groups":["g"],"username":"a"},{"rolearn":"arn:aws:iam::111122223333:role/new","groups":["a","b"],"username":"new"}]"#);
    insta::assert_snapshot!(add("[\n  {\n    \"rolearn\": \"arn:aws:iam::1:role/A\",\n    \"username\": \"a\",\n    \"groups\": [\n      \"g\"\n    ]\n  }\n]\n"), @r#"
    [
      {
        "rolearn": "arn:aws:iam::1:role/A",
        "username": "a",
        "groups": [
          "g"
        ]
      },
      {
        "rolearn": "arn:aws:iam::111122223333:role/new",
        "username": "new",
        "groups": [
          "a",
          "b"
        ]
      }
    ]
    "#);
    insta::assert_snapshot!(add("- {rolearn: 'arn:aws:iam::1:role/A', groups: [g], username: a}\n"), @r"
    - {rolearn: 'arn:aws:iam::1:role/A', groups: [g], username: a}
    - {rolearn: 'arn:aws:iam::111122223333:role/new', groups: [a, b], username: new}
    ");
    insta::assert_snapshot!(add("[{rolearn: arn:aws:iam::1:role/A},]"), @"[{rolearn: arn:aws:iam::1:role/A}, {rolearn: arn:aws:iam::111122223333:role/new, username: new, groups: [a, b]},]");
}

#[test]
fn any_spelling_of_nothing_becomes_a_list() {
    let list = add("");
    insta::assert_snapshot!(list, @r"
    - rolearn: arn:aws:iam::111122223333:role/new
      username: new
      groups:
      - a
      - b
    ");
    for nothing in [
        " \n", "''", "\"\"", "``", "[]", "null", "~\n", "{}", "{ }\n", "[ ]\n",
    ] {
        assert_eq!(add(nothing), list, "{nothing:?}");
    }
    assert_eq!(add("---\n"), format!("---\n{list}"));
    assert_eq!(add("---"), format!("---\n{list}"));
    assert_eq!(add("--- []\n"), format!("---\n{list}"));
    assert_eq!(add("# none yet\n"), format!("# none yet\n{list}"));
    assert_eq!(add("# none yet"), format!("# none yet\n{list}"));
    assert_eq!(
        add("# none yet\n[] # really\n# end\n"),
        format!("# none yet\n{list}# really\n# end\n")
    );
    assert_eq!(
        add("# a\r\n"),
        format!("# a\r\n{}", list.replace('\n', "\r\n"))
    );
    assert_eq!(add("---\n...\nrest"), format!("---\n{list}...\nrest"));
    assert_eq!(add("%YAML 1.1\n---\n"), format!("%YAML 1.1\n---\n{list}"));
    for mark in ["\u{feff}", "\u{feff}# c\n"] {
        assert_eq!(add(mark), format!("{mark}{list}"));
    }
    assert_eq!(
        add("# a\n[ # in\n # side\n]\n# b\n"),
        format!("# a\n# in\n# side\n{list}# b\n")
    );
    assert_eq!(add("{ # in\n}"), format!("# in\n{list}"));
}

#[test]
fn a_removed_entry_leaves_its_neighbours_as_they_were() {
    let text = "# all\n- rolearn: A # one\n  username: a\n\n# about b\n# more\n- rolearn: B\n  username: b\n  # - old\n# about c\n- rolearn: C\n";
    assert_eq!(
        remove(text, 0),
        "# all\n\n# about b\n# more\n- rolearn: B\n  username: b\n  # - old\n# about c\n- rolearn: C\n"
    );
    assert_eq!(
        remove(text, 1),
        "# all\n- rolearn: A # one\n  username: a\n\n# about c\n- rolearn: C\n"
    );
    assert_eq!(
        remove(text, 2),
        "# all\n- rolearn: A # one\n  username: a\n\n# about b\n# more\n- rolearn: B\n  username: b\n  # - old\n"
    );
    let all: Vec<EntryEdit> = (0..3).map(removal).collect();
    assert_eq!(
        edit_section(SectionName::Roles, text, &all).unwrap(),
        "# all\n[]\n\n"
    );
    assert_eq!(remove("- rolearn: A\r\n- rolearn: B", 1), "- rolearn: A");
    assert_eq!(remove("- rolearn: A", 0), "[]");
    assert_eq!(remove("- rolearn: A\n- ~\n", 0), "- ~\n");
}

#[test]
fn a_removed_entry_in_brackets_takes_one_comma_with_it() {
    let text = "[{rolearn: A}, {rolearn: B}, {rolearn: C}]";
    assert_eq!(remove(text, 0), "[{rolearn: B}, {rolearn: C}]");
    assert_eq!(remove(text, 1), "[{rolearn: A}, {rolearn: C}]");
    assert_eq!(remove(text, 2), "[{rolearn: A}, {rolearn: B}]");
    let two = |a, b| edit_section(SectionName::Roles, text, &[removal(a), removal(b)]).unwrap();
    assert_eq!(two(0, 1), "[{rolearn: C}]");
    assert_eq!(two(1, 2), "[{rolearn: A}]");
    assert_eq!(
        remove("[\n  {rolearn: A}, # a\n  {rolearn: B},\n]\n", 0),
        "[\n   # a\n  {rolearn: B},\n]\n"
    );
    assert_eq!(remove("[{rolearn: A}]", 0), "[]");
}

#[test]
fn only_what_differs_is_changed() {
    let text = "- rolearn: A # the role\n  username: a # the name\n  groups: # the groups\n    - g # one\n    # two\n    - h\n  note: kept\n";
    assert_eq!(update(text, "a", &["h", "g"]), text);
    assert_eq!(
        update(text, "b", &["g", "h"]),
        text.replace("username: a", "username: b")
    );
    assert_eq!(
        update(text, "{{SessionName}}", &["g", "h"]),
        text.replace("username: a", "username: '{{SessionName}}'")
    );
    assert_eq!(
        update(text, "a", &["g", "h", "i"]),
        text.replace("    - h\n", "    - h\n    - i\n")
    );
    assert_eq!(update(text, "a", &["g"]), text.replace("    - h\n", ""));
    assert_eq!(
        update(text, "a", &["h"]),
        text.replace("    - g # one\n", "")
    );
    assert_eq!(
        update(text, "a", &[]),
        "- rolearn: A # the role\n  username: a # the name\n  groups: # the groups\n    []\n  note: kept\n"
    );
}

#[test]
fn groups_change_in_the_form_they_have() {
    assert_eq!(
        update("- rolearn: A\n  groups: [a, 'b']\n", "", &["a", "b", "c"]),
        "- rolearn: A\n  groups: [a, 'b', c]\n"
    );
    assert_eq!(
        update("- rolearn: A\n  groups: [a, 'b']\n", "", &["b"]),
        "- rolearn: A\n  groups: ['b']\n"
    );
    assert_eq!(
        update("- rolearn: A\n  groups:\n", "", &["b"]),
        "- rolearn: A\n  groups: [b]\n"
    );
    assert_eq!(
        update("- rolearn: A\n  groups: x # c\n", "", &["b"]),
        "- rolearn: A\n  groups: [b] # c\n"
    );
    assert_eq!(
        update("- rolearn: A\n  groups:\n  - a\n- rolearn: B\n", "", &["b"]),
        "- rolearn: A\n  groups:\n  - b\n- rolearn: B\n"
    );
    assert_eq!(
        update("- rolearn: A\n  groups:\n  - a: b\n", "", &["b"]),
        "- rolearn: A\n  groups: [b]\n"
    );
    assert_eq!(
        update("[{\"rolearn\":\"A\",\"groups\":[\"a\"]}]", "", &["a", "b"]),
        "[{\"rolearn\":\"A\",\"groups\":[\"a\",\"b\"]}]"
    );
}

#[test]
fn a_field_that_is_missing_is_added() {
    assert_eq!(
        update("- rolearn: A\n", "a", &["g"]),
        "- rolearn: A\n  username: a\n  groups:\n  - g\n"
    );
    assert_eq!(
        update("- rolearn: A", "a", &[]),
        "- rolearn: A\n  username: a"
    );
    assert_eq!(
        update("-   rolearn: A # c\n- rolearn: B\n", "a", &[]),
        "-   rolearn: A # c\n    username: a\n- rolearn: B\n"
    );
    assert_eq!(
        update("[{\"rolearn\": \"A\"}]", "a", &["g"]),
        "[{\"rolearn\": \"A\", \"username\": \"a\", \"groups\": [\"g\"]}]"
    );
}

#[test]
fn whatever_is_written_how_can_be_changed() {
    // Fields that come and groups that change at the same place.
    assert_eq!(
        update(
            "- rolearn: A\n  groups:\n    - g\n    # old\n- rolearn: B\n",
            "a",
            &["g", "h"]
        ),
        "- rolearn: A\n  groups:\n    - g\n    - h\n    # old\n  username: a\n- rolearn: B\n"
    );
    assert_eq!(
        update("- rolearn: A\n  groups:\n  - g", "a", &["h"]),
        "- rolearn: A\n  groups:\n  - h\n  username: a"
    );
    // A group that is read as nothing, though it is spelled the same.
    assert_eq!(
        update("- rolearn: A\n  groups: [g, 12]\n", "", &["12", "g"]),
        "- rolearn: A\n  groups: [g, '12']\n"
    );
    // New groups take the places of those that go.
    assert_eq!(
        update(
            "- rolearn: A\n  groups: [\n    g, # why\n    h,\n    i\n  ]\n",
            "",
            &["g", "x"]
        ),
        "- rolearn: A\n  groups: [\n    g, # why\n    x\n  ]\n"
    );
    assert_eq!(
        update("- ? rolearn\n  : A\n  ? groups\n  : - g\n", "a", &["h"]),
        "- ? rolearn\n  : A\n  ? groups\n  : [h]\n  username: a\n"
    );
    assert_eq!(
        change("[rolearn: A]", 0, "a", &[]).unwrap_err().to_string(),
        "mapRoles[0] cannot be changed in place, because it is written without braces"
    );
}

#[test]
fn an_alias_is_overridden_where_it_stands() {
    let text = "- &a {rolearn: A, username: a}\n- *a # same\n";
    assert_eq!(
        change(text, 1, "b", &["g"]).unwrap(),
        "- &a {rolearn: A, username: a}\n- {<<: *a, username: b, groups: [g]} # same\n"
    );
    assert_eq!(remove(text, 1), "- &a {rolearn: A, username: a}\n");
    // All who refer to it go with it.
    let both = [removal(0), removal(1)];
    assert_eq!(
        edit_section(SectionName::Roles, text, &both).unwrap(),
        "[]\n"
    );
}

#[test]
fn anchors_that_others_refer_to_are_not_touched() {
    let text = "- &b\n  rolearn: A\n  groups: &g [x]\n- rolearn: B\n  groups: *g\n- <<: *b\n  rolearn: C\n";
    let refused = edit_section(SectionName::Roles, text, &[removal(0)]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "mapRoles[0] holds the anchor `&g`, which other entries refer to; write it out in them first"
    );
    assert!(matches!(
        change(text, 0, "a", &["x"]),
        Err(EditError::Anchored { .. })
    ));
    assert_eq!(
        change(text, 1, "", &["z"]).unwrap(),
        text.replace("*g", "[z]")
    );
    assert_eq!(
        change(text, 2, "c", &["x"]).unwrap(),
        format!("{text}  username: c\n")
    );
    assert_eq!(
        remove(text, 2),
        text.replace("- <<: *b\n  rolearn: C\n", "")
    );
}

#[test]
fn what_cannot_be_read_is_not_written() {
    let broken = "- rolearn: A\n username: a\n";
    let edit = EntryEdit::Add {
        section: SectionName::Roles,
        mapping: mapping("new", "n", &[]),
    };
    let error = edit_section(SectionName::Roles, broken, std::slice::from_ref(&edit)).unwrap_err();
    assert!(matches!(error, EditError::Unreadable { .. }), "{error}");
    for lost in ["{a: b}", "x", "12", "rolearn: A\n"] {
        let error =
            edit_section(SectionName::Roles, lost, std::slice::from_ref(&edit)).unwrap_err();
        assert!(
            matches!(error, EditError::Unreadable { .. }),
            "{lost}: {error}"
        );
    }
    let none = edit_section(SectionName::Roles, "- rolearn: A\n", &[removal(1)]).unwrap_err();
    assert_eq!(none.to_string(), "mapRoles[1] is not there");
}

#[test]
fn what_nobody_reads_stays_unread() {
    let trailing = "  - rolearn: A\n- rolearn: B\n";
    assert_eq!(
        add(trailing),
        "  - rolearn: A\n  - rolearn: arn:aws:iam::111122223333:role/new\n    username: new\n    groups:\n    - a\n    - b\n- rolearn: B\n"
    );
    let documents = "- rolearn: A\n---\n- rolearn: B\n";
    assert!(add(documents).ends_with("- b\n---\n- rolearn: B\n"));
}

#[test]
fn accounts_are_quoted() {
    let edit = |text: &str| {
        let mapping = Mapping {
            arn: "012345678901".into(),
            ..Mapping::default()
        };
        edit_section(
            SectionName::Accounts,
            text,
            &[EntryEdit::Add {
                section: SectionName::Accounts,
                mapping,
            }],
        )
        .unwrap()
    };
    assert_eq!(edit(""), "- '012345678901'\n");
    assert_eq!(edit("- 1\n- \"2\"\n"), "- 1\n- \"2\"\n- \"012345678901\"\n");
    assert_eq!(edit("[\"1\"]"), "[\"1\", \"012345678901\"]");
}
