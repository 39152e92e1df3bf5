use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, OutputArgs, WriteArgs};

/// Undo an applied plan
///
/// It is a plan of its own, guarded like any other: what was edited since is not touched, and a hazard is refused.
///
///     accord rollback --state cluster.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct RollbackArgs {
    /// The journal entry to undo, as `accord history` shows it; without it the last
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,

    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
