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

/// Who made `after` of `before`: the only manager of what differs in `data`, as the API server has noted
/// (<https://kubernetes.io/docs/reference/using-api/server-side-apply/>). Whoever changes a field takes it from all
/// others. `None` if no data differs.
pub(crate) fn writer<'v>(before: Option<&Version>, after: &'v Version) -> Option<&'v str> {
    let object = after.object.as_ref()?;
    let empty = Value::Null;
    let earlier = before.and_then(|before| before.object.as_ref());
    let earlier = earlier.map_or(&empty, |object| &object["data"]);
    let data = object["data"].as_object()?;
    let (key, _) = data.iter().find(|(key, value)| earlier[*key] != **value)?;
    let managers = object["metadata"]["managedFields"].as_array()?;
    let mut owners = managers
        .iter()
        .filter(|m| !m["fieldsV1"]["f:data"][format!("f:{key}")].is_null());
    let owner = owners.next()?["manager"].as_str()?;
    owners.next().is_none().then_some(owner)
}
