//! Writing something else at one place of a text: how a mistake is mended.

use accord_model::fix::With;
use accord_model::span::Range;

use super::lines;
use super::scalar::{self, Around};
use super::splice::Splices;
use crate::yaml::ScalarStyle;

/// The text with other values at these places, which do not overlap. Nothing is checked: the text may be one that
/// cannot be read before, and the caller reads it afterwards.
pub fn write(text: &str, writes: &[(Range, &With)]) -> String {
    let mut splices = Splices::default();
    for (range, with) in writes {
        let old = text.get(range.bytes()).unwrap_or_default();
        let new = match with {
            With::Text(new) => scalar::write(new, style(old), Around::Flow),
            With::Field(key, value) => {
                format!("{}: {value}", scalar::write(key, style(old), Around::Flow))
            }
            With::Source(new) => new.clone(),
            With::Items(items) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| scalar::write(item, style(old), Around::Flow))
                    .collect();
                items.join(&between(text, range.bytes().start))
            }
        };
        // A block scalar's range may reach to the next line.
        let end = old.get(old.trim_end().len()..).unwrap_or_default();
        splices.replace(range.bytes(), format!("{new}{end}"));
    }
    splices.apply(text)
}

/// How the value written as `source` is quoted.
fn style(source: &str) -> ScalarStyle {
    match source.chars().next() {
        Some('"') => ScalarStyle::DoubleQuoted,
        Some('\'') => ScalarStyle::SingleQuoted,
        _ => ScalarStyle::Plain,
    }
}

/// What stands between two items of the list in which an item begins at `start`.
fn between(text: &str, start: usize) -> String {
    let line = lines::start(text, start);
    let before = text.get(line..start).unwrap_or_default();
    match before.trim() {
        "-" => format!("{}{before}", lines::line_break(text)),
        _ => ", ".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, place: &str, with: &With) -> String {
        let start = text.find(place).unwrap() as u32;
        write(
            text,
            &[(Range::new(start, start + place.len() as u32), with)],
        )
    }

    #[test]
    fn quotes_stay_as_they_are() {
        let with = With::Text("arn:aws:iam::1:role/A".into());
        for (before, after) in [
            (
                "- rolearn: OLD # why\n",
                "- rolearn: arn:aws:iam::1:role/A # why\n",
            ),
            (
                "- rolearn: 'OLD'\r\n",
                "- rolearn: 'arn:aws:iam::1:role/A'\r\n",
            ),
            (
                "[{\"rolearn\":\"OLD\"}]",
                "[{\"rolearn\":\"arn:aws:iam::1:role/A\"}]",
            ),
        ] {
            let value = ["'OLD'", "\"OLD\"", "OLD"]
                .into_iter()
                .find(|v| before.contains(v));
            assert_eq!(written(before, value.unwrap(), &with), after);
        }
        let folded = "- rolearn: >-\n    OLD\n  username: u\n";
        assert_eq!(
            written(folded, ">-\n    OLD\n", &with),
            "- rolearn: arn:aws:iam::1:role/A\n  username: u\n"
        );
    }

    #[test]
    fn a_field_keeps_the_quotes_of_its_key() {
        let with = With::Field("groups".into(), "[\"g\"]".into());
        for (before, field, after) in [
            (
                "  group: \"g\" # g\n",
                "group: \"g\"",
                "  groups: [\"g\"] # g\n",
            ),
            (
                "{\"group\":\"g\"}",
                "\"group\":\"g\"",
                "{\"groups\": [\"g\"]}",
            ),
        ] {
            assert_eq!(written(before, field, &with), after);
        }
    }

    #[test]
    fn one_item_becomes_several() {
        let with = With::Items(vec!["a".into(), "b".into()]);
        assert_eq!(
            written(
                "- groups:\n    - a\n     - b\n    - c\n",
                "a\n     - b",
                &with
            ),
            "- groups:\n    - a\n    - b\n    - c\n"
        );
        assert_eq!(written("groups: [a - b]", "a - b", &with), "groups: [a, b]");
    }
}
