//! Why a section is lost, as people can be told.

use accord_model::mapping::SectionName;
use accord_model::reading::{Loss, LossCause};
use accord_model::span::Range;

use super::value::raw_text;
use crate::yaml::{Dialect, Kind, NodeId, Rest, ScalarStyle, Tree, YamlError, first_document};

const TEMPLATE: &str =
    "a value begins with `{{` and has no quotes, which makes it a mapping to YAML";

/// The text is no YAML.
pub(super) fn of_syntax(text: &str, error: YamlError) -> Loss {
    match template_near(text, error.range) {
        Some(range) => Loss {
            cause: LossCause::UnquotedTemplate,
            message: TEMPLATE.into(),
            range,
        },
        None => Loss {
            cause: LossCause::Unparseable,
            message: error.message,
            range: error.range,
        },
    }
}

/// The text begins with `{`, and so goes to a JSON decoder, which finds no list.
pub(super) fn of_json_object(text: &str) -> Loss {
    let start = text.len() - text.trim_start().len();
    let range = Range::new(start as u32, text.trim_end().len() as u32);
    if text[start..].starts_with("{{") {
        return Loss {
            cause: LossCause::UnquotedTemplate,
            message: TEMPLATE.into(),
            range: line_of(text, start),
        };
    }
    let tree = first_document(text, Dialect::GoYaml).ok();
    let is_empty = tree.is_some_and(|tree| tree.root().is_some_and(|r| is_empty(&tree, r)));
    Loss {
        cause: if is_empty {
            LossCause::EmptyMapping
        } else {
            LossCause::NotAList
        },
        message: "it is a mapping, where a list belongs".into(),
        range,
    }
}

/// Whether a root is a mapping with nothing in it or behind it.
fn is_empty(tree: &Tree<'_>, root: NodeId) -> bool {
    let is_mapping = matches!(tree.kind(root), Kind::Mapping(_));
    is_mapping && tree.count(root) == 0 && tree.rest() == Rest::Nothing
}

/// The root is no list.
pub(super) fn of_no_list(section: SectionName, tree: &Tree<'_>, root: NodeId) -> Loss {
    let (cause, message) = match tree.kind(root) {
        Kind::Mapping(_) if begins_with_dash(tree, root) => (
            LossCause::NotAList,
            "no space follows the `-`, which makes it a mapping, where a list belongs",
        ),
        Kind::Mapping(_) if is_empty(tree, root) => (
            LossCause::EmptyMapping,
            "it is a mapping, where a list belongs",
        ),
        Kind::Mapping(_) => (LossCause::NotAList, "it is a mapping, where a list belongs"),
        Kind::Scalar(style) if style != ScalarStyle::Plain && holds_list(tree, root) => (
            LossCause::DoubleEncoded,
            "it is a text that holds the YAML once more",
        ),
        Kind::Scalar(_) | Kind::Sequence(_) | Kind::Alias => {
            let message = if section == SectionName::Accounts {
                "it is a single value, where a list belongs (`- '111122223333'`)"
            } else {
                "it is a single value, where a list belongs"
            };
            (LossCause::NotAList, message)
        }
    };
    Loss {
        cause,
        message: message.into(),
        range: tree.full_range(root),
    }
}

/// Whether the first key is something like `-rolearn`.
fn begins_with_dash(tree: &Tree<'_>, mapping: NodeId) -> bool {
    let key = tree
        .entries(mapping)
        .next()
        .map(|(key, _)| tree.scalar(key));
    key.is_some_and(|key| key.starts_with('-'))
}

/// Whether a scalar's text is itself a list in YAML.
fn holds_list(tree: &Tree<'_>, scalar: NodeId) -> bool {
    let text = raw_text(tree, scalar);
    first_document(&text, Dialect::GoYaml).is_ok_and(|inner| {
        inner
            .root()
            .is_some_and(|root| inner.items(root).next().is_some())
    })
}

/// A list or mapping is used as a key. With two braces in a row it is a template.
pub(super) fn of_collection_as_key(tree: &Tree<'_>, key: NodeId) -> Loss {
    let range = tree.full_range(key);
    let start = range.start as usize;
    let before = &tree.text()[..start];
    if before.ends_with('{') && tree.text()[start..].starts_with('{') {
        let rest = &tree.text()[range.end as usize..];
        let closed = u32::from(rest.starts_with('}'));
        return Loss {
            cause: LossCause::UnquotedTemplate,
            message: TEMPLATE.into(),
            range: Range::new(range.start - 1, range.end + closed),
        };
    }
    Loss {
        cause: LossCause::Unparseable,
        message: "a list or mapping is used as a key".into(),
        range,
    }
}

/// A value that begins with `{{` without quotes, in the line of an error or the line before it.
fn template_near(text: &str, error: Range) -> Option<Range> {
    let line = line_of(text, error.start as usize);
    let before = (line.start > 0).then(|| line_of(text, line.start as usize - 1));
    [Some(line), before]
        .into_iter()
        .flatten()
        .find_map(|line| template_in(text, line))
}

fn template_in(text: &str, line: Range) -> Option<Range> {
    let content = &text[line.bytes()];
    let start = content.match_indices("{{").map(|(at, _)| at).find(|&at| {
        let before = content[..at].trim_end_matches(' ');
        let is_value = before.is_empty() || (before.len() < at && before.ends_with([':', '-']));
        is_value && !before.contains(" #")
    })?;
    let value = content[start..].split(" #").next().unwrap_or_default();
    let start = line.start + start as u32;
    Some(Range::new(start, start + value.trim_end().len() as u32))
}

/// The line that holds the offset, without its line break.
fn line_of(text: &str, offset: usize) -> Range {
    let start = text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let end = text[offset..]
        .find(['\n', '\r'])
        .map_or(text.len(), |length| offset + length);
    Range::new(start as u32, end as u32)
}
