//! The text of scalars: a slice of the source where possible, else decoded into one common buffer.

use crate::yaml::OffsetMap;
use crate::yaml::Range;

/// Where the text of a scalar is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::yaml) enum Text {
    /// These bytes of the source.
    Source(Range),
    /// These bytes of the buffer of decoded texts.
    Decoded(Range),
}

/// Collects the text of one scalar while it is scanned.
///
/// As long as all that was added is one piece of the source nothing is copied.
pub(super) struct Collector<'a> {
    source: &'a str,
    decoded: &'a mut String,
    /// Where this scalar begins in `decoded`.
    start: usize,
    /// What was added so far, while it is one piece of the source.
    piece: Option<Range>,
    /// Notes which source bytes each decoded byte came from, if somebody wants to know.
    map: Option<&'a mut OffsetMap>,
}

impl<'a> Collector<'a> {
    /// Collects into `decoded` what does not stand in `source` as it is.
    pub(super) fn new(
        source: &'a str,
        decoded: &'a mut String,
        map: Option<&'a mut OffsetMap>,
    ) -> Self {
        let start = decoded.len();
        Self {
            source,
            decoded,
            start,
            piece: Some(Range::new(0, 0)),
            map,
        }
    }

    /// Adds source bytes as they are.
    #[inline]
    pub(super) fn copy(&mut self, bytes: Range) {
        if bytes.start == bytes.end {
            return;
        }
        match &mut self.piece {
            Some(piece) if piece.end == bytes.start => piece.end = bytes.end,
            Some(piece) if piece.start == piece.end => *piece = bytes,
            _ => {
                self.give_up_piece();
                self.note(bytes, true);
                self.decoded.push_str(&self.source[bytes.bytes()]);
            }
        }
    }

    /// Adds `c`, which is how the source bytes `from` are decoded.
    pub(super) fn put(&mut self, c: char, from: Range) {
        self.give_up_piece();
        self.note(from, false);
        self.decoded.push(c);
    }

    /// Adds a line break as YAML normalises it: U+2028 and U+2029 stay, all others become a line feed.
    pub(super) fn copy_break(&mut self, line_break: Range) {
        match self.source.as_bytes()[line_break.start as usize] {
            b'\r' | 0xC2 => self.put('\n', line_break),
            _ => self.copy(line_break),
        }
    }

    fn give_up_piece(&mut self) {
        if let Some(piece) = self.piece.take()
            && piece.start < piece.end
        {
            self.note(piece, true);
            self.decoded.push_str(&self.source[piece.bytes()]);
        }
    }

    fn note(&mut self, from: Range, copied: bool) {
        if let Some(map) = &mut self.map {
            map.push((self.decoded.len() - self.start) as u32, from, copied);
        }
    }

    /// The collected text. `empty_at` is where an empty text is said to be.
    pub(super) fn finish(mut self, empty_at: usize) -> Text {
        match self.piece.take() {
            Some(piece) if piece.start < piece.end => {
                self.note(piece, true);
                Text::Source(piece)
            }
            Some(_) => Text::Source(Range::new(empty_at as u32, empty_at as u32)),
            None => Text::Decoded(Range::new(self.start as u32, self.decoded.len() as u32)),
        }
    }
}

/// Line breaks between two pieces of text, held back until it is known whether they are folded.
#[derive(Default)]
pub(super) struct Breaks {
    /// The first one.
    pub(super) first: Option<Range>,
    /// Those after it: the empty lines.
    pub(super) more: Vec<Range>,
}

impl Breaks {
    /// Adds a line break.
    pub(super) fn push(&mut self, line_break: Range) {
        if self.first.is_none() {
            self.first = Some(line_break);
        } else {
            self.more.push(line_break);
        }
    }

    /// Forgets all: they were at the end.
    pub(super) fn clear(&mut self) {
        self.first = None;
        self.more.clear();
    }

    /// Writes the breaks as flow scalars fold them: a single one becomes a space, of several the first goes.
    /// U+2028 and U+2029 are kept, and then nothing is folded.
    pub(super) fn fold_into(&mut self, text: &mut Collector<'_>) {
        if let Some(first) = self.first.take() {
            if !is_folded(text.source, first) {
                text.copy_break(first);
            } else if self.more.is_empty() {
                text.put(' ', first);
            }
        }
        self.copy_more_into(text);
    }

    /// Writes the breaks after the first, as they are.
    pub(super) fn copy_more_into(&mut self, text: &mut Collector<'_>) {
        for line_break in self.more.drain(..) {
            text.copy_break(line_break);
        }
    }
}

/// Whether a line break gives way when lines are folded: all but U+2028 and U+2029.
pub(super) fn is_folded(source: &str, line_break: Range) -> bool {
    source.as_bytes()[line_break.start as usize] != 0xE2
}
