//! From characters to tokens.
//!
//! The scanner is lazy: it reads a token only when the parser asks for one, and reads on beyond it only as long as
//! the next token might turn out to be a key (a `:` may follow). How far it has read decides what is an error: text
//! behind the end of the first document is not looked at. So the book-keeping of possible keys is go-yaml's
//! (`scannerc.go`), down to what it forgets.

mod block;
mod cursor;
mod keys;
mod plain;
mod property;
mod quoted;
mod rescan;
mod text;
mod token;
mod tokens;

pub(super) use rescan::rescan;
pub(super) use text::Text;
pub(super) use token::{Scalar, TagParts, Token, TokenKind};

use std::collections::VecDeque;

use crate::teeth::{Rule, holds};
use crate::yaml::{Dialect, Range, YamlError};
use cursor::Cursor;
use keys::SimpleKey;
use text::Breaks;

/// Turns a text into tokens, one at a time.
pub(in crate::yaml) struct Scanner<'t> {
    cursor: Cursor<'t>,
    dialect: Dialect,
    /// Texts of scalars that do not stand in the source as they are.
    decoded: String,
    breaks: Breaks,
    /// The plain scalar read last, to say what is wrong with a `:` behind it.
    last_plain: Range,
    /// Tokens read and not yet taken.
    queue: VecDeque<Token>,
    /// How many tokens were taken.
    taken: usize,
    /// The head of the queue is known not to be a key that lacks its beginning.
    settled: bool,
    /// One for block context, and one for each open bracket.
    keys: Vec<SimpleKey>,
    /// Token number to level, in the order of numbers.
    key_tokens: VecDeque<(usize, usize)>,
    /// Whether a key without `?` may begin here.
    key_allowed: bool,
    /// The columns of the open block collections; the innermost is `indent`.
    indents: Vec<Option<usize>>,
    indent: Option<usize>,
}

impl<'t> Scanner<'t> {
    /// Scans `text` from offset `start` on.
    pub(in crate::yaml) fn new(text: &'t str, start: usize, dialect: Dialect) -> Self {
        Self {
            cursor: Cursor::new(text, start),
            dialect,
            decoded: String::new(),
            breaks: Breaks::default(),
            last_plain: Range::new(start as u32, start as u32),
            queue: VecDeque::new(),
            taken: 0,
            settled: false,
            keys: vec![SimpleKey::default()],
            key_tokens: VecDeque::new(),
            key_allowed: true,
            indents: Vec::new(),
            indent: None,
        }
    }

