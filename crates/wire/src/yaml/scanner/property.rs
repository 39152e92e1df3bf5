//! What may stand before a node or a document: anchors, aliases, tags, directives.

use super::cursor::Cursor;
use super::token::{TagParts, TokenKind};
use crate::yaml::{Range, YamlError};

/// Scans `&name` or `*name`.
pub(super) fn scan_anchor(cursor: &mut Cursor<'_>) -> Result<Range, YamlError> {
    let start = cursor.pos;
    cursor.skip();
    let length = skip_name(cursor)?;
    let ends = cursor.is_blank_or_end(0)
        || matches!(
            cursor.byte(0),
            b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
        );
    if length == 0 || !ends {
        return Err(YamlError::new(
            cursor.line_from(start),
            "the name of an anchor or alias may hold only letters, digits, `-` and `_` (quote a value that begins with `&` or `*`)",
        ));
    }
    Ok(cursor.since(start))
}

/// Scans `!`, `!suffix`, `!handle!suffix` or `!<uri>`.
pub(super) fn scan_tag(cursor: &mut Cursor<'_>) -> Result<TagParts, YamlError> {
    let start = cursor.pos;
    cursor.need(2)?;
    let tag = if cursor.byte(1) == b'<' {
        cursor.skip_many(2);
        let mut rest = String::new();
        scan_uri(cursor, start, &mut rest)?;
        if cursor.byte(0) != b'>' {
            return Err(YamlError::new(
                cursor.since(start),
                "a tag that begins with `!<` does not end with `>`",
            ));
        }
        cursor.skip();
        TagParts {
            handle: String::new(),
            rest,
        }
    } else {
        let handle = scan_handle(cursor)?;
        let mut rest = String::new();
        if handle.len() > 1 && handle.ends_with('!') {
            scan_uri(cursor, start, &mut rest)?;
            TagParts { handle, rest }
        } else {
            // No handle after all, but the beginning of `!suffix`.
            rest.push_str(&handle[1..]);
            skip_uri(cursor, &mut rest)?;
            if rest.is_empty() {
                TagParts {
                    handle: String::new(),
                    rest: "!".into(),
                }
            } else {
                TagParts {
                    handle: "!".into(),
                    rest,
                }
            }
        }
    };
    cursor.need(1)?;
    if !cursor.is_blank_or_end(0) {
        return Err(YamlError::new(
            cursor.line_from(start),
            "a tag must be followed by a space (quote a value that begins with `!`)",
        ));
    }
    Ok(tag)
}

/// Scans a directive, which begins here with `%`, to the end of its line.
pub(super) fn scan_directive(cursor: &mut Cursor<'_>) -> Result<TokenKind, YamlError> {
    let start = cursor.pos;
    let fail =
        |cursor: &Cursor<'_>, message: &str| Err(YamlError::new(cursor.line_from(start), message));
    cursor.skip();
    skip_name(cursor)?;
    let name = &cursor.text()[start + 1..cursor.pos];
    if !cursor.is_blank_or_end(0) {
        return fail(cursor, "a line that begins with `%` is no known directive");
    }
    let directive = match name {
        "YAML" => {
            cursor.skip_blanks()?;
            let major = scan_number(cursor, start)?;
            if cursor.byte(0) != b'.' {
                return fail(cursor, "the version behind `%YAML` is not of the form 1.1");
            }
            cursor.skip();
            let minor = scan_number(cursor, start)?;
            TokenKind::VersionDirective { major, minor }
        }
        "TAG" => {
            cursor.skip_blanks()?;
            if cursor.byte(0) != b'!' {
                return fail(cursor, "the handle behind `%TAG` does not begin with `!`");
            }
            let handle = scan_handle(cursor)?;
            if handle.len() > 1 && !handle.ends_with('!') {
                return fail(cursor, "the handle behind `%TAG` does not end with `!`");
            }
            cursor.need(1)?;
            if !cursor.is_blank() {
                return fail(cursor, "no space follows the handle behind `%TAG`");
            }
            cursor.skip_blanks()?;
            let mut rest = String::new();
            scan_uri(cursor, start, &mut rest)?;
            cursor.need(1)?;
            if !cursor.is_blank_or_end(0) {
                return fail(
                    cursor,
                    "the prefix behind `%TAG` holds a character that must be escaped",
                );
            }
            TokenKind::TagDirective(Box::new(TagParts { handle, rest }))
        }
        _ => return fail(cursor, "a line that begins with `%` is no known directive"),
    };
    cursor.skip_blanks()?;
    cursor.skip_comment()?;
    if !cursor.is_break_or_end(0) {
        return fail(cursor, "text follows a directive on its line");
    }
    if cursor.line_break(0) > 0 {
        cursor.need(2)?;
        cursor.skip_line();
    }
    Ok(directive)
}

