//! Objects with versions, and the log of their changes, which watchers read.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::resource::Resource;
use crate::world::{Iso, World};

/// How many changes are remembered. Who watches from an earlier version is told that it is gone.
const REMEMBERED: usize = 4096;

/// The objects of one cluster.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Store {
    /// The version of the last change.
    version: u64,
    /// By [`place`].
    objects: BTreeMap<String, Value>,
    /// The last changes, the oldest first.
    log: VecDeque<Change>,
}

/// A change of one object.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) version: u64,
    pub(crate) resource: Resource,
    /// `ADDED`, `MODIFIED` or `DELETED`.
    pub(crate) kind: String,
    /// The object after it, or as it was before it was deleted.
    pub(crate) object: Value,
}

/// Where an object is kept: objects of one namespace lie beside each other.
fn place(resource: Resource, namespace: &str, name: &str) -> String {
    format!("{}/{namespace}/{name}", resource.plural())
}

/// A text in the metadata, empty if it is not there.
pub(crate) fn meta<'o>(object: &'o Value, field: &str) -> &'o str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// The labels of an object.
pub(crate) fn labels(object: &Value) -> BTreeMap<String, String> {
    let labels = object["metadata"]["labels"].as_object();
    let pairs = labels.into_iter().flatten();
    pairs
        .filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_owned())))
        .collect()
}

/// Sets a field of the metadata.
pub(crate) fn set_meta(object: &mut Value, field: &str, value: Value) {
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    object["metadata"][field] = value;
}

impl Store {
    /// The version of the last change.
    pub(crate) const fn version(&self) -> u64 {
        self.version
    }

    /// An object.
    pub(crate) fn get(&self, resource: Resource, namespace: &str, name: &str) -> Option<&Value> {
        self.objects.get(&place(resource, namespace, name))
    }

    /// All objects of a resource, of one namespace or of all.
    pub(crate) fn list<'s>(
        &'s self,
        resource: Resource,
        namespace: Option<&str>,
    ) -> impl Iterator<Item = &'s Value> + use<'s> {
        let prefix = match namespace {
            Some(namespace) => format!("{}/{namespace}/", resource.plural()),
            None => format!("{}/", resource.plural()),
        };
        let from = self.objects.range(prefix.clone()..);
        from.take_while(move |(key, _)| key.starts_with(&prefix))
            .map(|(_, object)| object)
    }

    /// Puts an object, new or in place of what is there. Its version becomes the next one, unless nothing changes.
    pub(crate) fn put(&mut self, resource: Resource, mut object: Value) -> &Value {
        let key = place(resource, meta(&object, "namespace"), meta(&object, "name"));
        let before = self.objects.get(&key);
        if let Some(before) = before {
            let version = before["metadata"]["resourceVersion"].clone();
            set_meta(&mut object, "resourceVersion", version);
            if *before == object {
                return self.objects.entry(key).or_insert(object);
            }
        }
        let kind = if before.is_some() {
            "MODIFIED"
        } else {
            "ADDED"
        };
        self.version += 1;
        set_meta(
            &mut object,
            "resourceVersion",
            self.version.to_string().into(),
        );
        self.remember(resource, kind, object.clone());
        self.objects.insert(key.clone(), object);
        self.objects.entry(key).or_default()
    }

    /// Takes an object away.
    pub(crate) fn remove(
        &mut self,
        resource: Resource,
        namespace: &str,
        name: &str,
    ) -> Option<Value> {
        let mut object = self.objects.remove(&place(resource, namespace, name))?;
        self.version += 1;
        set_meta(
            &mut object,
            "resourceVersion",
            self.version.to_string().into(),
        );
        self.remember(resource, "DELETED", object.clone());
        Some(object)
    }

    fn remember(&mut self, resource: Resource, kind: &str, object: Value) {
        if self.log.len() >= REMEMBERED {
            self.log.pop_front();
        }
        self.log.push_back(Change {
            version: self.version,
            resource,
            kind: kind.to_owned(),
            object,
        });
    }

    /// The changes after a version; `None` if some of them are forgotten.
    pub(crate) fn since(&self, version: u64) -> Option<impl Iterator<Item = &Change>> {
        let oldest = self.log.front().map_or(self.version + 1, |c| c.version);
        let known = version + 1 >= oldest || version >= self.version;
        known.then(|| self.log.iter().filter(move |c| c.version > version))
    }
}

/// Gives an object what the API server gives to every new one.
pub(crate) fn complete(world: &mut World, object: &mut Value) {
    let uid = world.random().uuid();
    let now = Iso(world.now()).text();
    set_meta(object, "uid", uid.into());
    set_meta(object, "creationTimestamp", now.into());
}

/// Puts an object that is not there yet; one that is stays.
pub(crate) fn put_new(
    world: &mut World,
    key: &str,
    resource: Resource,
    namespace: &str,
    name: &str,
    mut object: Value,
) {
    let store = world.clusters.get(key).map(|c| &c.kubernetes);
    if store.is_none_or(|s| s.get(resource, namespace, name).is_some()) {
        return;
    }
    complete(world, &mut object);
    if let Some(cluster) = world.clusters.get_mut(key) {
        cluster.kubernetes.put(resource, object);
    }
}
