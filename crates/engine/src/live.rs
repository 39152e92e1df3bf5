//! A live cluster: read in the order that makes a removal safe, written object by object under the versions read.
//!
//! ```text
//! kube-system's uid → ledger → aws-auth → claims → journal, nodes
//! ```
//!
//! The claims come last of what a removal rests on. If they were listed before the map, another writer's fresh entry
//! could be in the map and its claim not yet in the list: it would look given up, and be deleted under a valid version.
//! Whoever writes after these reads makes the conditional write fail, and everything is read again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use accord_kube::resource::{Collection, Kind, Object};
use accord_kube::right::Right;
use accord_kube::{Connection, KubeError};
use accord_model::journal::JournalEntry;
use accord_model::observed::Observed;
use accord_model::time::Timestamp;
use accord_wire::config_map::{Manifest, ObjectName};
use accord_wire::sources::Sources;
use accord_wire::state::StateFile;
use accord_wire::{aws_auth, fragment, journal, ledger, snapshot};
use serde_json::{Value, json};

use crate::cluster::{Cluster, ClusterError, Data, Write};
use crate::file;
use crate::teeth::{self, Rule};

/// A live cluster.
#[derive(Debug)]
pub struct Live {
    connection: Connection,
    options: Options,
    /// What was last read.
    seen: Option<Seen>,
}

/// What is read, and as whom.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Files with further facts, which are only read.
    pub facts: Vec<PathBuf>,
    /// The namespaces whose fragments are read beside those of `kube-system`; none: all. Then nothing is removed,
    /// because an owner elsewhere may claim it.
    pub namespaces: Vec<String>,
    /// Who asks, where the cluster cannot tell.
    pub caller: Option<String>,
    /// Read the journal's entries, not only their names.
    pub journal: bool,
}

/// What was read, and under which versions.
#[derive(Debug)]
struct Seen {
    objects: StateFile,
    versions: BTreeMap<ObjectName, String>,
    /// The journal's ids, oldest first.
    entries: Vec<String>,
    /// What the API server answered to the write of the map.
    map: Option<Value>,
}

impl Live {
    /// The cluster behind a connection. Nothing is read yet.
    pub const fn new(connection: Connection, options: Options) -> Self {
        Self {
            connection,
            options,
            seen: None,
        }
    }

    /// The connection.
    pub const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// From now on the journal's entries are read, not only their names.
    pub const fn with_journal(&mut self) {
        self.options.journal = true;
    }

    /// Everything that is read of the cluster, as objects of the API.
    ///
    /// # Errors
    /// If something cannot be read. Rights that are missing are told all at once.
    pub fn objects(&self) -> Result<Objects, KubeError> {
        let mut reading = Reading::of(&self.connection);
        let system = reading.get(&Object::namespace("kube-system"))?;
        let mut fragments = Vec::new();
        if !teeth::holds(Rule::ClaimsLast) {
            fragments = self.fragments(&mut reading)?;
        }
        let ledger = reading.get(&object(&ObjectName::system(ledger::NAME)))?;
        let map = reading.get(&object(&ObjectName::aws_auth()))?;
        if teeth::holds(Rule::ClaimsLast) {
            fragments = self.fragments(&mut reading)?;
        }
        let entries = Collection::all(Kind::ConfigMap)
            .within(Some("kube-system"))
            .labelled(journal::LABEL);
        let (mut kept, mut ids) = (Vec::new(), Vec::new());
        if self.options.journal {
            kept = reading.list(&entries)?;
            ids.extend(kept.iter().filter_map(name));
        } else {
            let names = reading.names(&entries)?;
            ids.extend(names.into_iter().map(ObjectName::system));
        }
        reading.finish()?;
        Ok(Objects {
            system,
            ledger,
            map,
            fragments,
            entries: kept,
            ids: ids
                .iter()
                .filter_map(journal::id)
                .map(str::to_owned)
                .collect(),
            nodes: self.nodes()?,
        })
    }

