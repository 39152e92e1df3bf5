use proptest::prelude::*;

use super::*;
use crate::sources::Sources;

const HEAD: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: aws-auth\n  namespace: kube-system\n";

fn file(text: &str) -> StateFile {
    StateFile::parse("s.yaml", text.as_bytes(), &mut Sources::new()).unwrap()
}

/// The file after `mapRoles` is set, which must then be read back.
fn set(text: &str, value: &str) -> String {
    let mut file = file(text);
    file.set_data(&ObjectName::aws_auth(), "mapRoles", Some(value))
        .unwrap();
    let data = file.data(&ObjectName::aws_auth()).unwrap();
    let read = data.iter().rfind(|(key, _)| key == "mapRoles").unwrap();
    assert_eq!(read.1, value);
    file.text().to_string()
}

fn unset(text: &str, key: &str) -> String {
    let mut file = file(text);
    file.set_data(&ObjectName::aws_auth(), key, None).unwrap();
    file.text().to_string()
}

/// `text` with `from` replaced once.
fn with(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?} in {text:?}");
    text.replacen(from, to, 1)
}

#[test]
fn in_a_literal_block_only_the_lines_that_differ_change() {
    let text = format!(
        "# top\n{HEAD}data:\n  mapRoles: |  # roles\n      - a\n  \n      # kept\n      - b: 1   \n\n\n  other: x # y\n---\nnodegroups: []\n"
    );
    assert_eq!(
        set(&text, "- a\n\n# kept\n- b: 1   \n- c\n"),
        with(&text, "- b: 1   \n", "- b: 1   \n      - c\n")
    );
    assert_eq!(
        set(&text, "- a\n# kept\n- b: 1   \n"),
        with(&text, "  \n      # kept", "      # kept")
    );
    assert_eq!(
        set(&text, "- x\n\n# kept\n- b: 1   \n"),
        with(&text, "- a", "- x")
    );
    assert_eq!(
        set(&text, "[]\n"),
        with(&text, "- a\n  \n      # kept\n      - b: 1   ", "[]")
    );
    assert_eq!(
        set(&text, "- a\n\n# kept\n- b: 1   "),
        with(&text, "mapRoles: |", "mapRoles: |-")
    );
    assert_eq!(
        set(&text, ""),
        with(
            &text,
            "|  # roles\n      - a\n  \n      # kept\n      - b: 1   ",
            "\"\""
        )
    );
}

#[test]
fn indentation_indicators_and_chomping_are_kept_or_added() {
    let text = format!("{HEAD}data:\n  mapRoles: |2-\n      - a\n    - b\n");
    assert_eq!(set(&text, "  - a\n- c"), with(&text, "- b", "- c"));
    assert_eq!(set(&text, "  - a\n- b\n"), with(&text, "|2-", "|2"));
    let text = format!("{HEAD}data:\n  mapRoles: |\n    - a\n");
    assert_eq!(
        set(&text, "  - b\n"),
        with(&text, "|\n    - a", "|2\n      - b")
    );
    let text = format!("{HEAD}data:\n  mapRoles: |+\n    - a\n\n  x: y\n");
    assert_eq!(
        set(&text, "- a\n- b\n\n"),
        with(&text, "- a\n", "- a\n    - b\n")
    );
    assert_eq!(
        set(&text, "- a\n"),
        with(&text, "|+\n    - a\n\n", "|\n    - a\n")
    );
}

#[test]
fn line_ends_and_the_missing_end_of_the_last_line_are_kept() {
    let text = format!("{HEAD}data:\n  mapRoles: |\n    - a\n  x: y\n").replace('\n', "\r\n");
    assert_eq!(
        set(&text, "- a\n- b\n"),
        with(&text, "- a\r\n", "- a\r\n    - b\r\n")
    );
    let text = format!("{HEAD}data:\n  mapRoles: |\n    - a");
    assert_eq!(set(&text, "- a\n- b\n"), format!("{text}\n    - b\n"));
    let text = format!("{HEAD}data:\n  mapRoles: '[]'");
    assert_eq!(set(&text, "[1]"), with(&text, "[]", "[1]"));
    assert_eq!(set(&text, "- a\n"), with(&text, "'[]'", "|\n    - a\n"));
    assert_eq!(
        set(&format!("\u{FEFF}{text}"), "[1]"),
        format!("\u{FEFF}{}", with(&text, "[]", "[1]"))
    );
}