    /// The source.
    const fn text(&self) -> &'t str {
        self.cursor.text()
    }

    /// The decoded texts of all scalars so far.
    pub(in crate::yaml) fn into_decoded(self) -> String {
        self.decoded
    }

    /// From `start` to the end of its line.
    pub(in crate::yaml) fn line_from(&self, start: u32) -> Range {
        self.cursor.line_from(start as usize)
    }

    /// The next token, which stays.
    pub(in crate::yaml) fn peek(&mut self) -> Result<&Token, YamlError> {
        if !self.settled {
            self.settle()?;
        }
        match self.queue.front() {
            Some(token) => Ok(token),
            // Never: settling leaves a token in the queue.
            None => Err(YamlError::new(self.here(), "the text ends too early")),
        }
    }

    /// Takes the next token.
    pub(in crate::yaml) fn next(&mut self) -> Result<Token, YamlError> {
        let token = self.peek()?.clone();
        self.skip();
        Ok(token)
    }

    /// Drops the token that was last peeked at.
    pub(in crate::yaml) fn skip(&mut self) {
        self.queue.pop_front();
        self.settled = false;
        self.taken += 1;
        while self
            .key_tokens
            .front()
            .is_some_and(|&(n, _)| n < self.taken)
        {
            self.key_tokens.pop_front();
        }
    }

    /// Reads until it is known what the head of the queue is.
    fn settle(&mut self) -> Result<(), YamlError> {
        loop {
            if !self.queue.is_empty() {
                let level = match self.key_tokens.front() {
                    Some(&(token, level)) if token == self.taken => level,
                    _ => break,
                };
                if !self.may_be_key(level)? {
                    break;
                }
            }
            self.fetch()?;
        }
        self.settled = true;
        Ok(())
    }

    /// Reads one more token.
    fn fetch(&mut self) -> Result<(), YamlError> {
        self.skip_to_token()?;
        self.close_blocks(Some(self.cursor.column));
        self.cursor.need(4)?;
        let block = !self.in_flow();
        if self.cursor.at_end() {
            return self.fetch_end();
        }
        if self.cursor.column == 0 && self.cursor.byte(0) == b'%' {
            return self.fetch_directive();
        }
        if self.cursor.is_document_marker() {
            return self.fetch_document_marker();
        }
        let ends_word = self.cursor.is_blank_or_end(1);
        match self.cursor.byte(0) {
            b'[' => self.open_flow(TokenKind::FlowSequenceStart),
            b'{' => self.open_flow(TokenKind::FlowMappingStart),
            b']' => self.close_flow(TokenKind::FlowSequenceEnd),
            b'}' => self.close_flow(TokenKind::FlowMappingEnd),
            b',' => {
                self.forget_key()?;
                self.key_allowed = true;
                self.push_indicator(TokenKind::FlowEntry);
                Ok(())
            }
            b'-' if ends_word => self.fetch_block_entry(),
            b'?' if !block || ends_word => self.fetch_key(),
            b':' if !block || ends_word => self.fetch_value(),
            b'*' => self.fetch_anchor(TokenKind::Alias),
            b'&' => self.fetch_anchor(TokenKind::Anchor),
            b'!' => self.fetch_tag(),
            b'|' | b'>' if block => self.fetch_block_scalar(),
            b'\'' | b'"' => self.fetch_quoted(),
            b'-' => self.fetch_plain(),
            b'?' | b':' if block => self.fetch_plain(),
            b'\t' | b'?' | b':' | b'|' | b'>' | b'%' | b'@' | b'`' => Err(self.no_token()),
            _ => self.fetch_plain(),
        }
    }

    /// Goes over white space and comments.
    fn skip_to_token(&mut self) -> Result<(), YamlError> {
        loop {
            self.cursor.need(1)?;
            if self.cursor.swallows() {
                self.cursor.skip();
            }
            self.cursor.need(1)?;
            // A tab is no indentation: where a key may begin it is not skipped.
            let tabs = self.in_flow() || !self.key_allowed || !holds(Rule::TabIndentation);
            while self.cursor.byte(0) == b' ' || (tabs && self.cursor.byte(0) == b'\t') {
                self.cursor.skip();
                self.cursor.need(1)?;
            }
            self.cursor.skip_comment()?;
            if self.cursor.line_break(0) == 0 {
                return Ok(());
            }
            self.cursor.need(2)?;
            self.cursor.skip_line();
            if !self.in_flow() {
                self.key_allowed = true;
            }
        }
    }

    const fn in_flow(&self) -> bool {
        self.keys.len() > 1
    }

    const fn here(&self) -> Range {
        Range::new(self.cursor.pos as u32, self.cursor.pos as u32)
    }

    /// The character here and what follows it in its line.
    fn fail<T>(&self, message: &str) -> Result<T, YamlError> {
        Err(YamlError::new(
            self.cursor.line_from(self.cursor.pos),
            message,
        ))
    }

    fn no_token(&self) -> YamlError {
        let c = self.cursor.char();
        let before = self.text().as_bytes()[..self.cursor.pos].last();
        let message = match (c, before) {
            ('\t', Some(&mark @ (b'-' | b'?' | b':'))) => {
                format!("a tab follows `{}`, where a space belongs", mark as char)
            }
            ('\t', _) => "a tab is used as indentation".into(),
            ('|' | '>', _) => format!("a block scalar (`{c}`) stands inside brackets"),
            _ => format!("a value begins with `{c}`, which needs quotes"),
        };
        let start = self.cursor.pos as u32;
        YamlError::new(Range::new(start, start + c.len_utf8() as u32), message)
    }

    fn push(&mut self, kind: TokenKind, range: Range) {
        self.queue.push_back(Token { kind, range });
    }

    /// Takes one character as a token.
    fn push_indicator(&mut self, kind: TokenKind) {
        let start = self.cursor.pos;
        self.cursor.skip();
        self.push(kind, self.cursor.since(start));
    }

    /// Puts a token before the one with that number, or at the end if that one was taken already.
    fn insert(&mut self, number: usize, kind: TokenKind, at: usize) {
        let range = Range::new(at as u32, at as u32);
        match number.checked_sub(self.taken) {
            Some(place) if place <= self.queue.len() => {
                self.queue.insert(place, Token { kind, range });
            }
            _ => self.push(kind, range),
        }
    }
}
