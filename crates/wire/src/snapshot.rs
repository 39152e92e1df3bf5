//! Objects of an API as YAML documents, as `kubectl get -o yaml` and `aws --output yaml` print them: keys in the order
//! of the alphabet, texts of several lines as blocks.
//!
//! What a live cluster answers with is read from such a text too, by the same reader as a state file, so that a snapshot
//! and the cluster that it was taken of can never be understood differently.

use serde_json::Value;

use crate::quote;

/// One document, without `---`.
pub fn document(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => mapping(&mut out, value, 0),
        Value::Array(items) if !items.is_empty() => sequence(&mut out, items, 0),
        other => {
            out.push_str(&scalar(other));
            out.push('\n');
        }
    }
    out
}

/// Several documents as a file.
pub fn file<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
    let texts: Vec<String> = values.into_iter().map(document).collect();
    texts.join("---\n")
}

fn mapping(out: &mut String, value: &Value, indent: usize) {
    let Some(map) = value.as_object() else { return };
    let mut keys: Vec<&String> = map.keys().collect();
    keys.sort();
    for key in keys {
        let Some(value) = map.get(key) else { continue };
        out.push_str(&" ".repeat(indent));
        out.push_str(&quote::block(key));
        out.push(':');
        field(out, value, indent);
    }
}

/// What follows the colon of a key at column `indent`.
fn field(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            mapping(out, value, indent + 2);
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            sequence(out, items, indent);
        }
        Value::String(text) => {
            let text = quote::value(text, indent, indent + 2, "\n");
            out.push(' ');
            out.push_str(&text);
            if !text.ends_with('\n') {
                out.push('\n');
            }
        }
        other => {
            out.push(' ');
            out.push_str(&scalar(other));
            out.push('\n');
        }
    }
}

fn sequence(out: &mut String, items: &[Value], indent: usize) {
    for item in items {
        out.push_str(&" ".repeat(indent));
        out.push('-');
        match item {
            Value::Object(map) if !map.is_empty() => {
                // The first key stands behind the dash, the others below it.
                let mut inner = String::new();
                mapping(&mut inner, item, indent + 2);
                out.push(' ');
                out.push_str(inner.trim_start_matches(' '));
            }
            Value::Array(inner) if !inner.is_empty() => {
                out.push('\n');
                sequence(out, inner, indent + 2);
            }
            other => {
                out.push(' ');
                out.push_str(&scalar(other));
                out.push('\n');
            }
        }
    }
}

/// In one line. JSON's own form is YAML too, but for a text, which YAML may read otherwise.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => quote::block(text).into_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{self, Dialect, Kind, NodeId, Rest, Tree};
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn as_kubectl_prints_it() {
        let object = json!({
            "kind": "ConfigMap",
            "apiVersion": "v1",
            "metadata": {
                "name": "aws-auth",
                "labels": {},
                "finalizers": ["a", {"b": 1, "a": [[true], []]}],
            },
            "data": {"mapRoles": "- rolearn: x\n\n- rolearn: y\n", "mapAccounts": "[]", "x": "1"},
        });
        insta::assert_snapshot!(document(&object), @r"
        apiVersion: v1
        data:
          mapAccounts: '[]'
          mapRoles: |
            - rolearn: x

            - rolearn: y
          x: '1'
        kind: ConfigMap
        metadata:
          finalizers:
          - a
          - a:
            -
              - true
            - []
            b: 1
          labels: {}
          name: aws-auth
        ");
    }

    /// What a YAML reader makes of a node.
    fn read(tree: &Tree<'_>, node: NodeId) -> Value {
        match tree.kind(node) {
            Kind::Mapping(_) => tree
                .entries(node)
                .map(|(key, value)| (tree.scalar(key).to_owned(), read(tree, value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Kind::Sequence(_) => tree.items(node).map(|item| read(tree, item)).collect(),
            _ => tree.scalar(node).into(),
        }
    }

    /// What any tenant can write: a value is any text, and keys can be words that YAML has a meaning for.
    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[ -~\n\tü#:'\"-]{0,12}",
            "[ \n\r\t#:|>\u{0}\u{1b}\u{7f}\u{85}\u{a0}\u{2028}\u{2029}\u{202e}\u{feff}\u{1f600}a-]{0,12}",
            "(---|\\.\\.\\.|\n|\r| |- a: b|a: b|null|~|0x1|1e3|<<|!!str|&a|\\*a|%YAML){1,5}",
        ];
        let key = prop_oneof![
            "[a-z:# ]{0,4}",
            "[-._a-zA-Z0-9]{1,4}",
            "(---|-|null|Null|true|yes|on|1|0x1|1e3|\\.inf|\\.nan|\\.\\.\\.|<<)",
        ];
        text.prop_map(Value::from)
            .prop_recursive(4, 24, 4, move |inner| {
                prop_oneof![
                    prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                    prop::collection::btree_map(key.clone(), inner, 0..4).prop_map(|map| {
                        map.into_iter().collect::<serde_json::Map<_, _>>().into()
                    }),
                ]
            })
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read(value in any_value()) {
            let text = document(&value);
            let tree = yaml::first_document(&text, Dialect::Json).unwrap();
            prop_assert!(matches!(tree.rest(), Rest::Nothing), "{}", text);
            let read = tree.root().map(|root| read(&tree, root));
            prop_assert_eq!(read, Some(value), "{}", text);
        }
    }
}
