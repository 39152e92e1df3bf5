//! What a patch makes of an object.

use serde_json::{Value, json};

use super::Outcome;
use super::status::Status;

/// The kinds of patches, by their media types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `application/merge-patch+json`
    Merge,
    /// `application/strategic-merge-patch+json`
    Strategic,
    /// `application/json-patch+json`
    Json,
    /// `application/apply-patch+yaml`: not a patch but an object.
    Apply,
}

impl Kind {
    pub(super) fn of(content_type: &str) -> Option<Self> {
        let media = content_type.split(';').next().unwrap_or_default().trim();
        Some(match media {
            "application/merge-patch+json" => Self::Merge,
            "application/strategic-merge-patch+json" => Self::Strategic,
            "application/json-patch+json" => Self::Json,
            "application/apply-patch+yaml" | "application/apply-patch+cbor" => Self::Apply,
            _ => return None,
        })
    }
}

/// The object after a patch that is none of [`Kind::Apply`].
pub(super) fn patched(kind: Kind, before: &Value, patch: &Value) -> Outcome {
    let mut after = before.clone();
    match kind {
        Kind::Merge | Kind::Apply => merge(&mut after, patch),
        Kind::Strategic => strategic(&mut after, patch),
        Kind::Json => json_patch(&mut after, patch)?,
    }
    Ok(after)
}

/// RFC 7386: objects field by field, `null` takes a field away, anything else replaces.
pub(super) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        target.clone_from(patch);
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Some(fields) = target.as_object_mut() else {
        return;
    };
    for (name, value) in patch {
        if value.is_null() {
            fields.shift_remove(name);
        } else {
            merge(fields.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

/// Kubernetes' own merge. Objects are merged as above; in lists whose items have a name, items of one name are merged and
/// others added; directives for the order are not needed.
fn strategic(target: &mut Value, patch: &Value) {
    match patch {
        Value::Object(patch) => {
            if patch.get("$patch").is_some_and(|p| p == "replace") || !target.is_object() {
                *target = json!({});
            }
            let Some(fields) = target.as_object_mut() else {
                return;
            };
            for (name, value) in patch {
                if name.starts_with('$') {
                    continue;
                }
                if value.is_null() {
                    fields.shift_remove(name);
                } else {
                    strategic(fields.entry(name.clone()).or_insert(Value::Null), value);
                }
            }
        }
        Value::Array(items)
            if items.iter().all(|item| item["name"].is_string()) && target.is_array() =>
        {
            let Some(list) = target.as_array_mut() else {
                return;
            };
            for item in items {
                let place = list.iter().position(|there| there["name"] == item["name"]);
                if item["$patch"] == "delete" {
                    place.map(|place| list.remove(place));
                } else if let Some(there) = place.and_then(|place| list.get_mut(place)) {
                    strategic(there, item);
                } else {
                    list.push(item.clone());
                }
            }
        }
        other => target.clone_from(other),
    }
}

/// RFC 6902, without `move` and `copy`.
fn json_patch(target: &mut Value, patch: &Value) -> Outcome<()> {
    let invalid = |why: &str| {
        Status::new(
            422,
            "Invalid",
            &format!("the server rejected our request due to an error in our request: {why}"),
        )
    };
    let operations = patch
        .as_array()
        .ok_or_else(|| invalid("the patch is no list"))?;
    for operation in operations {
        let name = operation["op"].as_str().unwrap_or_default();
        let path = operation["path"].as_str().unwrap_or_default();
        let value = operation.get("value");
        let there = target.pointer(path);
        match (name, value) {
            ("test", Some(value)) if there == Some(value) => {}
            ("test", _) => return Err(invalid(&format!("testing path {path} failed"))),
            ("add", Some(value)) => {
                put(target, path, value.clone()).ok_or_else(|| invalid(path))?
            }
            ("replace", Some(value)) if there.is_some() => {
                put_over(target, path, value.clone()).ok_or_else(|| invalid(path))?;
            }
            ("remove", _) if there.is_some() => take(target, path).ok_or_else(|| invalid(path))?,
            _ => return Err(invalid(&format!("{name} {path}"))),
        }
    }
    Ok(())
}

fn split(path: &str) -> Option<(&str, String)> {
    let (parent, last) = path.rsplit_once('/')?;
    Some((parent, last.replace("~1", "/").replace("~0", "~")))
}

fn put(target: &mut Value, path: &str, value: Value) -> Option<()> {
    let (parent, last) = split(path)?;
    match target.pointer_mut(parent)? {
        Value::Object(map) => {
            map.insert(last, value);
        }
        Value::Array(list) if last == "-" => list.push(value),
        Value::Array(list) => {
            let at: usize = last.parse().ok().filter(|at| *at <= list.len())?;
            list.insert(at, value);
        }
        _ => return None,
    }
    Some(())
}

fn put_over(target: &mut Value, path: &str, value: Value) -> Option<()> {
    *target.pointer_mut(path)? = value;
    Some(())
}

fn take(target: &mut Value, path: &str) -> Option<()> {
    let (parent, last) = split(path)?;
    match target.pointer_mut(parent)? {
        Value::Object(map) => {
            map.shift_remove(&last)?;
        }
        Value::Array(list) => {
            let at: usize = last.parse().ok().filter(|at| *at < list.len())?;
            list.remove(at);
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_patch() {
        let before =
            json!({"data": {"a": "1", "b": "2"}, "list": [{"name": "x", "v": 1}, {"name": "y"}]});
        let after = |kind, patch: Value| patched(kind, &before, &patch).unwrap();
        assert_eq!(
            after(Kind::Merge, json!({"data": {"a": null, "c": "3"}}))["data"],
            json!({"b": "2", "c": "3"})
        );
        assert_eq!(
            after(
                Kind::Strategic,
                json!({"list": [{"name": "x", "v": 2}, {"name": "y", "$patch": "delete"}, {"name": "z"}], "$setElementOrder/list": []})
            )["list"],
            json!([{"name": "x", "v": 2}, {"name": "z"}])
        );
        assert_eq!(
            after(
                Kind::Json,
                json!([{"op": "test", "path": "/data/a", "value": "1"}, {"op": "add", "path": "/data/x~1y", "value": "3"}, {"op": "remove", "path": "/data/b"}])
            )["data"],
            json!({"a": "1", "x/y": "3"})
        );
        let failed = patched(
            Kind::Json,
            &before,
            &json!([{"op": "test", "path": "/data/a", "value": "9"}]),
        );
        assert_eq!(failed.unwrap_err().code, 422);
    }
}
