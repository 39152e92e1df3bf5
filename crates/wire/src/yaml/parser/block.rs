//! Collections by indentation.

use super::{Allowed, Event, Parser, State};
use crate::yaml::YamlError;
use crate::yaml::scanner::TokenKind;

impl Parser<'_> {
    pub(super) fn block_sequence(&mut self, first: bool) -> Result<Event, YamlError> {
        if first {
            self.scanner.skip();
        }
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::BlockEntry => {
                let end = token.range.end;
                self.scanner.skip();
                let after = State::BlockSequence { first: false };
                match self.scanner.peek()?.kind {
                    TokenKind::BlockEntry | TokenKind::BlockEnd => self.nothing_then(Some(end), after),
                    _ => self.node_then(Allowed::Block, after),
                }
            }
            TokenKind::BlockEnd => {
                self.pop();
                self.scanner.skip();
                Ok(Event::End(None))
            }
            _ => self.fail("a line in a list does not begin with `- `, or its indentation fits nothing before it"),
        }
    }

    pub(super) fn indentless_sequence(&mut self) -> Result<Event, YamlError> {
        let token = self.scanner.peek()?;
        if !matches!(token.kind, TokenKind::BlockEntry) {
            self.pop();
            return Ok(Event::End(None));
        }
        let end = token.range.end;
        self.scanner.skip();
        match self.scanner.peek()?.kind {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.nothing_then(Some(end), State::IndentlessSequence)
            }
            _ => self.node_then(Allowed::Block, State::IndentlessSequence),
        }
    }

    pub(super) fn block_mapping_key(&mut self, first: bool) -> Result<Event, YamlError> {
        if first {
            self.scanner.skip();
        }
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::Key => {
                let end = token.range.end;
                self.scanner.skip();
                match self.scanner.peek()?.kind {
                    TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                        self.nothing_then(Some(end), State::BlockMappingValue)
                    }
                    _ => self.node_then(Allowed::BlockOrIndentless, State::BlockMappingValue),
                }
            }
            TokenKind::BlockEnd => {
                self.pop();
                self.scanner.skip();
                Ok(Event::End(None))
            }
            _ => self.fail(
                "a line in a mapping is no `key: value`, or its indentation fits nothing before it",
            ),
        }
    }

    pub(super) fn block_mapping_value(&mut self) -> Result<Event, YamlError> {
        let after = State::BlockMappingKey { first: false };
        let token = self.scanner.peek()?;
        let range = token.range;
        if !matches!(token.kind, TokenKind::Value) {
            return self.nothing_then(None, after);
        }
        self.scanner.skip();
        match self.scanner.peek()?.kind {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.nothing_then(Some(range.end), after)
            }
            _ => self.node_then(Allowed::BlockOrIndentless, after),
        }
    }
}