    /// What is claimed.
    fn fragments(&self, reading: &mut Reading<'_>) -> Result<Vec<Value>, KubeError> {
        let mut fragments = Vec::new();
        for namespace in self.namespaces() {
            let selector = format!("{}={}", fragment::LABEL, fragment::LABEL_VALUE);
            let all = Collection::all(Kind::ConfigMap).within(namespace);
            fragments.extend(reading.list(&all.labelled(selector))?);
        }
        Ok(fragments)
    }

    /// The namespaces to be listed one by one; `None` stands for all at once.
    fn namespaces(&self) -> Vec<Option<&str>> {
        if self.options.namespaces.is_empty() {
            return vec![None];
        }
        let mut names: Vec<&str> = self.options.namespaces.iter().map(String::as_str).collect();
        names.push("kube-system");
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(Some).collect()
    }

    /// All nodes; `None` if they may not be listed: then no node-shaped entry is removed.
    fn nodes(&self) -> Result<Option<Value>, KubeError> {
        match self.connection.list(&Collection::all(Kind::Node)) {
            Ok(mut list) => {
                for node in list["items"].as_array_mut().into_iter().flatten() {
                    trim_node(node);
                }
                Ok(Some(list))
            }
            Err(KubeError::Forbidden(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn seen(&mut self) -> Result<&mut Seen, ClusterError> {
        let unread = || ClusterError::Conflict("the cluster".to_owned());
        self.seen.as_mut().ok_or_else(unread)
    }

    /// Writes, and remembers the new version for the next write of the same object.
    fn put(&mut self, name: &ObjectName, body: &Body<'_>) -> Result<(), ClusterError> {
        let target = object(name);
        let version = self.seen()?.versions.get(name).cloned();
        let written = match (body, version) {
            (Body::Whole(manifest), None) => self
                .connection
                .create(&target, &self::manifest(manifest))
                .map(Some),
            (Body::Whole(manifest), Some(version)) => {
                let patch = json!({
                    "data": pairs(&manifest.data),
                    "binaryData": pairs(&manifest.binary_data),
                });
                self.patch(&target, &version, &patch).map(Some)
            }
            (Body::Patch { patch, .. }, Some(version)) => {
                self.patch(&target, &version, patch).map(Some)
            }
            (Body::Nothing, Some(version)) => {
                self.connection.delete(&target, &version).map(|()| None)
            }
            (Body::Patch { .. } | Body::Nothing, None) => {
                return Err(ClusterError::Conflict(name.to_string()));
            }
        };
        let written = match written {
            Ok(written) => written,
            Err(error @ KubeError::SentTwice(_)) => self.first_of_two(&target, body, error)?,
            Err(error) => return Err(self.taken(name, error)),
        };
        let seen = self.seen()?;
        match written.as_ref().and_then(version_of) {
            Some(version) => seen.versions.insert(name.clone(), version),
            None => seen.versions.remove(name),
        };
        if *name == ObjectName::aws_auth() {
            seen.map = written;
        }
        Ok(())
    }

    /// Changes an object under the version that was read.
    fn patch(&self, target: &Object, version: &str, patch: &Value) -> Result<Value, KubeError> {
        let mut answer = self.connection.patch(target, version, patch);
        while !teeth::holds(Rule::Versions) && matches!(answer, Err(KubeError::Conflict(_))) {
            let found = self.connection.get(target)?;
            let version = found.as_ref().and_then(version_of).unwrap_or_default();
            answer = self.connection.patch(target, &version, patch);
        }
        answer
    }

    /// A write was sent twice and the second one came too late: if the object is exactly as it should become, the first
    /// one was ours, and it is done.
    fn first_of_two(
        &self,
        target: &Object,
        body: &Body<'_>,
        error: KubeError,
    ) -> Result<Option<Value>, ClusterError> {
        let found = self.connection.get(target)?;
        let holds = |field: &str, wanted: &[(String, String)]| {
            let is = found.as_ref().map(|found| &found[field]);
            let is = is.and_then(Value::as_object).cloned().unwrap_or_default();
            is.len() == wanted.len()
                && wanted
                    .iter()
                    .all(|(key, value)| is.get(key) == Some(&json!(value)))
        };
        let is_done = match body {
            Body::Whole(manifest) => {
                found.is_some()
                    && holds("data", &manifest.data)
                    && holds("binaryData", &manifest.binary_data)
            }
            Body::Patch { after, .. } => found.is_some() && holds("data", after),
            Body::Nothing => found.is_none(),
        };
        match is_done {
            true => Ok(found),
            false => Err(error.into()),
        }
    }

    /// An object that was not seen and is there: somebody has just made it, or it is none that is looked for.
    fn taken(&self, name: &ObjectName, error: KubeError) -> ClusterError {
        if !matches!(error, KubeError::Conflict(_)) {
            return error.into();
        }
        match self.connection.get(&object(name)) {
            Ok(Some(found)) if is_fragment_name(name) && !is_fragment(&found) => {
                ClusterError::Taken(name.clone())
            }
            Err(error) => error.into(),
            Ok(_) => error.into(),
        }
    }
}

/// What is written of an object.
enum Body<'b> {
    /// All that Accord says about it; made if it is not there.
    Whole(&'b Manifest),
    /// A merge patch, and the data that it makes.
    Patch { patch: Value, after: &'b Data },
    /// It is deleted.
    Nothing,
}

/// Everything that is read of a cluster.
#[derive(Clone, Debug)]
pub struct Objects {
    system: Option<Value>,
    ledger: Option<Value>,
    map: Option<Value>,
    fragments: Vec<Value>,
    entries: Vec<Value>,
    ids: Vec<String>,
    nodes: Option<Value>,
}

impl Objects {
    /// All of them, in the order of reading.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let single = [&self.system, &self.ledger, &self.map]
            .into_iter()
            .flatten();
        single
            .chain(&self.fragments)
            .chain(&self.entries)
            .chain(&self.nodes)
    }

    fn versions(&self) -> BTreeMap<ObjectName, String> {
        let maps = [&self.ledger, &self.map].into_iter().flatten();
        maps.chain(&self.fragments)
            .chain(&self.entries)
            .filter_map(|object| Some((name(object)?, version_of(object)?)))
            .collect()
    }

    fn texts(&self) -> Vec<(String, String)> {
        self.values().map(text).collect()
    }
}

/// Reads on after a refusal, so that all missing rights are told at once.
struct Reading<'c> {
    connection: &'c Connection,
    missing: Vec<Right>,
}

impl<'c> Reading<'c> {
    const fn of(connection: &'c Connection) -> Self {
        Self {
            connection,
            missing: Vec::new(),
        }
    }

    fn get(&mut self, object: &Object) -> Result<Option<Value>, KubeError> {
        self.unless_forbidden(self.connection.get(object), None)
    }

    fn list(&mut self, collection: &Collection) -> Result<Vec<Value>, KubeError> {
        let list = self.unless_forbidden(self.connection.list(collection), Value::Null)?;
        let items = list["items"].as_array().cloned().unwrap_or_default();
        Ok(items
            .into_iter()
            .map(|item| typed(item, collection.kind))
            .collect())
    }

    fn names(&mut self, collection: &Collection) -> Result<Vec<String>, KubeError> {
        self.unless_forbidden(self.connection.names(collection), Vec::new())
    }

    fn unless_forbidden<T>(
        &mut self,
        answer: Result<T, KubeError>,
        otherwise: T,
    ) -> Result<T, KubeError> {
        match answer {
            Err(KubeError::Forbidden(rights)) => {
                self.missing.extend(rights);
                Ok(otherwise)
            }
            other => other,
        }
    }

    fn finish(self) -> Result<(), KubeError> {
        if self.missing.is_empty() {
            Ok(())
        } else {
            Err(KubeError::Forbidden(self.missing))
        }
    }
}

impl Cluster for Live {
    fn observe(&mut self, now: Timestamp, sources: &mut Sources) -> Result<Observed, ClusterError> {
        let read = self.objects()?;
        let name = self.connection.cluster();
        let objects = StateFile::of_objects(name, read.texts(), sources)?;
        let mut others = Vec::new();
        for path in &self.options.facts {
            let bytes = file::read(path)?;
            others.push(StateFile::parse(
                &path.display().to_string(),
                &bytes,
                sources,
            )?);
        }
        let mut observed = objects.observed(now, &others, sources)?;
        observed.fragments.complete = self.options.namespaces.is_empty();
        observed.caller = match &self.options.caller {
            Some(caller) => Some(caller.clone()),
            None => self.connection.asker()?.and_then(|asker| asker.arn),
        };
        let mut versions = read.versions();
        // The journal's entries are read by name only; this run's own is written again at the end.
        let own = self.seen.take().map(|seen| seen.versions);
        let own = own.into_iter().flatten();
        versions.extend(own.filter(|(name, _)| journal::id(name).is_some()));
        self.seen = Some(Seen {
            versions,
            entries: read.ids,
            objects,
            map: None,
        });
        Ok(observed)
    }

    fn read_back(
        &mut self,
        before: &Observed,
        sources: &mut Sources,
    ) -> Result<Observed, ClusterError> {
        let name = ObjectName::aws_auth();
        let mut map = self.connection.get(&object(&name))?;
        let written = self.seen()?.map.clone();
        if let Some(written) = written {
            let is_ours = map.as_ref().and_then(version_of) == version_of(&written);
            if !is_ours {
                map = Some(written);
            }
        } else {
            // The plan did not touch the map; whatever it is now is somebody else's doing.
            return Ok(before.clone());
        }
        let texts = map.iter().map(text).collect();
        let objects = StateFile::of_objects(self.connection.cluster(), texts, sources)?;
        Ok(Observed {
            aws_auth: objects.config_map(&name).map(aws_auth::read),
            ..before.clone()
        })
    }

    fn data(&self, name: &ObjectName) -> Option<Data> {
        let object = self.seen.as_ref()?.objects.config_map(name)?;
        Some(object.texts())
    }

    fn write(&mut self, write: &Write) -> Result<(), ClusterError> {
        let Some(after) = &write.after else {
            return self.put(&write.name, &Body::Nothing);
        };
        let Some(before) = &write.before else {
            let manifest = Manifest {
                name: write.name.clone(),
                labels: write.labels.clone(),
                data: after.clone(),
                binary_data: Vec::new(),
            };
            return self.put(&write.name, &Body::Whole(&manifest));
        };
        let mut data = serde_json::Map::new();
        for (key, _) in before {
            if after.iter().all(|(k, _)| k != key) {
                data.insert(key.clone(), Value::Null);
            }
        }
        for (key, value) in after.iter().filter(|pair| !before.contains(pair)) {
            data.insert(key.clone(), json!(value));
        }
        let patch = json!({ "data": data });
        self.put(&write.name, &Body::Patch { patch, after })
    }

    fn journal(&mut self, entry: &JournalEntry, keep: usize) -> Result<(), ClusterError> {
        let manifest = journal::manifest(entry)?;
        let written = match self.put(&manifest.name, &Body::Whole(&manifest)) {
            // Nobody else writes this entry: a conflict is with an earlier write of this run's, whose answer went astray.
            Err(ClusterError::Conflict(_)) => {
                let found = self.connection.get(&object(&manifest.name))?;
                let version = found.as_ref().and_then(version_of);
                let seen = self.seen()?;
                match version {
                    Some(version) => seen.versions.insert(manifest.name.clone(), version),
                    None => seen.versions.remove(&manifest.name),
                };
                self.put(&manifest.name, &Body::Whole(&manifest))
            }
            written => written,
        };
        match written {
            // The entry is about the change, and no part of it.
            Err(ClusterError::Kube(KubeError::MaybeWritten { cause, .. })) => {
                return Err(ClusterError::Kube(*cause));
            }
            written => written?,
        }
        if !entry.done {
            return Ok(());
        }
        let ids = &self.seen()?.entries;
        let oldest = (ids.len() + 1).saturating_sub(keep);
        let oldest: Vec<Object> = ids
            .iter()
            .filter(|id| **id != entry.id)
            .take(oldest)
            .map(|id| object(&journal::object(id)))
            .collect();
        for entry in oldest {
            match self.connection.discard(&entry) {
                // Others forget the same ones.
                Ok(()) | Err(KubeError::Conflict(_) | KubeError::SentTwice(_)) => {}
                // All is done, and too much is remembered. The next run tries again.
                Err(_) => break,
            }
        }
        Ok(())
    }

    fn forget(&mut self, id: &str) -> Result<(), ClusterError> {
        match self.connection.discard(&object(&journal::object(id))) {
            Ok(()) | Err(KubeError::Conflict(_) | KubeError::SentTwice(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn last_entry(&self) -> Option<String> {
        self.seen.as_ref()?.entries.last().cloned()
    }

    /// Every write was durable at once.
    fn commit(&mut self) -> Result<(), ClusterError> {
        Ok(())
    }

    fn writes_at_once(&self) -> bool {
        true
    }

    fn wait(&self, times: u32) {
        self.connection.pause(times);
    }
}

fn object(name: &ObjectName) -> Object {
    Object::config_map(&name.namespace, &name.name)
}

fn name(object: &Value) -> Option<ObjectName> {
    let metadata = &object["metadata"];
    Some(ObjectName {
        namespace: metadata["namespace"].as_str()?.to_owned(),
        name: metadata["name"].as_str()?.to_owned(),
    })
}

fn version_of(object: &Value) -> Option<String> {
    let version = object["metadata"]["resourceVersion"].as_str()?;
    Some(version.to_owned())
}

/// What it is called, and its text.
fn text(object: &Value) -> (String, String) {
    let kind = object["kind"].as_str().unwrap_or_default();
    let label = match name(object) {
        Some(name) => name.to_string(),
        None => kind.to_owned(),
    };
    (label, snapshot::document(object))
}

/// An item of a list with its own `kind` and `apiVersion`, which lists leave out.
fn typed(mut item: Value, kind: Kind) -> Value {
    item["apiVersion"] = json!("v1");
    item["kind"] = json!(kind.name());
    item
}

/// Keeps of a node what a rule needs; the rest is large.
fn trim_node(node: &mut Value) {
    *node = json!({
        "metadata": {
            "name": node["metadata"]["name"],
            "labels": node["metadata"]["labels"],
        },
        "spec": {"providerID": node["spec"]["providerID"]},
    });
}

fn pairs(pairs: &[(String, String)]) -> Value {
    let pairs = pairs.iter().map(|(key, value)| (key.clone(), json!(value)));
    pairs.collect::<serde_json::Map<_, _>>().into()
}

fn manifest(manifest: &Manifest) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": manifest.name.name,
            "namespace": manifest.name.namespace,
            "labels": pairs(&manifest.labels),
        },
        "data": pairs(&manifest.data),
        "binaryData": pairs(&manifest.binary_data),
    })
}

/// Whether an object of that name could only be an owner's claims.
fn is_fragment_name(name: &ObjectName) -> bool {
    let reserved = [ObjectName::aws_auth(), ObjectName::system(ledger::NAME)];
    !reserved.contains(name) && journal::id(name).is_none()
}

fn is_fragment(object: &Value) -> bool {
    object["metadata"]["labels"][fragment::LABEL] == fragment::LABEL_VALUE
}
