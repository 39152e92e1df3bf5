//! A report as block YAML, for `-o yaml`.
//!
//! Every reader of YAML 1.1 and 1.2 takes it for the same values.

use serde_json::Value;

use crate::quote;

/// The value as one YAML document, with a line break at the end.
pub fn document(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// Writes `value` at `indent`, the cursor being at the start of a line or behind `- `.
fn block(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (i, (key, value)) in fields.iter().enumerate() {
                if i > 0 {
                    out.push_str(&" ".repeat(indent));
                }
                out.push_str(&quote::block(key));
                out.push(':');
                below(value, indent, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(&" ".repeat(indent));
                }
                out.push_str("- ");
                block(item, indent + 2, out);
                if !out.ends_with('\n') {
                    out.push('\n');
                }
            }
        }
        Value::String(s) => out.push_str(&quote::block(s)),
        other => out.push_str(&other.to_string()),
    }
}

/// Writes the value of a key: on the same line if it fits there, else on the lines below.
fn below(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            out.push('\n');
            out.push_str(&" ".repeat(indent + 2));
            block(value, indent + 2, out);
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            block(value, indent, out);
        }
        _ => {
            out.push(' ');
            block(value, indent, out);
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn prints_block_yaml() {
        let value = json!({
            "version": 1,
            "identities": [{"asked": "arn:aws:iam::1:role/a", "groups": ["a", "no"], "near": [], "x": {"y": null}}, {"b": "two\nlines"}],
            "findings": [],
        });
        assert_eq!(
            document(&value),
            "version: 1\n\
             identities:\n\
             - asked: arn:aws:iam::1:role/a\n  groups:\n  - a\n  - \"no\"\n  near: []\n  x:\n    \"y\": null\n\
             - b: \"two\\nlines\"\n\
             findings: []\n"
        );
    }
}
