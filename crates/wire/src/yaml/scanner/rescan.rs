//! Scanning a scalar once more, to learn where each byte of its text came from.

use super::block::{self, Indentation};
use super::cursor::Cursor;
use super::plain::{self, Surroundings};
use super::quoted;
use super::text::{Breaks, Collector};
use crate::yaml::{Dialect, OffsetMap, Range, ScalarStyle};

/// Where the decoded text of a scalar stands in `text`, which ends where it ended when the scalar was found. `indent`
/// is the column at which the lines of a block scalar begin.
///
/// The scalar was scanned before, so this cannot fail; and because the text is cut off behind it (or, for a block
/// scalar, its indentation is known), it ends where it ended before, whatever stood around it.
pub(in crate::yaml) fn rescan(
    text: &str,
    scalar: Range,
    style: ScalarStyle,
    dialect: Dialect,
    indent: Option<usize>,
) -> OffsetMap {
    let mut map = OffsetMap::default();
    let mut decoded = String::new();
    let mut breaks = Breaks::default();
    let mut collector = Collector::new(text, &mut decoded, Some(&mut map));
    let start = scalar.start as usize;
    let mut alone = Cursor::inside(&text[..scalar.end as usize], start);
    let scanned = match style {
        ScalarStyle::Plain => {
            let around = Surroundings::Alone;
            plain::scan(&mut alone, around, &mut breaks, &mut collector).map(drop)
        }
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
            quoted::scan(&mut alone, dialect, &mut breaks, &mut collector).map(drop)
        }
        ScalarStyle::Literal | ScalarStyle::Folded => {
            let mut cursor = Cursor::inside(text, start);
            let indentation = Indentation::At(indent.unwrap_or(1));
            block::scan(&mut cursor, indentation, &mut breaks, &mut collector).map(drop)
        }
    };
    debug_assert!(scanned.is_ok());
    collector.finish(start);
    map
}
