//! Entries of mappings and items of lists: set, added, taken out.

use super::flat::{self, Expectation, Flat, subtree};
use super::value::{column, rewrite};
use super::{Way, newline};
use crate::quote;
use crate::view::View;
use crate::yaml::{Kind, NodeId, Range, ScalarStyle, Style, Tree};

/// The ways of setting `key` of the mapping at `path` below `object`; `None` if it has that value already.
pub(super) fn set(
    tree: &Tree<'_>,
    object: NodeId,
    path: &[&str],
    key: &str,
    value: &str,
) -> Result<Option<Vec<Way>>, String> {
    let mut mapping = object;
    for (depth, name) in path.iter().enumerate() {
        // The mappings that are missing, from the innermost to the one that is to be added here.
        let missing = |from: usize| path.get(from..).unwrap_or_default();
        match tree.get(mapping, name) {
            None => return Ok(Some(add(tree, mapping, missing(depth), key, value))),
            Some(node) => match tree.kind(node) {
                Kind::Mapping(_) if tree.count(node) > 0 || depth + 1 < path.len() => {
                    mapping = node
                }
                Kind::Alias => return Err(format!("`{name}` is written as an alias")),
                Kind::Mapping(_) => {
                    return Ok(Some(fill(
                        tree,
                        mapping,
                        node,
                        missing(depth + 1),
                        key,
                        value,
                    )));
                }
                Kind::Scalar(_) if View::of(tree, node, String::new()).is_none() => {
                    return Ok(Some(fill(
                        tree,
                        mapping,
                        node,
                        missing(depth + 1),
                        key,
                        value,
                    )));
                }
                Kind::Scalar(_) | Kind::Sequence(_) => {
                    return Err(format!("`{name}` is no mapping"));
                }
            },
        }
    }
    let Some(node) = tree.get(mapping, key) else {
        return Ok(Some(add(tree, mapping, &[], key, value)));
    };
    match tree.kind(node) {
        Kind::Scalar(_) if flat::is_text(tree, node) && tree.scalar(node) == value => Ok(None),
        Kind::Scalar(_) => {
            let expected = Expectation {
                place: subtree(tree, node),
                with: vec![flat::text(value)],
                parent: None,
            };
            let ways = rewrite(tree, mapping, node, value).into_iter();
            Ok(Some(
                ways.map(|splice| Way {
                    splices: vec![splice],
                    expected: expected.clone(),
                })
                .collect(),
            ))
        }
        Kind::Alias => Err(format!("`{key}` is written as an alias")),
        Kind::Sequence(_) | Kind::Mapping(_) => Err(format!("`{key}` is not text")),
    }
}

/// The ways of taking `key` out of the mapping at `path` below `object`; `None` if it is not there.
pub(super) fn unset(
    tree: &Tree<'_>,
    object: NodeId,
    path: &[&str],
    key: &str,
) -> Result<Option<Vec<Way>>, String> {
    let (mut parent, mut mapping, mut name) = (None, object, "");
    for step in path {
        match tree.get(mapping, step) {
            Some(node) if tree.kind(node) == Kind::Alias => {
                return Err(format!("`{step}` is written as an alias"));
            }
            Some(node) => (parent, mapping, name) = (Some(mapping), node, step),
            None => return Ok(None),
        }
    }
    if tree.get(mapping, key).is_none() {
        return Ok(None);
    }
    let same = |found: NodeId, wanted: &str| tree.scalar(found) == wanted;
    if tree.entries(mapping).filter(|&(k, _)| same(k, key)).count() > 1 {
        return Err(format!("`{key}` is there more than once"));
    }
    // The last entry takes the mapping with it.
    let (mapping, key) = match parent {
        Some(parent) if tree.count(mapping) == 1 => (parent, name),
        _ => (mapping, key),
    };
    let children: Vec<NodeId> = tree.children(mapping).collect();
    let Some(place) = tree.entries(mapping).position(|(k, _)| same(k, key)) else {
        return Ok(None);
    };
    Ok(Some(remove(tree, mapping, &children, place * 2, 2)))
}

/// The ways of taking an item out of a list.
pub(super) fn remove_item(tree: &Tree<'_>, list: NodeId, item: NodeId) -> Vec<Way> {
    let children: Vec<NodeId> = tree.children(list).collect();
    match children.iter().position(|&c| tree.target(c) == item) {
        Some(place) => remove(tree, list, &children, place, 1),
        None => Vec::new(),
    }
}

