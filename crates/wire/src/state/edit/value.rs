//! One scalar's new text, in the style that it has.

use super::newline;
use crate::quote;
use crate::yaml::{Kind, NodeId, Range, ScalarStyle, Style, Tree};

/// The ways of writing `new` in the place of a scalar that is a value of `mapping`, the most faithful first.
pub(crate) fn rewrite(
    tree: &Tree<'_>,
    mapping: NodeId,
    node: NodeId,
    new: &str,
) -> Vec<(Range, String)> {
    let range = tree.range(node);
    let Kind::Scalar(style) = tree.kind(node) else {
        return Vec::new();
    };
    let mut ways: Vec<(Range, String)> = Vec::new();
    let mut add = |text: Option<String>| ways.extend(text.map(|t| (range, t)));
    let is_block = tree.kind(mapping) == Kind::Mapping(Style::Block);
    let parent = column(
        tree.text(),
        tree.full_range(first_key(tree, mapping, node)).start,
    );
    let literal = || {
        let text = quote::literal(new, parent, parent + 2, newline(tree.text()))?;
        Some(at_end(tree.text(), range, new, &text))
    };
    // A value without content has no style of its own.
    let is_blank = tree.scalar(node).trim().is_empty();
    match style {
        ScalarStyle::Literal => {
            add(same_lines(tree, node, parent, new));
            add(literal());
        }
        ScalarStyle::Folded => add(literal()),
        ScalarStyle::SingleQuoted => {
            add(quote::single(new));
            add(literal().filter(|_| is_block));
        }
        ScalarStyle::DoubleQuoted => {
            add(literal().filter(|_| is_block && is_blank && new.contains('\n')))
        }
        ScalarStyle::Plain if is_block => {
            let text = quote::value(new, parent, parent + 2, newline(tree.text()));
            add(Some(at_end(tree.text(), range, new, &text)));
        }
        ScalarStyle::Plain => add(Some(quote::flow(new).into_owned())),
    }
    add(Some(quote::double(new)));
    // A value that is missing has no blank before it either.
    let before = tree.text().get(..range.start as usize).unwrap_or_default();
    if range.start == range.end && before.ends_with(':') {
        for (_, text) in &mut ways {
            text.insert(0, ' ');
        }
    }
    ways
}

fn first_key(tree: &Tree<'_>, mapping: NodeId, fallback: NodeId) -> NodeId {
    tree.entries(mapping)
        .next()
        .map_or(fallback, |(key, _)| key)
}

/// The column of an offset in its line, from 0, in characters.
pub(super) fn column(text: &str, offset: u32) -> usize {
    let before = text.get(..offset as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or(before);
    line.trim_start_matches('\u{FEFF}').chars().count()
}

/// A block without its last line's end, since a scalar's range has none either; but with it where the file ends, if
/// the text needs it.
fn at_end(text: &str, range: Range, new: &str, block: &str) -> String {
    let is_end = range.end as usize == text.len() && new.ends_with('\n');
    let without = block.strip_suffix('\n').unwrap_or(block);
    let without = without.strip_suffix('\r').unwrap_or(without);
    if is_end {
        block.to_owned()
    } else {
        without.to_owned()
    }
}

/// A literal block whose lines stay as they are as far as they are the same, blanks on empty lines included.
fn same_lines(tree: &Tree<'_>, node: NodeId, parent: usize, new: &str) -> Option<String> {
    let range = tree.range(node);
    let source = tree.text().get(range.bytes())?;
    let (header, body) = source.split_once('\n').unwrap_or((source, ""));
    let indent = tree.block_indent(node).map_or(parent + 2, |i| i as usize);
    let newline = newline(tree.text());
    // The header that the new text needs, and its lines as they would be written anew.
    let fresh = quote::literal(new, parent, indent, newline)?;
    let (fresh_header, _) = fresh.split_once('\n')?;
    let old_lines = lines(tree.scalar(node));
    let new_lines = lines(new);
    let sources: Vec<&str> = body.split_inclusive('\n').collect();
    let sources = sources.get(..old_lines.len())?;
    let shorter = old_lines.len().min(new_lines.len());
    let pairs = old_lines.iter().zip(&new_lines);
    let before = pairs.take_while(|(a, b)| a == b).count();
    let pairs = old_lines.iter().rev().zip(new_lines.iter().rev());
    let after = pairs
        .take(shorter - before)
        .take_while(|(a, b)| a == b)
        .count();

    let mut out = header_like(header, fresh_header.trim_end_matches('\r'));
    out.push_str(if header.ends_with('\r') {
        "\r\n"
    } else {
        newline
    });
    let ended = |out: &mut String, line: &str| {
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str(newline);
        }
    };
    for line in &sources[..before] {
        ended(&mut out, line);
    }
    for line in &new_lines[before..new_lines.len() - after] {
        if !line.is_empty() {
            out.push_str(&" ".repeat(indent));
        }
        ended(&mut out, line);
    }
    for line in &sources[old_lines.len() - after..] {
        ended(&mut out, line);
    }
    let breaks = new.len() - new.trim_end_matches('\n').len();
    out.push_str(&newline.repeat(breaks.saturating_sub(1)));
    Some(at_end(tree.text(), range, new, &out))
}

/// The lines that have text, and the empty ones before them.
fn lines(text: &str) -> Vec<&str> {
    let text = text.trim_end_matches('\n');
    if text.is_empty() {
        Vec::new()
    } else {
        text.split('\n').collect()
    }
}

/// The old header with the chomping of the new one. Its indentation and its comment stay; if there is no indentation,
/// that of the new one is taken.
fn header_like(old: &str, new: &str) -> String {
    let old = old.trim_end_matches('\r');
    let rest = old.trim_start_matches(['|', '+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    let digit = |header: &str| {
        header
            .chars()
            .take_while(|c| *c != ' ')
            .find(char::is_ascii_digit)
    };
    let chomping = new.chars().find(|c| "+-".contains(*c));
    let indicators = [digit(old).or_else(|| digit(new)), chomping];
    let indicators: String = indicators.into_iter().flatten().collect();
    format!("|{indicators}{rest}")
}
