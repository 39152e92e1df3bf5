//! Appending entries.

use accord_model::mapping::{EntryId, Mapping, SectionName};

use super::entry;
use super::lines::{self, Line};
use super::splice::Splices;
use super::style::{EntryStyle, FlowStyle};
use super::{List, is_among, remove};
use crate::yaml::{Dialect, Kind, Style, first_document};

/// Appends to a list that keeps at least one of its items.
pub(super) fn to_list(
    list: &List<'_>,
    added: &[&Mapping],
    removed: &[EntryId],
    splices: &mut Splices,
) {
    if added.is_empty() {
        return;
    }
    let style = EntryStyle::of(list);
    let entries: Vec<String> = added
        .iter()
        .map(|m| entry::write(list.name, m, &style))
        .collect();
    match list.style {
        Style::Block => {
            let place = remove::end_of_item(list, list.items.len() - 1);
            splices.insert(place, lines_of(&entries, &style));
        }
        Style::Flow => {
            let comma = FlowStyle::of_list(list.tree, list.root, list.items.first().copied())
                .unwrap_or_else(FlowStyle::spaced)
                .comma;
            // Behind the last item that stays: the comma before a removed last one goes with it.
            let stays = |index: &usize| !is_among(removed, *index);
            let last = (0..list.items.len()).rev().find(stays);
            let last = last.and_then(|index| list.items.get(index));
            let place = last.map_or(0, |&id| list.tree.range(id).end as usize);
            let text: String = entries.iter().map(|e| format!("{comma}{e}")).collect();
            splices.insert(place, text);
        }
    }
}

/// Entries of a block list as whole lines.
fn lines_of(entries: &[String], style: &EntryStyle) -> String {
    let dash = format!("{}-{}", " ".repeat(style.column), " ".repeat(style.gap));
    let entries: Vec<String> = entries.iter().map(|e| format!("{dash}{e}")).collect();
    lines::whole(&entries, &style.line_break)
}

/// Writes entries into a section that has none, as a block list. Comments and a document marker stay.
pub(super) fn to_nothing(name: SectionName, text: &str, added: &[&Mapping]) -> String {
    const MARK: char = '\u{feff}';
    if let Some(rest) = text.strip_prefix(MARK) {
        return format!("{MARK}{}", to_nothing(name, rest, added));
    }
    let style = EntryStyle::plain(name, text);
    let entries: Vec<String> = added
        .iter()
        .map(|m| entry::write(name, m, &style))
        .collect();
    let list = lines_of(&entries, &style);
    let Ok(tree) = first_document(text, Dialect::GoYaml) else {
        return list;
    };
    let empty = tree
        .root()
        .filter(|&root| !tree.range(root).bytes().is_empty());
    match empty.map(|root| (tree.kind(root), tree.full_range(root).bytes())) {
        // `~`, `null`, `[]`, `{}`: the value is replaced; a comment behind it moves to a line of its own.
        Some((Kind::Scalar(_) | Kind::Sequence(_) | Kind::Mapping(_), range)) => {
            let line = lines::start(text, range.start);
            let before = text.get(..range.start).unwrap_or_default();
            let own_line = text
                .get(line..range.start)
                .is_some_and(|t| t.trim().is_empty());
            let before = if own_line {
                text.get(..line).unwrap_or_default()
            } else {
                before.trim_end()
            };
            let separator = if own_line {
                ""
            } else {
                style.line_break.as_str()
            };
            let inside = comments(text.get(range.clone()).unwrap_or_default(), &style);
            let rest = text.get(range.end..).unwrap_or_default();
            let rest = match rest.trim_start_matches([' ', '\t']) {
                comment if comment.starts_with('#') => comment,
                other => other.get(lines::break_at(other, 0)..).unwrap_or_default(),
            };
            format!("{before}{separator}{inside}{list}{rest}")
        }
        Some((Kind::Alias, _)) => list,
        // Only comments, blanks, a document marker.
        None if text.trim().is_empty() => list,
        None => {
            let end = document_end(text);
            let before = text.get(..end).unwrap_or_default();
            let whole = before.is_empty() || lines::start(text, end) == end;
            let separator = if whole { "" } else { style.line_break.as_str() };
            format!(
                "{before}{separator}{list}{}",
                text.get(end..).unwrap_or_default()
            )
        }
    }
}

/// The comments inside an empty list or mapping, each in a line of its own.
fn comments(empty: &str, style: &EntryStyle) -> String {
    let lines = empty.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
    let comments = lines.filter_map(|line| line.get(line.find('#')?..));
    comments
        .map(|comment| format!("{comment}{}", style.line_break))
        .collect()
}

/// Where the document of a text without a node ends: before the marker behind it, or at the end.
fn document_end(text: &str) -> usize {
    let mut at = 0;
    let mut begun = false;
    while at < text.len() {
        let line = text
            .get(at..lines::content_end(text, at))
            .unwrap_or_default();
        if lines::what(text, at) == Line::Other {
            let is_before = line.starts_with('%') || line.starts_with("---");
            if begun || !is_before {
                return at;
            }
            begun = line.starts_with("---");
        }
        at = lines::next_start(text, at);
    }
    text.len()
}
