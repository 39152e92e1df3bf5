use std::path::PathBuf;

use accord_plan::reconcile::decide;
use accord_plan::request::{Intent, Request};
use clap::Args;

use crate::args::{ClusterArgs, OutputArgs, WriteArgs};
use crate::commands::perform::{Manner, perform};
use crate::error::{self, Result};
use crate::session::Session;

/// After a wipe: add what is missing, and name what cannot be known
///
/// Entries of node groups and Fargate profiles are rebuilt from what EKS knows,
/// claimed entries from their claims, and with `--from` every other entry from an
/// older state. Nothing that is there is changed.
///
///     accord restore --state cluster.yaml
///     accord restore --state cluster.yaml --from yesterday.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct RestoreArgs {
    /// Add what this older state or manifest holds
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

pub(crate) fn run(args: &RestoreArgs) -> Result<u8> {
    let mut session = Session::with_journal(&args.cluster)?;
    let manner = Manner::new("restore", &args.write, args.output.output);
    let backup = match &args.from {
        Some(path) => Some(Box::new(session.other(path)?)),
        None => None,
    };
    let request = Request::new(Intent::Restore { backup });
    perform(&mut session, &manner, &|observed| {
        decide(observed, &request).map_err(error::of_request)
    })
}
