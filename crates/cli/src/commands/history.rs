use clap::Args;

use crate::args::{ClusterArgs, OutputArgs};

/// What was applied, when, by whom and why
///
///     accord history --state cluster.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
