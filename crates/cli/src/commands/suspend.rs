use clap::Args;

use crate::args::{ClusterArgs, OutputArgs, WriteArgs};

/// Stop putting an entry back for a while
///
/// For the night when a role must be thrown out by hand: until the given time Accord leaves the entry as it finds it.
///
///     accord suspend --state cluster.yaml arn:aws:iam::111122223333:role/a --until 2026-10-01T08:00:00Z --reason leak
///     accord suspend --state cluster.yaml --all --until 2h --reason "incident 17"
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment, group = clap::ArgGroup::new("what").required(true).args(["principal", "all"]))]
pub(crate) struct SuspendArgs {
    /// The principal
    #[arg(value_name = "PRINCIPAL")]
    pub(crate) principal: Option<String>,

    /// Every principal
    #[arg(long)]
    pub(crate) all: bool,

    /// Until when: a time in RFC 3339, or from now on, such as `90m`, `2h` or `3d`
    #[arg(long, value_name = "TIME", required = true)]
    pub(crate) until: String,

    /// Why, for the ledger and the journal
    #[arg(long, value_name = "TEXT", required = true)]
    pub(crate) reason: String,

    /// Do not ask
    #[arg(short, long, help_heading = "Writing")]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
