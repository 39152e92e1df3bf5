//! A cluster, live or in a state file, as the loop sees it: observed whole, written object by object.
//!
//! Writes are optimistic. Whatever is written rests on what was last observed; if somebody else has written meanwhile,
//! the write fails with [`ClusterError::Conflict`], nothing is lost, and everything is observed and decided again.

use accord_kube::KubeError;
use accord_model::journal::JournalEntry;
use accord_model::observed::Observed;
use accord_model::time::Timestamp;
use accord_wire::config_map::ObjectName;
use accord_wire::fragment;
use accord_wire::journal::JournalError;
use accord_wire::sources::{Misread, Sources};
use accord_wire::state::EditError;

use crate::file::FileError;

/// A ConfigMap's `data`, in the order of the object.
pub type Data = Vec<(String, String)>;

/// A write to one ConfigMap's `data`. Keys that are the same before and after are not touched, nor is anything else of
/// the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Which object.
    pub name: ObjectName,
    /// Labels that it has or gets.
    pub labels: Vec<(String, String)>,
    /// What was observed; `None`: it is not there, and is made.
    pub before: Option<Data>,
    /// What it becomes; `None`: it is deleted.
    pub after: Option<Data>,
}

/// A cluster.
pub trait Cluster {
    /// Reads everything that a decision rests on.
    ///
    /// After a write it answers with what was written: to a state file as it is staged, to a live cluster as it is.
    /// The texts that are read are added to `sources`, so that places in them can be told.
    ///
    /// # Errors
    /// If the cluster as a whole cannot be read. A malformed object is a finding in the answer.
    fn observe(&mut self, now: Timestamp, sources: &mut Sources) -> Result<Observed, ClusterError>;

    /// Reads again what was written, for comparing it with the plan; `before` is what the plan rests on.
    ///
    /// If somebody else has written since, it is what this program's own write made of it that counts.
    ///
    /// # Errors
    /// As [`Cluster::observe`].
    fn read_back(
        &mut self,
        before: &Observed,
        sources: &mut Sources,
    ) -> Result<Observed, ClusterError>;

    /// A ConfigMap's `data` as last observed; `None` if it does not exist.
    fn data(&self, name: &ObjectName) -> Option<Data>;

    /// Writes one object.
    ///
    /// # Errors
    /// [`ClusterError::Conflict`] if it is no longer as observed.
    fn write(&mut self, write: &Write) -> Result<(), ClusterError>;

    /// Writes a journal entry, or replaces the one with the same id, and forgets the oldest beyond `keep`.
    ///
    /// # Errors
    /// As [`Cluster::write`].
    fn journal(&mut self, entry: &JournalEntry, keep: usize) -> Result<(), ClusterError>;

    /// Takes a journal entry away that came to nothing.
    ///
    /// # Errors
    /// As [`Cluster::write`].
    fn forget(&mut self, id: &str) -> Result<(), ClusterError>;

    /// The id of the newest journal entry that was observed.
    fn last_entry(&self) -> Option<String>;

    /// Makes all writes since the last commit durable. A live cluster has done so with each write.
    ///
    /// # Errors
    /// [`ClusterError::Conflict`], and then none of them happened.
    fn commit(&mut self) -> Result<(), ClusterError>;

    /// Whether each write is durable at once, so that a run which fails half way has written half.
    fn writes_at_once(&self) -> bool;

    /// Lets others finish, after the `times`-th conflict.
    fn wait(&self, times: u32);
}

/// What can go wrong with a cluster.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// Somebody else has written since it was observed.
    #[error("somebody else changed {0} meanwhile")]
    Conflict(String),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A text cannot be used.
    #[error(transparent)]
    Misread(#[from] Misread),
    /// An object in a file cannot be written to.
    #[error("could not write {0}")]
    Edit(ObjectName, #[source] EditError),
    /// A live cluster cannot be read or written.
    #[error(transparent)]
    Kube(KubeError),
    /// A ConfigMap of the name that an owner's claims would get is there, and is no fragment.
    #[error("{0} is there already, and it is no fragment: it lacks the label `{label}: {value}`", label = fragment::LABEL, value = fragment::LABEL_VALUE)]
    Taken(ObjectName),
    /// A journal entry cannot be packed.
    #[error("could not write the journal")]
    Journal(#[from] JournalError),
}

impl ClusterError {
    /// Whether an object may have been written in spite of it.
    pub const fn may_be_written(&self) -> bool {
        matches!(self, Self::Kube(KubeError::MaybeWritten { .. }))
    }
}

impl From<KubeError> for ClusterError {
    fn from(error: KubeError) -> Self {
        match error {
            KubeError::Conflict(object) | KubeError::SentTwice(object) => {
                Self::Conflict(object.to_string())
            }
            other => Self::Kube(other),
        }
    }
}
