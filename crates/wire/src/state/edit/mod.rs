//! Changes of a state file that leave every other byte as it is.
//!
//! A change replaces ranges of the text, in the style that is there. One change can be written in several ways, the
//! most faithful first; each is read again, and the first that says exactly what it should is taken. How that is
//! compared: see [`flat`].

mod entry;
mod flat;
mod value;

pub(crate) use value::rewrite;

use accord_model::mapping::SectionName;

use super::{MAX_BYTES, StateFile, kubernetes};
use crate::config_map::{Manifest, ObjectName};
use crate::view::View;
use crate::yaml::{self, Dialect, Document, NodeId, Range, Tree};
use flat::Expectation;

/// Why a change was not made. The file is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// No such object in the file.
    #[error("{0} is not in the file")]
    NoSuchObject(ObjectName),
    /// Something that this cannot write to, with the reason.
    #[error("{object} cannot be changed here: {reason}; change it by hand")]
    Shape {
        /// The object.
        object: ObjectName,
        /// `data` is an alias, ….
        reason: String,
    },
    /// No way of writing it says what it should when it is read again.
    #[error(
        "{0} cannot be changed without changing something else in the file; nothing was written"
    )]
    Unfaithful(ObjectName),
    /// The file would be larger than what is read.
    #[error("with {0} the file would be larger than {max} MiB, which is the most that is read", max = MAX_BYTES >> 20)]
    TooLarge(ObjectName),
}

/// Ranges of the old text and what takes their place: in order, not overlapping.
type Splices = Vec<(Range, String)>;

/// One way of writing a change, and what the document must say afterwards.
struct Way {
    splices: Splices,
    expected: Expectation,
}

/// An object in its document.
struct Found<'t> {
    document: usize,
    tree: Tree<'t>,
    node: NodeId,
    /// The list that it is an item of, if it is.
    list: Option<NodeId>,
}

impl StateFile {
    /// The `data` of a ConfigMap that is text, as the file has it now, in its order; `None` if there is no such object.
    pub fn data(&self, object: &ObjectName) -> Option<Vec<(String, String)>> {
        let found = find(&self.text, object)?;
        let data = View::of(&found.tree, found.node, String::new())?.pairs("data");
        let texts = data.unwrap_or_default().into_iter();
        Some(
            texts
                .filter_map(|(key, value)| Some((key, value.as_text().ok()?)))
                .collect(),
        )
    }

    /// Sets one key under `data`, or takes it out.
    ///
    /// # Errors
    /// If there is no such object, it is written in a way that this cannot change, or the result would not say what it
    /// should.
    pub fn set_data(
        &mut self,
        object: &ObjectName,
        key: &str,
        text: Option<&str>,
    ) -> Result<(), EditError> {
        self.set(object, &["data"], key, text)
    }

    /// Writes an object: a new document at the end, or the labels and values that differ in the one that is there. Its
    /// sections that are not in `manifest` are taken out; whatever else it has stays.
    ///
    /// # Errors
    /// As [`Self::set_data`].
    pub fn put(&mut self, manifest: &Manifest) -> Result<(), EditError> {
        let object = &manifest.name;
        if find(&self.text, object).is_none() {
            return self.append(manifest);
        }
        let mut changed = self.clone();
        for (key, value) in &manifest.labels {
            changed.set(object, &["metadata", "labels"], key, Some(value))?;
        }
        for section in SectionName::ALL.map(SectionName::key) {
            if !manifest.data.iter().any(|(key, _)| key == section) {
                changed.set_data(object, section, None)?;
            }
        }
        for (key, value) in &manifest.data {
            changed.set_data(object, key, Some(value))?;
        }
        for (key, value) in &manifest.binary_data {
            changed.set(object, &["binaryData"], key, Some(value))?;
        }
        *self = changed;
        Ok(())
    }

    /// Takes an object out: its document, or its item of a list.
    ///
    /// # Errors
    /// As [`Self::set_data`].
    pub fn remove(&mut self, object: &ObjectName) -> Result<(), EditError> {
        let text = self.text.clone();
        let missing = || EditError::NoSuchObject(object.clone());
        let found = find(&text, object).ok_or_else(missing)?;
        if let Some(list) = found.list {
            let ways = entry::remove_item(&found.tree, list, found.node);
            return self.apply(object, &found, ways);
        }
        let documents = yaml::documents(&text, Dialect::Json);
        let range = documents.get(found.document).ok_or_else(missing)?.range;
        let new = spliced(&text, &vec![(range, String::new())]);
        let count = yaml::documents(&new, Dialect::Json).len();
        if count + 1 != documents.len() || find(&new, object).is_some() {
            return Err(EditError::Unfaithful(object.clone()));
        }
        self.replace(new);
        Ok(())
    }

