//! The Query protocol: a form goes in, XML comes out.
//!
//! `Tags.member.1.Key=a` is the field `Key` of the first item of the list `Tags`.

use serde_json::{Map, Value, json};

use super::{Response, xml};
use crate::world::AwsError;

/// The largest number of a list item: a guard against forms that only name the last of a million.
const MAX_ITEMS: usize = 1000;

/// The form as nested values; all leaves are text.
pub(super) fn input(form: Vec<(String, String)>) -> Map<String, Value> {
    let mut root = Map::new();
    for (name, value) in form {
        // What signs the call is no parameter of it.
        if !name.starts_with("X-Amz-") {
            put(&mut root, &name, value);
        }
    }
    root
}

fn put(root: &mut Map<String, Value>, name: &str, value: String) {
    let mut parts = name.split('.');
    let first = parts.next().unwrap_or_default();
    let mut here = root.entry(first).or_insert(Value::Null);
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if part == "member" || part == "entry" {
            let number = parts.next().and_then(|n| n.parse::<usize>().ok());
            let Some(number) = number.filter(|n| (1..=MAX_ITEMS).contains(n)) else {
                return;
            };
            if !here.is_array() {
                *here = json!([]);
            }
            let Some(list) = here.as_array_mut() else {
                return;
            };
            while list.len() < number {
                list.push(Value::Null);
            }
            let Some(item) = list.get_mut(number - 1) else {
                return;
            };
            here = item;
        } else {
            if !here.is_object() {
                *here = json!({});
            }
            let Some(fields) = here.as_object_mut() else {
                return;
            };
            here = fields.entry(part).or_insert(Value::Null);
        }
    }
    *here = value.into();
}

/// The answer with its headers.
pub(super) fn response(
    service: &str,
    operation: &str,
    answer: Result<Value, AwsError>,
    id: &str,
) -> Response {
    let namespace = match service {
        "iam" => "https://iam.amazonaws.com/doc/2010-05-08/",
        _ => "https://sts.amazonaws.com/doc/2011-06-15/",
    };
    let (status, root, content) = match answer {
        Ok(result) => {
            let mut content = Map::new();
            if !result.is_null() {
                content.insert(format!("{operation}Result"), result);
            }
            content.insert("ResponseMetadata".into(), json!({"RequestId": id}));
            (200, format!("{operation}Response"), content)
        }
        Err(error) => {
            let kind = if error.is_senders() {
                "Sender"
            } else {
                "Receiver"
            };
            let detail = json!({"Type": kind, "Code": error.code, "Message": error.message});
            let mut content = Map::new();
            content.insert("Error".into(), detail);
            content.insert("RequestId".into(), id.into());
            (error.status, "ErrorResponse".to_owned(), content)
        }
    };
    Response {
        status,
        headers: vec![
            ("content-type", "text/xml".to_owned()),
            ("x-amzn-requestid", id.to_owned()),
        ],
        body: xml::document(&root, namespace, &Value::Object(content)).into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_fields_are_nested() {
        let form = |pairs: &[(&str, &str)]| {
            let owned = pairs
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
            Value::Object(input(owned.collect()))
        };
        assert_eq!(
            form(&[
                ("Action", "CreateRole"),
                ("Tags.member.1.Key", "a"),
                ("Tags.member.1.Value", "b"),
                ("Tags.member.2.Key", "c"),
                ("ClientIDList.member.1", "sts.amazonaws.com"),
                ("X-Amz-Signature", "0"),
            ]),
            json!({
                "Action": "CreateRole",
                "Tags": [{"Key": "a", "Value": "b"}, {"Key": "c"}],
                "ClientIDList": ["sts.amazonaws.com"],
            })
        );
        // Whatever comes, nothing grows beyond what was sent.
        form(&[
            ("a.member.4000000000", "x"),
            ("a.b", "x"),
            ("a.member.1", "y"),
            ("", ""),
            ("...", ""),
        ]);
    }
}
