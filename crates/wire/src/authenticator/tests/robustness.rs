//! Any text is read in time and memory that its length bounds, and without a panic.

use accord_model::mapping::SectionName;
use accord_model::reading::{LossCause, SectionState};
use proptest::prelude::*;

use super::read_section;

fn loss(section: SectionName, text: &str) -> String {
    match read_section(section, None, text).state {
        SectionState::Lost(loss) => {
            assert_eq!(loss.cause, LossCause::Unparseable);
            loss.message
        }
        state => panic!("{state:?}"),
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for open in ["[", "- ", "{a: ", "? ", "x:\n- "] {
        let text = format!("- rolearn: A\n  x: {}", open.repeat(1_000_000));
        loss(SectionName::Roles, &text);
    }
}

#[test]
fn nesting_counts_with_aliases_expanded() {
    let half = |inner: &str| format!("{}{inner}{}", "[".repeat(5_000), "]".repeat(5_000));
    let text = format!("- x: &a {}\n- y: {}\n", half("z"), half("*a"));
    assert!(loss(SectionName::Roles, &text).contains("10,000 deep"));
}

#[test]
fn alias_bombs_are_errors() {
    let mut text = String::from("- &a0 [q, q, q, q, q, q, q, q, q]\n");
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        text += &format!("- &a{level} [{aliases}]\n");
    }
    assert!(loss(SectionName::Roles, &text).contains("aliases expand"));
    // The same with merge keys.
    let mut text = String::from("- &a0 {k: v}\n");
    for level in 1..40 {
        let alias = format!("*a{}", level - 1);
        text += &format!("- &a{level} {{<<: [{alias}, {alias}], k{level}: v}}\n");
    }
    assert!(loss(SectionName::Roles, &text).contains("aliases expand"));
}

#[test]
fn a_mebibyte_of_junk_is_read_fast() {
    for piece in [
        "#",
        "'",
        "{{",
        "- - ",
        "[a, ",
        "&a ",
        "a: ",
        "x\u{2028}",
        "- a\n",
    ] {
        let text = piece.repeat((1 << 20) / piece.len());
        for section in [SectionName::Roles, SectionName::Accounts] {
            let _ = read_section(section, None, &text);
        }
    }
}

/// Lists of entries with odd values, keys and characters in them.
fn maplike() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(vec![
            "- rolearn: A\n", "  username: u\n", "  groups: [a, ~, 1]\n", "  groups:\n", "  - g\n", "- &a {rolearn: B}\n",
            "- <<: *a\n", "  <<: [*a, {groups: ~}]\n", "  x: {y: [.inf]}\n", "  ~: x\n", "  sso: {accountID: 1}\n",
            "- [x]\n", "- 'q\n", "  username: {{x}}\n", "---\n", "\t", " ", "{", "]", ": ", "\u{feff}", "\u{85}", "é", "\0",
            "- !!int x\n", "- !!binary gA==\n", "|\n", "\"\\u00e9\"", "- 111122223333\n",
        ]).prop_map(String::from),
        1 => "[ -~\n]{1,6}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_panics_and_all_places_are_in_it(text in maplike()) {
        for section in SectionName::ALL {
            let _ = super::print(section, &text);
            let _ = super::print_written(section, &text);
        }
    }

    #[test]
    fn entries_in_effect_are_not_hidden_by_what_is_remarked(text in maplike()) {
        let read = read_section(SectionName::Roles, None, &text);
        for item in &read.items {
            let is_skipped = read.is_readable() && item.kept.is_none();
            prop_assert_eq!(is_skipped, item.meant.is_some());
            prop_assert!(!is_skipped || !item.remarks.is_empty());
        }
    }
}
