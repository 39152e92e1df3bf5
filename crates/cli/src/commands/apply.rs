use std::path::PathBuf;

use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, DeclarationArgs, OutputArgs, WriteArgs};

/// Plan, show, ask, write, read back, keep the journal
///
/// Only the entries that are claimed are written; everybody else's bytes stay. A change that would lock people out or
/// stop nodes or Fargate pods is refused, with the one flag that allows it.
///
///     accord apply --state cluster.yaml -f team-a.yaml --owner team-a
///     accord apply --state cluster.yaml change.plan --yes
///
/// Exit code: 0 done or nothing to do, 5 refused, 6 partly applied.
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ApplyArgs {
    /// A plan that `accord plan --out` kept
    #[arg(value_name = "PLAN", conflicts_with_all = ["filename", "owner", "prune", "take_over"])]
    pub(crate) plan: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) declaration: DeclarationArgs,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
