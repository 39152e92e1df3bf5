use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, OutputArgs, WriteArgs};

/// Put every admitted claim into effect, with no change of claims
///
/// Entries that somebody edited or removed by hand are put back; entries whose owners are gone are removed.
///
///     accord sync --state cluster.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct SyncArgs {
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
