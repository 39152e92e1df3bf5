//! From characters to tokens.
//!
//! The scanner is lazy: it reads a token only when the parser asks for one, and reads on beyond it only as long as
//! the next token might turn out to be a key (a `:` may follow). How far it has read decides what is an error: text
//! behind the end of the first document is not looked at. So the book-keeping of possible keys is go-yaml's
//! (`scannerc.go`), down to what it forgets.

use std::collections::VecDeque;

use super::block::{self, Indentation};
use super::cursor::Cursor;
use super::plain::{self, Surroundings};
use super::property;
use super::quoted;
use super::scalar::{Breaks, Collector, Text};
use super::token::{Scalar, Token, TokenKind};
use super::{Dialect, MAX_DEPTH, Range, ScalarStyle, YamlError};
use crate::teeth::{Rule, holds};

/// A key without `?` may reach this many characters before its `:`.
const MAX_KEY: usize = 1024;

/// A token that may turn out to be the beginning of a key. There is at most one for each level of brackets.
#[derive(Clone, Copy, Default)]
struct SimpleKey {
    /// Whether it still may.
    possible: bool,
    /// Whether it must, because it stands where only a key can stand.
    required: bool,
    /// The number of its first token.
    token: usize,
    /// Where it begins.
    pos: usize,
    index: usize,
    line: usize,
    column: usize,
}

