//! Collections with brackets and braces.

use super::{Allowed, Event, Parser, Properties, State};
use crate::yaml::scanner::TokenKind;
use crate::yaml::{Style, YamlError};

impl Parser<'_> {
    pub(super) fn flow_sequence(&mut self, first: bool) -> Result<Event, YamlError> {
        if first {
            self.scanner.skip();
        }
        if !first {
            match self.scanner.peek()?.kind {
                TokenKind::FlowSequenceEnd => {}
                TokenKind::FlowEntry => self.scanner.skip(),
                _ => return self.fail("`,` or `]` is missing"),
            }
        }
        let token = self.scanner.peek()?;
        let range = token.range;
        match token.kind {
            TokenKind::FlowSequenceEnd => {
                self.pop();
                self.scanner.skip();
                Ok(Event::End(Some(range.end)))
            }
            TokenKind::Key => {
                self.scanner.skip();
                self.state = State::FlowPairKey;
                Ok(Event::MappingStart {
                    style: Style::Flow,
                    start: range.start,
                    properties: Properties::default(),
                })
            }
            _ => self.node_then(Allowed::Flow, State::FlowSequence { first: false }),
        }
    }

    /// The key of `[key: value]`, a mapping without braces.
    pub(super) fn flow_pair_key(&mut self) -> Result<Event, YamlError> {
        let token = self.scanner.peek()?;
        let range = token.range;
        match token.kind {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                // libyaml drops the token here, whatever it is.
                self.scanner.skip();
                self.nothing_then(Some(range.end), State::FlowPairValue)
            }
            _ => self.node_then(Allowed::Flow, State::FlowPairValue),
        }
    }

    pub(super) fn flow_pair_value(&mut self) -> Result<Event, YamlError> {
        let mut token = self.scanner.peek()?;
        let mut at = None;
        if matches!(token.kind, TokenKind::Value) {
            at = Some(token.range.end);
            self.scanner.skip();
            token = self.scanner.peek()?;
            if !matches!(
                token.kind,
                TokenKind::FlowEntry | TokenKind::FlowSequenceEnd
            ) {
                return self.node_then(Allowed::Flow, State::FlowPairEnd);
            }
        }
        self.nothing_then(at, State::FlowPairEnd)
    }

    pub(super) fn flow_mapping_key(&mut self, first: bool) -> Result<Event, YamlError> {
        if first {
            self.scanner.skip();
        }
        if !first {
            match self.scanner.peek()?.kind {
                TokenKind::FlowMappingEnd => {}
                TokenKind::FlowEntry => self.scanner.skip(),
                _ => return self.fail("`,` or `}` is missing"),
            }
        }
        let token = self.scanner.peek()?;
        let range = token.range;
        match token.kind {
            TokenKind::FlowMappingEnd => {
                self.pop();
                self.scanner.skip();
                Ok(Event::End(Some(range.end)))
            }
            TokenKind::Key => {
                self.scanner.skip();
                let after = State::FlowMappingValue { missing: false };
                let token = self.scanner.peek()?;
                let at = token.range.start;
                match token.kind {
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {
                        self.nothing_then(Some(at), after)
                    }
                    _ => self.node_then(Allowed::Flow, after),
                }
            }
            _ => self.node_then(Allowed::Flow, State::FlowMappingValue { missing: true }),
        }
    }

    pub(super) fn flow_mapping_value(&mut self, missing: bool) -> Result<Event, YamlError> {
        let after = State::FlowMappingKey { first: false };
        let token = self.scanner.peek()?;
        let mut at = None;
        if !missing && matches!(token.kind, TokenKind::Value) {
            at = Some(token.range.end);
            self.scanner.skip();
            let next = &self.scanner.peek()?.kind;
            if !matches!(next, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                return self.node_then(Allowed::Flow, after);
            }
        }
        self.nothing_then(at, after)
    }
}