/// Takes `count` of the children of a collection out, from `place` on: one item, or a key and its value.
fn remove(
    tree: &Tree<'_>,
    parent: NodeId,
    children: &[NodeId],
    place: usize,
    count: usize,
) -> Vec<Way> {
    let (Some(&first), Some(&last)) = (children.get(place), children.get(place + count - 1)) else {
        return Vec::new();
    };
    let text = tree.text();
    let expected = Expectation {
        place: subtree(tree, first).start..subtree(tree, last).end,
        with: Vec::new(),
        parent: Some((parent, -1)),
    };
    let (start, end) = (tree.full_range(first).start, tree.range(last).end);
    let way = |range: Range, with: &str| Way {
        splices: vec![(range, with.to_owned())],
        expected: expected.clone(),
    };
    let style = match tree.kind(parent) {
        Kind::Sequence(style) | Kind::Mapping(style) => style,
        Kind::Scalar(_) | Kind::Alias => return Vec::new(),
    };
    if children.len() == count && matches!(tree.kind(parent), Kind::Sequence(_)) {
        // An empty list must be written: without it nothing would say that it is one. It stands behind the colon.
        let before = text
            .get(..tree.range(parent).start as usize)
            .unwrap_or_default();
        let colon = before.trim_end().len() as u32;
        return vec![way(Range::new(colon, tree.range(parent).end), " []")];
    }
    match style {
        // Whole lines, from the dash or the key to the end of the last one.
        Style::Block => vec![way(
            Range::new(line_start(text, start), line_end(text, end)),
            "",
        )],
        Style::Flow => {
            let previous = place.checked_sub(1).and_then(|p| children.get(p));
            let next = children.get(place + count);
            vec![match (previous, next) {
                (Some(&previous), _) => way(Range::new(tree.range(previous).end, end), ""),
                (None, Some(&next)) => way(Range::new(start, tree.full_range(next).start), ""),
                (None, None) => way(Range::new(start, end), ""),
            }]
        }
    }
}

/// Adds an entry at the end of a mapping: `key`, below the mappings named in `missing`.
fn add(tree: &Tree<'_>, mapping: NodeId, missing: &[&str], key: &str, value: &str) -> Vec<Way> {
    let expected = Expectation {
        place: {
            let end = subtree(tree, mapping).end;
            end..end
        },
        with: nested(missing, key, value),
        parent: Some((mapping, 1)),
    };
    let way = |splice: (Range, String)| Way {
        splices: vec![splice],
        expected: expected.clone(),
    };
    let last = tree.children(mapping).collect::<Vec<_>>();
    let (Some(&first_key), Some(&last_key), Some(&last_value)) =
        (last.first(), last.iter().rev().nth(1), last.last())
    else {
        let range = tree.range(mapping);
        return vec![way((
            range,
            format!("{{{}}}", flow_entry(missing, key, value, ": ")),
        ))];
    };
    let text = tree.text();
    if tree.kind(mapping) == Kind::Mapping(Style::Flow) {
        let between =
            |start: u32, end: u32| text.get(start as usize..end as usize).unwrap_or_default();
        let colon = between(tree.range(last_key).end, tree.full_range(last_value).start);
        let gap = match last.len().checked_sub(3).and_then(|i| last.get(i)) {
            Some(&previous) => {
                between(tree.range(previous).end, tree.full_range(last_key).start).to_owned()
            }
            None => {
                let inside = between(
                    tree.range(mapping).start + 1,
                    tree.full_range(first_key).start,
                );
                format!(",{}", if inside.is_empty() { " " } else { inside })
            }
        };
        let end = tree.range(last_value).end;
        let tidy = |gap: &str, colon: &str| {
            let entry = flow_entry(missing, key, value, colon);
            way((Range::new(end, end), format!("{gap}{entry}")))
        };
        return vec![tidy(&gap, colon), tidy(", ", ": ")];
    }
    let indent = column(text, tree.full_range(first_key).start);
    let is_quoted = tree.kind(last_key) == Kind::Scalar(ScalarStyle::DoubleQuoted);
    let end = line_end(text, tree.range(mapping).end);
    let newline = newline(text);
    let entry = block_entry(missing, key, value, indent, is_quoted, newline);
    let at = Range::new(end, end);
    if text
        .get(..end as usize)
        .is_some_and(|before| before.ends_with('\n'))
    {
        vec![way((at, entry))]
    } else {
        // The file has no end of its last line. A block needs one, anything else does as the file did.
        let without = entry.trim_end_matches(newline);
        let entry = if value.ends_with('\n') {
            &entry
        } else {
            without
        };
        vec![
            way((at, format!("{newline}{entry}"))),
            way((at, format!("{newline}{without}"))),
        ]
    }
}

