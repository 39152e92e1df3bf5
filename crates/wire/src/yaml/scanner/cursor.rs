//! A place in the text, and the block-wise reading behind it.
//!
//! libyaml, and go-yaml with it, reads its input in blocks of 512 bytes and rejects characters that YAML forbids as
//! each block comes in (`readerc.go`). Because text behind the end of a document is never asked for, whether a
//! forbidden character there is an error depends on the block it is in. So the cursor, too, only looks at text that
//! was asked for with [`Cursor::need`], and [`Cursor::need`] checks the same blocks.

use crate::teeth::{Rule, holds};
use crate::yaml::{Range, YamlError};

/// The size of a block, in bytes.
const BLOCK: usize = 512;
/// U+FEFF in UTF-8.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// A place in a text.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    /// Offset in bytes.
    pub(super) pos: usize,
    /// Characters before `pos`.
    pub(super) index: usize,
    /// Characters between the last line break and `pos`.
    pub(super) column: usize,
    /// Line breaks before `pos`.
    pub(super) line: usize,
    /// Everything before this offset was checked.
    checked: usize,
    /// `index` at `checked`; beyond the end of the text every question counts one more.
    checked_index: usize,
    /// Where the last block was asked for: the start of go-yaml's buffer.
    asked_at: usize,
}

impl<'t> Cursor<'t> {
    /// At offset `start` of `text`, as if the text began there. One byte order mark there is dropped.
    pub(super) fn new(text: &'t str, start: usize) -> Self {
        Self {
            text,
            pos: start,
            index: 0,
            column: 0,
            line: 0,
            checked: start,
            checked_index: 0,
            asked_at: start,
        }
    }

    /// At offset `start` of `text`, in the middle of a line.
    pub(super) fn inside(text: &'t str, start: usize) -> Self {
        Self {
            index: 1,
            column: 1,
            checked_index: 1,
            ..Self::new(text, start)
        }
    }

