//! What a scalar is: the types of YAML 1.1, as go-yaml v2 resolves them (`resolve.go`).

use super::TAG_PREFIX;
use crate::teeth::{Rule, holds};

/// The value of a plain scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlainType {
    /// `~`, `null`, `Null`, `NULL` or nothing.
    Null,
    /// `y`, `yes`, `on`, `true` and their opposites, in lower case, Title case or UPPER case.
    Bool(bool),
    /// An integer from −2⁶³ to 2⁶³−1.
    Int(i64),
    /// An integer from 2⁶³ to 2⁶⁴−1.
    Uint(u64),
    /// A number with a fraction or an exponent, one too large for an integer, `.inf` and `.nan`.
    Float(f64),
    /// A date or a time. In untyped values it is text.
    Timestamp,
    /// Text.
    String,
}

/// A tag that its scalar's text does not fit: `!!int x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagMismatch;

/// The type of a plain scalar without a tag.
///
/// ```
/// use accord_wire::yaml::{PlainType, plain_type};
/// assert_eq!(plain_type("On"), PlainType::Bool(true));
/// assert_eq!(plain_type("0o17"), PlainType::Int(15));
/// assert_eq!(plain_type("012345678901"), PlainType::Float(12345678901.0));
/// assert_eq!(plain_type("1:30"), PlainType::String);
/// ```
pub fn plain_type(text: &str) -> PlainType {
    resolve(text, true)
}

/// The type of a scalar: `tag` in its long form, `is_plain` if it is written without quotes.
///
/// Any tag that is not one of YAML's own, and `!`, make text. `!!binary` is text here too: whoever uses the value
/// decodes it.
///
/// # Errors
/// If the text does not fit the tag.
pub fn typed(tag: Option<&str>, text: &str, is_plain: bool) -> Result<PlainType, TagMismatch> {
    let Some(tag) = tag else {
        return Ok(if is_plain {
            resolve(text, true)
        } else {
            PlainType::String
        });
    };
    let name = tag.strip_prefix(TAG_PREFIX).unwrap_or_default();
    if !matches!(name, "bool" | "int" | "float" | "null" | "timestamp") {
        return Ok(PlainType::String);
    }
    match (name, resolve(text, name == "timestamp")) {
        ("float", PlainType::Int(n)) => Ok(PlainType::Float(n as f64)),
        ("bool", found @ PlainType::Bool(_))
        | ("int", found @ (PlainType::Int(_) | PlainType::Uint(_)))
        | ("float", found @ PlainType::Float(_))
        | ("null", found @ PlainType::Null)
        | ("timestamp", found @ PlainType::Timestamp) => Ok(found),
        _ => Err(TagMismatch),
    }
}

/// The first character says what a text may be.
fn resolve(text: &str, timestamps: bool) -> PlainType {
    match text.as_bytes().first() {
        None => PlainType::Null,
        Some(b'~' | b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O') => {
            word(text)
        }
        Some(b'.') => special_float(text)
            .or_else(|| point_float(text))
            .map_or(PlainType::String, PlainType::Float),
        Some(b'+' | b'-' | b'0'..=b'9') => match special_float(text) {
            Some(special) => PlainType::Float(special),
            None if timestamps && is_timestamp(text) => PlainType::Timestamp,
            None => number(text),
        },
        Some(_) => PlainType::String,
    }
}

fn word(text: &str) -> PlainType {
    match text {
        "~" | "null" | "Null" | "NULL" => PlainType::Null,
        "true" | "True" | "TRUE" => PlainType::Bool(true),
        "false" | "False" | "FALSE" => PlainType::Bool(false),
        _ if !holds(Rule::Yaml11Booleans) => PlainType::String,
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => PlainType::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => PlainType::Bool(false),
        _ => PlainType::String,
    }
}

fn special_float(text: &str) -> Option<f64> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// A number that begins with a point, in Go's syntax: an underscore may stand between two digits.
fn point_float(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let between_digits = |at: usize| {
        let digit = |b: Option<&u8>| b.is_some_and(u8::is_ascii_digit);
        digit(at.checked_sub(1).and_then(|i| bytes.get(i))) && digit(bytes.get(at + 1))
    };
    if text.match_indices('_').all(|(at, _)| between_digits(at)) {
        yaml_float(&text.replace('_', ""))
    } else {
        None
    }
}

