//! One document, as nodes in an arena.

use super::offset::OffsetMap;
use super::scanner::rescan;
use super::{Dialect, Range};

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarStyle {
    /// Without quotes. A value that is missing is a plain scalar without text.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// How a collection is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// By indentation.
    Block,
    /// With brackets or braces.
    Flow,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text, a number, null, ….
    Scalar(ScalarStyle),
    /// A list.
    Sequence(Style),
    /// Keys and values.
    Mapping(Style),
    /// `*name`: see [`Tree::target`].
    Alias,
}

/// A node of a [`Tree`]. Nodes are numbered in the order in which they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// The node's number: the root is 0, and numbers grow in the order of the text.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// No such node.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    /// A collection's first child; an alias's target; where a scalar's text begins.
    pub(super) first: u32,
    /// The number of a collection's children (keys and values count apart); the bytes of a scalar's text.
    pub(super) length: u32,
    /// The next child of the same collection.
    pub(super) next: u32,
    pub(super) kind: Kind,
    /// The text of the scalar is in `Tree::decoded`, else in `Tree::text`.
    pub(super) is_decoded: bool,
}

/// What stands before a node; few have it.
#[derive(Clone, Debug)]
pub(super) struct NodeProperties {
    pub(super) node: u32,
    /// Where they begin.
    pub(super) start: u32,
    pub(super) tag: Option<Box<str>>,
    /// The anchor's name.
    pub(super) anchor: Option<Range>,
}

/// What follows the end of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Blanks and comments at most.
    Nothing,
    /// A document marker (`---` or `...`) or a directive, which begins at this offset.
    Document(u32),
    /// Text that belongs to no document, from this offset on: a list that began indented deeper than what follows,
    /// or something behind the last bracket. go-yaml never looks at it.
    Content(u32),
}

/// One document: nodes with their places in the text. All offsets are into [`Tree::text`].
#[derive(Clone, Debug)]
pub struct Tree<'t> {
    pub(super) text: &'t str,
    /// Where the text ended for whoever scanned it: what follows, other documents, was not looked at.
    pub(super) end: u32,
    pub(super) dialect: Dialect,
    pub(super) nodes: Vec<Node>,
    /// Texts of scalars that do not stand in the source as they are.
    pub(super) decoded: String,
    /// In the order of nodes.
    pub(super) properties: Vec<NodeProperties>,
    /// The columns at which the lines of block scalars begin, in the order of nodes.
    pub(super) block_indents: Vec<(u32, u32)>,
    pub(super) rest: Rest,
}

impl<'t> Tree<'t> {
    /// The whole text, of which the document may be a part.
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// The document's only node; `None` if there is no document at all (no text, or only comments). An empty document
    /// behind `---` has a root: a scalar without text.
    pub fn root(&self) -> Option<NodeId> {
        (!self.nodes.is_empty()).then_some(NodeId(0))
    }

    /// What follows the document.
    pub const fn rest(&self) -> Rest {
        self.rest
    }

    /// How many nodes there are.
    pub const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes, in the order of the text.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Whether there is no node.
    pub const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What the node is.
    pub fn kind(&self, id: NodeId) -> Kind {
        self.node(id).kind
    }

    /// The node's bytes, without its tag and anchor.
    ///
    /// No range includes blanks or a line break at its end. A missing value has an empty range where it would stand.
    /// A block collection reaches from its first to its last item or key; a quoted scalar includes its quotes; a
    /// block scalar begins with its indicator (`|`) and ends with the last line that has text, or, where `+` keeps
    /// them, with the last empty line.
    pub fn range(&self, id: NodeId) -> Range {
        let node = self.node(id);
        Range::new(node.start, node.end)
    }

    /// The node's bytes with its tag and anchor.
    pub fn full_range(&self, id: NodeId) -> Range {
        let node = self.node(id);
        let start = self.properties_of(id).map_or(node.start, |p| p.start);
        Range::new(start.min(node.start), node.end)
    }

