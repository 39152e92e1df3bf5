//! From tokens to events: the grammar of YAML 1.1 as libyaml has it.
//!
//! ```text
//! document   = directive* "---"? block-node? "..."*
//! node       = alias | properties? content
//! content    = block sequence | block mapping | [ … ] | { … } | scalar
//! ```
//! A stack of states stands for the open collections, so that deep input cannot overflow the machine's stack.

mod block;
mod flow;

use super::scanner::{Scalar, Scanner, TagParts, TokenKind};
use super::{Dialect, Range, Rest, Style, YamlError};

/// A step in walking through a document.
#[derive(Debug)]
pub(super) enum Event {
    DocumentStart,
    DocumentEnd(Rest),
    StreamEnd,
    /// `*name`, whole.
    Alias(Range),
    /// A node that is not there: null. `at` is where it would be, if that is not just behind the node before it.
    Nothing {
        at: Option<u32>,
        properties: Properties,
    },
    Scalar {
        scalar: Scalar,
        range: Range,
        properties: Properties,
    },
    SequenceStart {
        style: Style,
        start: u32,
        properties: Properties,
    },
    MappingStart {
        style: Style,
        start: u32,
        properties: Properties,
    },
    /// A collection ends; in flow style with the bracket that ends here.
    End(Option<u32>),
}

/// What stands before a node.
#[derive(Debug, Default)]
pub(super) struct Properties {
    /// Where they begin.
    pub(super) range: Option<Range>,
    /// The tag, with its handle resolved.
    pub(super) tag: Option<Box<str>>,
    /// `&name`, whole.
    pub(super) anchor: Option<Range>,
}

/// What is expected next.
#[derive(Clone, Copy, Debug)]
enum State {
    DocumentStart { first: bool },
    DocumentContent,
    BlockNode,
    DocumentEnd,
    BlockSequence { first: bool },
    IndentlessSequence,
    BlockMappingKey { first: bool },
    BlockMappingValue,
    FlowSequence { first: bool },
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingKey { first: bool },
    FlowMappingValue { missing: bool },
}

/// What kinds of nodes may stand at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Flow,
    Block,
    /// Also a list that is not indented deeper than its key.
    BlockOrIndentless,
}

/// Turns a text into events, one at a time.
pub(super) struct Parser<'t> {
    scanner: Scanner<'t>,
    state: State,
    /// Where to go on after the current node.
    states: Vec<State>,
    /// Tag handles and what they stand for.
    handles: Vec<TagParts>,
}

impl<'t> Parser<'t> {
    /// Parses `text` from offset `start` on.
    pub(super) fn new(text: &'t str, start: usize, dialect: Dialect) -> Self {
        Self {
            scanner: Scanner::new(text, start, dialect),
            state: State::DocumentStart { first: true },
            states: Vec::new(),
            handles: Vec::new(),
        }
    }

    /// The decoded texts of all scalars.
    pub(super) fn into_decoded(self) -> String {
        self.scanner.into_decoded()
    }

    /// The next event. Do not ask again after the end of the stream or an error.
    pub(super) fn next(&mut self) -> Result<Event, YamlError> {
        match self.state {
            State::DocumentStart { first } => self.document_start(first),
            State::DocumentContent => self.document_content(),
            State::BlockNode => self.node(Allowed::Block),
            State::DocumentEnd => self.document_end(),
            State::BlockSequence { first } => self.block_sequence(first),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockMappingKey { first } => self.block_mapping_key(first),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequence { first } => self.flow_sequence(first),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => {
                self.scanner.peek()?;
                self.state = State::FlowSequence { first: false };
                Ok(Event::End(None))
            }
            State::FlowMappingKey { first } => self.flow_mapping_key(first),
            State::FlowMappingValue { missing } => self.flow_mapping_value(missing),
        }
    }

    /// Goes back to what is around the node that ends.
    fn pop(&mut self) {
        self.state = self.states.pop().unwrap_or(State::DocumentEnd);
    }

    /// Parses a node, and then goes on with `after`.
    fn node_then(&mut self, allowed: Allowed, after: State) -> Result<Event, YamlError> {
        self.states.push(after);
        self.node(allowed)
    }

    /// A missing node, and then `after`.
    fn nothing_then(&mut self, at: Option<u32>, after: State) -> Result<Event, YamlError> {
        self.state = after;
        Ok(Event::Nothing {
            at,
            properties: Properties::default(),
        })
    }

    /// The token at hand is wrong: its line, and the reason.
    fn fail<T>(&mut self, message: &str) -> Result<T, YamlError> {
        let token = self.scanner.peek()?;
        let (start, at_end) = (
            token.range.start,
            matches!(token.kind, TokenKind::StreamEnd),
        );
        let range = self.scanner.line_from(start);
        Err(if at_end {
            YamlError::new(range, format!("{message}, and the text ends"))
        } else {
            YamlError::new(range, message)
        })
    }

    fn document_start(&mut self, first: bool) -> Result<Event, YamlError> {
        if !first {
            while matches!(self.scanner.peek()?.kind, TokenKind::DocumentEnd) {
                self.scanner.skip();
            }
        }
        match self.scanner.peek()?.kind {
            TokenKind::StreamEnd => {
                self.scanner.skip();
                return Ok(Event::StreamEnd);
            }
            TokenKind::VersionDirective { .. }
            | TokenKind::TagDirective(_)
            | TokenKind::DocumentStart => {}
            _ if first => {
                self.directives()?;
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                return Ok(Event::DocumentStart);
            }
            _ => {}
        }
        self.directives()?;
        if !matches!(self.scanner.peek()?.kind, TokenKind::DocumentStart) {
            return self.fail("a `---` line is missing before a document");
        }
        self.scanner.skip();
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        Ok(Event::DocumentStart)
    }