/// A number that begins with a digit or a sign. Underscores count for nothing, wherever they are.
fn number(text: &str) -> PlainType {
    let without;
    let text = if text.contains('_') {
        without = text.replace('_', "");
        &without
    } else {
        text
    };
    if let Some(number) = integer(text) {
        return number;
    }
    if let Some(number) = yaml_float(text) {
        return PlainType::Float(number);
    }
    // `0b` takes a sign behind it.
    let binary = text
        .strip_prefix("0b")
        .and_then(|t| t.strip_prefix(['+', '-']).map(|d| (d, t.starts_with('-'))));
    binary
        .and_then(|(digits, negative)| signed(radix(digits, 2)?, negative))
        .map_or(PlainType::String, PlainType::Int)
}

/// An integer in Go's syntax: `0x`, `0o`, `0b`, and octal behind a leading zero.
fn integer(text: &str) -> Option<PlainType> {
    let (digits, negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    };
    let magnitude = match digits.as_bytes() {
        [b'0', b'b' | b'B', _, ..] => radix(&digits[2..], 2),
        [b'0', b'o' | b'O', _, ..] if holds(Rule::OctalNumbers) => radix(&digits[2..], 8),
        [b'0', b'x' | b'X', _, ..] => radix(&digits[2..], 16),
        [b'0'] => Some(0),
        [b'0', ..] if holds(Rule::OctalNumbers) => radix(&digits[1..], 8),
        _ => radix(digits, 10),
    }?;
    match signed(magnitude, negative) {
        Some(number) => Some(PlainType::Int(number)),
        // Too large for a signed number; an unsigned one has no sign at all.
        None if digits.len() == text.len() => Some(PlainType::Uint(magnitude)),
        None => None,
    }
}

fn radix(digits: &str, radix: u32) -> Option<u64> {
    let only_digits = digits.chars().all(|c| c.is_digit(radix));
    only_digits.then(|| u64::from_str_radix(digits, radix).ok())?
}

fn signed(magnitude: u64, negative: bool) -> Option<i64> {
    if negative {
        0i64.checked_sub_unsigned(magnitude)
    } else {
        i64::try_from(magnitude).ok()
    }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, within the range of a 64-bit float.
fn yaml_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let mantissa_fits = all_digits(whole)
        && all_digits(fraction)
        && (!whole.is_empty() || (!fraction.is_empty() && mantissa.len() > 1));
    let exponent_fits = exponent.is_none_or(|e| {
        let digits = e.strip_prefix(['+', '-']).unwrap_or(e);
        !digits.is_empty() && all_digits(digits)
    });
    if !mantissa_fits || !exponent_fits {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Whether Go's `time.Parse` takes the text in one of go-yaml's four layouts: `2001-12-14`, `2001-12-14 21:59:43.1`,
/// or with `T` or `t` and a time zone. All fields but the year may have one digit.
fn is_timestamp(text: &str) -> bool {
    let Some((year, rest)) = text.split_once('-') else {
        return false;
    };
    if year.len() != 4 || !year.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let year = year.parse().unwrap_or(0);
    let Some((month, rest)) = field(rest, 12).filter(|f| f.0 >= 1) else {
        return false;
    };
    let Some((day, rest)) = rest.strip_prefix('-').and_then(|r| field(r, 31)) else {
        return false;
    };
    if day < 1 || day > days_in(year, month) {
        return false;
    }
    match rest.as_bytes().first() {
        None => true,
        Some(b'T' | b't') => clock(&rest[1..]).is_some_and(is_zone),
        Some(b' ') => clock(rest.trim_start_matches(' ')).is_some_and(str::is_empty),
        Some(_) => false,
    }
}

/// One or two digits, at most `max`, and what follows.
fn field(text: &str, max: u32) -> Option<(u32, &str)> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let number = text[..digits].parse().ok().filter(|&n| n <= max)?;
    Some((number, &text[digits..]))
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Hours, minutes, seconds, and perhaps a fraction. Returns what follows.
fn clock(text: &str) -> Option<&str> {
    let (_, rest) = field(text, 23)?;
    let (_, rest) = field(rest.strip_prefix(':')?, 59)?;
    let (_, rest) = field(rest.strip_prefix(':')?, 59)?;
    Some(match rest.strip_prefix(['.', ',']) {
        Some(fraction) if fraction.starts_with(|c: char| c.is_ascii_digit()) => {
            fraction.trim_start_matches(|c: char| c.is_ascii_digit())
        }
        _ => rest,
    })
}

/// `Z`, or an offset such as `-05:00`.
fn is_zone(text: &str) -> bool {
    match text.as_bytes() {
        [b'Z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            let two = |a: &u8, b: &u8| {
                (a.is_ascii_digit() && b.is_ascii_digit()).then(|| (a - b'0') * 10 + (b - b'0'))
            };
            two(h1, h2).is_some_and(|h| h <= 24) && two(m1, m2).is_some_and(|m| m <= 60)
        }
        _ => false,
    }
}
