use accord_plan::reconcile::decide;
use accord_plan::request::{Intent, Request};
use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, OutputArgs, WriteArgs};
use crate::commands::perform::{Manner, perform};
use crate::declare;
use crate::error::{self, Result};
use crate::session::Session;

/// Put every admitted claim into effect, with no change of claims
///
/// Entries that somebody edited or removed by hand are put back; entries whose
/// owners are gone are removed.
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

pub(crate) fn run(args: &SyncArgs) -> Result<u8> {
    let mut session = Session::open(&args.cluster)?;
    let manner = Manner::new("sync", &args.write, args.output.output);
    let request = Request {
        allow: declare::allowances(&args.allow.allow)?,
        ..Request::new(Intent::Sync)
    };
    perform(&mut session, &manner, &|observed| {
        decide(observed, &request).map_err(error::of_request)
    })
}
