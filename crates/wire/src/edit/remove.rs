//! Taking entries out.

use accord_model::mapping::EntryId;

use super::lines::{self, Line};
use super::splice::Splices;
use super::{EditError, List, flow, is_among};
use crate::yaml::Style;

/// Takes out the entries `removed`, which are in the order of the text.
pub(super) fn remove(
    list: &List<'_>,
    removed: &[EntryId],
    splices: &mut Splices,
) -> Result<(), EditError> {
    let gone = |index: usize| is_among(removed, index);
    for &entry in removed {
        let (first, end) = list.nodes_of(entry.index);
        if let Some(anchor) = list.anchor_used_elsewhere(first, end, gone) {
            return Err(EditError::Anchored { entry, anchor });
        }
    }
    let all = removed.len() == list.items.len();
    match list.style {
        Style::Block => {
            for entry in removed {
                splices.delete(lines_of_item(list, entry.index));
            }
            if all {
                let start = lines::start(list.text, list.tree.range(list.root).start as usize);
                let line_break = lines::line_break(list.text);
                splices.insert(start, format!("[]{line_break}"));
            }
        }
        Style::Flow if all => flow::clear(list.tree, list.root, &list.items, splices),
        Style::Flow => {
            flow::remove(list.tree, &list.items, gone, splices);
        }
    }
    Ok(())
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
    }
    start..end
}
