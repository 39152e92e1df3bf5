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
pub struct RemoveArgs {
    /// The owner: a name given to `--owner`, or NAMESPACE/NAME
    #[arg(value_name = "OWNER")]
    pub owner: String,

    #[command(flatten)]
    pub allow: AllowArgs,
    #[command(flatten)]
    pub write: WriteArgs,
    #[command(flatten)]
    pub cluster: ClusterArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}
