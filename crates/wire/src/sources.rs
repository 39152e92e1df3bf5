//! Every text that was read, and how texts lie inside each other.
//!
//! A file holds documents, a document's scalar may hold a YAML text of its own (`mapRoles: |`), and that one may be
//! written as a block, with escapes, folded, or as a JSON string. Spans are kept in the innermost text. Only when a
//! place is shown is it followed outwards, to the file that a person can edit.

use std::ops;
use std::sync::{Arc, OnceLock};

use accord_model::span::{Place, Span, TextId};

use crate::yaml::OffsetMap;

/// The registry of texts. Ids are its own: one of another registry means nothing here, and finds nothing.
#[derive(Debug, Default)]
pub struct Sources {
    texts: Vec<Source>,
}

#[derive(Debug)]
struct Source {
    text: Arc<str>,
    origin: Origin,
    /// Where the lines begin; found when the first place is asked for.
    lines: OnceLock<Vec<u32>>,
}

#[derive(Debug)]
enum Origin {
    /// A file, under the name that it was given.
    File(String),
    /// An object of a cluster: `ConfigMap/kube-system/aws-auth`.
    Object(String),
    /// A scalar of another text.
    Inner { parent: TextId, map: OffsetMap },
}

/// A text that cannot be used, why, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}:{}: {message}", .place.file.as_deref().unwrap_or("-"), .place.line, .place.column)]
pub struct Misread {
    /// What is wrong and what was expected.
    pub message: String,
    /// Where, for quoting the line; `None` if the text could not even be registered.
    pub span: Option<Span>,
    /// Where, for people.
    pub place: Place,
}

/// A line to be shown, with what is meant in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'s> {
    /// The file's or the object's name.
    pub name: &'s str,
    /// Its number, counted from 1.
    pub number: u32,
    /// The line without its end.
    pub text: &'s str,
    /// The bytes of `text` that are meant. What goes on in later lines is cut off; it may be empty.
    pub marked: ops::Range<usize>,
}

impl Sources {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file under the name that people gave it.
    pub fn add_file(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> TextId {
        self.add(Origin::File(name.into()), text.into())
    }

    /// Adds a text of a cluster's object; places in it have no file.
    pub fn add_object(&mut self, label: impl Into<String>, text: impl Into<Arc<str>>) -> TextId {
        self.add(Origin::Object(label.into()), text.into())
    }

    /// Adds a text that stands inside `parent`; `map` leads from its bytes to those of `parent`.
    pub fn add_inner(
        &mut self,
        parent: TextId,
        map: OffsetMap,
        text: impl Into<Arc<str>>,
    ) -> TextId {
        self.add(Origin::Inner { parent, map }, text.into())
    }

    fn add(&mut self, origin: Origin, text: Arc<str>) -> TextId {
        let id = TextId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(Source {
            text,
            origin,
            lines: OnceLock::new(),
        });
        id
    }

    /// The whole text.
    pub fn text(&self, id: TextId) -> Option<&Arc<str>> {
        self.source(id).map(|s| &s.text)
    }

    /// The text of a span, decoded.
    pub fn slice(&self, span: Span) -> Option<&str> {
        self.source(span.text)?.text.get(span.range.bytes())
    }

    /// The span in the outermost text: the file or the object.
    pub fn in_file(&self, mut span: Span) -> Option<Span> {
        // A parent is always older, so this ends.
        while let Origin::Inner { parent, map } = &self.source(span.text)?.origin {
            span = map.source_range(span.range).of(*parent);
        }
        Some(span)
    }

    /// Where a span begins, for people: in the file, if there is one, else in the object's text.
    pub fn locate(&self, span: Span) -> Option<Place> {
        let line = self.line(span)?;
        let before = line.text.get(..line.marked.start)?;
        // A byte order mark at the start of a file has no width in any editor.
        let before = before.strip_prefix('\u{FEFF}').unwrap_or(before);
        let outer = self.in_file(span)?;
        Some(Place {
            file: match &self.source(outer.text)?.origin {
                Origin::File(name) => Some(name.clone()),
                Origin::Object(_) | Origin::Inner { .. } => None,
            },
            line: line.number,
            column: before.chars().count() as u32 + 1,
        })
    }

    /// The line that a span begins in, in the outermost text.
    pub fn line(&self, span: Span) -> Option<Line<'_>> {
        let Span { text, range } = self.in_file(span)?;
        let source = self.source(text)?;
        let number = source
            .lines()
            .partition_point(|&start| start <= range.start);
        let mut line = source.numbered(number)?;
        line.marked = {
            let start = *source.lines().get(number - 1)?;
            let clamp = |at: u32| (at.saturating_sub(start) as usize).min(line.text.len());
            clamp(range.start)..clamp(range.end)
        };
        Some(line)
    }

    /// A line of a file or object by its number, counted from 1, with nothing marked in it.
    pub fn numbered(&self, id: TextId, number: u32) -> Option<Line<'_>> {
        self.source(id)?.numbered(number as usize)
    }

    /// Something wrong at `span`.
    pub(crate) fn misread(&self, span: Span, message: impl Into<String>) -> Misread {
        let nowhere = Place {
            file: None,
            line: 1,
            column: 1,
        };
        Misread {
            message: message.into(),
            span: Some(span),
            place: self.locate(span).unwrap_or(nowhere),
        }
    }

    fn source(&self, id: TextId) -> Option<&Source> {
        self.texts.get(id.0 as usize)
    }
}