#[test]
fn quoted_and_plain_values_keep_their_style() {
    let text = |value: &str| format!("{HEAD}data:\n  mapRoles: {value} # c\n  x: y\n");
    assert_eq!(
        set(&text("'[{\"a\": 1}]'"), "[{\"a\": 'x'}]"),
        text("'[{\"a\": ''x''}]'")
    );
    assert_eq!(
        set(&text("\"- a\\n\""), "- a\n- b\n"),
        text("\"- a\\n- b\\n\"")
    );
    assert_eq!(set(&text("abc"), "abcd"), text("abcd"));
    assert_eq!(set(&text("abc"), "[]"), text("'[]'"));
    assert_eq!(
        set(&text("abc"), "a\r\nb\u{1}"),
        text("\"a\\r\\nb\\u0001\"")
    );
    let folded = format!("{HEAD}data:\n  mapRoles: >\n    a\n    b\n  x: y\n");
    assert_eq!(
        set(&folded, "- a\n- b\n"),
        with(&folded, ">\n    a\n    b", "|\n    - a\n    - b")
    );
    let empty = format!("{HEAD}data:\n  mapRoles: ''\n  x: y\n");
    assert_eq!(set(&empty, "- a\n"), with(&empty, "''", "|\n    - a"));
    let empty = format!("{HEAD}data:\n  mapRoles: \"\"\n  x: y\n");
    assert_eq!(set(&empty, "- a\n"), with(&empty, "\"\"", "|\n    - a"));
    let null = format!("{HEAD}data:\n  mapRoles:\n  x: y\n");
    assert_eq!(set(&null, "[]"), with(&null, "mapRoles:", "mapRoles: '[]'"));
}

#[test]
fn json_stays_json() {
    let text = "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"aws-auth\"}, \"data\": {\"mapRoles\": \"- a\\r\\n\"}}\n---\n{\"nodegroups\": []}\n";
    assert_eq!(
        set(text, "- a\r\n- b\r\n"),
        with(text, "- a\\r\\n", "- a\\r\\n- b\\r\\n")
    );
    let pretty = "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"ConfigMap\",\n  \"metadata\": {\n    \"name\": \"aws-auth\"\n  },\n  \"data\": {\n    \"mapUsers\": \"[]\"\n  }\n}\n";
    let added = set(pretty, "- a\n");
    assert_eq!(
        added,
        with(pretty, "\"[]\"", "\"[]\",\n    \"mapRoles\": \"- a\\n\"")
    );
    assert_eq!(unset(&added, "mapRoles"), pretty);
    let without = with(
        pretty,
        ",\n  \"data\": {\n    \"mapUsers\": \"[]\"\n  }",
        "",
    );
    assert_eq!(unset(pretty, "mapUsers"), without);
    assert_eq!(
        set(&without, "x"),
        with(
            &without,
            "\n  }\n}",
            "\n  },\n  \"data\": {\"mapRoles\": \"x\"}\n}"
        )
    );
    serde_json::from_str::<serde_json::Value>(&set(&without, "x")).unwrap();
}

#[test]
fn a_missing_key_and_missing_data_are_added() {
    let text = format!("{HEAD}data:\n  mapUsers: |\n    - u\n\n# end\n---\nnodegroups: []\n");
    assert_eq!(
        set(&text, "- a\n"),
        with(&text, "- u\n", "- u\n  mapRoles: |\n    - a\n")
    );
    let text = format!("{HEAD}---\nnodegroups: []\n");
    let added = "data:\n  mapRoles: |\n    - a\n";
    assert_eq!(
        set(&text, "- a\n"),
        format!("{HEAD}{added}---\nnodegroups: []\n")
    );
    for empty in ["data:\n", "data: {}\n", "data: null\n", "data: ~\n"] {
        assert_eq!(
            set(&format!("{HEAD}{empty}immutable: false\n"), "- a\n"),
            format!("{HEAD}{added}immutable: false\n")
        );
        assert_eq!(
            set(&format!("{HEAD}{empty}"), "- a\n"),
            format!("{HEAD}{added}")
        );
    }
    assert_eq!(
        set(&format!("{HEAD}data: # none\n"), "- a\n"),
        format!("{HEAD}data: {{\"mapRoles\": \"- a\\n\"}} # none\n")
    );
    let cut = HEAD.trim_end();
    assert_eq!(set(cut, "x"), format!("{HEAD}data:\n  mapRoles: x"));
}

