//! State files: a cluster as documents, which every command reads and `apply` writes.
//!
//! Documents in YAML or JSON, separated by `---`, in any order: what `kubectl get -o yaml` and `aws eks describe-…`
//! print. Each is recognised by its shape. ConfigMaps that are not in the file do not exist; of everything else more
//! may exist, unless a list says what there is.
//!
//! ```text
//! bytes → documents (yaml) → kubernetes, eks → Facts → observed → Observed
//!             └── edit: one value, one object; every other byte stays
//! ```
//!
//! # Invariants
//! - A file is taken whole or not at all: the first thing that cannot be understood is an error with its place.
//! - After an edit the text is read again, and must differ in exactly what was asked for; else it stays as it was.

mod edit;
mod eks;
mod facts;
mod kubernetes;
mod observed;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;

use accord_model::span::{Place, Range, TextId};

use crate::config_map::{ConfigMap, ObjectName};
use crate::sources::{Misread, Sources};
use crate::view::{Fault, View};
use crate::yaml::{self, Dialect};
use facts::Facts;

pub use edit::EditError;
pub use values::values;

pub(crate) use edit::rewrite;
pub(crate) use kubernetes::{config_map, config_map_name, whole_lines};

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 64 << 20;

/// A state file as read.
#[derive(Clone, Debug)]
pub struct StateFile {
    name: String,
    id: TextId,
    text: Arc<str>,
    /// What was read when the file was parsed.
    facts: Facts,
    /// The text has changed since.
    edited: bool,
}

impl StateFile {
    /// Reads a file. Its text, and those inside it that matter, are added to `sources`.
    ///
    /// # Errors
    /// If it is no text, larger than [`MAX_BYTES`], holds no document at all, or holds one that cannot be read or is
    /// not known; if a field that a rule needs has another type; if an object of Accord's or `aws-auth` is there
    /// twice, or documents are of several clusters.
    pub fn parse(name: &str, bytes: &[u8], sources: &mut Sources) -> Result<Self, Misread> {
        let text: Arc<str> = text(name, bytes)?.into();
        let id = sources.add_file(name, text.clone());
        match read(&text, id, sources) {
            Ok(facts) => Ok(Self {
                name: name.to_owned(),
                id,
                text,
                facts,
                edited: false,
            }),
            Err(fault) => Err(sources.misread(fault.range.of(id), fault.message)),
        }
    }

    /// Reads the objects of a live cluster: `name` is what the cluster is called, each of `objects` has a label and the
    /// text of a document. Places in them have no file.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn of_objects(
        name: &str,
        objects: Vec<(String, String)>,
        sources: &mut Sources,
    ) -> Result<Self, Misread> {
        let mut facts = Facts::default();
        for (label, text) in objects {
            let text: Arc<str> = text.into();
            let id = sources.add_object(label, text.clone());
            let read = read(&text, id, sources)
                .map_err(|fault| sources.misread(fault.range.of(id), fault.message))?;
            facts.append(&read);
        }
        Ok(Self {
            name: name.to_owned(),
            id: sources.add_object(name, ""),
            text: "".into(),
            facts,
            edited: false,
        })
    }

    /// The file's name as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text's id in the [`Sources`] that it was read with.
    pub const fn id(&self) -> TextId {
        self.id
    }

    /// The whole file, as it is now.
    pub const fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// As parsed: the ConfigMaps that concern Accord, in the order of their names: `aws-auth`, fragments, the ledger, the journal.
    pub fn config_maps(&self) -> impl Iterator<Item = &ConfigMap> {
        self.facts.config_maps.values()
    }

    /// One of [`Self::config_maps`].
    pub fn config_map(&self, name: &ObjectName) -> Option<&ConfigMap> {
        self.facts.config_maps.get(name)
    }
}

/// The bytes as text of a size that is read.
pub(crate) fn text<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, Misread> {
    let misread = |line: usize, column: usize, message: String| Misread {
        message,
        span: None,
        place: Place {
            file: Some(name.to_owned()),
            line: line as u32,
            column: column as u32,
        },
    };
    if bytes.len() > MAX_BYTES {
        let mebibytes = MAX_BYTES >> 20;
        return Err(misread(
            1,
            1,
            format!("the file is larger than {mebibytes} MiB, which is the most that is read"),
        ));
    }
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let message =
            "the file is UTF-16, as PowerShell writes what is sent into a file; write it as UTF-8";
        return Err(misread(1, 1, message.to_owned()));
    }
    std::str::from_utf8(bytes).map_err(|e| {
        let valid = &bytes[..e.valid_up_to()];
        let line_start = valid
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1);
        let line = valid.iter().filter(|&&b| b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(&valid[line_start..])
            .chars()
            .count()
            + 1;
        misread(
            line,
            column,
            "the file is not text in UTF-8 from here on".to_owned(),
        )
    })
}

/// The faults of a document that is no YAML.
pub(crate) fn unreadable(error: yaml::YamlError) -> Fault {
    Fault {
        message: format!("this cannot be read, because {}", error.message),
        range: error.range,
    }
}

fn read(text: &str, id: TextId, sources: &mut Sources) -> Result<Facts, Fault> {
    let mut facts = Facts::default();
    let documents = yaml::documents(text, Dialect::Json);
    if documents.is_empty() {
        return Err(Fault {
            message: "the file holds no document; a state file holds at least one".to_owned(),
            range: Range::new(0, 0),
        });
    }
    for document in documents {
        let tree = document.tree.map_err(unreadable)?;
        let Some(root) = View::root(&tree) else {
            continue;
        };
        let known = if root.is_mapping() && root.has("apiVersion") && root.has("kind") {
            kubernetes::read(&root, id, sources, &mut facts)?;
            true
        } else {
            root.is_mapping() && eks::read(&root, &mut facts)?
        };
        if !known {
            return Err(unknown(&root));
        }
    }
    match facts.cluster.as_ref().and_then(|c| facts.stranger(c)) {
        Some(fault) => Err(fault),
        None => Ok(facts),
    }
}

fn unknown(root: &View<'_>) -> Fault {
    let hint = if root.is_list() {
        "; a bare list of mappings is given with -f"
    } else if ["mapRoles", "mapUsers", "mapAccounts"]
        .iter()
        .any(|k| root.has(k))
    {
        "; mappings without a ConfigMap around them are given with -f"
    } else {
        ""
    };
    root.fault(format!(
        "this document is not known; a Kubernetes object (`apiVersion` and `kind`), the caller (`Arn` and `UserId`) or \
         one with {} was expected{hint}",
        eks::recognised_by()
    ))
}
