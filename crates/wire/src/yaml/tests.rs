//! Trees, printed one node a line: `depth kind "source" = "decoded text"`.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

fn print(text: &str) -> String {
    match first_document(text, Dialect::GoYaml) {
        Ok(tree) => {
            let mut out = String::new();
            if let Some(root) = tree.root() {
                print_node(&tree, root, 0, &mut out);
            }
            if tree.rest() != Rest::Nothing {
                out += &format!("{:?}\n", tree.rest());
            }
            out
        }
        Err(error) => format!("error: {} at {:?}", error.message, slice(text, error.range)),
    }
}

fn slice(text: &str, range: Range) -> &str {
    &text[range.bytes()]
}

fn print_node(tree: &Tree<'_>, id: NodeId, depth: usize, out: &mut String) {
    let source = slice(tree.text(), tree.full_range(id));
    *out += &format!("{:1$}{2:?} {source:?}", "", depth * 2, tree.kind(id));
    if let Kind::Scalar(_) = tree.kind(id) {
        *out += &format!(" = {:?}", tree.scalar(id));
    }
    for (label, value) in [("tag", tree.tag(id)), ("anchor", tree.anchor(id))] {
        if let Some(value) = value {
            *out += &format!(" {label} {value}");
        }
    }
    *out += "\n";
    for child in tree.children(id) {
        print_node(tree, child, depth + 1, out);
    }
}