    /// A scalar's text, decoded; the name of an alias; nothing for collections.
    pub fn scalar(&self, id: NodeId) -> &str {
        let node = self.node(id);
        match node.kind {
            Kind::Scalar(_) => {
                let bytes = node.first as usize..(node.first + node.length) as usize;
                if node.is_decoded {
                    &self.decoded[bytes]
                } else {
                    &self.text[bytes]
                }
            }
            Kind::Alias => &self.text[node.start as usize + 1..node.end as usize],
            Kind::Sequence(_) | Kind::Mapping(_) => "",
        }
    }

    /// The items of a sequence, in order; nothing for other nodes. Aliases are not followed.
    pub fn items(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let is_sequence = matches!(self.kind(id), Kind::Sequence(_));
        self.children(id).filter(move |_| is_sequence)
    }

    /// The keys and values of a mapping, in order; nothing for other nodes. Aliases are not followed.
    pub fn entries(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let is_mapping = matches!(self.kind(id), Kind::Mapping(_));
        let mut children = self.children(id).filter(move |_| is_mapping);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// The children of a collection in order, keys and values alternating; nothing for other nodes.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let node = self.node(id);
        let first = match node.kind {
            Kind::Sequence(_) | Kind::Mapping(_) => node.first,
            Kind::Scalar(_) | Kind::Alias => NONE,
        };
        std::iter::successors((first != NONE).then_some(NodeId(first)), |&id| {
            self.next(id)
        })
    }

    /// The next child of the same collection.
    pub fn next(&self, id: NodeId) -> Option<NodeId> {
        let next = self.node(id).next;
        (next != NONE).then_some(NodeId(next))
    }

    /// The number of items of a sequence or entries of a mapping; 0 for other nodes.
    pub fn count(&self, id: NodeId) -> usize {
        let node = self.node(id);
        match node.kind {
            Kind::Sequence(_) => node.length as usize,
            Kind::Mapping(_) => node.length as usize / 2,
            Kind::Scalar(_) | Kind::Alias => 0,
        }
    }

    /// The value of the last entry whose key is the scalar `key`, however it is quoted. It may be an alias.
    pub fn get(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        self.entries(mapping)
            .filter(|&(k, _)| {
                matches!(self.kind(self.target(k)), Kind::Scalar(_))
                    && self.scalar(self.target(k)) == key
            })
            .last()
            .map(|(_, value)| value)
    }

    /// The node that an alias stands for; any other node itself.
    ///
    /// An alias may stand for a node around it: who walks down through aliases must remember where it came from.
    pub fn target(&self, id: NodeId) -> NodeId {
        let node = self.node(id);
        match node.kind {
            Kind::Alias => NodeId(node.first),
            Kind::Scalar(_) | Kind::Sequence(_) | Kind::Mapping(_) => id,
        }
    }

    /// The tag in its long form (`tag:yaml.org,2002:int`, `!x`), if the node has one.
    pub fn tag(&self, id: NodeId) -> Option<&str> {
        self.properties_of(id)?.tag.as_deref()
    }

    /// The name of the node's anchor, if it has one.
    pub fn anchor(&self, id: NodeId) -> Option<&'t str> {
        let name = self.properties_of(id)?.anchor?;
        Some(&self.text[name.bytes()])
    }

    fn properties_of(&self, id: NodeId) -> Option<&NodeProperties> {
        let place = self
            .properties
            .binary_search_by_key(&id.0, |p| p.node)
            .ok()?;
        self.properties.get(place)
    }

    /// The column at which the lines of a block scalar begin; `None` for other nodes.
    pub fn block_indent(&self, id: NodeId) -> Option<u32> {
        let place = self
            .block_indents
            .binary_search_by_key(&id.0, |b| b.0)
            .ok()?;
        Some(self.block_indents.get(place)?.1)
    }

    /// Where each byte of a scalar's decoded text stands in the source. Empty for nodes that are no scalars.
    pub fn offset_map(&self, id: NodeId) -> OffsetMap {
        let node = self.node(id);
        let Kind::Scalar(style) = node.kind else {
            return OffsetMap::default();
        };
        if !node.is_decoded {
            return OffsetMap::shifted(node.first, node.length);
        }
        let scalar = Range::new(node.start, node.end);
        let text = &self.text[..self.end as usize];
        let indent = self.block_indent(id).map(|column| column as usize);
        let mut map = rescan(text, scalar, style, self.dialect, indent);
        map.close(node.length, node.end);
        map
    }
}
