//! Documents as plain JSON values, for whoever needs all of what they hold and not only what a rule here reads.

use serde_json::{Map, Number, Value};

use crate::view::scalar_type;
use crate::yaml::{self, Dialect, Kind, NodeId, PlainType, Range, Tree, YamlError};

/// How deep values may be nested.
const MAX_DEPTH: usize = 200;

/// How many values all documents may hold: a guard against aliases that multiply.
const MAX_VALUES: usize = 4_000_000;

/// All documents of a text in YAML or JSON. Empty ones are left out.
///
/// ```
/// let values = accord_wire::state::values("a: [1, yes, 012]\n---\nb: 2026-11-02\n").unwrap();
/// assert_eq!(values[0], serde_json::json!({"a": [1, true, 10]}));
/// assert_eq!(values[1], serde_json::json!({"b": "2026-11-02"}));
/// ```
///
/// # Errors
/// If one cannot be read, is nested deeper than 200 levels, or holds what JSON cannot: keys that are no text, numbers
/// without end.
pub fn values(text: &str) -> Result<Vec<Value>, YamlError> {
    let mut budget = MAX_VALUES;
    let mut values = Vec::new();
    for document in yaml::documents(text, Dialect::Json) {
        let tree = document.tree?;
        let Some(root) = tree.root() else { continue };
        match value(&tree, root, 0, &mut budget)? {
            Value::Null => {}
            value => values.push(value),
        }
    }
    Ok(values)
}

fn refuse<T>(range: Range, message: &str) -> Result<T, YamlError> {
    Err(YamlError::new(range, message))
}

fn value(
    tree: &Tree<'_>,
    node: NodeId,
    depth: usize,
    budget: &mut usize,
) -> Result<Value, YamlError> {
    let node = tree.target(node);
    let range = tree.range(node);
    if depth > MAX_DEPTH {
        return refuse(range, "it is nested too deep");
    }
    match budget.checked_sub(1) {
        Some(rest) => *budget = rest,
        None => return refuse(range, "it holds too many values"),
    }
    match tree.kind(node) {
        Kind::Sequence(_) => {
            let items = tree.items(node);
            items
                .map(|item| value(tree, item, depth + 1, budget))
                .collect()
        }
        Kind::Mapping(_) => {
            let mut map = Map::new();
            for (key, item) in tree.entries(node) {
                let key = tree.target(key);
                if !matches!(tree.kind(key), Kind::Scalar(_)) {
                    return refuse(tree.range(key), "a key is no text");
                }
                let item = value(tree, item, depth + 1, budget)?;
                map.insert(tree.scalar(key).to_owned(), item);
            }
            Ok(Value::Object(map))
        }
        Kind::Scalar(_) | Kind::Alias => {
            let text = tree.scalar(node);
            Ok(match scalar_type(tree, node) {
                Some(PlainType::Null) => Value::Null,
                Some(PlainType::Bool(flag)) => flag.into(),
                Some(PlainType::Int(number)) => number.into(),
                Some(PlainType::Uint(number)) => number.into(),
                Some(PlainType::Float(number)) => match Number::from_f64(number) {
                    Some(number) => number.into(),
                    None => return refuse(range, "JSON has no such number"),
                },
                Some(PlainType::String | PlainType::Timestamp) => text.into(),
                None => return refuse(range, "its tag does not fit"),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_cannot_hold_is_refused() {
        for bad in ["a: .nan\n", "[a]: 1\n", "a: !!int x\n", "{"] {
            assert!(values(bad).is_err(), "{bad}");
        }
        assert!(values(&"[".repeat(500)).is_err());
        let bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned()
            + "b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
            + "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
            + "d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
            + "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n"
            + "f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]\n"
            + "g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f, *f]\n";
        assert!(values(&bomb).is_err());
    }
}
