//! Text as YAML and JSON, so that every reader takes it for the same text.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A scalar for block style: without quotes where every reader of YAML 1.1 and 1.2 takes it for this text, else in
/// double quotes.
///
/// An account id always gets quotes, a username template only if it begins with `{`.
pub fn block(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        text.into()
    } else {
        double(text).into()
    }
}

/// A scalar for flow style, in which brackets, braces and commas must be quoted too.
pub fn flow(text: &str) -> Cow<'_, str> {
    if is_plain(text) && !text.contains(['[', ']', '{', '}', ',']) {
        text.into()
    } else {
        double(text).into()
    }
}

/// In double quotes, valid both as JSON and to every reader of YAML: only the escapes `\"`, `\\`, `\n`, `\r`, `\t` and
/// `\uXXXX`, the last also for what YAML does not allow as it stands or takes for a line break.
pub fn double(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if !is_printable(c) || is_break(c) => {
                // Writing to a string never fails.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The value of a key in block style, at column `parent`: without quotes or in single quotes if it is one line, a
/// literal block indented by `indent` if it is several, in double quotes if it is neither. Only a literal block ends
/// with `newline`.
pub fn value(text: &str, parent: usize, indent: usize, newline: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let several = || {
        text.contains('\n')
            .then(|| literal(text, parent, indent, newline))?
    };
    several()
        .or_else(|| single(text))
        .unwrap_or_else(|| double(text))
}

/// In single quotes; `None` if the text has a character that these cannot hold as it stands, a line break too.
pub fn single(text: &str) -> Option<String> {
    let holds = text.chars().all(|c| is_printable(c) && !is_break(c));
    holds.then(|| format!("'{}'", text.replace('\'', "''")))
}

/// A literal block scalar from its header on: the value of a key at column `parent`, its lines indented by `indent`
/// spaces and ended by `newline`. The last line has its end, so the next key can follow at once.
///
/// `None` if literal style cannot hold the text: nothing but line breaks, a carriage return, an unprintable character.
pub fn literal(text: &str, parent: usize, indent: usize, newline: &str) -> Option<String> {
    let body = text.trim_end_matches('\n');
    let holds = |c: char| c == '\n' || (is_printable(c) && !is_break(c));
    if body.is_empty() || !text.chars().all(holds) {
        return None;
    }
    let mut out = String::from("|");
    // A reader finds the indentation by the first line that is not empty: it must be said if that begins with a space,
    // or a tab, or if an empty line before it is longer than the indentation.
    let first = body.trim_start_matches('\n');
    if first.starts_with([' ', '\t']) {
        let deeper = indent.checked_sub(parent).filter(|d| (1..=9).contains(d))?;
        let _ = write!(out, "{deeper}");
    }
    match text.len() - body.len() {
        0 => out.push('-'),
        1 => {}
        _ => out.push('+'),
    }
    out.push_str(newline);
    // With `-` the last line's end is not part of the text, and with one line break it is.
    let lines = text.strip_suffix('\n').unwrap_or(text);
    for line in lines.split('\n') {
        if !line.is_empty() {
            out.push_str(&" ".repeat(indent));
            out.push_str(line);
        }
        out.push_str(newline);
    }
    Some(out)
}

/// Whether plain style holds the text in a block: it begins with a letter, so that it is no number, no date and no
/// indicator, and it is no word that some reader takes for a boolean or for nothing.
fn is_plain(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let words = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
    ];
    begins
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b" -_./:@+=,()[]{}".contains(&b))
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([':', ' '])
        && !words.iter().any(|w| text.eq_ignore_ascii_case(w))
}

/// What YAML 1.1 lets stand in a text without an escape; line breaks and tabs aside.
pub(crate) fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
        && c != '\u{FEFF}'
}

/// What YAML 1.1 takes for a line break.
fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_only_where_needed() {
        for plain in [
            "arn:aws:iam::111122223333:role/a",
            "system:node:{{EC2PrivateDNSName}}",
            "kim@example.com",
        ] {
            assert_eq!(block(plain), plain);
        }
        for (text, quoted) in [
            ("{{SessionName}}", "\"{{SessionName}}\""),
            ("012345678901", "\"012345678901\""),
            ("On", "\"On\""),
            ("", "\"\""),
            ("a: b", "\"a: b\""),
            ("a #b", "\"a #b\""),
            ("a\"b\\", "\"a\\\"b\\\\\""),
            ("\u{FEFF}a\u{2028}", "\"\\ufeffa\\u2028\""),
        ] {
            assert_eq!(block(text), quoted);
        }
        assert_eq!(flow("a:{{SessionName}}"), "\"a:{{SessionName}}\"");
    }

    #[test]
    fn literal_blocks() {
        insta::assert_snapshot!(literal("- a\n\n- b\n", 2, 4, "\n").unwrap(), @"
        |
            - a

            - b
        ");
        assert_eq!(literal("a", 0, 2, "\r\n").unwrap(), "|-\r\n  a\r\n");
        assert_eq!(literal("a\n\n\n", 2, 2, "\n").unwrap(), "|+\n  a\n\n\n");
        assert_eq!(literal("  a\nb\n", 0, 2, "\n").unwrap(), "|2\n    a\n  b\n");
        assert_eq!(literal("a\r\n", 2, 2, "\n"), None);
        assert_eq!(literal("\n", 2, 2, "\n"), None);
        assert_eq!(literal("", 2, 2, "\n"), None);
    }

    proptest! {
        #[test]
        fn double_quotes_are_json(text in any::<String>()) {
            prop_assert_eq!(serde_json::from_str::<String>(&double(&text)).unwrap(), text);
        }
    }
}