/// Turns a text into tokens, one at a time.
pub(super) struct Scanner<'t> {
    cursor: Cursor<'t>,
    dialect: Dialect,
    /// Texts of scalars that do not stand in the source as they are.
    decoded: String,
    breaks: Breaks,
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
    pub(super) fn new(text: &'t str, start: usize, dialect: Dialect) -> Self {
        Self {
            cursor: Cursor::new(text, start),
            dialect,
            decoded: String::new(),
            breaks: Breaks::default(),
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
    pub(super) fn into_decoded(self) -> String {
        self.decoded
    }

    /// From `start` to the end of its line.
    pub(super) fn line_from(&self, start: u32) -> Range {
        self.cursor.line_from(start as usize)
    }

    /// The next token, which stays.
    pub(super) fn peek(&mut self) -> Result<&Token, YamlError> {
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
    pub(super) fn next(&mut self) -> Result<Token, YamlError> {
        let token = self.peek()?.clone();
        self.skip();
        Ok(token)
    }

    /// Drops the token that was last peeked at.
    pub(super) fn skip(&mut self) {
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

    // --- the queue

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

    // --- possible keys

    /// Notes that a key may begin here.
    fn note_key(&mut self) -> Result<(), YamlError> {
        if !self.key_allowed {
            return Ok(());
        }
        self.forget_key()?;
        let level = self.keys.len() - 1;
        let token = self.taken + self.queue.len();
        self.keys[level] = SimpleKey {
            possible: true,
            required: level == 0 && self.indent == Some(self.cursor.column),
            token,
            pos: self.cursor.pos,
            index: self.cursor.index,
            line: self.cursor.line,
            column: self.cursor.column,
        };
        match self.key_tokens.back_mut() {
            Some(last) if last.0 == token => last.1 = level,
            _ => self.key_tokens.push_back((token, level)),
        }
        Ok(())
    }

    /// What was noted on this level is no key.
    fn forget_key(&mut self) -> Result<(), YamlError> {
        let Some(key) = self.keys.last_mut() else {
            return Ok(());
        };
        if !key.possible {
            return Ok(());
        }
        if key.required {
            let pos = key.pos;
            return Err(self.no_colon(pos));
        }
        key.possible = false;
        let token = key.token;
        self.forget_token(token);
        Ok(())
    }

    fn forget_token(&mut self, token: usize) {
        if let Some(place) = self.key_tokens.iter().rposition(|&(n, _)| n == token) {
            self.key_tokens.remove(place);
        }
    }

    /// Whether what was noted on that level may still be a key: it must lie on one line, and not be too long.
    fn may_be_key(&mut self, level: usize) -> Result<bool, YamlError> {
        let (line, index) = (self.cursor.line, self.cursor.index);
        let Some(key) = self.keys.get_mut(level) else {
            return Ok(false);
        };
        if !key.possible {
            return Ok(false);
        }
        let too_long = index > key.index + MAX_KEY && holds(Rule::SimpleKeyLimit);
        if key.line == line && !too_long {
            return Ok(true);
        }
        if key.required {
            let pos = key.pos;
            return Err(if too_long && key.line == line {
                YamlError::new(
                    self.cursor.line_from(pos),
                    "a key is longer than 1,024 characters",
                )
            } else {
                self.no_colon(pos)
            });
        }
        key.possible = false;
        Ok(false)
    }

    fn no_colon(&self, pos: usize) -> YamlError {
        YamlError::new(
            self.cursor.line_from(pos),
            "a line stands where a `key: value` belongs, and has no `: ` in it",
        )
    }

    // --- block collections

    /// Opens a block collection at `column`, unless one is open there or further right.
    fn open_block(
        &mut self,
        column: usize,
        number: Option<usize>,
        kind: TokenKind,
        at: usize,
    ) -> Result<(), YamlError> {
        if self.in_flow() || self.indent.is_some_and(|indent| indent >= column) {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = Some(column);
        if self.indents.len() > MAX_DEPTH {
            return self.fail("lists and mappings are nested more than 10,000 deep");
        }
        match number {
            Some(number) => self.insert(number, kind, at),
            None => self.push(kind, Range::new(at as u32, at as u32)),
        }
        Ok(())
    }

    /// Closes the block collections that are indented deeper than `column`, or all.
    fn close_blocks(&mut self, column: Option<usize>) {
        if self.in_flow() {
            return;
        }
        while self.indent > column {
            self.push(TokenKind::BlockEnd, self.here());
            self.indent = self.indents.pop().flatten();
        }
    }

    // --- tokens

    fn fetch_end(&mut self) -> Result<(), YamlError> {
        if self.cursor.column > 0 {
            self.cursor.column = 0;
            self.cursor.line += 1;
        }
        self.close_blocks(None);
        self.forget_key()?;
        self.key_allowed = false;
        self.push(TokenKind::StreamEnd, self.here());
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), YamlError> {
        self.close_blocks(None);
        self.forget_key()?;
        self.key_allowed = false;
        let start = self.cursor.pos;
        let kind = property::scan_directive(&mut self.cursor)?;
        self.push(kind, self.cursor.line_from(start));
        Ok(())
    }

    fn fetch_document_marker(&mut self) -> Result<(), YamlError> {
        self.close_blocks(None);
        self.forget_key()?;
        self.key_allowed = false;
        let start = self.cursor.pos;
        let kind = if self.cursor.byte(0) == b'-' {
            TokenKind::DocumentStart
        } else {
            TokenKind::DocumentEnd
        };
        self.cursor.skip_many(3);
        self.push(kind, self.cursor.since(start));
        Ok(())
    }

    fn open_flow(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.note_key()?;
        self.keys.push(SimpleKey {
            // go-yaml gives the new level the number of the bracket itself.
            token: self.taken + self.queue.len(),
            ..SimpleKey::default()
        });
        if self.keys.len() > MAX_DEPTH + 1 {
            return self.fail("brackets are nested more than 10,000 deep");
        }
        self.key_allowed = true;
        self.push_indicator(kind);
        Ok(())
    }

    fn close_flow(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.forget_key()?;
        if self.in_flow()
            && let Some(key) = self.keys.pop()
        {
            self.forget_token(key.token);
        }
        self.key_allowed = false;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), YamlError> {
        if !self.in_flow() {
            if !self.key_allowed {
                return self.fail("a list item (`- `) stands where none can be");
            }
            let (column, at) = (self.cursor.column, self.cursor.pos);
            self.open_block(column, None, TokenKind::BlockSequenceStart, at)?;
        }
        self.forget_key()?;
        self.key_allowed = true;
        self.push_indicator(TokenKind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), YamlError> {
        if !self.in_flow() {
            if !self.key_allowed {
                return self.fail("a key (`? `) stands where none can be");
            }
            let (column, at) = (self.cursor.column, self.cursor.pos);
            self.open_block(column, None, TokenKind::BlockMappingStart, at)?;
        }
        self.forget_key()?;
        self.key_allowed = !self.in_flow();
        self.push_indicator(TokenKind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), YamlError> {
        let level = self.keys.len() - 1;
        if self.may_be_key(level)? {
            let key = self.keys[level];
            self.insert(key.token, TokenKind::Key, key.pos);
            let start = TokenKind::BlockMappingStart;
            self.open_block(key.column, Some(key.token), start, key.pos)?;
            self.keys[level].possible = false;
            self.forget_token(key.token);
            self.key_allowed = false;
        } else {
            if !self.in_flow() {
                if !self.key_allowed {
                    return self.fail(
                        "`: ` stands inside a value without quotes, or a line is indented too deep",
                    );
                }
                let (column, at) = (self.cursor.column, self.cursor.pos);
                self.open_block(column, None, TokenKind::BlockMappingStart, at)?;
            }
            self.key_allowed = !self.in_flow();
        }
        self.push_indicator(TokenKind::Value);
        Ok(())
    }

    fn fetch_anchor(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.note_key()?;
        self.key_allowed = false;
        let range = property::scan_anchor(&mut self.cursor)?;
        self.push(kind, range);
        Ok(())
    }

    fn fetch_tag(&mut self) -> Result<(), YamlError> {
        self.note_key()?;
        self.key_allowed = false;
        let start = self.cursor.pos;
        let tag = property::scan_tag(&mut self.cursor)?;
        self.push(TokenKind::Tag(Box::new(tag)), self.cursor.since(start));
        Ok(())
    }

    fn fetch_block_scalar(&mut self) -> Result<(), YamlError> {
        self.forget_key()?;
        self.key_allowed = true;
        let mut text = Collector::new(self.cursor.text(), &mut self.decoded, None);
        let around = Indentation::Below(self.indent);
        let scalar = block::scan(&mut self.cursor, around, &mut self.breaks, &mut text)?;
        let text = text.finish(scalar.range.end as usize);
        self.push_scalar(scalar.range, scalar.style, text, scalar.indent);
        Ok(())
    }

    fn fetch_quoted(&mut self) -> Result<(), YamlError> {
        self.note_key()?;
        self.key_allowed = false;
        let style = if self.cursor.byte(0) == b'"' {
            ScalarStyle::DoubleQuoted
        } else {
            ScalarStyle::SingleQuoted
        };
        let mut text = Collector::new(self.cursor.text(), &mut self.decoded, None);
        let range = quoted::scan(&mut self.cursor, self.dialect, &mut self.breaks, &mut text)?;
        let text = text.finish(range.start as usize + 1);
        self.push_scalar(range, style, text, 0);
        Ok(())
    }

    fn fetch_plain(&mut self) -> Result<(), YamlError> {
        self.note_key()?;
        self.key_allowed = false;
        let around = Surroundings {
            flow: self.in_flow(),
            indent: self.indent.map_or(0, |indent| indent + 1),
        };
        let mut text = Collector::new(self.cursor.text(), &mut self.decoded, None);
        let plain = plain::scan(&mut self.cursor, around, &mut self.breaks, &mut text)?;
        let text = text.finish(plain.range.start as usize);
        self.push_scalar(plain.range, ScalarStyle::Plain, text, 0);
        if plain.passed_break {
            self.key_allowed = true;
        }
        Ok(())
    }

    fn push_scalar(&mut self, range: Range, style: ScalarStyle, text: Text, indent: usize) {
        let scalar = Scalar {
            style,
            text,
            indent: indent as u32,
        };
        self.push(TokenKind::Scalar(scalar), range);
    }
}
