//! What is known only after a deploy, inside a text.
//!
//! A template says `arn:aws:iam::111122223333:role/${Deployer}`, a plan says that a value is not known yet. Such a part
//! stands in a text as a *mark* with a name of its own: equal marks are the same value, and no mark is ever taken for
//! text that somebody wrote. So a text with marks can be read, compared and cut like any other, and whoever judges it
//! asks first whether it is known.
//!
//! A mark is its name between U+FDD0 and U+FDD1, characters that no text has (Unicode's noncharacters, which are not
//! for interchange). ASCII punctuation of the name is shifted into a private range, so that a mark never looks like a
//! part of an ARN, of YAML, of JSON or of a username's template.

use std::borrow::Cow;

const OPEN: char = '\u{FDD0}';
const CLOSE: char = '\u{FDD1}';
/// Where ASCII begins that must not be seen.
const SHIFTED: u32 = 0xE000;

/// The mark with this name: `Deployer.Arn`, `aws_iam_role.deployer.arn`.
pub fn mark(name: &str) -> String {
    let hide = |c: char| match c {
        OPEN | CLOSE => '\u{FFFD}',
        _ if c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_' | '-') => {
            char::from_u32(SHIFTED + u32::from(c)).unwrap_or('\u{FFFD}')
        }
        _ => c,
    };
    let hidden = name.chars().map(hide);
    std::iter::once(OPEN)
        .chain(hidden)
        .chain(std::iter::once(CLOSE))
        .collect()
}

/// Whether no part of the text is unknown.
pub fn is_known(text: &str) -> bool {
    text.is_ascii() || !text.contains(OPEN)
}

/// Whether the text is one mark and nothing else.
pub fn is_whole(text: &str) -> bool {
    let inner = text.strip_prefix(OPEN).and_then(|t| t.strip_suffix(CLOSE));
    inner.is_some_and(|inner| !inner.contains([OPEN, CLOSE]))
}

/// The text as people read it: a mark becomes `${NAME}`.
pub fn shown(text: &str) -> Cow<'_, str> {
    if is_known(text) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        match c {
            OPEN => {
                inside = true;
                out.push_str("${");
            }
            CLOSE if inside => {
                inside = false;
                out.push('}');
            }
            _ if inside => {
                let code = u32::from(c);
                let hidden = code.checked_sub(SHIFTED).filter(|c| *c < 0x80);
                out.push(hidden.and_then(char::from_u32).unwrap_or(c));
            }
            _ => out.push(c),
        }
    }
    out.into()
}

/// What stands before, between and behind the marks of a text, in its order: one part more than there are marks.
pub fn known_parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(OPEN)
        .enumerate()
        .map(|(i, part)| match part.split_once(CLOSE) {
            Some((_, known)) if i > 0 => known,
            _ => part,
        })
}

/// The names of the marks in a text, in its order, each once.
pub fn names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in text.split(OPEN).skip(1) {
        let Some((inner, _)) = part.split_once(CLOSE) else {
            continue;
        };
        let name = shown(&format!("{OPEN}{inner}{CLOSE}")).into_owned();
        let name = name[2..name.len() - 1].to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arn::Arn;
    use proptest::prelude::*;

    #[test]
    fn a_mark_is_never_part_of_what_surrounds_it() {
        let account = mark("AWS::AccountId");
        let role = mark("module.a[\"b/c\"].arn");
        let text = format!("arn:aws:iam::{account}:role/{role}");
        let arn = Arn::parse(&text).unwrap();
        assert_eq!((arn.account, arn.name()), (&*account, Some(&*role)));
        assert_eq!(
            shown(&text),
            "arn:aws:iam::${AWS::AccountId}:role/${module.a[\"b/c\"].arn}"
        );
        assert_eq!(names(&text), ["AWS::AccountId", "module.a[\"b/c\"].arn"]);
        let known: Vec<&str> = known_parts(&text).collect();
        assert_eq!(known, ["arn:aws:iam::", ":role/", ""]);
        assert!(is_whole(&role) && !is_whole(&text) && !is_known(&text));
        assert!(is_known("arn:aws:iam::111122223333:role/\u{FC}"));
    }

    proptest! {
        #[test]
        fn a_name_comes_back(name in "[ -~\u{E4}\u{4E00}]{0,20}", around in "[a-z:]{0,5}") {
            let text = format!("{around}{}{around}", mark(&name));
            prop_assert_eq!(shown(&text), format!("{around}${{{name}}}{around}"));
            prop_assert_eq!(names(&text), vec![name]);
        }

        #[test]
        fn no_text_panics(text in "[a\u{FDD0}\u{FDD1}\u{E024}]{0,12}") {
            let _ = (shown(&text), names(&text), is_whole(&text));
        }
    }
}
