//! A change of a text that mends a finding, as `check --fix` makes it.

use crate::mapping::{EntryId, Mapping, SectionName};
use crate::span::Span;

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Something else at one place.
    Write {
        /// What is replaced.
        at: Span,
        /// By what.
        with: With,
    },
    /// An entry goes to the section where it belongs.
    Move {
        /// Which entry.
        entry: EntryId,
        /// Where to.
        to: SectionName,
        /// What it gives there, which is what it gives now.
        mapping: Mapping,
    },
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum With {
    /// A key or value, quoted as the one before it was.
    Text(String),
    /// Several items of a list instead of one.
    Items(Vec<String>),
    /// A whole field: its key quoted as the one before it was, and just these characters for its value.
    Field(String, String),
    /// Just these characters.
    Source(String),
}
