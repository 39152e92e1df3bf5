//! A value as XML, as the Query protocol prints it: fields are elements, items of a list are `member` elements.

use serde_json::Value;

/// A document with this root element.
pub(super) fn document(root: &str, namespace: &str, content: &Value) -> String {
    let mut out = format!("<{root} xmlns=\"{namespace}\">");
    inner(content, &mut out);
    out.push_str(&format!("</{root}>"));
    out
}

fn inner(value: &Value, out: &mut String) {
    match value {
        Value::Null => {}
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => escape(text, out),
        Value::Array(items) => {
            for item in items {
                element("member", item, out);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                if !field.is_null() {
                    element(name, field, out);
                }
            }
        }
    }
}

fn element(name: &str, value: &Value, out: &mut String) {
    out.push('<');
    out.push_str(name);
    out.push('>');
    inner(value, out);
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

/// Characters that XML cannot hold at all become a replacement character.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(c),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_lists_and_awkward_text() {
        let value = json!({"Role": {"Tags": [{"Key": "a<&>\u{1}"}], "Path": "/", "Description": null, "N": 3}});
        assert_eq!(
            document("R", "urn:x", &value),
            "<R xmlns=\"urn:x\"><Role><Tags><member><Key>a&lt;&amp;&gt;\u{fffd}</Key></member></Tags><Path>/</Path>\
             <N>3</N></Role></R>"
        );
    }
}
