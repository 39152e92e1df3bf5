//! Replacing ranges of a text.

use std::ops::Range;

/// Replacements, in bytes of the original text. They do not overlap; several insertions at one place keep their order.
#[derive(Debug, Default)]
pub(super) struct Splices {
    splices: Vec<(Range<usize>, String)>,
}

impl Splices {
    /// Replaces `range` by `text`.
    pub(super) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.splices.push((range, text.into()));
    }

    /// Puts `text` at `place`.
    pub(super) fn insert(&mut self, place: usize, text: impl Into<String>) {
        self.replace(place..place, text);
    }

    /// Takes `range` out.
    pub(super) fn delete(&mut self, range: Range<usize>) {
        self.replace(range, "");
    }

    /// The text with all replacements made.
    pub(super) fn apply(mut self, text: &str) -> String {
        self.splices
            .sort_by_key(|(range, _)| (range.start, range.end));
        let mut new = String::with_capacity(text.len());
        let mut done = 0;
        for (range, replacement) in self.splices {
            // A range that overlaps the one before it is cut: the text is read again, so it would be noticed.
            new.push_str(text.get(done..range.start.max(done)).unwrap_or_default());
            new.push_str(&replacement);
            done = done.max(range.end);
        }
        new.push_str(text.get(done..).unwrap_or_default());
        new
    }
}
