//! The cluster that a command works on, and what belongs to it: texts and the clock.

use accord_engine::clock::Clock;
use accord_engine::cluster::Cluster;
use accord_engine::live::{Live, Options};
use accord_engine::run::{self, Proposal};
use accord_engine::state_file::StateFile;
use accord_kube::connect::{self, Target};
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
    pub(crate) cluster: Box<dyn Cluster>,
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
        Self::with(args, false)
    }

    /// The same, for a command that needs what the journal says.
    pub(crate) fn with_journal(args: &ClusterArgs) -> Result<Self> {
        Self::with(args, true)
    }

    fn with(args: &ClusterArgs, journal: bool) -> Result<Self> {
        let cluster: Box<dyn Cluster> = match &args.state {
            Some(path) => {
                Box::new(StateFile::new(path, &args.facts).asked_by(args.as_identity.clone()))
            }
            None => Box::new(live(args, journal)?),
        };
        Ok(Self {
            cluster,
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
        run::propose(
            self.cluster.as_mut(),
            &mut self.sources,
            self.clock,
            &guarded,
        )
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

/// The live cluster that the arguments name.
pub(crate) fn live(args: &ClusterArgs, journal: bool) -> Result<Live> {
    let target = Target {
        kubeconfig: args.kubeconfig.clone(),
        context: args.context.clone(),
        as_user: args.as_user.clone(),
        as_groups: args.as_groups.clone(),
    };
    let connection = connect::connect(&target).map_err(error::of_kube)?;
    let options = Options {
        facts: args.facts.clone(),
        namespaces: args.namespaces.clone(),
        caller: args.as_identity.clone(),
        journal,
    };
    Ok(Live::new(connection, options))
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
