//! Every stored version of every ConfigMap, in the order in which they were stored.

use serde_json::Value;

/// The map.
pub(crate) const MAP: &str = "kube-system/aws-auth";

/// The ledger.
pub(crate) const LEDGER: &str = "kube-system/accord-ledger";

/// A version of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Version {
    /// Etcd's revision, which counts every write of every object.
    pub(crate) revision: u64,
    /// `namespace/name`
    pub(crate) name: String,
    /// The object; `None`: it was deleted.
    pub(crate) object: Option<Value>,
}

impl Version {
    /// The version that an event of a watch tells of.
    pub(crate) fn of_event(event: &Value) -> Option<Self> {
        let object = &event["object"];
        let metadata = &object["metadata"];
        let is_gone = match event["type"].as_str()? {
            "ADDED" | "MODIFIED" => false,
            "DELETED" => true,
            _ => return None,
        };
        let [namespace, name] = [&metadata["namespace"], &metadata["name"]].map(Value::as_str);
        Some(Self {
            revision: metadata["resourceVersion"].as_str()?.parse().ok()?,
            name: format!("{}/{}", namespace?, name?),
            object: (!is_gone).then(|| object.clone()),
        })
    }

    /// The text of `mapRoles`; empty where there is none.
    pub(crate) fn roles(&self) -> &str {
        self.datum("mapRoles")
    }

    pub(crate) fn datum(&self, key: &str) -> &str {
        let object = self.object.as_ref();
        object.map_or("", |object| object["data"][key].as_str().unwrap_or(""))
    }

    /// Whose claims it holds, if it is a fragment of kube-system, which needs nobody's admission.
    pub(crate) fn owner(&self) -> Option<&str> {
        let owner = self.name.strip_prefix("kube-system/accord-")?;
        let is_none = self.name == LEDGER || owner.starts_with("journal-");
        (!is_none).then_some(owner)
    }
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// Oldest first.
    pub(crate) versions: Vec<Version>,
    /// The revisions at which a `sync` had come to its end that began when nobody else wrote any more.
    pub(crate) synced: Vec<u64>,
}

impl History {
    /// The versions of the map.
    pub(crate) fn maps(&self) -> impl Iterator<Item = &Version> {
        self.versions.iter().filter(|version| version.name == MAP)
    }
}

/// Who made a version of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer<'v> {
    /// No data differs.
    Nobody,
    /// The manager under this name.
    Known(&'v str),
    /// The API server has not noted it.
    Unknown,
}

/// Who made `after` of `before`: the only manager of what differs in `data`, as the API server has noted
/// (<https://kubernetes.io/docs/reference/using-api/server-side-apply/>). Whoever changes a field takes it from all
/// others.
pub(crate) fn writer<'v>(before: Option<&Version>, after: &'v Version) -> Writer<'v> {
    let data = |version: &Version| {
        let object = version.object.as_ref()?;
        object["data"].as_object().cloned()
    };
    let old = before.and_then(data).unwrap_or_default();
    let new = data(after).unwrap_or_default();
    let keys = old.keys().chain(new.keys());
    let mut differing = keys.filter(|key| old.get(*key) != new.get(*key));
    let Some(key) = differing.next() else {
        return Writer::Nobody;
    };
    let managers = after
        .object
        .as_ref()
        .map(|object| &object["metadata"]["managedFields"]);
    let managers = managers
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let owns = |manager: &&Value| !manager["fieldsV1"]["f:data"][format!("f:{key}")].is_null();
    let owners: Vec<&Value> = managers.iter().filter(owns).collect();
    match owners[..] {
        [owner] => owner["manager"]
            .as_str()
            .map_or(Writer::Unknown, Writer::Known),
        _ => Writer::Unknown,
    }
}
