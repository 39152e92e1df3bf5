//! Small pieces of text that several reports share.

use std::borrow::Cow;
use std::fmt::Write as _;

use accord_wire::report::{Policy, Rights};

/// `1 principal gains`, `3 principals gain`: the count with the word that fits.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 {
        format!("1 {one}")
    } else {
        format!("{n} {many}")
    }
}

/// Text that somebody else wrote, on one line, and without what a terminal would act on or what would change the order
/// of what is read: such characters are shown as escapes.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().map(|c| match acts(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    });
    Cow::Owned(escaped.collect())
}

/// Control characters, line and paragraph separators, and those that change the direction of reading
/// (<https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters>).
const fn acts(c: char) -> bool {
    matches!(
        c,
        '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// Who somebody is: `ops in system:masters, viewers`, with access policies behind it.
pub(crate) fn identity(username: &str, groups: &[String], policies: &[Policy]) -> String {
    let mut out = if username.is_empty() {
        "no username".to_owned()
    } else {
        shown(username).into_owned()
    };
    if groups.is_empty() {
        out.push_str(", no groups");
    } else {
        let groups: Vec<Cow<'_, str>> = groups.iter().map(|g| shown(visible(g))).collect();
        let _ = write!(out, " in {}", groups.join(", "));
    }
    for policy in policies {
        let _ = write!(out, ", {}", reach(policy));
    }
    out
}

/// [`identity`] of rights.
pub(crate) fn rights(rights: &Rights) -> String {
    identity(&rights.username, &rights.groups, &rights.policies)
}

/// An empty text must be seen.
pub(crate) fn visible(text: &str) -> &str {
    if text.is_empty() { "(empty)" } else { text }
}

/// A policy and how far it reaches.
fn reach(policy: &Policy) -> String {
    if policy.namespaces.is_empty() {
        policy.policy.clone()
    } else {
        format!("{} in {}", policy.policy, policy.namespaces.join(", "))
    }
}

/// Pads with spaces to `width` characters.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

/// The width of the widest text, in characters.
pub(crate) fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|t| t.chars().count()).max().unwrap_or(0)
}

/// Breaks text into lines of at most `width` characters, each behind `indent`. Words are never broken.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::new();
    for paragraph in text.lines() {
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            let word = &*shown(word);
            let length = word.chars().count();
            if column > 0 && column + 1 + length > width {
                out.push('\n');
                column = 0;
            }
            if column == 0 {
                out.push_str(indent);
            } else {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_between_words() {
        assert_eq!(wrap("one two three", 8, "  "), "  one two\n  three\n");
        assert_eq!(
            wrap("arn:aws:iam::1:role/a b", 5, ""),
            "arn:aws:iam::1:role/a\nb\n"
        );
    }

    #[test]
    fn a_stranger_cannot_act_on_the_terminal() {
        assert_eq!(
            identity("a\u{1b}[2K\r\nb", &["\u{202e}c\u{9b}1m".into()], &[]),
            r"a\u{1b}[2K\r\nb in \u{202e}c\u{9b}1m"
        );
        assert_eq!(wrap("one\u{1b}c two", 80, ""), "one\\u{1b}c two\n");
        assert_eq!(shown("größer, 中文, 😀"), "größer, 中文, 😀");
    }

    #[test]
    fn an_empty_group_is_seen() {
        assert_eq!(
            identity("admin", &[String::new(), "viewers".into()], &[]),
            "admin in (empty), viewers"
        );
    }
}
