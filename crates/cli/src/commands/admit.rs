use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, OutputArgs, WriteArgs};

/// Accept a proposed fragment
///
/// A fragment outside `kube-system` does not count until it is admitted. What is admitted is this very content: a
/// changed fragment is proposed anew, and what was admitted before stays in effect meanwhile.
///
///     accord admit --state cluster.yaml team-a/aws-auth
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct AdmitArgs {
    /// The fragment
    #[arg(value_name = "NAMESPACE/NAME")]
    pub(crate) fragment: String,

    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
