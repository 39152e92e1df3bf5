//! How a value is written so that go-yaml reads back exactly that text.

use crate::yaml::{PlainType, ScalarStyle, plain_type};

/// Around the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// Indentation.
    Block,
    /// Brackets or braces.
    Flow,
}

/// Writes `text` in the style wanted, or in the nearest one that can hold it: quotes are added where the text without
/// them would be something else. Block scalars are written as quoted ones.
pub(super) fn write(text: &str, style: ScalarStyle, around: Around) -> String {
    match style {
        ScalarStyle::Plain if is_plain(text, around) => text.to_owned(),
        ScalarStyle::Plain | ScalarStyle::SingleQuoted if text.chars().all(is_printable) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => double_quoted(text),
    }
}

/// Whether the text can stand without quotes and is read as that text.
///
/// Stricter than YAML: what begins with an indicator is quoted even where it need not be.
pub(super) fn is_plain(text: &str, around: Around) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let indicator = "-?:,[]{}#&*!|>'\"%@`=<~ ".contains(first);
    let inside =
        text.contains(": ") || text.contains(" #") || text.contains("{{") && around == Around::Flow;
    let flow = around == Around::Flow && text.contains(['[', ']', '{', '}', ',', '?']);
    !indicator
        && !inside
        && !flow
        && !text.ends_with([':', ' '])
        && text.chars().all(is_printable)
        && plain_type(text) == PlainType::String
}

/// Characters that may stand in a scalar of one line as they are. Line separators, and white space that people cannot
/// see, are better escaped.
fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

/// Writes `text` in double quotes, as JSON does where JSON and go-yaml agree.
fn double_quoted(text: &str) -> String {
    use std::fmt::Write as _;
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if is_printable(c) => quoted.push(c),
            c => {
                // All that are not printable lie below U+10000. Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Dialect, first_document};

    #[test]
    fn quotes_where_the_text_would_be_something_else() {
        let block = |text| write(text, ScalarStyle::Plain, Around::Block);
        assert_eq!(
            block("arn:aws:iam::111122223333:role/A"),
            "arn:aws:iam::111122223333:role/A"
        );
        assert_eq!(
            block("system:node:{{SessionName}}"),
            "system:node:{{SessionName}}"
        );
        assert_eq!(block("{{SessionName}}"), "'{{SessionName}}'");
        for text in [
            "yes",
            "12",
            "",
            "a: b",
            "a #b",
            "~",
            "1e3",
            "-x",
            "it ends:",
            " x",
            "2001-01-01",
        ] {
            assert_eq!(block(text), format!("'{text}'"));
        }
        assert_eq!(block("it's"), "it's");
        assert_eq!(block("'"), "''''");
        assert_eq!(block("a\nb"), "\"a\\nb\"");
        assert_eq!(
            write("x:{{A}}", ScalarStyle::Plain, Around::Flow),
            "'x:{{A}}'"
        );
        assert_eq!(write("x", ScalarStyle::DoubleQuoted, Around::Flow), "\"x\"");
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read_back(
            text in "\\PC{0,12}|[a-zA-Z0-9:.{} #'\"\\[\\],-]{0,12}|[\u{0}-\u{ffff}]{0,4}",
            style in proptest::sample::select(vec![
                ScalarStyle::Plain, ScalarStyle::SingleQuoted, ScalarStyle::DoubleQuoted, ScalarStyle::Literal,
            ]),
        ) {
            for (before, around, after) in [("- x: ", Around::Block, "\n"), ("[{x: ", Around::Flow, "}]")] {
                let source = format!("{before}{}{after}", write(&text, style, around));
                let tree = first_document(&source, Dialect::GoYaml).unwrap();
                let root = tree.root().unwrap();
                let value = tree.get(tree.items(root).next().unwrap(), "x").unwrap();
                proptest::prop_assert_eq!(tree.scalar(value), text.as_str());
            }
        }
    }
}
