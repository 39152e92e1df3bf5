//! What a node is in the words of JSON, and its text.

use std::borrow::Cow;

use accord_model::reading::Shape;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

use crate::teeth::{Rule, holds};
use crate::yaml::resolve::{PlainType, TagMismatch, typed};
use crate::yaml::{Kind, NodeId, ScalarStyle, TAG_PREFIX, Tree};

/// Go's `base64.StdEncoding`: padding is required, and trailing bits may be anything.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// The resolved type of a scalar.
pub(super) fn scalar_type(tree: &Tree<'_>, scalar: NodeId) -> Result<PlainType, TagMismatch> {
    let is_plain = tree.kind(scalar) == Kind::Scalar(ScalarStyle::Plain);
    typed(tree.tag(scalar), tree.scalar(scalar), is_plain)
}

/// What the JSON decoder sees of a node; aliases are followed. A scalar that does not fit its tag passes for text: such
/// a document is not read anyway.
pub(super) fn shape(tree: &Tree<'_>, node: NodeId) -> Shape {
    let node = tree.target(node);
    match tree.kind(node) {
        Kind::Sequence(_) => Shape::List,
        Kind::Mapping(_) => Shape::Map,
        Kind::Scalar(_) | Kind::Alias => match scalar_type(tree, node) {
            Ok(PlainType::Null) => Shape::Null,
            Ok(PlainType::Bool(_)) => Shape::Bool,
            Ok(PlainType::Int(_) | PlainType::Uint(_) | PlainType::Float(_)) => Shape::Number,
            Ok(PlainType::Timestamp | PlainType::String) | Err(TagMismatch) => Shape::String,
        },
    }
}

/// The text of a node that is text to the JSON decoder.
pub(super) fn text<'a>(tree: &'a Tree<'_>, node: NodeId) -> Option<Cow<'a, str>> {
    (shape(tree, node) == Shape::String).then(|| raw_text(tree, tree.target(node)))
}

/// A scalar's text whatever its type, with `!!binary` decoded.
pub(super) fn raw_text<'a>(tree: &'a Tree<'_>, scalar: NodeId) -> Cow<'a, str> {
    let text = tree.scalar(scalar);
    if is_binary(tree, scalar) {
        Cow::Owned(binary(text).as_deref().map(to_text).unwrap_or_default())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a scalar has the tag `!!binary`.
pub(super) fn is_binary(tree: &Tree<'_>, scalar: NodeId) -> bool {
    tree.tag(scalar).and_then(|t| t.strip_prefix(TAG_PREFIX)) == Some("binary")
        && holds(Rule::Binary)
}

/// The bytes of a `!!binary` scalar; line breaks in it count for nothing.
pub(super) fn binary(text: &str) -> Option<Vec<u8>> {
    let text: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    BASE64.decode(text).ok()
}

/// Bytes as Go prints them in JSON: each byte that is no UTF-8 becomes U+FFFD.
fn to_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}
