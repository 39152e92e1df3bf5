//! In which form objects are sent: whole, only their metadata, or as the table that kubectl prints.

use accord_model::time::Timestamp;
use accord_wire::time;
use serde_json::{Value, json};

use crate::kubernetes::resource::Resource;
use crate::kubernetes::store::meta;

/// What a client accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As they are.
    Whole,
    /// `PartialObjectMetadata`.
    Metadata,
    /// `Table`.
    Table,
}

impl Form {
    /// The first form in an `Accept` header that is served.
    pub(super) fn of(accept: &str) -> Self {
        let wanted = accept.split(',').find_map(|media| {
            let form = media
                .split(';')
                .find_map(|p| p.trim().strip_prefix("as="))?;
            match form {
                "Table" => Some(Self::Table),
                "PartialObjectMetadata" | "PartialObjectMetadataList" => Some(Self::Metadata),
                _ => None,
            }
        });
        wanted.unwrap_or(Self::Whole)
    }

    /// An object or a list of them in this form.
    pub(crate) fn shape(self, resource: Resource, value: Value, now: Timestamp) -> Value {
        let items = value["items"].as_array();
        match (self, items) {
            (Self::Whole, _) => value,
            (Self::Metadata, None) => partial(&value),
            (Self::Metadata, Some(items)) => json!({
                "apiVersion": "meta.k8s.io/v1",
                "kind": "PartialObjectMetadataList",
                "metadata": value["metadata"],
                "items": items.iter().map(partial).collect::<Vec<_>>(),
            }),
            (Self::Table, items) => {
                let one = std::slice::from_ref(&value);
                let items = items.map_or(one, Vec::as_slice);
                let metadata = match value["items"].is_array() {
                    true => value["metadata"].clone(),
                    false => json!({"resourceVersion": value["metadata"]["resourceVersion"]}),
                };
                table(resource, items, &metadata, now)
            }
        }
    }
}

fn partial(object: &Value) -> Value {
    json!({
        "apiVersion": "meta.k8s.io/v1",
        "kind": "PartialObjectMetadata",
        "metadata": object["metadata"],
    })
}

fn table(resource: Resource, objects: &[Value], metadata: &Value, now: Timestamp) -> Value {
    let columns = columns(resource).iter().map(|name| {
        let format = if *name == "Name" { "name" } else { "" };
        json!({"name": name, "type": "string", "format": format, "description": "", "priority": 0})
    });
    let rows = objects
        .iter()
        .map(|object| json!({"cells": cells(resource, object, now), "object": partial(object)}));
    json!({
        "apiVersion": "meta.k8s.io/v1",
        "kind": "Table",
        "metadata": metadata,
        "columnDefinitions": columns.collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
    })
}

const fn columns(resource: Resource) -> &'static [&'static str] {
    match resource {
        Resource::ConfigMaps => &["Name", "Data", "Age"],
        Resource::Events => &["Last Seen", "Type", "Reason", "Object", "Message"],
        Resource::Leases => &["Name", "Holder", "Age"],
        Resource::Namespaces => &["Name", "Status", "Age"],
        Resource::Nodes => &["Name", "Status", "Roles", "Age", "Version"],
        Resource::Pods => &["Name", "Ready", "Status", "Restarts", "Age"],
        Resource::ServiceAccounts => &["Name", "Secrets", "Age"],
    }
}

fn cells(resource: Resource, object: &Value, now: Timestamp) -> Vec<String> {
    let name = meta(object, "name").to_owned();
    let age = age(meta(object, "creationTimestamp"), now);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match resource {
        Resource::ConfigMaps => {
            let count = |field: &str| object[field].as_object().map_or(0, serde_json::Map::len);
            vec![name, (count("data") + count("binaryData")).to_string(), age]
        }
        Resource::Events => {
            let about = &object["involvedObject"];
            let seen = self::age(object["lastTimestamp"].as_str().unwrap_or_default(), now);
            let object_name = format!(
                "{}/{}",
                text(&about["kind"]).to_lowercase(),
                text(&about["name"])
            );
            vec![
                seen,
                text(&object["type"]),
                text(&object["reason"]),
                object_name,
                text(&object["message"]),
            ]
        }
        Resource::Leases => vec![name, text(&object["spec"]["holderIdentity"]), age],
        Resource::Namespaces => vec![name, text(&object["status"]["phase"]), age],
        Resource::Nodes => {
            let ready = crate::kubernetes::node::is_ready(object);
            let status = if ready { "Ready" } else { "NotReady" };
            let version = text(&object["status"]["nodeInfo"]["kubeletVersion"]);
            vec![name, status.into(), "<none>".into(), age, version]
        }
        Resource::Pods => {
            let phase = text(&object["status"]["phase"]);
            let containers = object["spec"]["containers"].as_array().map_or(0, Vec::len);
            let ready = if phase == "Running" { containers } else { 0 };
            vec![
                name,
                format!("{ready}/{containers}"),
                phase,
                "0".into(),
                age,
            ]
        }
        Resource::ServiceAccounts => vec![name, "0".into(), age],
    }
}

/// How long ago, in the largest unit.
fn age(since: &str, now: Timestamp) -> String {
    let Some(since) = time::parse(since) else {
        return "<unknown>".into();
    };
    let seconds = now.millis.saturating_sub(since.millis) / 1000;
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_accept() {
        let kubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        assert_eq!(Form::of(kubectl), Form::Table);
        assert_eq!(
            Form::of("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"),
            Form::Metadata
        );
        assert_eq!(Form::of("application/json"), Form::Whole);
    }

    #[test]
    fn ages() {
        let now = time::parse("2026-11-02T12:00:00Z").unwrap();
        for (since, told) in [
            ("2026-11-02T11:59:58Z", "2s"),
            ("2026-11-02T11:00:00Z", "60m"),
            ("2026-11-01T11:00:00Z", "25h"),
            ("2026-10-01T12:00:00Z", "32d"),
            ("", "<unknown>"),
        ] {
            assert_eq!(age(since, now), told);
        }
    }
}
