//! Every form of list, and every kind of edit, as people would see it; and the properties that hold for all of them.

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
        "- rolearn: A\n  groups: [b]\n- rolearn: B\n"
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

mod properties {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::authenticator::read_section;

    /// A list in one of many styles: items of several forms, comments and blank lines between them.
    fn block_list() -> impl Strategy<Value = String> {
        let items = select(vec![
            "rolearn: arn:aws:iam::1:role/N|  username: u|  groups:|    - g|    - h",
            "rolearn: arn:aws:iam::1:role/N # why|  username: 'u'|  groups: [g, \"h\"] # x|  note: {a: [b]}",
            "\"groups\":|  - \"g\"|  \"rolearn\": \"arn:aws:iam::1:role/N\"|  \"username\": \"u:{{SessionName}}\"",
            "{rolearn: 'arn:aws:iam::1:role/N', groups: [g]}",
            "rolearn: >-|    arn:aws:iam::1:role/N|  username: |-|    u|    v",
            "groups:|  # first|  - g # one||  - h|  roleARN: arn:aws:iam::1:role/N",
            "rolearn: arn:aws:iam::1:role/N|  groups:",
            "just text",
            "",
            "{username: nobody}",
        ]);
        let gaps = select(vec![
            "",
            "",
            "",
            "# about the next",
            "|",
            "  # deeper",
            "|# a||# b",
        ]);
        let list = prop::collection::vec((items, gaps), 1..5);
        (
            list,
            0..4usize,
            select(vec!["\n", "\r\n", "\n"]),
            any::<bool>(),
        )
            .prop_map(|(list, indent, line_break, ends)| {
                let spaces = " ".repeat(indent);
                let mut lines = Vec::new();
                for (number, (item, gap)) in list.iter().enumerate() {
                    lines.extend(
                        gap.split('|')
                            .filter(|_| !gap.is_empty())
                            .map(|l| format!("{spaces}{l}")),
                    );
                    let item = item.replace('N', &number.to_string());
                    for (i, line) in item.split('|').enumerate() {
                        lines.push(if i == 0 {
                            format!("{spaces}- {line}")
                        } else {
                            format!("{spaces}{line}")
                        });
                    }
                }
                let lines: Vec<&str> = lines.iter().map(|l| l.trim_end()).collect();
                format!(
                    "{}{}",
                    lines.join(line_break),
                    if ends { line_break } else { "" }
                )
            })
    }

    fn flow_list() -> impl Strategy<Value = String> {
        let items = select(vec![
            r#"{"rolearn":"arn:aws:iam::1:role/N","groups":["g","h"],"username":"u"}"#,
            "{rolearn: arn:aws:iam::1:role/N, groups: [g]}",
            "{ \"rolearn\": \"arn:aws:iam::1:role/N\" , }",
            "{\n  rolearn: arn:aws:iam::1:role/N, # why\n  groups: [\n    g,\n    h\n  ]\n}",
            "x",
        ]);
        let commas = select(vec![", ", ",", ",\n  ", ",\n  # a comment\n  "]);
        (
            prop::collection::vec(items, 1..5),
            commas,
            select(vec!["", "\n", ",", " # end\n"]),
        )
            .prop_map(|(items, comma, end)| {
                let items: Vec<String> = items
                    .iter()
                    .enumerate()
                    .map(|(n, item)| item.replace('N', &n.to_string()))
                    .collect();
                format!("[{}{end}]", items.join(comma))
            })
    }

    fn lists() -> impl Strategy<Value = String> {
        prop_oneof![2 => block_list(), 1 => flow_list()]
    }

    fn identities() -> impl Strategy<Value = Identity> {
        let username = select(vec![
            "",
            "u",
            "yes",
            "a: b",
            "{{SessionName}}",
            "it's",
            "x:{{SessionNameRaw}}",
        ]);
        let group = select(vec![
            "g",
            "h",
            "system:masters",
            "12",
            "- x",
            "a,b",
            "\u{e9}\n",
        ]);
        (username, prop::collection::btree_set(group, 0..4)).prop_map(|(username, groups)| {
            Identity {
                username: username.into(),
                groups: groups.into_iter().map(Into::into).collect(),
            }
        })
    }

