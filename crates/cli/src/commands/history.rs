use clap::Args;

use crate::args::{ClusterArgs, OutputArgs};

/// What was applied, when, by whom and why
///
///     accord history --state cluster.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub struct HistoryArgs {
    #[command(flatten)]
    pub cluster: ClusterArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}
