use clap::{Args, ValueEnum};

use crate::args::{ClusterArgs, OutputArgs, WriteArgs};

/// Claim what is live for an owner
///
/// Nobody's access changes. With `--print` the owner's claims come out as a fragment or as a bare list, to be kept in
/// Git.
///
///     accord adopt --state cluster.yaml --owner team-a --principal arn:aws:iam::111122223333:role/a
///     accord adopt --state cluster.yaml --owner team-a --principal ... --print fragment > team-a.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct AdoptArgs {
    /// The owner who claims
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: String,

    /// The principals to claim (repeatable)
    #[arg(long, value_name = "ARN", required = true)]
    pub(crate) principal: Vec<String>,

    /// Print the owner's claims in this form, on standard output; the plan goes to standard error
    #[arg(long, value_name = "FORM", help_heading = "Output")]
    pub(crate) print: Option<Printed>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// The form in which claims are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Printed {
    /// A labelled ConfigMap
    Fragment,
    /// A bare list of role mappings, or of all sections if there are others
    #[value(name = "mapRoles")]
    MapRoles,
}