    fn kept(text: &str) -> Vec<EntryId> {
        read_section(SectionName::Roles, None, text)
            .kept()
            .map(|(id, _)| id)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// `edit_section` compares what it wrote with the intent itself; here it must also succeed.
        #[test]
        fn what_was_added_can_be_taken_out_again(text in lists(), identity in identities()) {
            let mapping = Mapping { arn: "arn:aws:iam::1:role/new".into(), identity, ..Mapping::default() };
            let added = edit_section(SectionName::Roles, &text, &[EntryEdit::Add { section: SectionName::Roles, mapping }]).unwrap();
            let last = *kept(&added).last().unwrap();
            let back = edit_section(SectionName::Roles, &added, &[EntryEdit::Remove { id: last, principal: String::new() }]).unwrap();
            prop_assert_eq!(back, text);
        }

        #[test]
        fn an_update_changes_no_other_entry(text in lists(), identity in identities(), which in any::<prop::sample::Index>()) {
            let ids = kept(&text);
            prop_assume!(!ids.is_empty());
            let id = *which.get(&ids);
            let section = read_section(SectionName::Roles, None, &text);
            let mapping = Mapping { identity, ..Mapping::default() };
            let edited = edit_section(SectionName::Roles, &text, &[EntryEdit::Update { id, mapping }]).unwrap();
            // Everything before the item, and everything from the next item on, is as it was.
            let start = section.items[id.index].range.start as usize;
            prop_assert_eq!(edited.get(..start), text.get(..start));
            if let Some(next) = section.items.get(id.index + 1) {
                prop_assert!(edited.ends_with(&text[next.range.start as usize..]));
            }
        }

        #[test]
        fn an_update_to_what_is_there_changes_nothing(text in lists()) {
            let section = read_section(SectionName::Roles, None, &text);
            let edits: Vec<EntryEdit> = section
                .kept()
                .filter_map(|(id, kept)| Some(EntryEdit::Update { id, mapping: kept.mapping()?.clone() }))
                .collect();
            prop_assert_eq!(edit_section(SectionName::Roles, &text, &edits).unwrap(), text);
        }

        #[test]
        fn removals_leave_the_other_items_bytes(text in lists(), which in prop::collection::vec(any::<bool>(), 5)) {
            let section = read_section(SectionName::Roles, None, &text);
            let (gone, stay): (Vec<EntryId>, Vec<EntryId>) =
                kept(&text).into_iter().partition(|id| which.get(id.index).copied().unwrap_or_default());
            let edits: Vec<EntryEdit> =
                gone.iter().map(|&id| EntryEdit::Remove { id, principal: String::new() }).collect();
            let edited = edit_section(SectionName::Roles, &text, &edits).unwrap();
            for id in stay {
                prop_assert!(edited.contains(&text[section.items[id.index].range.bytes()]));
            }
        }

        #[test]
        fn nothing_panics(text in "[-\\[\\]{}:,#&*! \n\ta-c'\"|>]{0,40}", identity in identities(), index in 0..3usize) {
            let id = EntryId::new(SectionName::Roles, index);
            let mapping = Mapping { arn: "arn:aws:iam::1:role/new".into(), identity, ..Mapping::default() };
            for edits in [
                vec![EntryEdit::Add { section: SectionName::Roles, mapping: mapping.clone() }],
                vec![EntryEdit::Update { id, mapping: mapping.clone() }],
                vec![EntryEdit::Remove { id, principal: String::new() }],
                vec![EntryEdit::Remove { id, principal: String::new() }, EntryEdit::Add { section: SectionName::Roles, mapping }],
            ] {
                let _ = edit_section(SectionName::Roles, &text, &edits);
            }
        }
    }
}
