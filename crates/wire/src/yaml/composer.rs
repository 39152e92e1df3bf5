//! From events to a tree.

use std::collections::BTreeMap;

use super::parser::{Event, Parser, Properties};
use super::scanner::Text;
use super::tree::{Kind, NONE, Node, NodeProperties, Rest, ScalarStyle, Tree};
use super::{Dialect, Range, YamlError};

/// A collection that is not closed yet.
struct Open {
    node: u32,
    last_child: u32,
}

/// Builds a tree from the events of one document.
struct Composer<'t> {
    tree: Tree<'t>,
    open: Vec<Open>,
    /// The node that each anchor stands for at this point of the text.
    anchors: BTreeMap<&'t str, u32>,
    /// Where the last node or bracket ended.
    end: u32,
}

/// The first document of `text` from offset `start` on, and what follows it.
pub(super) fn compose<'t>(
    text: &'t str,
    start: usize,
    dialect: Dialect,
) -> Result<Tree<'t>, YamlError> {
    if u32::try_from(text.len()).is_err() {
        return Err(YamlError::new(
            Range::new(0, 0),
            "the text is larger than 4 GiB",
        ));
    }
    let mut parser = Parser::new(text, start, dialect);
    let mut composer = Composer {
        tree: Tree {
            text,
            end: text.len() as u32,
            dialect,
            nodes: Vec::new(),
            decoded: String::new(),
            properties: Vec::new(),
            block_indents: Vec::new(),
            rest: Rest::Nothing,
        },
        open: Vec::new(),
        anchors: BTreeMap::new(),
        end: start as u32,
    };
    loop {
        match parser.next()? {
            Event::DocumentStart => {}
            Event::DocumentEnd(rest) => {
                composer.tree.rest = rest;
                break;
            }
            Event::StreamEnd => break,
            event => composer.add(event)?,
        }
    }
    composer.tree.nodes.shrink_to_fit();
    composer.tree.decoded = parser.into_decoded();
    Ok(composer.tree)
}

impl<'t> Composer<'t> {
    fn add(&mut self, event: Event) -> Result<(), YamlError> {
        match event {
            Event::Alias(range) => {
                let name = &self.tree.text[range.start as usize + 1..range.end as usize];
                let Some(&target) = self.anchors.get(name) else {
                    return Err(YamlError::new(
                        range,
                        format!("the alias `*{name}` has no anchor `&{name}` before it"),
                    ));
                };
                let id = self.start(Kind::Alias, range.start, &Properties::default());
                self.tree.nodes[id as usize].first = target;
                self.finish(id, range.end);
            }
            Event::Nothing { at, properties } => {
                let at = at.unwrap_or(self.end);
                let id = self.start(Kind::Scalar(ScalarStyle::Plain), at, &properties);
                self.tree.nodes[id as usize].first = at;
                self.finish(id, at);
            }
            Event::Scalar {
                scalar,
                range,
                properties,
            } => {
                let id = self.start(Kind::Scalar(scalar.style), range.start, &properties);
                let (text, is_decoded) = match scalar.text {
                    Text::Source(text) => (text, false),
                    Text::Decoded(text) => (text, true),
                };
                let node = &mut self.tree.nodes[id as usize];
                node.first = text.start;
                node.length = text.end - text.start;
                node.is_decoded = is_decoded;
                if matches!(scalar.style, ScalarStyle::Literal | ScalarStyle::Folded) {
                    self.tree.block_indents.push((id, scalar.indent));
                }
                self.finish(id, range.end);
            }
            Event::SequenceStart {
                style,
                start,
                properties,
            } => self.open(Kind::Sequence(style), start, &properties),
            Event::MappingStart {
                style,
                start,
                properties,
            } => self.open(Kind::Mapping(style), start, &properties),
            Event::End(bracket) => {
                if let Some(open) = self.open.pop() {
                    // A block collection ends where its last child does.
                    self.finish(open.node, bracket.unwrap_or(self.end));
                }
            }
            Event::DocumentStart | Event::DocumentEnd(_) | Event::StreamEnd => {}
        }
        Ok(())
    }

    /// Adds a node as the next child of the innermost open collection.
    fn start(&mut self, kind: Kind, start: u32, properties: &Properties) -> u32 {
        let id = self.tree.nodes.len() as u32;
        self.tree.nodes.push(Node {
            start,
            end: start,
            first: NONE,
            length: 0,
            next: NONE,
            kind,
            is_decoded: false,
        });
        if let Some(open) = self.open.last_mut() {
            let parent = open.node as usize;
            if open.last_child == NONE {
                self.tree.nodes[parent].first = id;
            } else {
                self.tree.nodes[open.last_child as usize].next = id;
            }
            open.last_child = id;
            self.tree.nodes[parent].length += 1;
        }
        if let Some(range) = properties.range {
            let anchor = properties.anchor.map(|a| Range::new(a.start + 1, a.end));
            if let Some(name) = anchor {
                self.anchors.insert(&self.tree.text[name.bytes()], id);
            }
            self.tree.properties.push(NodeProperties {
                node: id,
                start: range.start,
                tag: properties.tag.clone(),
                anchor,
            });
        }
        id
    }

    fn open(&mut self, kind: Kind, start: u32, properties: &Properties) {
        let node = self.start(kind, start, properties);
        self.open.push(Open {
            node,
            last_child: NONE,
        });
    }

    fn finish(&mut self, id: u32, end: u32) {
        self.tree.nodes[id as usize].end = end;
        self.end = end;
    }
}
