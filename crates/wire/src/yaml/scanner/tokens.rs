//! The tokens, one by one, and what each says of the keys that may follow.

use super::block::{self, Indentation};
use super::keys::SimpleKey;
use super::plain::{self, Surroundings};
use super::text::{Collector, Text};
use super::{Scalar, Scanner, TokenKind, property, quoted};
use crate::yaml::{MAX_DEPTH, Range, ScalarStyle, YamlError};

impl Scanner<'_> {
    pub(super) fn fetch_end(&mut self) -> Result<(), YamlError> {
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

    pub(super) fn fetch_directive(&mut self) -> Result<(), YamlError> {
        self.close_blocks(None);
        self.forget_key()?;
        self.key_allowed = false;
        let start = self.cursor.pos;
        let kind = property::scan_directive(&mut self.cursor)?;
        self.push(kind, self.cursor.line_from(start));
        Ok(())
    }

    pub(super) fn fetch_document_marker(&mut self) -> Result<(), YamlError> {
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

    pub(super) fn open_flow(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.note_key()?;
        // go-yaml gives the new level the number of the bracket itself.
        let bracket = self.taken + self.queue.len();
        self.keys.push(SimpleKey::none(bracket));
        if self.keys.len() > MAX_DEPTH + 1 {
            return self.fail("brackets are nested more than 10,000 deep");
        }
        self.key_allowed = true;
        self.push_indicator(kind);
        Ok(())
    }

    pub(super) fn close_flow(&mut self, kind: TokenKind) -> Result<(), YamlError> {
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

    pub(super) fn fetch_block_entry(&mut self) -> Result<(), YamlError> {
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

    pub(super) fn fetch_key(&mut self) -> Result<(), YamlError> {
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

    pub(super) fn fetch_value(&mut self) -> Result<(), YamlError> {
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
                    return Err(self.misplaced_value());
                }
                let (column, at) = (self.cursor.column, self.cursor.pos);
                self.open_block(column, None, TokenKind::BlockMappingStart, at)?;
            }
            self.key_allowed = !self.in_flow();
        }
        self.push_indicator(TokenKind::Value);
        Ok(())
    }

    /// A `:` stands where none can be: in most cases the text before it has swallowed what was meant as a key.
    fn misplaced_value(&self) -> YamlError {
        let text = self.text();
        let colon = self.cursor.pos;
        let before = &text[self.last_plain.bytes()];
        let Some((first_line, _)) = before.split_once(['\n', '\r']) else {
            return YamlError::new(
                self.cursor.line_from(colon),
                "`: ` stands inside a value without quotes",
            );
        };
        let word = first_line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if word.is_some_and(|end| end > 0 && first_line[end..].starts_with(':')) {
            return YamlError::new(
                self.cursor.line_from(self.last_plain.start as usize),
                "no space follows the `:` of a key, which makes it a value that goes on in the next line",
            );
        }
        let line = text[..colon].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let indentation = text[line..colon].len() - text[line..colon].trim_start().len();
        YamlError::new(
            self.cursor.line_from(line + indentation),
            "a line is indented too deep, which makes it part of the value before it",
        )
    }

    pub(super) fn fetch_anchor(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.note_key()?;
        self.key_allowed = false;
        let range = property::scan_anchor(&mut self.cursor)?;
        self.push(kind, range);
        Ok(())
    }

    pub(super) fn fetch_tag(&mut self) -> Result<(), YamlError> {
        self.note_key()?;
        self.key_allowed = false;
        let start = self.cursor.pos;
        let tag = property::scan_tag(&mut self.cursor)?;
        self.push(TokenKind::Tag(Box::new(tag)), self.cursor.since(start));
        Ok(())
    }

    pub(super) fn fetch_block_scalar(&mut self) -> Result<(), YamlError> {
        self.forget_key()?;
        self.key_allowed = true;
        let mut text = Collector::new(self.cursor.text(), &mut self.decoded, None);
        let around = Indentation::Below(self.indent);
        let scalar = block::scan(&mut self.cursor, around, &mut self.breaks, &mut text)?;
        let text = text.finish(scalar.range.end as usize);
        self.push_scalar(scalar.range, scalar.style, text, scalar.indent);
        Ok(())
    }

    pub(super) fn fetch_quoted(&mut self) -> Result<(), YamlError> {
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

    pub(super) fn fetch_plain(&mut self) -> Result<(), YamlError> {
        self.note_key()?;
        self.key_allowed = false;
        let indent = self.indent.map_or(0, |indent| indent + 1);
        let around = if self.in_flow() {
            Surroundings::Flow { indent }
        } else {
            Surroundings::Block { indent }
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
        if style == ScalarStyle::Plain {
            self.last_plain = range;
        }
        self.push(TokenKind::Scalar(scalar), range);
    }
}
