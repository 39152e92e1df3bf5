//! Scalars without quotes.

use super::cursor::Cursor;
use super::text::{Breaks, Collector};
use crate::teeth::{Rule, holds};
use crate::yaml::{Range, YamlError};

/// Characters that never end a plain scalar in block context.
const BLOCK: [bool; 128] = alphabet(b":");
/// The same inside brackets.
const FLOW: [bool; 128] = alphabet(b":,?[]{}");

/// All visible ASCII characters but these.
const fn alphabet(but: &[u8]) -> [bool; 128] {
    let mut is_in = [false; 128];
    let mut byte = b'!';
    while byte <= b'~' {
        is_in[byte as usize] = true;
        byte += 1;
    }
    let mut i = 0;
    while i < but.len() {
        is_in[but[i] as usize] = false;
        i += 1;
    }
    is_in
}

/// Where a plain scalar stands.
#[derive(Clone, Copy)]
pub(super) enum Surroundings {
    /// In block context, where lines that go on must begin at this column or further right.
    Block { indent: usize },
    /// Inside brackets or braces; the column counts for tabs alone.
    Flow { indent: usize },
    /// The text ends where the scalar does.
    Alone,
}

impl Surroundings {
    const fn indent(self) -> usize {
        match self {
            Self::Block { indent } | Self::Flow { indent } => indent,
            Self::Alone => 0,
        }
    }

    const fn is_block(self) -> bool {
        matches!(self, Self::Block { .. })
    }
}

/// How a plain scalar ended.
pub(super) struct PlainEnd {
    /// Its bytes, without the blanks and line breaks behind it.
    pub(super) range: Range,
    /// Whether a line break was passed in looking for more of it.
    pub(super) passed_break: bool,
}

/// Scans a plain scalar that begins here.
pub(super) fn scan(
    cursor: &mut Cursor<'_>,
    around: Surroundings,
    breaks: &mut Breaks,
    text: &mut Collector<'_>,
) -> Result<PlainEnd, YamlError> {
    let start = cursor.pos;
    let mut end = start;
    let mut passed_break = false;
    let alphabet = match around {
        Surroundings::Flow { .. } => &FLOW,
        Surroundings::Block { .. } | Surroundings::Alone => &BLOCK,
    };
    loop {
        cursor.need(4)?;
        if cursor.is_document_marker() || cursor.byte(0) == b'#' {
            break;
        }
        let word = cursor.pos;
        cursor.skip_run(alphabet);
        while !cursor.is_blank_or_end(0) && !ends_here(cursor, around) {
            cursor.skip();
            cursor.need(2)?;
            cursor.skip_run(alphabet);
        }
        if cursor.pos > word {
            if passed_break {
                breaks.fold_into(text);
                passed_break = false;
            } else {
                text.copy(Range::new(end as u32, word as u32));
            }
            text.copy(cursor.since(word));
            end = cursor.pos;
        }
        if !cursor.is_blank_or_end(0) || cursor.at_end() {
            break;
        }
        cursor.need(1)?;
        loop {
            if cursor.is_blank() {
                if passed_break
                    && cursor.column < around.indent()
                    && cursor.byte(0) == b'\t'
                    && holds(Rule::TabIndentation)
                {
                    return Err(YamlError::new(
                        Range::new(cursor.pos as u32, cursor.pos as u32 + 1),
                        "a tab is used as indentation",
                    ));
                }
                cursor.skip();
            } else if cursor.line_break(0) > 0 {
                cursor.need(2)?;
                breaks.push(cursor.skip_line());
                passed_break = true;
            } else {
                break;
            }
            cursor.need(1)?;
        }
        if around.is_block() && cursor.column < around.indent() {
            break;
        }
    }
    breaks.clear();
    Ok(PlainEnd {
        range: Range::new(start as u32, end as u32),
        passed_break,
    })
}

/// Whether the character here, which is no blank, ends a plain scalar.
#[inline]
fn ends_here(cursor: &Cursor<'_>, around: Surroundings) -> bool {
    match (around, cursor.byte(0)) {
        (Surroundings::Alone, _) => false,
        (_, b':') => cursor.is_blank_or_end(1),
        (_, b',' | b'?' | b'[' | b']' | b'{' | b'}') => !around.is_block(),
        _ => false,
    }
}
