//! Keys without `?`, which are known only when their `:` comes, and the block collections that they open.

use super::{Scanner, TokenKind};
use crate::teeth::{Rule, holds};
use crate::yaml::{MAX_DEPTH, Range, YamlError};

/// A key without `?` may reach this many characters before its `:`.
const MAX_KEY: usize = 1024;

/// A token that may turn out to be the beginning of a key. There is at most one for each level of brackets.
#[derive(Clone, Copy, Default)]
pub(super) struct SimpleKey {
    /// Whether it still may.
    pub(super) possible: bool,
    /// Whether it must, because it stands where only a key can stand.
    required: bool,
    /// The number of its first token.
    pub(super) token: usize,
    /// Where it begins.
    pub(super) pos: usize,
    index: usize,
    line: usize,
    pub(super) column: usize,
}

impl SimpleKey {
    /// No key, on a level of brackets that begins with that token.
    pub(super) fn none(token: usize) -> Self {
        Self {
            token,
            ..Self::default()
        }
    }
}

impl Scanner<'_> {
    /// Notes that a key may begin here.
    pub(super) fn note_key(&mut self) -> Result<(), YamlError> {
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
    pub(super) fn forget_key(&mut self) -> Result<(), YamlError> {
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

    pub(super) fn forget_token(&mut self, token: usize) {
        if let Some(place) = self.key_tokens.iter().rposition(|&(n, _)| n == token) {
            self.key_tokens.remove(place);
        }
    }

    /// Whether what was noted on that level may still be a key: it must lie on one line, and not be too long.
    pub(super) fn may_be_key(&mut self, level: usize) -> Result<bool, YamlError> {
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

    /// Opens a block collection at `column`, unless one is open there or further right.
    pub(super) fn open_block(
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
    pub(super) fn close_blocks(&mut self, column: Option<usize>) {
        if self.in_flow() {
            return;
        }
        while self.indent > column {
            self.push(TokenKind::BlockEnd, self.here());
            self.indent = self.indents.pop().flatten();
        }
    }
}
