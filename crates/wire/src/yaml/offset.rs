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

    /// A decoded text of `length` bytes, all of it made from what stands in `source`.
    pub(crate) fn made_from(source: Range, length: u32) -> Self {
        let mut map = Self::default();
        map.push(0, source, false);
        map.close(length, source.start);
        map
    }

    /// Puts another text behind this one.
    pub(crate) fn append(&mut self, other: &Self) {
        let base = self.end.0;
        self.pieces.extend(other.pieces.iter().map(|p| Piece {
            decoded: p.decoded + base,
            ..*p
        }));
        self.end = (base + other.end.0, other.end.1);
    }

    /// The map that leads on from where this one ends, by `outer`.
    pub(crate) fn through(&self, outer: &Self) -> Self {
        let mut map = Self::default();
        for (i, piece) in self.pieces.iter().enumerate() {
            let end = self
                .pieces
                .get(i + 1)
                .map_or(self.end.0, |next| next.decoded);
            let length = end - piece.decoded;
            if piece.copied {
                let copied = Range::new(piece.source, piece.source + length);
                map.append(&outer.slice(copied));
            } else {
                let at = Range::new(piece.source, piece.source + 1);
                map.append(&Self::made_from(outer.source_range(at), length));
            }
        }
        map.end = (self.end.0, outer.source(self.end.1));
        map
    }

    /// The map of a part of the text.
    pub(crate) fn slice(&self, part: Range) -> Self {
        let start = part.start.min(self.end.0);
        let end = part.end.clamp(start, self.end.0);
        let first = self.pieces.partition_point(|p| p.decoded <= start);
        let pieces = self.pieces.iter().skip(first.saturating_sub(1));
        let pieces = pieces.take_while(|p| p.decoded < end).map(|p| {
            let into = start.saturating_sub(p.decoded);
            Piece {
                decoded: p.decoded.saturating_sub(start),
                source: if p.copied { p.source + into } else { p.source },
                copied: p.copied,
            }
        });
        Self {
            pieces: pieces.collect(),
            end: (end - start, self.source_range(Range::new(start, end)).end),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_put_together_and_cut() {
        // `ab` at 10, `X` made from 20 to 25, `cd` at 30.
        let mut map = OffsetMap::shifted(10, 2);
        map.append(&OffsetMap::made_from(Range::new(20, 25), 3));
        map.append(&OffsetMap::shifted(30, 2));
        let places: Vec<u32> = (0..8).map(|at| map.source(at)).collect();
        assert_eq!(places, [10, 11, 20, 20, 20, 30, 31, 32]);
        assert_eq!(map.source_range(Range::new(1, 6)), Range::new(11, 31));

        let cut = map.slice(Range::new(1, 6));
        let places: Vec<u32> = (0..6).map(|at| cut.source(at)).collect();
        assert_eq!(places, [11, 20, 20, 20, 30, 31]);
        assert_eq!(map.slice(Range::new(9, 12)).source(0), 32);
    }
}