    fn document_content(&mut self) -> Result<Event, YamlError> {
        let token = self.scanner.peek()?;
        if matches!(
            token.kind,
            TokenKind::VersionDirective { .. }
                | TokenKind::TagDirective(_)
                | TokenKind::DocumentStart
                | TokenKind::DocumentEnd
                | TokenKind::StreamEnd
        ) {
            let at = token.range.start;
            self.pop();
            return Ok(Event::Nothing {
                at: Some(at),
                properties: Properties::default(),
            });
        }
        self.node(Allowed::Block)
    }

    fn document_end(&mut self) -> Result<Event, YamlError> {
        // The token behind the document must be one; it is looked at and no more.
        let token = self.scanner.peek()?;
        let start = token.range.start;
        let rest = match token.kind {
            TokenKind::StreamEnd => Rest::Nothing,
            TokenKind::DocumentEnd => {
                self.scanner.skip();
                Rest::Document(start)
            }
            TokenKind::DocumentStart
            | TokenKind::VersionDirective { .. }
            | TokenKind::TagDirective(_) => Rest::Document(start),
            _ => Rest::Content(start),
        };
        self.handles.clear();
        self.state = State::DocumentStart { first: false };
        Ok(Event::DocumentEnd(rest))
    }

    fn directives(&mut self) -> Result<(), YamlError> {
        let mut version_seen = false;
        loop {
            let token = self.scanner.peek()?;
            let range = token.range;
            match token.kind {
                TokenKind::VersionDirective { major, minor } => {
                    if version_seen {
                        return Err(YamlError::new(range, "`%YAML` is given twice"));
                    }
                    if (major, minor) != (1, 1) {
                        return Err(YamlError::new(
                            range,
                            "`%YAML` asks for another version than 1.1",
                        ));
                    }
                    version_seen = true;
                }
                TokenKind::TagDirective(_) => {}
                _ => break,
            }
            if let TokenKind::TagDirective(parts) = self.scanner.next()?.kind {
                if self.handles.iter().any(|h| h.handle == parts.handle) {
                    return Err(YamlError::new(range, "`%TAG` defines a handle twice"));
                }
                self.handles.push(*parts);
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", super::TAG_PREFIX)] {
            if self.handles.iter().all(|h| h.handle != handle) {
                self.handles.push(TagParts {
                    handle: handle.into(),
                    rest: prefix.into(),
                });
            }
        }
        Ok(())
    }

    fn node(&mut self, allowed: Allowed) -> Result<Event, YamlError> {
        let properties = self.properties()?;
        let token = self.scanner.peek()?;
        let range = token.range;
        let block = allowed != Allowed::Flow;
        let start = range.start;
        match token.kind {
            TokenKind::Alias if properties.range.is_none() => {
                self.pop();
                self.scanner.skip();
                Ok(Event::Alias(range))
            }
            TokenKind::BlockEntry if allowed == Allowed::BlockOrIndentless => {
                self.state = State::IndentlessSequence;
                Ok(Event::SequenceStart {
                    style: Style::Block,
                    start,
                    properties,
                })
            }
            TokenKind::Scalar(scalar) => {
                self.pop();
                self.scanner.skip();
                Ok(Event::Scalar {
                    scalar,
                    range,
                    properties,
                })
            }
            TokenKind::FlowSequenceStart => {
                self.state = State::FlowSequence { first: true };
                Ok(Event::SequenceStart {
                    style: Style::Flow,
                    start,
                    properties,
                })
            }
            TokenKind::FlowMappingStart => {
                self.state = State::FlowMappingKey { first: true };
                Ok(Event::MappingStart {
                    style: Style::Flow,
                    start,
                    properties,
                })
            }
            TokenKind::BlockSequenceStart if block => {
                self.state = State::BlockSequence { first: true };
                Ok(Event::SequenceStart {
                    style: Style::Block,
                    start,
                    properties,
                })
            }
            TokenKind::BlockMappingStart if block => {
                self.state = State::BlockMappingKey { first: true };
                Ok(Event::MappingStart {
                    style: Style::Block,
                    start,
                    properties,
                })
            }
            _ => match properties.range {
                Some(before) => {
                    self.pop();
                    Ok(Event::Nothing {
                        at: Some(before.end),
                        properties,
                    })
                }
                None => self.fail("no value stands where one belongs"),
            },
        }
    }

    /// The anchor and the tag before a node, in either order.
    fn properties(&mut self) -> Result<Properties, YamlError> {
        let mut found = Properties::default();
        let mut tag = None;
        loop {
            let token = self.scanner.peek()?;
            let range = token.range;
            match token.kind {
                TokenKind::Anchor if found.anchor.is_none() => found.anchor = Some(range),
                TokenKind::Tag(_) if tag.is_none() => {}
                _ => break,
            }
            let whole = Range::new(found.range.map_or(range.start, |r| r.start), range.end);
            found.range = Some(whole);
            if let TokenKind::Tag(parts) = self.scanner.next()?.kind {
                tag = Some((parts, range));
            }
        }
        if let Some((parts, range)) = tag {
            found.tag = Some(self.resolve_tag(&parts, range)?);
        }
        Ok(found)
    }

    fn resolve_tag(&self, tag: &TagParts, range: Range) -> Result<Box<str>, YamlError> {
        if tag.handle.is_empty() {
            return Ok(tag.rest.as_str().into());
        }
        match self.handles.iter().find(|h| h.handle == tag.handle) {
            Some(handle) => Ok(format!("{}{}", handle.rest, tag.rest).into()),
            None => Err(YamlError::new(
                range,
                format!("the tag handle `{}` is not defined", tag.handle),
            )),
        }
    }
}
