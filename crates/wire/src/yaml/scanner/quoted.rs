//! Scalars in single or double quotes.

use super::cursor::Cursor;
use super::text::{Breaks, Collector};
use crate::yaml::{Dialect, Range, YamlError};

/// Scans a quoted scalar that begins here with its quote. Returns its bytes, quotes included.
pub(super) fn scan(
    cursor: &mut Cursor<'_>,
    dialect: Dialect,
    breaks: &mut Breaks,
    text: &mut Collector<'_>,
) -> Result<Range, YamlError> {
    let start = cursor.pos;
    let quote = cursor.byte(0);
    cursor.skip();
    loop {
        cursor.need(4)?;
        if cursor.is_document_marker() {
            return Err(YamlError::new(
                cursor.line_from(cursor.pos),
                "a document marker stands inside quotes",
            ));
        }
        if cursor.at_end() {
            return Err(YamlError::new(
                cursor.line_from(start),
                "a quote is opened and never closed",
            ));
        }
        let escaped_break = words(cursor, quote, dialect, text)?;
        cursor.need(1)?;
        if cursor.byte(0) == quote {
            break;
        }
        gap(cursor, escaped_break, breaks, text)?;
    }
    cursor.skip();
    Ok(cursor.since(start))
}

/// Takes in all up to the next blank, line break, closing quote or end of the text. Says whether it stopped behind an
/// escaped line break.
fn words(
    cursor: &mut Cursor<'_>,
    quote: u8,
    dialect: Dialect,
    text: &mut Collector<'_>,
) -> Result<bool, YamlError> {
    while !cursor.is_blank_or_end(0) {
        let here = cursor.pos;
        match cursor.byte(0) {
            b'\'' if quote == b'\'' => {
                if cursor.byte(1) != b'\'' {
                    return Ok(false);
                }
                cursor.skip_many(2);
                text.put('\'', cursor.since(here));
            }
            b'"' if quote == b'"' => return Ok(false),
            b'\\' if quote == b'"' => {
                if cursor.line_break(1) > 0 {
                    cursor.need(3)?;
                    cursor.skip();
                    cursor.skip_line();
                    return Ok(true);
                }
                let c = escape(cursor, dialect)?;
                text.put(c, cursor.since(here));
            }
            _ => {
                cursor.skip();
                text.copy(cursor.since(here));
            }
        }
        cursor.need(2)?;
    }
    Ok(false)
}

/// Takes in blanks and line breaks between two words.
fn gap(
    cursor: &mut Cursor<'_>,
    escaped_break: bool,
    breaks: &mut Breaks,
    text: &mut Collector<'_>,
) -> Result<(), YamlError> {
    let start = cursor.pos;
    let mut blanks_end = start;
    let mut passed_break = escaped_break;
    loop {
        if cursor.is_blank() {
            cursor.skip();
            if !passed_break {
                blanks_end = cursor.pos;
            }
        } else if cursor.line_break(0) > 0 {
            cursor.need(2)?;
            let line_break = cursor.skip_line();
            if escaped_break {
                breaks.more.push(line_break);
            } else {
                breaks.push(line_break);
            }
            passed_break = true;
        } else {
            break;
        }
        cursor.need(1)?;
    }
    if passed_break {
        breaks.fold_into(text);
    } else {
        text.copy(Range::new(start as u32, blanks_end as u32));
    }
    Ok(())
}

/// Decodes the escape sequence here.
fn escape(cursor: &mut Cursor<'_>, dialect: Dialect) -> Result<char, YamlError> {
    let here = cursor.pos;
    let digits = match cursor.byte(1) {
        b'x' => 2,
        b'u' => 4,
        b'U' => 8,
        other => {
            let c = match other {
                b'0' => '\0',
                b'a' => '\u{7}',
                b'b' => '\u{8}',
                b't' | b'\t' => '\t',
                b'n' => '\n',
                b'v' => '\u{b}',
                b'f' => '\u{c}',
                b'r' => '\r',
                b'e' => '\u{1b}',
                b' ' => ' ',
                b'"' => '"',
                b'\'' => '\'',
                b'\\' => '\\',
                b'N' => '\u{85}',
                b'_' => '\u{a0}',
                b'L' => '\u{2028}',
                b'P' => '\u{2029}',
                b'/' if dialect == Dialect::Json => '/',
                _ => {
                    let c = cursor.text()[here + 1..].chars().next();
                    let end = here + 1 + c.map_or(0, char::len_utf8);
                    return Err(YamlError::new(
                        Range::new(here as u32, end as u32),
                        match c {
                            Some(c) => format!("`\\{c}` is not a known escape sequence"),
                            None => "a quote is opened and never closed".into(),
                        },
                    ));
                }
            };
            cursor.skip_many(2);
            return Ok(c);
        }
    };
    cursor.skip_many(2);
    let code = hex(cursor, here, digits)?;
    if dialect == Dialect::Json && digits == 4 && (0xD800..0xDC00).contains(&code) {
        return low_surrogate(cursor, here, code);
    }
    char::from_u32(code).ok_or_else(|| {
        YamlError::new(
            cursor.since(here),
            if (0xD800..0xE000).contains(&code) {
                "a character is written as a surrogate pair (as JSON encoders do), which YAML does not know"
            } else {
                "an escape sequence names a character that does not exist"
            },
        )
    })
}

/// Reads `digits` hexadecimal digits.
fn hex(cursor: &mut Cursor<'_>, here: usize, digits: usize) -> Result<u32, YamlError> {
    cursor.need(digits)?;
    let mut code = 0u32;
    for _ in 0..digits {
        let Some(digit) = (cursor.byte(0) as char).to_digit(16) else {
            return Err(YamlError::new(
                cursor.since(here),
                format!("an escape sequence lacks hexadecimal digits: it needs {digits}"),
            ));
        };
        // Eight digits fit; go-yaml rejects what is beyond U+10FFFF.
        code = (code << 4) | digit;
        cursor.skip();
    }
    Ok(code)
}

/// Joins the second half of a surrogate pair to `high`.
fn low_surrogate(cursor: &mut Cursor<'_>, here: usize, high: u32) -> Result<char, YamlError> {
    cursor.need(2)?;
    let low = if cursor.byte(0) == b'\\' && cursor.byte(1) == b'u' {
        cursor.skip_many(2);
        hex(cursor, here, 4)?
    } else {
        0
    };
    char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low & 0x3FF))
        .filter(|_| (0xDC00..0xE000).contains(&low))
        .ok_or_else(|| YamlError::new(cursor.since(here), "half of a surrogate pair stands alone"))
}
