//! Taking entries out.

use accord_model::mapping::EntryId;

use super::lines::{self, Line};
use super::splice::Splices;
use super::{EditError, List};
use crate::yaml::Style;

/// Takes out the entries `removed`, which are in the order of the text.
pub(super) fn remove(
    list: &List<'_>,
    removed: &[EntryId],
    splices: &mut Splices,
) -> Result<(), EditError> {
    for &entry in removed {
        let (first, end) = list.nodes_of(entry.index);
        if let Some(anchor) = list.anchor_used_elsewhere(first, end) {
            return Err(EditError::Anchored { entry, anchor });
        }
    }
    let all = removed.len() == list.items.len();
    match list.style {
        Style::Block => {
            let mut last = None;
            for entry in removed {
                let range = lines_of_item(list, entry.index);
                last = Some(range.clone());
                splices.delete(range);
            }
            if all && let Some(last) = last {
                let start = tree_start(list);
                let line_break =
                    if last.end > start && lines::start(list.text, last.end) == last.end {
                        lines::line_break(list.text)
                    } else {
                        ""
                    };
                splices.insert(start, format!("[]{line_break}"));
            }
        }
        Style::Flow if all => {
            let whole = list.tree.range(list.root).bytes();
            splices.replace(whole, "[]");
        }
        Style::Flow => remove_flow(list, removed, splices),
    }
    Ok(())
}

/// Where the lines of a block list begin.
fn tree_start(list: &List<'_>) -> usize {
    lines::start(list.text, list.tree.range(list.root).start as usize)
}

/// The place of an item's dash. The dash of the first item is where the list begins; any other begins the next line
/// behind the item before it that holds neither blanks nor a comment alone.
fn dash(list: &List<'_>, index: usize) -> usize {
    let Some(before) = index.checked_sub(1).and_then(|i| list.items.get(i)) else {
        return list.tree.range(list.root).start as usize;
    };
    let mut line = lines::next_start(list.text, list.tree.range(*before).end as usize);
    while line < list.text.len() && lines::what(list.text, line) != Line::Other {
        line = lines::next_start(list.text, line);
    }
    line + lines::indent(list.text, line)
}

/// Where the lines of a block list's item end: behind its last byte, the comment in that line, and the comment lines
/// below that are indented deeper than its dash.
pub(super) fn end_of_item(list: &List<'_>, index: usize) -> usize {
    let column = {
        let dash = dash(list, index);
        dash - lines::start(list.text, dash)
    };
    let last = list
        .items
        .get(index)
        .map_or(0, |&id| list.tree.range(id).end as usize);
    // A block scalar may end behind its last line break.
    let mut end = if last > 0 && lines::start(list.text, last) == last {
        last
    } else {
        lines::next_start(list.text, last)
    };
    while end < list.text.len()
        && lines::what(list.text, end) == Line::Comment
        && lines::indent(list.text, end) > column
    {
        end = lines::next_start(list.text, end);
    }
    end
}

/// The lines of a block list's item, with the comments that go with it.
fn lines_of_item(list: &List<'_>, index: usize) -> std::ops::Range<usize> {
    let text = list.text;
    let mut start = lines::start(text, dash(list, index));
    let end = end_of_item(list, index);
    if index > 0 {
        let floor = end_of_item(list, index - 1);
        while let Some(line) = lines::previous_start(text, start)
            && line >= floor
            && lines::what(text, line) == Line::Comment
        {
            start = line;
        }
        // The last line of a text may lack its line break: then the one before it goes instead.
        let ends_open = end == text.len() && lines::start(text, end) != end;
        if ends_open && let Some(line) = lines::previous_start(text, start) {
            start = lines::content_end(text, line);
        }
    }
    start..end
}

/// Takes items out of a flow list that keeps at least one: each with the comma behind it, or, where nothing that stays
/// follows, with the comma before it.
fn remove_flow(list: &List<'_>, removed: &[EntryId], splices: &mut Splices) {
    let gone = |index: usize| removed.iter().any(|id| id.index == index);
    let start = |index: usize| {
        list.items
            .get(index)
            .map(|&id| list.tree.full_range(id).start as usize)
    };
    let end = |index: usize| {
        list.items
            .get(index)
            .map_or(0, |&id| list.tree.range(id).end as usize)
    };
    let last_kept = (0..list.items.len()).rev().find(|&i| !gone(i)).unwrap_or(0);
    for id in removed {
        let index = id.index;
        let Some(first) = start(index) else { continue };
        if index > last_kept {
            cut(list.text, end(index - 1), first, splices);
            splices.delete(first..end(index));
        } else if let Some(next) = start(index + 1) {
            splices.delete(first..end(index));
            cut(list.text, end(index), next, splices);
        }
    }
}

/// Takes out the gap between two items of a flow list: all of it, or only its comma where comments stand in it.
fn cut(text: &str, from: usize, to: usize, splices: &mut Splices) {
    let gap = text.get(from..to).unwrap_or_default();
    match gap.find(',') {
        Some(comma) if gap.contains('#') => splices.delete(from + comma..from + comma + 1),
        _ => splices.delete(from..to),
    }
}
