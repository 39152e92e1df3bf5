//! Functions that make texts of texts: each byte of the result keeps its place in the file.

use accord_model::span::Range;

use super::Template;
use super::functions::as_text;
use crate::deploy::{Kind, Node, Text};
use crate::yaml::NodeId;

impl Template<'_> {
    pub(super) fn join(&self, argument: NodeId, at: &str, depth: u32) -> Option<Kind> {
        let [separator, list] = self.pair(argument)?;
        let separator = self.eval(separator, at, depth).text()?;
        let Kind::List(parts) = self.eval(list, at, depth).kind else {
            return None;
        };
        let mut text = Text::default();
        for (i, part) in parts.into_iter().enumerate() {
            if i > 0 && !separator.is_empty() {
                text.push(&Text::made(separator.clone(), part.range));
            }
            text.push(&as_text(part)?);
        }
        Some(Kind::Text(text))
    }

    pub(super) fn split(&self, separator: &str, text: &Text, range: Range, at: &str) -> Kind {
        if separator.is_empty() {
            return Kind::Text(text.clone());
        }
        let mut start = 0;
        let parts = text.text.split(separator).enumerate().map(|(i, part)| {
            let piece = Range::new(start as u32, (start + part.len()) as u32);
            start += part.len() + separator.len();
            Node {
                kind: Kind::Text(Text {
                    text: part.to_owned(),
                    map: text.map.slice(piece),
                }),
                range,
                at: format!("{at}[{i}]"),
            }
        });
        Kind::List(parts.collect())
    }

    /// `Fn::Sub`: `${X}`, `${X.Attribute}`, `${!Literal}`, and variables of its own.
    pub(super) fn substitute(&self, argument: NodeId, at: &str, depth: u32) -> Option<Kind> {
        let argument = self.tree.target(argument);
        let (template, variables) = match self.plain(argument) {
            Some(_) => (argument, None),
            None => {
                let [template, variables] = self.pair(argument)?;
                (
                    self.tree.target(template),
                    Some(self.tree.target(variables)),
                )
            }
        };
        let whole = self.text_of(template);
        self.plain(template)?;
        let mut out = Text::default();
        let mut from = 0;
        let mut search = 0;
        while let Some(open) = whole.text.get(search..)?.find("${").map(|i| i + search) {
            let Some(close) = whole.text.get(open..)?.find('}').map(|i| i + open) else {
                break;
            };
            let name = whole.text.get(open + 2..close)?.trim();
            let piece = |from: usize, to: usize| Text {
                text: whole.text.get(from..to).unwrap_or_default().to_owned(),
                map: whole.map.slice(Range::new(from as u32, to as u32)),
            };
            out.push(&piece(from, open));
            if let Some(literal) = name.strip_prefix('!') {
                // `${!Literal}` stays as `${Literal}`.
                let source = whole
                    .map
                    .source_range(Range::new(open as u32, close as u32 + 1));
                out.push(&Text::made(format!("${{{literal}}}"), source));
            } else {
                let source = whole
                    .map
                    .source_range(Range::new(open as u32, close as u32 + 1));
                let own = variables.and_then(|v| self.tree.get(v, name));
                let value = match (own, name.split_once('.')) {
                    (Some(own), _) => self.eval(own, at, depth).kind,
                    (None, Some((id, attribute))) => {
                        self.attribute_of(id, attribute, source, depth)
                    }
                    (None, None) => self.reference(name, source, depth),
                };
                let value = as_text(Node {
                    kind: value,
                    range: source,
                    at: at.to_owned(),
                })?;
                out.push(&Text::made(value.text, source));
            }
            from = close + 1;
            search = from;
        }
        let rest = whole.text.get(from..)?.to_owned();
        out.push(&Text {
            map: whole
                .map
                .slice(Range::new(from as u32, whole.text.len() as u32)),
            text: rest,
        });
        Some(Kind::Text(out))
    }
}