    /// Sets a key of the mapping at `path`, which is made if it is not there.
    fn set(
        &mut self,
        object: &ObjectName,
        path: &[&str],
        key: &str,
        value: Option<&str>,
    ) -> Result<(), EditError> {
        let text = self.text.clone();
        let found = find(&text, object).ok_or_else(|| EditError::NoSuchObject(object.clone()))?;
        let shape = |reason: String| EditError::Shape {
            object: object.clone(),
            reason,
        };
        let ways = match value {
            Some(value) => entry::set(&found.tree, found.node, path, key, value).map_err(shape)?,
            None => entry::unset(&found.tree, found.node, path, key).map_err(shape)?,
        };
        match ways {
            Some(ways) => self.apply(object, &found, ways),
            None => Ok(()),
        }
    }

    /// Takes the first way that is faithful.
    fn apply(
        &mut self,
        object: &ObjectName,
        found: &Found<'_>,
        ways: Vec<Way>,
    ) -> Result<(), EditError> {
        let before = flat::flatten(&found.tree);
        for way in ways {
            let new = spliced(&self.text, &way.splices);
            if new.len() > MAX_BYTES {
                return Err(EditError::TooLarge(object.clone()));
            }
            let documents = yaml::documents(&new, Dialect::Json);
            let same_number = documents.len() == yaml::documents(&self.text, Dialect::Json).len();
            let after = documents
                .get(found.document)
                .and_then(|d| d.tree.as_ref().ok());
            if same_number && after.is_some_and(|tree| way.expected.holds(&before, tree)) {
                self.replace(new);
                return Ok(());
            }
        }
        Err(EditError::Unfaithful(object.clone()))
    }

    fn replace(&mut self, text: String) {
        self.text = text.into();
        self.edited = true;
    }

    /// Adds a document at the end.
    fn append(&mut self, manifest: &Manifest) -> Result<(), EditError> {
        let newline = newline(&self.text);
        let mut new = self.text.to_string();
        if !new.is_empty() && !new.ends_with('\n') {
            new.push_str(newline);
        }
        new.push_str("---");
        new.push_str(newline);
        new.push_str(&manifest.text(newline));
        if new.len() > MAX_BYTES {
            return Err(EditError::TooLarge(manifest.name.clone()));
        }
        let count = |text: &str| yaml::documents(text, Dialect::Json).len();
        let is_there = || find(&new, &manifest.name).is_some_and(|f| says(&f, manifest));
        if count(&new) != count(&self.text) + 1 || !is_there() {
            return Err(EditError::Unfaithful(manifest.name.clone()));
        }
        self.replace(new);
        Ok(())
    }
}

/// Whether the object has exactly the texts of the manifest.
fn says(found: &Found<'_>, manifest: &Manifest) -> bool {
    let texts = |holder: &View<'_>, field: &str| {
        let pairs = holder.pairs(field).unwrap_or_default().into_iter();
        let texts = pairs.map(|(key, value)| (key, value.as_text().unwrap_or_default()));
        texts.collect::<Vec<_>>()
    };
    View::of(&found.tree, found.node, String::new()).is_some_and(|object| {
        let labels = object.get("metadata").map(|m| texts(&m, "labels"));
        texts(&object, "data") == manifest.data
            && texts(&object, "binaryData") == manifest.binary_data
            && labels.is_some_and(|labels| labels == manifest.labels)
    })
}

/// The object, if the file has it.
fn find<'t>(text: &'t str, name: &ObjectName) -> Option<Found<'t>> {
    let documents = yaml::documents(text, Dialect::Json);
    documents
        .into_iter()
        .enumerate()
        .find_map(|(document, Document { tree, .. })| {
            let tree = tree.ok()?;
            let (node, list) = find_in(&tree, name)?;
            Some(Found {
                document,
                tree,
                node,
                list,
            })
        })
}

/// The object's node, and that of the list it is in.
fn find_in(tree: &Tree<'_>, name: &ObjectName) -> Option<(NodeId, Option<NodeId>)> {
    let root = View::root(tree)?;
    let kind = root.text("kind").ok()??;
    let is_it = |object: &View<'_>| kubernetes::config_map_name(object).is_ok_and(|n| n == *name);
    if kind == "ConfigMap" {
        return is_it(&root).then_some((root.node, None));
    }
    let item_kind = kind.strip_suffix("List")?;
    let items = root.get("items")?;
    let item = items.as_list().ok()?.into_iter().find(|item| {
        let kind = item.text("kind").ok().flatten();
        kind.as_deref().unwrap_or(item_kind) == "ConfigMap" && is_it(item)
    })?;
    Some((item.node, Some(items.node)))
}

fn spliced(text: &str, splices: &Splices) -> String {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for (range, replacement) in splices {
        new.push_str(text.get(at..range.start as usize).unwrap_or_default());
        new.push_str(replacement);
        at = range.end as usize;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}

/// How the file ends its lines: as it ends the first one.
fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests;
