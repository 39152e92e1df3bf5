//! YAML as go-yaml v2 reads it, with the place of every node.
//!
//! The authenticator reads `aws-auth` with go-yaml v2 (`gopkg.in/yaml.v2` and `go.yaml.in/yaml/v2`, which are the same
//! code), and so does kubectl. No other reader accepts exactly the same texts, or gives the same values, and an entry
//! that one reads and the other does not is a person locked out. So this one is written to agree with go-yaml, its
//! faults included, and is compared with it by the project's oracle.
//!
//! ```text
//! text → cursor → scanner → parser → composer → Tree
//!        (blocks) (tokens)  (events)  (nodes)
//! ```
//!
//! - [`Tree`]: nodes, their decoded texts and byte ranges. [`Tree::offset_map`] leads from a decoded text back to the
//!   source.
//! - [`resolve`]: what a scalar is: null, a boolean, a number, text.
//! - [`documents()`]: all documents of a text; [`first_document`]: only the first, which is all that the authenticator
//!   reads.
//!
//! # Invariants
//! - No input panics, and none takes more than time and memory linear in its length. Nothing recurses over the input.
//! - Ranges lie on character boundaries, children lie inside their parents.
//! - What is an error here is one in go-yaml and the reverse; only the words differ.

mod composer;
mod documents;
mod offset;
mod parser;
pub mod resolve;
mod scanner;
mod tree;

pub use accord_model::span::Range;
pub use documents::{Document, documents};
pub use offset::OffsetMap;
pub use resolve::{PlainType, plain_type};
pub use tree::{Kind, NodeId, Rest, ScalarStyle, Style, Tree};

/// How deep collections may be nested, in each of block and flow style.
const MAX_DEPTH: usize = 10_000;

/// What the tag handle `!!` stands for.
pub const TAG_PREFIX: &str = "tag:yaml.org,2002:";

/// Which language is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// go-yaml's.
    GoYaml,
    /// The same, and in double quotes also JSON's `\/` and surrogate pairs: for documents that begin with `{`, which
    /// kubectl and the AWS CLI print, and Kubernetes reads with a JSON decoder.
    Json,
}

/// Why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlError {
    /// What is wrong, in one clause that fits after "because": `a tab is used as indentation`.
    pub message: String,
    /// Where, in the text that was read.
    pub range: Range,
}

impl YamlError {
    pub(crate) fn new(range: Range, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            range,
        }
    }
}

/// Reads the first document of `text`; what follows it is not looked at, and [`Tree::rest`] says what it is.
///
/// # Errors
/// If go-yaml would not read it: bad syntax, an alias without an anchor, nesting beyond 10,000 levels. What goes wrong
/// only when values are made of the nodes (a tag that does not fit, a mapping as a key) is not noticed here.
pub fn first_document(text: &str, dialect: Dialect) -> Result<Tree<'_>, YamlError> {
    composer::compose(text, 0, dialect)
}

#[cfg(test)]
mod tests;