    /// The whole text.
    pub(super) const fn text(&self) -> &'t str {
        self.text
    }

    /// Makes sure that the next `count` characters, or all that are left, may be looked at.
    #[inline]
    pub(super) fn need(&mut self, count: usize) -> Result<(), YamlError> {
        if self.checked_index.saturating_sub(self.index) >= count {
            return Ok(());
        }
        self.ask(count)
    }

    #[cold]
    fn ask(&mut self, count: usize) -> Result<(), YamlError> {
        if self.index == 0 && self.checked == self.pos && self.at_mark(self.pos) {
            if holds(Rule::ByteOrderMark) {
                self.pos += BOM.len();
            }
            // The mark is part of the first block all the same.
            self.check(BLOCK - BOM.len())?;
        }
        self.asked_at = self.pos;
        while self.checked_index.saturating_sub(self.index) < count {
            if self.checked == self.text.len() {
                self.checked_index += 1;
                break;
            }
            self.check(BLOCK)?;
        }
        Ok(())
    }

    /// Checks `bytes` more bytes, less those of a character that does not fit whole.
    fn check(&mut self, bytes: usize) -> Result<(), YamlError> {
        let from = self.checked.max(self.pos);
        let end = self.text.floor_char_boundary(from + bytes);
        let block = &self.text[from..end];
        if block.bytes().all(|b| matches!(b, b' '..=b'~' | b'\n')) {
            self.checked_index += block.len();
            self.checked = end;
            return Ok(());
        }
        for (offset, c) in block.char_indices() {
            if !allowed(c) {
                let start = (from + offset) as u32;
                return Err(YamlError::new(
                    Range::new(start, start + c.len_utf8() as u32),
                    format!("the control character U+{:04X} is not allowed", c as u32),
                ));
            }
            self.checked_index += 1;
        }
        self.checked = end;
        Ok(())
    }

    fn at_mark(&self, offset: usize) -> bool {
        self.text.as_bytes()[offset..].starts_with(BOM)
    }

    /// Whether go-yaml takes what is here for a byte order mark: it looks at the start of its buffer, not here, so a
    /// mark at the start of a block swallows the first character of every line in that block.
    pub(super) fn swallows(&self) -> bool {
        self.column == 0 && self.at_mark(self.asked_at)
    }

    /// The byte `ahead` of here; 0 at and beyond the end (a NUL in the text is an error before it is seen).
    #[inline]
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.pos + ahead)
            .copied()
            .unwrap_or(0)
    }

    /// The character here; NUL at the end.
    pub(super) fn char(&self) -> char {
        self.text[self.pos..].chars().next().unwrap_or('\0')
    }

    /// Whether the text ends here.
    #[inline]
    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    /// The bytes of the line break `ahead` of here, 0 if there is none. CR LF counts as one break.
    #[inline]
    pub(super) fn line_break(&self, ahead: usize) -> usize {
        match self.byte(ahead) {
            b'\n' => 1,
            b'\r' if !holds(Rule::CarriageReturn) => 0,
            b'\r' if self.byte(ahead + 1) == b'\n' => 2,
            b'\r' => 1,
            0xC2 if self.byte(ahead + 1) == 0x85 && holds(Rule::UnicodeLineBreaks) => 2,
            0xE2 if self.byte(ahead + 1) == 0x80
                && matches!(self.byte(ahead + 2), 0xA8 | 0xA9)
                && holds(Rule::UnicodeLineBreaks) =>
            {
                3
            }
            _ => 0,
        }
    }

    /// Whether a line break or the end of the text is `ahead`.
    #[inline]
    pub(super) fn is_break_or_end(&self, ahead: usize) -> bool {
        self.line_break(ahead) > 0 || self.pos + ahead >= self.text.len()
    }

    /// Whether a space or a tab is here.
    #[inline]
    pub(super) fn is_blank(&self) -> bool {
        matches!(self.byte(0), b' ' | b'\t')
    }

    /// Whether a space, a tab, a line break or the end of the text is `ahead`.
    #[inline]
    pub(super) fn is_blank_or_end(&self, ahead: usize) -> bool {
        match self.byte(ahead) {
            b' ' | b'\t' => true,
            b'!'..=b'~' => false,
            _ => self.is_break_or_end(ahead),
        }
    }

    /// Whether a document marker stands here: `---` or `...` at the start of a line, and nothing joined to it.
    pub(super) fn is_document_marker(&self) -> bool {
        self.column == 0
            && matches!(
                (self.byte(0), self.byte(1), self.byte(2)),
                (b'-', b'-', b'-') | (b'.', b'.', b'.')
            )
            && self.is_blank_or_end(3)
    }

    /// Goes over one character that is no line break.
    #[inline]
    pub(super) fn skip(&mut self) {
        self.pos = (self.pos + width(self.byte(0))).min(self.text.len());
        self.index += 1;
        self.column += 1;
    }

    /// Goes over `count` characters that are no line breaks.
    pub(super) fn skip_many(&mut self, count: usize) {
        for _ in 0..count {
            self.skip();
        }
    }

    /// Goes over as many characters of `alphabet`, which are all ASCII, as there are in the checked text, less two that
    /// may then still be looked at without asking: the same as asking for two after each, but faster.
    #[inline]
    pub(super) fn skip_run(&mut self, alphabet: &[bool; 128]) {
        let left = self.checked_index.saturating_sub(self.index + 2);
        let run = self.text.as_bytes()[self.pos..]
            .iter()
            .take(left)
            .take_while(|&&b| alphabet.get(usize::from(b)).is_some_and(|&is_in| is_in))
            .count();
        self.pos += run;
        self.index += run;
        self.column += run;
    }

    /// Goes over the line break here, if there is one, and returns its bytes.
    pub(super) fn skip_line(&mut self) -> Range {
        let start = self.pos;
        let bytes = self.line_break(0);
        if bytes > 0 {
            let crlf = bytes == 2 && self.byte(0) == b'\r';
            self.pos += bytes;
            self.index += if crlf { 2 } else { 1 };
            self.column = 0;
            self.line += 1;
        }
        Range::new(start as u32, self.pos as u32)
    }

    /// Goes over spaces and tabs.
    pub(super) fn skip_blanks(&mut self) -> Result<(), YamlError> {
        self.need(1)?;
        while self.is_blank() {
            self.skip();
            self.need(1)?;
        }
        Ok(())
    }

    /// Goes over a comment, if one begins here, up to the end of the line.
    pub(super) fn skip_comment(&mut self) -> Result<(), YamlError> {
        if self.byte(0) == b'#' {
            while !self.is_break_or_end(0) {
                self.skip();
                self.need(1)?;
            }
        }
        Ok(())
    }

    /// The bytes from `start` to here.
    pub(super) fn since(&self, start: usize) -> Range {
        Range::new(start as u32, self.pos as u32)
    }

    /// The rest of the line from `start` on, without blanks at its end.
    pub(super) fn line_from(&self, start: usize) -> Range {
        let rest = &self.text[start..];
        let end = rest
            .find(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
            .unwrap_or(rest.len());
        Range::new(start as u32, (start + rest[..end].trim_end().len()) as u32)
    }
}

/// The characters that YAML 1.1 allows unescaped.
fn allowed(c: char) -> bool {
    matches!(c,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}'
        | '\u{10000}'..='\u{10ffff}')
}

/// The bytes of the character that begins with `first`.
#[inline]
const fn width(first: u8) -> usize {
    match first {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}
