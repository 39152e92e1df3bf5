//! What is stored in the cluster, read and put back without kubectl, because it is done a thousand times.

use std::collections::BTreeMap;

use accord_testkit::ApiServer;
use serde_json::{Value, json};

const PATH: &str = "/api/v1/namespaces/kube-system/configmaps";

/// The ConfigMaps of kube-system that matter: the map, and what Accord keeps. By name.
pub(crate) type Stored = BTreeMap<String, Value>;

/// What is stored now.
pub(crate) fn stored(server: &ApiServer) -> Stored {
    let list: Value = serde_json::from_slice(&server.request("GET", PATH, "").body).unwrap();
    let items = list["items"].as_array().unwrap().iter();
    let named = items.map(|item| (item["metadata"]["name"].as_str().unwrap().to_owned(), item));
    named
        .filter(|(name, _)| name == "aws-auth" || name.starts_with("accord-"))
        .map(|(name, item)| (name, item.clone()))
        .collect()
}

/// Makes it what it was; only versions, times and managers are others.
pub(crate) fn put_back(server: &ApiServer, wanted: &Stored) {
    for name in stored(server).keys() {
        let answer = server.request("DELETE", &format!("{PATH}/{name}"), "");
        assert_eq!(answer.code, 200, "{}", answer.text());
    }
    for (name, object) in wanted {
        let body = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "labels": object["metadata"]["labels"]},
            "data": object["data"],
            "binaryData": object["binaryData"],
            "immutable": object["immutable"],
        });
        let answer = server.request("POST", PATH, &body.to_string());
        assert_eq!(answer.code, 201, "{}", answer.text());
    }
}

/// What a ConfigMap holds; `null` if there is none.
pub(crate) fn data<'s>(stored: &'s Stored, name: &str) -> &'s Value {
    stored
        .get(name)
        .map_or(&Value::Null, |object| &object["data"])
}

/// All but the journal: data and labels.
pub(crate) fn without_journal(stored: &Stored) -> BTreeMap<&str, (&Value, &Value)> {
    let kept = stored.iter().filter(|(name, _)| !is_journal(name));
    kept.map(|(name, object)| (&**name, (&object["data"], &object["metadata"]["labels"])))
        .collect()
}

/// The names of the journal's entries.
pub(crate) fn journal(stored: &Stored) -> impl Iterator<Item = &String> {
    stored.keys().filter(|name| is_journal(name))
}

/// The version of each object.
pub(crate) fn versions(stored: &Stored) -> BTreeMap<&str, &Value> {
    let objects = stored.iter();
    objects
        .map(|(name, object)| (&**name, &object["metadata"]["resourceVersion"]))
        .collect()
}

fn is_journal(name: &str) -> bool {
    name.starts_with("accord-journal-")
}
