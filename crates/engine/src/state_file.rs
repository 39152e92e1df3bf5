//! A state file as a cluster: writes are staged in memory, and one rename makes all of them durable.

use std::path::{Path, PathBuf};

use accord_model::observed::Observed;
use accord_model::time::Timestamp;
use accord_wire::sources::Sources;
use accord_wire::state;

use crate::cluster::ClusterError;
use crate::file;

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
    written: bool,
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

    /// Reads everything that a decision rests on.
    ///
    /// # Errors
    /// If a file cannot be read or used.
    pub fn observe(
        &mut self,
        now: Timestamp,
        sources: &mut Sources,
    ) -> Result<Observed, ClusterError> {
        let read = match self.read.take() {
            Some(read) if read.written => read,
            _ => Read::new(&self.path, &self.facts, sources)?,
        };
        let mut observed = read.staged.observed(now, &read.others, sources)?;
        if self.caller.is_some() {
            observed.caller = self.caller.clone();
        }
        self.read = Some(read);
        Ok(observed)
    }
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
            written: false,
            others,
        })
    }
}