#[test]
fn an_item_of_a_list_is_changed_and_taken_out() {
    let item = "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: aws-auth, namespace: kube-system}\n  data:\n    mapRoles: |\n      - a\n";
    let other = "- apiVersion: v1\n  kind: Node\n  metadata: {name: n}\n";
    let text = format!("apiVersion: v1\nkind: List\nitems:\n{item}{other}metadata: {{}}\n");
    assert_eq!(
        set(&text, "- a\n- b\n"),
        with(&text, "- a\n", "- a\n      - b\n")
    );
    let mut both = file(&text);
    both.remove(&ObjectName::aws_auth()).unwrap();
    assert_eq!(both.text().as_ref(), with(&text, item, ""));
    let mut only = file(&with(&text, other, ""));
    only.remove(&ObjectName::aws_auth()).unwrap();
    assert_eq!(
        only.text().as_ref(),
        "apiVersion: v1\nkind: List\nitems: []\nmetadata: {}\n"
    );
    let json = "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMapList\", \"items\": [{\"metadata\": {\"name\": \"aws-auth\"}}, {\"metadata\": {\"name\": \"b\"}}]}";
    let mut json_file = file(json);
    json_file.remove(&ObjectName::aws_auth()).unwrap();
    assert_eq!(
        json_file.text().as_ref(),
        with(json, "{\"metadata\": {\"name\": \"aws-auth\"}}, ", "")
    );
}

#[test]
fn documents_are_added_and_taken_out() {
    let manifest = Manifest {
        name: ObjectName::system("accord-a"),
        labels: vec![("accord.dev/aws-auth".into(), "fragment".into())],
        data: vec![("mapRoles".into(), "- a\n".into())],
        binary_data: Vec::new(),
    };
    for text in [
        "nodegroups: []\n",
        "{\"nodegroups\": []}",
        "nodegroups: []\r\n",
        "# a\n---\nnodegroups: []\n# b\n",
    ] {
        let mut file = file(text);
        file.put(&manifest).unwrap();
        let newline = newline(text);
        let gap = if text.ends_with('\n') { "" } else { newline };
        assert_eq!(
            file.text().as_ref(),
            format!("{text}{gap}---{newline}{}", manifest.text(newline))
        );
        file.put(&manifest).unwrap();
        assert_eq!(file.text().matches("accord-a").count(), 1);
        file.remove(&manifest.name).unwrap();
        assert_eq!(file.text().as_ref(), format!("{text}{gap}"));
    }
}

#[test]
fn an_object_that_is_there_is_brought_to_what_it_shall_be() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: accord-a\n  namespace: kube-system\n  uid: 1\ndata:\n  mapUsers: |\n    - u\n  note: mine\n---\nnodegroups: []\n";
    let mut file = file(text);
    let manifest = Manifest {
        name: ObjectName::system("accord-a"),
        labels: vec![("accord.dev/aws-auth".into(), "fragment".into())],
        data: vec![("mapRoles".into(), "- a\n".into())],
        binary_data: Vec::new(),
    };
    file.put(&manifest).unwrap();
    insta::assert_snapshot!(file.text(), @r"
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: accord-a
      namespace: kube-system
      uid: 1
      labels:
        accord.dev/aws-auth: fragment
    data:
      note: mine
      mapRoles: |
        - a
    ---
    nodegroups: []
    ");
}

