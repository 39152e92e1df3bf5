//! What a document says, as a flat sequence, and how a change alters it.
//!
//! Nodes in the order of the text, each with the number of its children: that is the whole tree, and comparing it
//! needs no recursion, however deep a document is nested. Styles, comments and anchors are not part of it.

use std::borrow::Cow;
use std::ops::Range;

use crate::view::scalar_type;
use crate::yaml::{Kind, NodeId, PlainType, Tree};

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Flat<'t> {
    Scalar {
        text: Cow<'t, str>,
        /// It is text, and no number, boolean or null.
        is_text: bool,
        tag: Option<&'t str>,
    },
    List(usize),
    /// The number of entries; keys and values follow.
    Map(usize),
    /// The anchor's name.
    Alias(&'t str),
}

/// Text without a tag.
pub(super) fn text(text: &str) -> Flat<'static> {
    Flat::Scalar {
        text: text.to_owned().into(),
        is_text: true,
        tag: None,
    }
}

/// Whether a scalar is text to Kubernetes. Dates are.
pub(super) fn is_text(tree: &Tree<'_>, node: NodeId) -> bool {
    matches!(
        scalar_type(tree, node),
        Some(PlainType::String | PlainType::Timestamp)
    )
}

/// The nodes in the order of the text: a node's place is its number.
pub(super) fn flatten<'t>(tree: &'t Tree<'_>) -> Vec<Flat<'t>> {
    let mut nodes = Vec::with_capacity(tree.len());
    let mut open: Vec<NodeId> = tree.root().into_iter().collect();
    while let Some(node) = open.pop() {
        nodes.push(match tree.kind(node) {
            Kind::Scalar(_) => Flat::Scalar {
                text: tree.scalar(node).into(),
                is_text: is_text(tree, node),
                tag: tree.tag(node),
            },
            Kind::Sequence(_) => Flat::List(tree.count(node)),
            Kind::Mapping(_) => Flat::Map(tree.count(node)),
            Kind::Alias => Flat::Alias(tree.scalar(node)),
        });
        let children: Vec<NodeId> = tree.children(node).collect();
        open.extend(children.into_iter().rev());
    }
    nodes
}

/// The nodes of a subtree: itself and all below.
pub(super) fn subtree(tree: &Tree<'_>, node: NodeId) -> Range<usize> {
    let start = node.index();
    let (mut end, mut open) = (start, vec![node]);
    while let Some(node) = open.pop() {
        end = end.max(node.index() + 1);
        open.extend(tree.children(node));
    }
    start..end
}

/// What a document says after a change: `with` in the place of some nodes, and their parent with more or fewer
/// children.
#[derive(Clone, Debug)]
pub(super) struct Expectation {
    pub(super) place: Range<usize>,
    pub(super) with: Vec<Flat<'static>>,
    /// The list or mapping that they are in, if it gains or loses an entry.
    pub(super) parent: Option<(NodeId, isize)>,
}

impl Expectation {
    /// Whether `tree` says what `before` said, changed as expected.
    pub(super) fn holds(&self, before: &[Flat<'_>], tree: &Tree<'_>) -> bool {
        let mut expected = before.to_vec();
        if let Some((parent, change)) = self.parent {
            match expected.get_mut(parent.index()) {
                Some(Flat::List(count) | Flat::Map(count)) => {
                    *count = count.saturating_add_signed(change);
                }
                _ => return false,
            }
        }
        if self.place.end > expected.len() {
            return false;
        }
        expected.splice(self.place.clone(), self.with.iter().cloned());
        expected == flatten(tree)
    }
}
