//! From the decoded text of a scalar back to the bytes it was written with.

use super::Range;

/// Says for each byte of a scalar's decoded text where it stands in the source.
///
/// Made by [`super::Tree::offset_map`]. Escapes, folded lines, a block scalar's indentation: all are undone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetMap {
    /// In the order of both texts.
    pieces: Vec<Piece>,
    /// Where the decoded text ends, and the source offset of that end.
    end: (u32, u32),
}

/// A stretch of decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Its first byte in the decoded text.
    decoded: u32,
    /// Its first byte in the source.
    source: u32,
    /// Stands in the source as it is; else it is all decoded from what is at `source`.
    copied: bool,
}

impl OffsetMap {
    /// The identity, shifted: a decoded text that stands in the source as it is, from `start` on.
    pub fn shifted(start: u32, length: u32) -> Self {
        let mut map = Self::default();
        map.push(0, Range::new(start, start + length), true);
        map.close(length, start);
        map
    }

    pub(super) fn push(&mut self, decoded: u32, source: Range, copied: bool) {
        self.pieces.push(Piece {
            decoded,
            source: source.start,
            copied,
        });
        self.end.1 = source.end;
    }

    /// Sets the length of the decoded text; `empty_at` is where an empty text stands.
    pub(super) fn close(&mut self, length: u32, empty_at: u32) {
        self.end.0 = length;
        if self.pieces.is_empty() {
            self.end.1 = empty_at;
        }
    }

    /// The source offset of the decoded byte `offset`. At or beyond the end: where the source of the last byte ends.
    pub fn source(&self, offset: u32) -> u32 {
        if offset >= self.end.0 {
            return self.end.1;
        }
        let after = self.pieces.partition_point(|p| p.decoded <= offset);
        match after.checked_sub(1).and_then(|i| self.pieces.get(i)) {
            Some(piece) if piece.copied => piece.source + (offset - piece.decoded),
            Some(piece) => piece.source,
            None => self.end.1,
        }
    }

    /// The source bytes of a range of the decoded text: from its first byte to just behind its last one.
    pub fn source_range(&self, range: Range) -> Range {
        let start = self.source(range.start);
        if range.end <= range.start {
            return Range::new(start, start);
        }
        let after = self.pieces.partition_point(|p| p.decoded < range.end);
        let end = match after.checked_sub(1).and_then(|i| self.pieces.get(i)) {
            _ if range.end >= self.end.0 => self.end.1,
            Some(piece) if piece.copied => piece.source + (range.end - piece.decoded),
            _ => self.source(range.end),
        };
        Range::new(start, end.max(start))
    }
}