#[test]
fn what_cannot_be_changed_is_said_and_left_alone() {
    let told: Vec<String> = [
        format!("{HEAD}data:\n  mapRoles: [a]\n"),
        format!("{HEAD}data: text\n"),
        format!("x: &d {{a: b}}\n{HEAD}data: *d\n"),
        format!("{HEAD}data:\n  mapUsers: &u |\n    - a\n  mapRoles: *u\n"),
        "nodegroups: []\n".to_owned(),
    ]
    .iter()
    .map(|text| {
        let sources = &mut Sources::new();
        let mut file = StateFile {
            name: "s".into(),
            id: sources.add_file("s", text.as_str()),
            text: text.as_str().into(),
            facts: Default::default(),
            edited: false,
        };
        let error = file.set_data(&ObjectName::aws_auth(), "mapRoles", Some("x"));
        assert_eq!(file.text().as_ref(), text);
        error.unwrap_err().to_string()
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    ConfigMap/kube-system/aws-auth cannot be changed here: `mapRoles` is not text; change it by hand
    ConfigMap/kube-system/aws-auth cannot be changed here: `data` is no mapping; change it by hand
    ConfigMap/kube-system/aws-auth cannot be changed here: `data` is written as an alias; change it by hand
    ConfigMap/kube-system/aws-auth cannot be changed here: `mapRoles` is written as an alias; change it by hand
    ConfigMap/kube-system/aws-auth is not in the file
    ");
}

#[test]
fn an_anchored_value_is_not_changed_behind_its_aliases_back() {
    let text = format!("{HEAD}data:\n  mapRoles: &r |\n    - a\n  mapUsers: *r\n");
    assert_eq!(set(&text, "- b\n"), with(&text, "- a", "- b"));
}

#[test]
fn an_edited_file_is_observed_as_it_is_now() {
    let mut sources = Sources::new();
    let text = format!("{HEAD}data:\n  mapRoles: '[]'\n");
    let mut file = StateFile::parse("s.yaml", text.as_bytes(), &mut sources).unwrap();
    let value = "- rolearn: a\n- rolearn: b\n";
    file.set_data(&ObjectName::aws_auth(), "mapRoles", Some(value))
        .unwrap();
    let observed = file
        .observed(Default::default(), &[], &mut sources)
        .unwrap();
    let roles = observed.aws_auth.unwrap().map.roles;
    assert_eq!(roles.items.len(), 2);
    let place = sources.locate(roles.span(roles.items[1].range).unwrap());
    assert_eq!(place.unwrap().line, 9);
}

/// What `kubectl` prints, and what people write, to be damaged.
const FILES: [&str; 3] = [
    "apiVersion: v1\ndata:\n  mapRoles: |\n    - rolearn: a\n      groups:\n      - g\n  mapUsers: |-\n    []\nkind: ConfigMap\nmetadata:\n  annotations:\n    note: |\n      {\"a\": 1}\n  name: aws-auth\n  namespace: kube-system\n---\nnodegroups: [a]\n",
    "# a list\napiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: aws-auth}\n  data:\n    mapRoles: '[{\"rolearn\": \"a\"}]'\n    x: >-\n      folded\n      text\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n\n# end\n",
    "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        {\n            \"apiVersion\": \"v1\",\n            \"data\": {\n                \"mapRoles\": \"- rolearn: a\\n\"\n            },\n            \"kind\": \"ConfigMap\",\n            \"metadata\": {\n                \"name\": \"aws-auth\"\n            }\n        }\n    ],\n    \"kind\": \"List\"\n}\n",
];

/// The object's data and the number of documents.
fn told(file: &StateFile) -> (Option<Vec<(String, String)>>, usize) {
    let documents = yaml::documents(file.text(), Dialect::Json).len();
    (file.data(&ObjectName::aws_auth()), documents)
}

/// A value of `mapRoles` in each style.
fn styled() -> impl Strategy<Value = String> {
    let line = "[-a: #'\"\\[{]{0,6}";
    let block = prop::collection::vec(line, 1..5).prop_map(|lines| {
        let lines: Vec<String> = lines.into_iter().map(|l| format!("    x{l}\n")).collect();
        lines.concat()
    });
    prop_oneof![
        (block, "[|>][-+]?").prop_map(|(lines, header)| format!("{header}\n{lines}")),
        "[a-z ]{0,5}".prop_map(|t| format!("'{t}'\n")),
        "[a-z ]{0,5}".prop_map(|t| format!("\"{t}\\n\"\n")),
        "[a-z]{0,5}".prop_map(|t| format!("{t} # c\n")),
    ]
}

proptest! {
    #[test]
    fn what_is_set_is_read_and_nothing_else_changes(
        value in styled(),
        new in "([-a: #'\"\\[{\\n\\r\\t]|ü|- b\\n|\u{1}){0,20}",
        crlf: bool,
        is_last: bool,
        blank in "\n{0,2}",
    ) {
        let before = format!("# top\nnodegroups: []\n---\n{HEAD}data:\n  mapUsers: u\n  mapRoles: ");
        let after = if is_last { blank } else { format!("{blank}  other: |\n    o\n---\n{{\"nodegroups\": []}}\n") };
        let lines = |text: &str| if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        let text = lines(&format!("{before}{value}{after}"));
        let mut changed = file(&text);
        let old = changed.data(&ObjectName::aws_auth()).unwrap();
        changed.set_data(&ObjectName::aws_auth(), "mapRoles", Some(&new)).unwrap();
        let mut expected = old.clone();
        for (key, value) in &mut expected {
            if key == "mapRoles" {
                *value = new.clone();
            }
        }
        if !expected.iter().any(|(key, _)| key == "mapRoles") {
            expected.insert(1, ("mapRoles".into(), new.clone()));
        }
        prop_assert_eq!(changed.data(&ObjectName::aws_auth()).unwrap(), expected);
        prop_assert!(changed.text().starts_with(&lines(&before)));
        prop_assert!(changed.text().ends_with(&lines(after.trim_start_matches('\n'))));
        // And back again: the object says what it said.
        let former = old.iter().find(|(key, _)| key == "mapRoles").map(|(_, v)| v.as_str());
        changed.set_data(&ObjectName::aws_auth(), "mapRoles", former).unwrap();
        prop_assert_eq!(changed.data(&ObjectName::aws_auth()).unwrap(), old);
    }

    #[test]
    fn a_damaged_file_is_changed_faithfully_or_not_at_all(
        base in prop::sample::select(&FILES[..]),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0usize..4, "[ a:{}\\[\\]\"'|>#&*!\\-\n\t]{0,4}"), 0..4),
        key in prop::sample::select(vec!["mapRoles", "mapUsers", "x"]),
        new in prop::option::of("([-a: \n]|- b\n){0,8}"),
    ) {
        let mut text = base.to_owned();
        for (at, count, with) in damage {
            let start = at.index(text.len());
            text.replace_range(start..(start + count).min(text.len()), &with);
        }
        let Ok(before) = StateFile::parse("s", text.as_bytes(), &mut Sources::new()) else {
            return Ok(());
        };
        let (data, documents) = told(&before);
        let mut after = before.clone();
        let done = after.set_data(&ObjectName::aws_auth(), key, new.as_deref());
        let (data_after, documents_after) = told(&after);
        prop_assert_eq!(documents, documents_after);
        match (done, data) {
            (Ok(()), Some(mut data)) => {
                let mut data_after = data_after.unwrap_or_default();
                let value = data_after.iter().rfind(|(k, _)| k == key).map(|(_, v)| v.clone());
                prop_assert_eq!(value, new);
                data.retain(|(k, _)| k != key);
                data_after.retain(|(k, _)| k != key);
                prop_assert_eq!(data_after, data);
            }
            (Ok(()), None) => prop_assert!(false, "changed an object that is not there"),
            (Err(_), data) => {
                prop_assert_eq!(data_after, data);
                prop_assert_eq!(after.text(), before.text());
            }
        }
        let mut without = before.clone();
        if without.remove(&ObjectName::aws_auth()).is_ok() {
            prop_assert_eq!(told(&without).0, None);
        }
    }
}
