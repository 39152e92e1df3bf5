use accord_plan::reconcile::decide;
use accord_plan::request::{self, Intent, Request};
use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, OutputArgs, WriteArgs};
use crate::commands::perform::{Manner, perform};
use crate::declare;
use crate::error::{self, Result};
use crate::session::Session;

/// Accept a proposed fragment
///
/// A fragment outside `kube-system` does not count until it is admitted. What is
/// admitted is this very content: a changed fragment is proposed anew, and what was
/// admitted before stays in effect meanwhile.
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

pub(crate) fn run(args: &AdmitArgs) -> Result<u8> {
    let mut session = Session::open(&args.cluster)?;
    let manner = Manner::new("admit", &args.write, args.output.output);
    let allow = declare::allowances(&args.allow.allow)?;
    perform(&mut session, &manner, &|observed| {
        let owner = request::owner_named(observed, &args.fragment).map_err(error::of_request)?;
        let request = Request {
            allow: allow.clone(),
            ..Request::new(Intent::Admit(owner))
        };
        decide(observed, &request).map_err(error::of_request)
    })
}
