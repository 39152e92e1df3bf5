//! A resource's values: what is known before the apply, and what is not.

use accord_model::span::Range;

use crate::deploy::{Kind, Node, Text};
use crate::view::scalar_type;
use crate::yaml::{self, NodeId, PlainType, Tree};

/// Deeper values are unknown: no resource of interest has them.
const MAX_DEPTH: u32 = 64;

/// One side of a change: `before`, or `after` with `after_unknown`.
pub(super) struct Values<'a> {
    pub(super) tree: &'a Tree<'a>,
    /// What stands for a value that is not known, by its path.
    pub(super) unknown: &'a dyn Fn(&str, Range) -> Kind,
}

impl Values<'_> {
    /// A value, and which parts of it are not known: `true`, or the same shape with `true` at the parts.
    pub(super) fn node(
        &self,
        value: Option<NodeId>,
        unknown: Option<NodeId>,
        at: &str,
        range: Range,
    ) -> Node {
        self.eval(value, unknown, at, range, 0)
    }

    fn eval(
        &self,
        value: Option<NodeId>,
        unknown: Option<NodeId>,
        at: &str,
        around: Range,
        depth: u32,
    ) -> Node {
        let tree = self.tree;
        let value = value.map(|v| tree.target(v));
        let unknown = unknown.map(|u| tree.target(u));
        let range = value.map_or(around, |v| tree.range(v));
        let node = |kind| Node {
            kind,
            range,
            at: at.to_owned(),
        };
        if depth > MAX_DEPTH
            || unknown.is_some_and(|u| scalar_type(tree, u) == Some(PlainType::Bool(true)))
        {
            return node((self.unknown)(at, range));
        }
        let depth = depth + 1;
        let is =
            |id: Option<NodeId>, kind: fn(yaml::Kind) -> bool| id.filter(|id| kind(tree.kind(*id)));
        let map = |kind| matches!(kind, yaml::Kind::Mapping(_));
        let list = |kind| matches!(kind, yaml::Kind::Sequence(_));
        if is(value, map).is_some()
            || (value.is_none_or(|v| is_null(tree, v))
                && is(unknown, map).is_some_and(|u| tree.count(u) > 0))
        {
            let mut keys: Vec<String> = Vec::new();
            for side in [value, unknown].into_iter().flatten() {
                for (key, _) in tree.entries(side) {
                    let key = tree.scalar(tree.target(key));
                    if !keys.iter().any(|k| k == key) {
                        keys.push(key.to_owned());
                    }
                }
            }
            let fields = keys.into_iter().map(|key| {
                let of = |side: Option<NodeId>| tree.get(side?, &key);
                let at = if at.is_empty() {
                    key.clone()
                } else {
                    format!("{at}.{key}")
                };
                let field = self.eval(of(value), of(unknown), &at, range, depth);
                (key, field)
            });
            return node(Kind::Map(fields.collect()));
        }
        if let Some(value) = is(value, list) {
            let which = is(unknown, list);
            let mut parts = which
                .map(|u| tree.items(u).collect::<Vec<_>>())
                .unwrap_or_default()
                .into_iter();
            let items = tree.items(value).enumerate().map(|(i, item)| {
                self.eval(
                    Some(item),
                    parts.next(),
                    &format!("{at}[{i}]"),
                    range,
                    depth,
                )
            });
            return node(Kind::List(items.collect()));
        }
        match value {
            Some(value) => node(self.scalar(value)),
            None => node(Kind::Null),
        }
    }

    fn scalar(&self, value: NodeId) -> Kind {
        match scalar_type(self.tree, value) {
            Some(PlainType::Null) => Kind::Null,
            Some(PlainType::Bool(flag)) => Kind::Flag(flag),
            _ => Kind::Text(Text {
                text: self.tree.scalar(value).to_owned(),
                map: self.tree.offset_map(value),
            }),
        }
    }
}

fn is_null(tree: &Tree<'_>, node: NodeId) -> bool {
    scalar_type(tree, node) == Some(PlainType::Null)
}