/// Puts an entry in the place of a mapping that is empty or null: the value of `name` in `parent`.
fn fill(
    tree: &Tree<'_>,
    parent: NodeId,
    node: NodeId,
    missing: &[&str],
    key: &str,
    value: &str,
) -> Vec<Way> {
    let mut with = nested(missing, key, value);
    with.insert(0, Flat::Map(1));
    let expected = Expectation {
        place: subtree(tree, node),
        with,
        parent: None,
    };
    let text = tree.text();
    let range = tree.range(node);
    let mut splices = Vec::new();
    if tree.kind(parent) == Kind::Mapping(Style::Block) {
        let first = tree.entries(parent).next().map_or(node, |(key, _)| key);
        let indent = column(text, tree.full_range(first).start) + 2;
        let newline = newline(text);
        let entry = block_entry(missing, key, value, indent, false, newline);
        let before = text.get(..range.start as usize).unwrap_or_default();
        // Without the blanks behind the colon, and without the end of the line, which is there already.
        let start = before.trim_end_matches([' ', '\t']).len() as u32;
        let is_end = range.end as usize == text.len();
        let entry = if is_end {
            &entry
        } else {
            entry.trim_end_matches(newline)
        };
        splices.push((Range::new(start, range.end), format!("{newline}{entry}")));
    }
    let before = text.get(..range.start as usize).unwrap_or_default();
    let space = if before.ends_with(':') { " " } else { "" };
    splices.push((
        range,
        format!("{space}{{{}}}", flow_entry(missing, key, value, ": ")),
    ));
    let ways = splices.into_iter();
    ways.map(|splice| Way {
        splices: vec![splice],
        expected: expected.clone(),
    })
    .collect()
}

/// What an entry says.
fn nested(missing: &[&str], key: &str, value: &str) -> Vec<Flat<'static>> {
    let outer = missing
        .iter()
        .flat_map(|name| [flat::text(name), Flat::Map(1)]);
    outer.chain([flat::text(key), flat::text(value)]).collect()
}

fn flow_entry(missing: &[&str], key: &str, value: &str, colon: &str) -> String {
    let (mut open, mut close) = (String::new(), String::new());
    for name in missing {
        open += &format!("{}{colon}{{", quote::double(name));
        close.push('}');
    }
    format!(
        "{open}{}{colon}{}{close}",
        quote::double(key),
        quote::double(value)
    )
}

/// Whole lines.
fn block_entry(
    missing: &[&str],
    key: &str,
    value: &str,
    indent: usize,
    is_quoted: bool,
    newline: &str,
) -> String {
    let quoted = |key: &str| {
        if is_quoted {
            quote::double(key)
        } else {
            quote::block(key).into_owned()
        }
    };
    let mut out = String::new();
    let mut indent = indent;
    for name in missing {
        out += &format!("{}{}:{newline}", " ".repeat(indent), quoted(name));
        indent += 2;
    }
    let value = quote::value(value, indent, indent + 2, newline);
    out += &format!("{}{}: {value}", " ".repeat(indent), quoted(key));
    if !out.ends_with(newline) {
        out += newline;
    }
    out
}

fn line_start(text: &str, offset: u32) -> u32 {
    let before = text.get(..offset as usize).unwrap_or_default();
    before.rfind('\n').map_or(0, |at| at as u32 + 1)
}

/// Behind the line break that ends the line, or the end of the text.
fn line_end(text: &str, offset: u32) -> u32 {
    let after = text.get(offset as usize..).unwrap_or_default();
    after
        .find('\n')
        .map_or(text.len() as u32, |at| offset + at as u32 + 1)
}