impl Source {
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
            std::iter::once(0)
                .chain(breaks.map(|(at, _)| at as u32 + 1))
                .collect()
        })
    }

    fn numbered(&self, number: usize) -> Option<Line<'_>> {
        let lines = self.lines();
        let start = *lines.get(number.checked_sub(1)?)? as usize;
        let end = lines.get(number).map_or(self.text.len(), |&e| e as usize);
        let text = self.text.get(start..end)?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        Some(Line {
            name: match &self.origin {
                Origin::File(name) | Origin::Object(name) => name,
                Origin::Inner { .. } => "",
            },
            number: number as u32,
            text: text.strip_suffix('\r').unwrap_or(text),
            marked: 0..0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{self, Dialect, Tree};
    use accord_model::span::Range;
    use proptest::prelude::*;

    /// A file, and the texts of its scalars under `keys`, each inside the one before.
    fn nested(file: &str, keys: &[&str]) -> (Sources, TextId) {
        let mut sources = Sources::new();
        let mut id = sources.add_file("f.yaml", file);
        for key in keys {
            let text = sources.text(id).unwrap().clone();
            let tree: Tree<'_> = yaml::first_document(&text, Dialect::Json).unwrap();
            let value = tree.get(tree.root().unwrap(), key).unwrap();
            id = sources.add_inner(id, tree.offset_map(value), tree.scalar(value));
        }
        (sources, id)
    }

    /// Line and column of each of `words`, and what is marked in the line.
    fn places(file: &str, keys: &[&str], words: &[&str]) -> String {
        let (sources, id) = nested(file, keys);
        let text = sources.text(id).unwrap();
        let told = words.iter().map(|word| {
            let start = text.find(word).unwrap() as u32;
            let span = Range::new(start, start + word.len() as u32).of(id);
            let place = sources.locate(span).unwrap();
            let line = sources.line(span).unwrap();
            assert_eq!(place.file.as_deref(), Some("f.yaml"));
            let marked = &line.text[line.marked];
            format!("{}:{} {marked}", place.line, place.column)
        });
        told.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn in_a_literal_block() {
        let file = "x: 1\nm: |\n    - a: 1\n\n    -   ü: né\n";
        assert_eq!(
            places(file, &["m"], &["- a", "a: 1", "né"]),
            "3:5 - a, 3:7 a: 1, 5:12 né"
        );
    }

    #[test]
    fn in_a_block_with_indicator_and_crlf() {
        let file = "m: |2-\r\n    - a: 1\r\n  - b\r\nn: 2\r\n";
        assert_eq!(places(file, &["m"], &["- a", "- b"]), "2:5 - a, 3:3 - b");
    }

    #[test]
    fn in_a_folded_block() {
        let file = "m: >\n  a b\n  c\n\n  d\n";
        assert_eq!(
            places(file, &["m"], &["a b", "c", "d"]),
            "2:3 a b, 3:3 c, 5:3 d"
        );
    }

    #[test]
    fn in_double_quotes() {
        let file = "{\"x\": 1,\n  \"m\": \"- a: \\u00e4\\n- b: \\\"c\\\"\\n\"}";
        assert_eq!(
            places(file, &["m"], &["- a", "ä", "- b", "c"]),
            "2:9 - a, 2:14 \\u00e4, 2:22 - b, 2:29 c"
        );
    }

    #[test]
    fn in_single_quotes() {
        let file = "m: '[{\"a\": \"it''s\"}, {\"b\": 2}]'";
        assert_eq!(
            places(file, &["m"], &["\"a\"", "'s", "{\"b\""]),
            "1:7 \"a\", 1:15 ''s, 1:22 {\"b\""
        );
    }

    #[test]
    fn in_a_text_inside_a_text() {
        let file = "outer: |\n  # comment\n  inner: \"- a\\n- b\\n\"\n";
        assert_eq!(places(file, &["outer", "inner"], &["- b"]), "3:16 - b");
    }

    #[test]
    fn a_byte_order_mark_has_no_width() {
        let mut sources = Sources::new();
        let id = sources.add_file("f.yaml", "\u{FEFF}ab");
        let place = sources.locate(Range::new(3, 4).of(id)).unwrap();
        assert_eq!((place.line, place.column), (1, 1));
    }

    #[test]
    fn a_span_over_lines_is_cut_off_and_an_unknown_one_is_nowhere() {
        let mut sources = Sources::new();
        let id = sources.add_object("ConfigMap/kube-system/aws-auth", "ab\r\ncd\n");
        let line = sources.line(Range::new(1, 6).of(id)).unwrap();
        assert_eq!((line.text, line.marked.clone()), ("ab", 1..2));
        assert_eq!(sources.locate(Range::new(1, 2).of(id)).unwrap().file, None);
        assert_eq!(sources.numbered(id, 3).unwrap().text, "");
        assert_eq!(sources.numbered(id, 4), None);
        assert_eq!(sources.locate(Range::new(0, 1).of(TextId(7))), None);
    }

    proptest! {
        #[test]
        fn no_span_panics(text in "[ab\\r\\nü]{0,12}", start in 0u32..20, end in 0u32..20) {
            let mut sources = Sources::new();
            let id = sources.add_file("f", text.as_str());
            let inner = sources.add_inner(id, OffsetMap::shifted(1, 3), "abc");
            for id in [id, inner] {
                let span = Range::new(start, end).of(id);
                let _ = (sources.locate(span), sources.line(span), sources.slice(span));
            }
        }
    }
}
