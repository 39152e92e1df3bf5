//! The cluster that a command works on, and what belongs to it: texts and the clock.

use accord_engine::clock::Clock;
use accord_engine::cluster::Cluster as _;
use accord_engine::run::{self, Proposal};
use accord_engine::state_file::StateFile;
use accord_model::observed::Observed;
use accord_model::plan::Plan;
use accord_wire::sources::Sources;
use accord_wire::time;

use std::path::Path;

use crate::args::ClusterArgs;
use crate::commands::perform;
use crate::error::{self, CliError, Kind, Result};

/// A cluster, opened.
pub(crate) struct Session {
    /// The cluster.
    pub(crate) cluster: StateFile,
    /// Every text that was read.
    pub(crate) sources: Sources,
    /// What tells the time.
    pub(crate) clock: Clock,
    /// The only cluster that is wanted.
    expected: Option<String>,
}

impl Session {
    /// Opens the cluster that the arguments name. Nothing is read yet.
    pub(crate) fn open(args: &ClusterArgs) -> Result<Self> {
        let Some(path) = &args.state else {
            return Err(CliError::usage(
                "this version works on state files only, not on a live cluster",
            )
            .hint("give `--state FILE`: what `kubectl get -o yaml` and `aws eks describe-...` print, separated by `---`"));
        };
        Ok(Self {
            cluster: StateFile::new(path, &args.facts).asked_by(args.as_identity.clone()),
            sources: Sources::new(),
            clock: clock(args.now.as_deref())?,
            expected: args.expect_cluster.clone(),
        })
    }

    /// Reads everything, for a command that only tells.
    pub(crate) fn observe(&mut self) -> Result<Observed> {
        let observed = self
            .cluster
            .observe(self.clock.now(), &mut self.sources)
            .map_err(|error| error::of_cluster(error, &self.sources))?;
        match &self.expected {
            Some(expected) if *expected != observed.heading => Err(CliError::new(
                Kind::Refused,
                format!(
                    "this is `{}`, and `{expected}` was expected",
                    observed.heading
                ),
            )),
            _ => Ok(observed),
        }
    }

    /// Observes and decides, and writes nothing.
    pub(crate) fn propose(
        &mut self,
        decide: &dyn Fn(&Observed) -> Result<Plan>,
    ) -> Result<Proposal> {
        let expected = self.expected.as_deref();
        let guarded = |observed: &Observed| perform::guard(expected, observed, decide);
        run::propose(&mut self.cluster, &mut self.sources, self.clock, &guarded)
            .map_err(|error| error::of_run(error, &self.sources))
    }

    /// Another state, such as a backup, as it is.
    pub(crate) fn other(&mut self, path: &Path) -> Result<Observed> {
        StateFile::new(path, &[])
            .observe(self.clock.now(), &mut self.sources)
            .map_err(|error| error::of_cluster(error, &self.sources))
    }

    /// The only cluster that is wanted, if one is named.
    pub(crate) fn expected(&self) -> Option<&str> {
        self.expected.as_deref()
    }
}

/// The clock that `--now` tells, else the system's.
pub(crate) fn clock(now: Option<&str>) -> Result<Clock> {
    match now {
        None => Ok(Clock::system()),
        Some(text) => time::parse(text)
            .map(Clock::fixed)
            .ok_or_else(|| CliError::usage(format!("`{text}` is no time in RFC 3339"))),
    }
}
