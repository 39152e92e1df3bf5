use accord_plan::reconcile::decide;
use accord_plan::request::{self, Intent, Request};
use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, OutputArgs, WriteArgs};
use crate::commands::perform::{Manner, perform};
use crate::declare;
use crate::error::{self, Result};
use crate::session::Session;

/// Give up an owner's claims
///
/// Entries that Accord added or adopted for the owner go, unless another owner
/// shares them or a hazard forbids it; entries that were found as claimed stay.
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

pub(crate) fn run(args: &RemoveArgs) -> Result<u8> {
    let mut session = Session::open(&args.cluster)?;
    let manner = Manner::new("remove", &args.write, args.output.output);
    let allow = declare::allowances(&args.allow.allow)?;
    perform(&mut session, &manner, &|observed| {
        let owner = request::owner_named(observed, &args.owner).map_err(error::of_request)?;
        let request = Request {
            allow: allow.clone(),
            ..Request::new(Intent::Remove(owner))
        };
        decide(observed, &request).map_err(error::of_request)
    })
}
