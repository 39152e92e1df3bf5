use clap::Args;

use crate::args::{ClusterArgs, OutputArgs};

/// Every mapping and access entry with its owner; drift; standing hazards
///
///     accord status --state cluster.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
