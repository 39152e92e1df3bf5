//! Taking items out of a list in brackets, and putting others in.

use std::ops::Range;

use super::splice::Splices;
use crate::yaml::{NodeId, Tree};

/// Takes out those `items` of a list that are `gone`, at least one staying: each with the comma behind it, or, where
/// nothing that stays follows, with the comma before it. Comments stay.
pub(super) fn remove(
    tree: &Tree<'_>,
    items: &[NodeId],
    gone: impl Fn(usize) -> bool,
    splices: &mut Splices,
) {
    let start = |index: usize| {
        items
            .get(index)
            .map(|&id| tree.full_range(id).start as usize)
    };
    let end = |index: usize| {
        items
            .get(index)
            .map_or(0, |&id| tree.range(id).end as usize)
    };
    let last_kept = (0..items.len()).rev().find(|&i| !gone(i)).unwrap_or(0);
    for index in (0..items.len()).filter(|&i| gone(i)) {
        let Some(first) = start(index) else { continue };
        if index > last_kept {
            cut(tree.text(), end(index - 1), first, splices);
            splices.delete(first..end(index));
        } else if let Some(next) = start(index + 1) {
            splices.delete(first..end(index));
            cut(tree.text(), end(index), next, splices);
        }
    }
}

/// Takes out all items; comments stay.
pub(super) fn clear(tree: &Tree<'_>, list: NodeId, items: &[NodeId], splices: &mut Splices) {
    let whole = tree.range(list).bytes();
    let mut gaps = Vec::new();
    let mut from = whole.start + 1;
    for &item in items {
        gaps.push(from..tree.full_range(item).start as usize);
        splices.delete(tree.full_range(item).bytes());
        from = tree.range(item).end as usize;
    }
    gaps.push(from..whole.end.saturating_sub(1));
    let commented = |gap: &Range<usize>| {
        let gap = tree.text().get(gap.clone());
        gap.is_some_and(|gap| gap.contains('#'))
    };
    let any = gaps.iter().any(commented);
    for gap in gaps {
        match any {
            true => cut(tree.text(), gap.start, gap.end, splices),
            false => splices.delete(gap),
        }
    }
}

/// Takes out the gap between two items: all of it, or only its comma where comments stand in it.
fn cut(text: &str, from: usize, to: usize, splices: &mut Splices) {
    let gap = text.get(from..to).unwrap_or_default();
    if !gap.contains('#') {
        return splices.delete(from..to);
    }
    let mut in_comment = false;
    for (offset, c) in gap.char_indices() {
        match c {
            '#' => in_comment = true,
            '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => in_comment = false,
            ',' if !in_comment => splices.delete(from + offset..from + offset + 1),
            _ => {}
        }
    }
}