/// Goes over letters, digits, `-` and `_`, and returns how many there were.
fn skip_name(cursor: &mut Cursor<'_>) -> Result<usize, YamlError> {
    let start = cursor.pos;
    cursor.need(1)?;
    while is_name(cursor.byte(0)) {
        cursor.skip();
        cursor.need(1)?;
    }
    Ok(cursor.pos - start)
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// One or two digits of a version.
fn scan_number(cursor: &mut Cursor<'_>, start: usize) -> Result<u8, YamlError> {
    cursor.need(1)?;
    let (mut number, mut digits) = (0, 0);
    while cursor.byte(0).is_ascii_digit() && digits < 3 {
        number = number * 10 + u16::from(cursor.byte(0) - b'0');
        digits += 1;
        cursor.skip();
        cursor.need(1)?;
    }
    match u8::try_from(number) {
        Ok(number) if (1..=2).contains(&digits) => Ok(number),
        _ => Err(YamlError::new(
            cursor.line_from(start),
            "the version behind `%YAML` is not of the form 1.1",
        )),
    }
}

/// `!`, then letters, digits, `-` and `_`, then perhaps `!`.
fn scan_handle(cursor: &mut Cursor<'_>) -> Result<String, YamlError> {
    let start = cursor.pos;
    cursor.skip();
    skip_name(cursor)?;
    if cursor.byte(0) == b'!' {
        cursor.skip();
    }
    Ok(cursor.text()[start..cursor.pos].into())
}

/// The characters of a URI, at least one, with `%xx` decoded.
fn scan_uri(cursor: &mut Cursor<'_>, start: usize, uri: &mut String) -> Result<(), YamlError> {
    let before = cursor.pos;
    skip_uri(cursor, uri)?;
    if cursor.pos == before {
        return Err(YamlError::new(cursor.line_from(start), "a tag has no name"));
    }
    Ok(())
}

/// The characters of a URI, if any, with `%xx` decoded.
fn skip_uri(cursor: &mut Cursor<'_>, uri: &mut String) -> Result<(), YamlError> {
    cursor.need(1)?;
    loop {
        match cursor.byte(0) {
            b'%' => uri.push(scan_escaped(cursor)?),
            byte if is_name(byte) || b";/?:@&=+$,.!~*'()[]".contains(&byte) => {
                uri.push(char::from(byte));
                cursor.skip();
            }
            _ => return Ok(()),
        }
        cursor.need(1)?;
    }
}

/// One character, written as the octets of its UTF-8 form.
fn scan_escaped(cursor: &mut Cursor<'_>) -> Result<char, YamlError> {
    let start = cursor.pos;
    let mut octets = [0u8; 4];
    let mut length = 1;
    let mut done = 0;
    while done < length {
        cursor.need(3)?;
        let digits = (
            (cursor.byte(1) as char).to_digit(16),
            (cursor.byte(2) as char).to_digit(16),
        );
        let (b'%', (Some(high), Some(low))) = (cursor.byte(0), digits) else {
            break;
        };
        let octet = (high * 16 + low) as u8;
        if done == 0 {
            length = match octet {
                0..0x80 => 1,
                0xC0..0xE0 => 2,
                0xE0..0xF0 => 3,
                0xF0..0xF8 => 4,
                _ => break,
            };
        }
        octets[done] = octet;
        done += 1;
        cursor.skip_many(3);
    }
    std::str::from_utf8(&octets[..done])
        .ok()
        .and_then(|s| s.chars().next())
        .filter(|_| done == length)
        .ok_or_else(|| {
            YamlError::new(
                cursor.since(start),
                "a tag holds `%` without two hexadecimal digits of a UTF-8 character",
            )
        })
}
