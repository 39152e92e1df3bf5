use clap::Args;

use crate::args::{ClusterArgs, OutputArgs};

/// Every mapping and access entry with its owner; drift; standing hazards
///
///     accord status --state cluster.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub struct StatusArgs {
    #[command(flatten)]
    pub cluster: ClusterArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}