#[test]
fn a_map_as_people_write_it() {
    assert_snapshot!(print("- rolearn: arn:aws:iam::1:role/A # why\n  username: 'it''s'\n  groups:\n  - g\n  -\n\n# end\n"), @r#"
    Sequence(Block) "- rolearn: arn:aws:iam::1:role/A # why\n  username: 'it''s'\n  groups:\n  - g\n  -"
      Mapping(Block) "rolearn: arn:aws:iam::1:role/A # why\n  username: 'it''s'\n  groups:\n  - g\n  -"
        Scalar(Plain) "rolearn" = "rolearn"
        Scalar(Plain) "arn:aws:iam::1:role/A" = "arn:aws:iam::1:role/A"
        Scalar(Plain) "username" = "username"
        Scalar(SingleQuoted) "'it''s'" = "it's"
        Scalar(Plain) "groups" = "groups"
        Sequence(Block) "- g\n  -"
          Scalar(Plain) "g" = "g"
          Scalar(Plain) "" = ""
    "#);
}

#[test]
fn flow_and_properties() {
    assert_snapshot!(print("- &a {\"k\\u0041\": [1, x y,], k}\n- *a\n- !!str ~\n- ! \n- [a: b]\n"), @r#"
    Sequence(Block) "- &a {\"k\\u0041\": [1, x y,], k}\n- *a\n- !!str ~\n- ! \n- [a: b]"
      Mapping(Flow) "&a {\"k\\u0041\": [1, x y,], k}" anchor a
        Scalar(DoubleQuoted) "\"k\\u0041\"" = "kA"
        Sequence(Flow) "[1, x y,]"
          Scalar(Plain) "1" = "1"
          Scalar(Plain) "x y" = "x y"
        Scalar(Plain) "k" = "k"
        Scalar(Plain) "" = ""
      Alias "*a"
      Scalar(Plain) "!!str ~" = "~" tag tag:yaml.org,2002:str
      Scalar(Plain) "!" = "" tag !
      Sequence(Flow) "[a: b]"
        Mapping(Flow) "a: b"
          Scalar(Plain) "a" = "a"
          Scalar(Plain) "b" = "b"
    "#);
}

#[test]
fn block_scalars() {
    assert_snapshot!(print("a: |\n  x\n   y\n\n\nb: >-\n  one\n  two\n\n  three\nc: |+ # c\n  z\n\n\nd: |2\n   q"), @r#"
    Mapping(Block) "a: |\n  x\n   y\n\n\nb: >-\n  one\n  two\n\n  three\nc: |+ # c\n  z\n\n\nd: |2\n   q"
      Scalar(Plain) "a" = "a"
      Scalar(Literal) "|\n  x\n   y" = "x\n y\n"
      Scalar(Plain) "b" = "b"
      Scalar(Folded) ">-\n  one\n  two\n\n  three" = "one two\nthree"
      Scalar(Plain) "c" = "c"
      Scalar(Literal) "|+ # c\n  z\n\n" = "z\n\n\n"
      Scalar(Plain) "d" = "d"
      Scalar(Literal) "|2\n   q" = " q"
    "#);
}

#[test]
fn folded_lines() {
    assert_snapshot!(print("a: one\n  two\n\n  three\nb: \"x \\\n   y\n\n  z\"\n"), @r#"
    Mapping(Block) "a: one\n  two\n\n  three\nb: \"x \\\n   y\n\n  z\""
      Scalar(Plain) "a" = "a"
      Scalar(Plain) "one\n  two\n\n  three" = "one two\nthree"
      Scalar(Plain) "b" = "b"
      Scalar(DoubleQuoted) "\"x \\\n   y\n\n  z\"" = "x y\nz"
    "#);
}

#[test]
fn what_follows_is_not_read() {
    assert_snapshot!(print("  - a\n- b: [\n"), @r#"
    Sequence(Block) "- a"
      Scalar(Plain) "a" = "a"
    Content(6)
    "#);
    assert_snapshot!(print("- a\n---\n- b\n"), @r#"
    Sequence(Block) "- a"
      Scalar(Plain) "a" = "a"
    Document(4)
    "#);
}

#[test]
fn errors_name_the_place() {
    let errors: Vec<String> = [
        "- a\n\tb: c\n",
        "-\ta",
        "a: b: c\n",
        "- {{x}}y\n",
        "- {{x}}: y\n- z",
        "- 'x\n",
        "- \"\\/\"",
        "- \"\\ud83d\\ude00\"",
        "- [a\n",
        "- [a b: c]\n",
        "- a\nb\n",
        "- a\nb: c\n",
        "a: @b",
        "- *x\n",
        "- &a.b x\n",
        "a: b\n c: d\n",
        "- a:b\n  c: d\n",
        "a: |x\n",
        "a: - b",
        "a:\n  b: c\n d: e\n",
        "%YAML 1.2\n---\n",
        "- !e!x y",
        "- a\u{7}b",
    ]
    .map(print)
    .into();
    assert_snapshot!(errors.join("\n"), @r#"
    error: a tab is used as indentation at "\t"
    error: a tab follows `-`, where a space belongs at "\t"
    error: `: ` stands inside a value without quotes at ": c"
    error: a line in a list does not begin with `- `, or its indentation fits nothing before it at "y"
    Sequence(Block) "- {{x}}: y\n- z"
      Mapping(Block) "{{x}}: y"
        Mapping(Flow) "{{x}}"
          Mapping(Flow) "{x}"
            Scalar(Plain) "x" = "x"
            Scalar(Plain) "" = ""
          Scalar(Plain) "" = ""
        Scalar(Plain) "y" = "y"
      Scalar(Plain) "z" = "z"

    error: a quote is opened and never closed at "'x"
    error: `\/` is not a known escape sequence at "\\/"
    error: a character is written as a surrogate pair (as JSON encoders do), which YAML does not know at "\\ud83d"
    error: `,` or `]` is missing, and the text ends at ""
    Sequence(Block) "- [a b: c]"
      Sequence(Flow) "[a b: c]"
        Mapping(Flow) "a b: c"
          Scalar(Plain) "a b" = "a b"
          Scalar(Plain) "c" = "c"

    error: a line stands where a `key: value` belongs, and has no `: ` in it at "b"
    error: a line in a list does not begin with `- `, or its indentation fits nothing before it at "b: c"
    error: a value begins with `@`, which needs quotes at "@"
    error: the alias `*x` has no anchor `&x` before it at "*x"
    error: the name of an anchor or alias may hold only letters, digits, `-` and `_` (quote a value that begins with `&` or `*`) at "&a.b x"
    error: a line is indented too deep, which makes it part of the value before it at "c: d"
    error: no space follows the `:` of a key, which makes it a value that goes on in the next line at "a:b"
    error: text follows `|` or `>` on its line; a block scalar begins on the next line at "|x"
    error: a list item (`- `) stands where none can be at "- b"
    error: a line in a mapping is no `key: value`, or its indentation fits nothing before it at "d: e"
    error: `%YAML` asks for another version than 1.1 at "%YAML 1.2"
    error: the tag handle `!e!` is not defined at "!e!x"
    error: the control character U+0007 is not allowed at "\u{7}"
    "#);
}

#[test]
fn keys_are_limited_in_characters() {
    let key = "é".repeat(1024);
    assert!(first_document(&format!("{key}: v"), Dialect::GoYaml).is_ok());
    assert!(first_document(&format!("a: b\n{key}k: v"), Dialect::GoYaml).is_err());
}

#[test]
fn forbidden_characters_are_noticed_block_by_block() {
    let text = |n: usize| format!("- a\n...\n{}\0", "#".repeat(n));
    assert!(first_document(&text(512 - 8 - 1), Dialect::GoYaml).is_err());
    assert!(first_document(&text(512 - 8), Dialect::GoYaml).is_ok());
}

#[test]
fn deep_nesting_is_an_error() {
    for open in ["[", "{a: ", "- ", "? ", "[{a: "] {
        let text = open.repeat(1_000_000);
        let error = first_document(&text, Dialect::GoYaml).unwrap_err();
        assert!(error.message.contains("10,000"), "{open}: {error}");
    }
    let text = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(first_document(&text, Dialect::GoYaml).is_ok());
}

#[test]
fn json_is_read_in_its_dialect() {
    let text = r#"{"a": "\/\ud83d\ude00"}"#;
    let tree = first_document(text, Dialect::Json).unwrap();
    let value = tree.get(tree.root().unwrap(), "a").unwrap();
    assert_eq!(tree.scalar(value), "/😀");
    assert!(first_document(r#"{"a": "\ud83d"}"#, Dialect::Json).is_err());
}

#[test]
fn documents_are_read_apart() {
    let text =
        "# head\n---\na: 1\n--- # next\n{\"b\": \"\\/\"}\n---\n\n---\n- 'x\n---\n  - a\n- b\n...\n";
    let found: Vec<String> = documents(text, Dialect::Json)
        .into_iter()
        .map(|d| {
            let content = match d.tree {
                Ok(tree) => slice(text, tree.range(tree.root().unwrap())).to_owned(),
                Err(error) => error.message,
            };
            format!("{:?} {content}", slice(text, d.range))
        })
        .collect();
    assert_snapshot!(found.join("\n"), @r##"
    "# head\n---\na: 1\n" a: 1
    "--- # next\n{\"b\": \"\\/\"}\n" {"b": "\/"}
    "---\n- 'x\n" a quote is opened and never closed
    "---\n  - a\n- b\n...\n" the document ends before this line, which is indented less than its beginning or stands behind its last bracket
    "##);
}

#[test]
fn decoded_text_leads_back_to_the_source() {
    for (text, decoded_part, source_part) in [
        ("a: |\n  x\n   yz\n  w\n", "yz", "yz"),
        ("a: |\n  x\n   yz\n  w\n", "yz\nw", "yz\n  w"),
        ("a: |\n  x\n", "x\n", "x\n"),
        ("a: \"q\\u0041b\"", "A", "\\u0041"),
        ("a: \"q\\u0041b\"", "Ab", "\\u0041b"),
        ("a: 'it''s'", "'s", "''s"),
        ("a: one\n  two", "e t", "e\n  t"),
        ("a: ---\n  two", "- two", "-\n  two"),
        ("a: plain", "lai", "lai"),
        ("{a: b\n  :}", "b :", "b\n  :"),
    ] {
        let tree = first_document(text, Dialect::GoYaml).unwrap();
        let value = tree.get(tree.root().unwrap(), "a").unwrap();
        let start = tree.scalar(value).find(decoded_part).unwrap() as u32;
        let range = Range::new(start, start + decoded_part.len() as u32);
        let source = tree.offset_map(value).source_range(range);
        assert_eq!(slice(text, source), source_part, "{text:?}");
    }
}

/// Text made of the characters that mean something.
fn yamlish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[-:?,\\[\\]{}#&*!|>'\"%@` \n\t]",
        3 => prop::sample::select(vec!["\n  ", "\n- ", ": ", "- ", "\r\n", "\u{85}", "\u{2028}", "\u{feff}", "---\n", "...\n", "<<: ", "*a ", "&a ", "|-\n", "\\x41", "\0"]).prop_map(String::from),
        4 => "[a-c0-9é]{1,4}",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Children lie inside their parents and in order; a scalar's bytes decode to its text.
fn check_tree(tree: &Tree<'_>) {
    for index in 0..tree.len() {
        let id = NodeId(index as u32);
        let range = tree.range(id);
        let full = tree.full_range(id);
        assert!(full.start <= range.start && range.start <= range.end);
        let mut end = range.start;
        for child in tree.children(id) {
            let child = tree.full_range(child);
            assert!(
                end <= child.start && child.end <= range.end,
                "{:?}",
                slice(tree.text(), range)
            );
            end = child.end;
        }
        if let Kind::Scalar(_) = tree.kind(id) {
            let map = tree.offset_map(id);
            for (at, c) in tree.scalar(id).char_indices() {
                let source = map.source_range(Range::new(at as u32, (at + c.len_utf8()) as u32));
                let source = slice(tree.text(), source);
                assert!(
                    source.starts_with(c) || source.starts_with(['\\', '\n', '\r', '\u{85}']),
                    "{c:?} {source:?}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_ranges_nest(text in yamlish()) {
        for dialect in [Dialect::GoYaml, Dialect::Json] {
            if let Ok(tree) = first_document(&text, dialect) {
                check_tree(&tree);
            }
            for document in documents(&text, dialect) {
                let _ = slice(&text, document.range);
                match document.tree {
                    Ok(tree) => check_tree(&tree),
                    Err(error) => { let _ = slice(&text, error.range); }
                }
            }
        }
    }
}

/// Documents are scanned apart: what stands in a later one is nothing to a scalar of an earlier one.
#[test]
fn a_control_character_in_a_later_document_spoils_only_that() {
    let text = "a: |\n  b\n  c\n---\nd: \u{1a}\n";
    let [first, second] = &documents(text, Dialect::GoYaml)[..] else {
        panic!("two documents");
    };
    check_tree(first.tree.as_ref().unwrap());
    assert!(second.tree.is_err());
}
