use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, OutputArgs, WriteArgs};

/// Give up an owner's claims
///
/// Entries that Accord added or adopted for the owner go, unless another owner shares them or a hazard forbids it;
/// entries that were found as claimed stay.
///
///     accord remove --state cluster.yaml team-a
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct RemoveArgs {
    /// The owner: a name given to `--owner`, or NAMESPACE/NAME
    #[arg(value_name = "OWNER")]
    pub(crate) owner: String,

    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
