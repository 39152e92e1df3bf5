//! What the scanner hands to the parser.

use super::text::Text;
use crate::yaml::{Range, ScalarStyle};

/// One token, and the bytes it stands on.
#[derive(Clone, Debug)]
pub(in crate::yaml) struct Token {
    pub(in crate::yaml) kind: TokenKind,
    pub(in crate::yaml) range: Range,
}

/// The kinds of tokens.
#[derive(Clone, Debug)]
pub(in crate::yaml) enum TokenKind {
    StreamEnd,
    /// `%YAML 1.1`
    VersionDirective {
        major: u8,
        minor: u8,
    },
    /// `%TAG !e! tag:example.com,2000:`
    TagDirective(Box<TagParts>),
    /// `---`
    DocumentStart,
    /// `...`
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    /// A block collection ends, because a line is indented less.
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    /// `-`
    BlockEntry,
    /// `,`
    FlowEntry,
    /// A key begins: `?`, or nothing.
    Key,
    /// `:`
    Value,
    /// `*name`; the name is the range without its first byte.
    Alias,
    /// `&name`; the name is the range without its first byte.
    Anchor,
    /// `!tag`
    Tag(Box<TagParts>),
    Scalar(Scalar),
}

/// A tag as written, or a `%TAG` directive: its handle (`!e!`, empty if there is none) and its suffix or prefix.
#[derive(Clone, Debug)]
pub(in crate::yaml) struct TagParts {
    pub(in crate::yaml) handle: String,
    pub(in crate::yaml) rest: String,
}

/// A scalar's text and style.
#[derive(Clone, Copy, Debug)]
pub(in crate::yaml) struct Scalar {
    pub(in crate::yaml) style: ScalarStyle,
    pub(in crate::yaml) text: Text,
    /// The column at which the lines of a block scalar begin; 0 for others.
    pub(in crate::yaml) indent: u32,
}
