//! A state file as a cluster: writes are staged in memory, and one rename makes all of them durable.

use std::path::{Path, PathBuf};

use accord_model::journal::JournalEntry;
use accord_model::observed::Observed;
use accord_model::time::Timestamp;
use accord_wire::config_map::{Manifest, ObjectName};
use accord_wire::journal;
use accord_wire::sources::Sources;
use accord_wire::state::{self, EditError};

use crate::cluster::{Cluster, ClusterError, Data, Write};
use crate::file::{self, FileError};

/// A cluster in a file.
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
    /// Further files, which are only read.
    facts: Vec<PathBuf>,
    /// Who asks, where that is told on the command line.
    caller: Option<String>,
    /// What was last read.
    read: Option<Read>,
}

#[derive(Debug)]
struct Read {
    /// The file as it was.
    bytes: Vec<u8>,
    /// The same, or as it will be once writes are committed.
    staged: state::StateFile,
    /// Whether there are such writes.
    is_written: bool,
    others: Vec<state::StateFile>,
}

impl StateFile {
    /// The cluster in the file `path`, which is read when it is observed; `facts` are further files, read only.
    pub fn new(path: &Path, facts: &[PathBuf]) -> Self {
        Self {
            path: path.to_owned(),
            facts: facts.to_owned(),
            caller: None,
            read: None,
        }
    }

    /// The same, with `caller` as who asks, whatever the file says.
    #[must_use]
    pub fn asked_by(mut self, caller: Option<String>) -> Self {
        self.caller = caller;
        self
    }

    /// What was observed, with the writes staged since. Nothing can be written that was not observed.
    fn staged(&mut self) -> Result<&mut Read, ClusterError> {
        let conflict = || ClusterError::Conflict(format!("`{}`", self.path.display()));
        self.read.as_mut().ok_or_else(conflict)
    }
}

impl Cluster for StateFile {
    fn observe(&mut self, now: Timestamp, sources: &mut Sources) -> Result<Observed, ClusterError> {
        let read = match self.read.take() {
            Some(read) if read.is_written => read.again(sources)?,
            _ => Read::new(&self.path, &self.facts, sources)?,
        };
        let mut observed = read.staged.observed(now, &read.others, sources)?;
        if self.caller.is_some() {
            observed.caller.clone_from(&self.caller);
        }
        self.read = Some(read);
        Ok(observed)
    }

    fn read_back(
        &mut self,
        before: &Observed,
        sources: &mut Sources,
    ) -> Result<Observed, ClusterError> {
        self.observe(before.now, sources)
    }

    fn data(&self, name: &ObjectName) -> Option<Data> {
        self.read.as_ref()?.staged.data(name)
    }

    fn write(&mut self, write: &Write) -> Result<(), ClusterError> {
        let read = self.staged()?;
        read.is_written = true;
        read.write(write)
            .map_err(|error| ClusterError::Edit(write.name.clone(), error))
    }

    fn journal(&mut self, entry: &JournalEntry, keep: usize) -> Result<(), ClusterError> {
        let manifest = journal::manifest(entry)?;
        let read = self.staged()?;
        read.is_written = true;
        read.journal(&manifest, keep)
    }

    /// It was only staged, and is gone since the file was read again.
    fn forget(&mut self, _: &str) -> Result<(), ClusterError> {
        Ok(())
    }

    fn last_entry(&self) -> Option<String> {
        let read = self.read.as_ref()?;
        let objects = read.staged.config_maps().map(|object| &object.name);
        let ids = objects.filter_map(journal::id);
        ids.max().map(str::to_owned)
    }

    fn commit(&mut self) -> Result<(), ClusterError> {
        let Some(read) = self.read.take().filter(|read| read.is_written) else {
            return Ok(());
        };
        match file::replace(&self.path, &read.bytes, read.staged.text().as_bytes()) {
            Err(FileError::Changed(path)) => {
                Err(ClusterError::Conflict(format!("`{}`", path.display())))
            }
            other => Ok(other?),
        }
    }

    fn writes_at_once(&self) -> bool {
        false
    }

    /// Who has the lock has it for milliseconds.
    fn wait(&self, _: u32) {}
}

impl Read {
    fn new(path: &Path, facts: &[PathBuf], sources: &mut Sources) -> Result<Self, ClusterError> {
        let parse = |path: &Path, bytes: &[u8], sources: &mut Sources| {
            state::StateFile::parse(&path.display().to_string(), bytes, sources)
        };
        let bytes = file::read(path)?;
        let staged = parse(path, &bytes, sources)?;
        let mut others = Vec::new();
        for path in facts {
            others.push(parse(path, &file::read(path)?, sources)?);
        }
        Ok(Self {
            bytes,
            staged,
            is_written: false,
            others,
        })
    }
    /// The staged text, read again.
    fn again(mut self, sources: &mut Sources) -> Result<Self, ClusterError> {
        let text = self.staged.text().clone();
        self.staged = state::StateFile::parse(self.staged.name(), text.as_bytes(), sources)?;
        Ok(self)
    }

    fn write(&mut self, write: &Write) -> Result<(), EditError> {
        let Some(after) = &write.after else {
            return self.staged.remove(&write.name);
        };
        let Some(before) = &write.before else {
            return self.staged.put(&Manifest {
                name: write.name.clone(),
                labels: write.labels.clone(),
                data: after.clone(),
                binary_data: Vec::new(),
            });
        };
        let gone = before
            .iter()
            .filter(|(key, _)| after.iter().all(|(k, _)| k != key));
        for (key, _) in gone {
            self.staged.set_data(&write.name, key, None)?;
        }
        for (key, value) in after.iter().filter(|pair| !before.contains(pair)) {
            self.staged.set_data(&write.name, key, Some(value))?;
        }
        Ok(())
    }

    fn journal(&mut self, manifest: &Manifest, keep: usize) -> Result<(), ClusterError> {
        let name = &manifest.name;
        let edit = |error| ClusterError::Edit(name.clone(), error);
        self.staged.put(manifest).map_err(edit)?;
        // Ids sort by time.
        let mut kept: Vec<ObjectName> = self
            .staged
            .config_maps()
            .map(|object| object.name.clone())
            .filter(|name| journal::id(name).is_some())
            .chain([name.clone()])
            .collect();
        kept.sort();
        kept.dedup();
        let oldest = kept.len().saturating_sub(keep);
        for name in kept.into_iter().take(oldest) {
            self.staged.remove(&name).map_err(edit)?;
        }
        Ok(())
    }
}
