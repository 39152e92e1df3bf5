//! Block scalars: `|` and `>`.

use super::cursor::Cursor;
use super::text::{Breaks, Collector, is_folded};
use crate::teeth::{Rule, holds};
use crate::yaml::{Range, ScalarStyle, YamlError};

/// What becomes of the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    /// `-`: all go.
    Strip,
    /// One stays.
    Clip,
    /// `+`: all stay.
    Keep,
}

/// A scanned block scalar.
pub(super) struct BlockScalar {
    /// From the indicator to the end of the last line of text (with `+`: of the last empty line), without the line
    /// break there.
    pub(super) range: Range,
    /// The column at which its lines begin.
    pub(super) indent: usize,
    /// `|` or `>`.
    pub(super) style: ScalarStyle,
}

/// What is known of the column at which the lines begin.
#[derive(Clone, Copy)]
pub(super) enum Indentation {
    /// Further right than the collection around, if there is one.
    Below(Option<usize>),
    /// Exactly there.
    At(usize),
}

/// Scans a block scalar that begins here with its indicator.
pub(super) fn scan(
    cursor: &mut Cursor<'_>,
    indentation: Indentation,
    breaks: &mut Breaks,
    text: &mut Collector<'_>,
) -> Result<BlockScalar, YamlError> {
    let start = cursor.pos;
    let style = if cursor.byte(0) == b'|' {
        ScalarStyle::Literal
    } else {
        ScalarStyle::Folded
    };
    cursor.skip();
    let (chomping, increment) = indicators(cursor)?;
    rest_of_header(cursor, start)?;
    let mut end = cursor.pos;
    if cursor.line_break(0) > 0 {
        cursor.need(2)?;
        cursor.skip_line();
    }

    let (given, least) = match indentation {
        Indentation::At(column) => (Some(column), column),
        Indentation::Below(parent) => (
            increment.map(|n| parent.unwrap_or(0) + n),
            parent.map_or(1, |column| column + 1),
        ),
    };
    let widest = skip_indentation(cursor, given, &mut breaks.more)?;
    let indent = given.unwrap_or(widest.max(least));
    cursor.need(1)?;
    let mut leading_blank = false;
    while cursor.column == indent && !cursor.at_end() {
        let trailing_blank = cursor.is_blank();
        if let Some(first) = breaks.first.take() {
            let folds = style == ScalarStyle::Folded
                && !leading_blank
                && !trailing_blank
                && is_folded(cursor.text(), first);
            if !folds {
                text.copy_break(first);
            } else if breaks.more.is_empty() {
                text.put(' ', first);
            }
        }
        breaks.copy_more_into(text);
        leading_blank = cursor.is_blank();
        let line = cursor.pos;
        while !cursor.is_break_or_end(0) {
            cursor.skip();
            cursor.need(1)?;
        }
        text.copy(cursor.since(line));
        end = cursor.pos;
        cursor.need(2)?;
        if cursor.line_break(0) > 0 {
            breaks.first = Some(cursor.skip_line());
        }
        skip_indentation(cursor, Some(indent), &mut breaks.more)?;
    }

    if chomping == Chomping::Keep
        && let Some(last) = breaks.more.last().or(breaks.first.as_ref())
    {
        end = last.start as usize;
    }
    if chomping != Chomping::Strip
        && let Some(first) = breaks.first
    {
        text.copy_break(first);
    }
    if chomping == Chomping::Keep {
        breaks.copy_more_into(text);
    }
    breaks.clear();
    Ok(BlockScalar {
        range: Range::new(start as u32, end as u32),
        indent,
        style,
    })
}

/// The indicators behind `|` or `>`, in either order: `+` or `-`, and a digit.
fn indicators(cursor: &mut Cursor<'_>) -> Result<(Chomping, Option<usize>), YamlError> {
    let (mut chomping, mut increment) = (None, None);
    for _ in 0..2 {
        cursor.need(1)?;
        match cursor.byte(0) {
            b'+' if chomping.is_none() => chomping = Some(Chomping::Keep),
            b'-' if chomping.is_none() => chomping = Some(Chomping::Strip),
            b'0' if increment.is_none() => {
                return Err(YamlError::new(
                    Range::new(cursor.pos as u32, cursor.pos as u32 + 1),
                    "a block scalar cannot be indented by 0",
                ));
            }
            digit @ b'1'..=b'9' if increment.is_none() => {
                increment = Some(usize::from(digit - b'0'));
            }
            _ => break,
        }
        cursor.skip();
    }
    Ok((chomping.unwrap_or(Chomping::Clip), increment))
}

/// Only blanks and a comment may follow the indicators.
fn rest_of_header(cursor: &mut Cursor<'_>, start: usize) -> Result<(), YamlError> {
    cursor.skip_blanks()?;
    cursor.skip_comment()?;
    if cursor.is_break_or_end(0) {
        Ok(())
    } else {
        Err(YamlError::new(
            cursor.line_from(start),
            "text follows `|` or `>` on its line; a block scalar begins on the next line",
        ))
    }
}

/// Goes over empty lines and the indentation of the next line that is not empty; adds the line breaks to `breaks`.
/// Without a known `indent` all spaces count as indentation, and the widest is returned.
fn skip_indentation(
    cursor: &mut Cursor<'_>,
    indent: Option<usize>,
    breaks: &mut Vec<Range>,
) -> Result<usize, YamlError> {
    let mut widest = 0;
    loop {
        cursor.need(1)?;
        while indent.is_none_or(|n| cursor.column < n) && cursor.byte(0) == b' ' {
            cursor.skip();
            cursor.need(1)?;
        }
        widest = widest.max(cursor.column);
        if indent.is_none_or(|n| cursor.column < n)
            && cursor.byte(0) == b'\t'
            && holds(Rule::TabIndentation)
        {
            return Err(YamlError::new(
                Range::new(cursor.pos as u32, cursor.pos as u32 + 1),
                "a tab is used as indentation of a block scalar",
            ));
        }
        if cursor.line_break(0) == 0 {
            return Ok(widest);
        }
        cursor.need(2)?;
        breaks.push(cursor.skip_line());
    }
}
