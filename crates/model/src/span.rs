//! Where something stands in a text.

/// A text that was read: a file, a ConfigMap's data value, or a text inside another text.
///
/// Ids are handed out by `accord_wire::sources::Sources`, which knows how each text lies in its parent
/// and turns a [`Span`] into a file, a line and a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(pub u32);

/// A range of bytes in one text: `start` inclusive, `end` exclusive, both on character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Range {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Range {
    /// The range from `start` to `end`, in bytes.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// This range in the text `text`.
    pub const fn of(self, text: TextId) -> Span {
        Span { text, range: self }
    }

    /// The bytes as a range of `usize`, for slicing.
    pub const fn bytes(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A range of bytes, and the text it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The text.
    pub text: TextId,
    /// The bytes of that text.
    pub range: Range,
}

/// A place that a person can go to: what a [`Span`] becomes when it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name as it was given; absent where the text came from a cluster.
    pub file: Option<String>,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
}
