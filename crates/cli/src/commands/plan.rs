use std::path::PathBuf;

use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, DeclarationArgs, OutputArgs};

/// Who would gain, lose or change access
///
/// Nothing is written to the cluster.
///
///     accord plan --state cluster.yaml -f team-a.yaml --owner team-a
///     accord plan --state cluster.yaml -f fragments/ --out change.plan
///
/// Exit code: 0; with `--exit-code` 3 if something is pending.
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) declaration: DeclarationArgs,

    /// Keep the plan in this file, for `accord apply FILE`
    ///
    /// It is performed only if deciding anew gives the same changes.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Exit with 3 if something is pending
    #[arg(long, help_heading = "Output")]
    pub(crate) exit_code: bool,

    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
