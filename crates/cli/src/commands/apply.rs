use std::path::PathBuf;

use accord_model::finding::FindingKind;
use accord_model::plan::{Plan, Refusal};
use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, DeclarationArgs, OutputArgs, WriteArgs};
use crate::commands::perform::{self, Manner, perform};
use crate::declare::Declaration;
use crate::error::Result;
use crate::session::Session;

/// Plan, show, ask, write, read back, keep the journal
///
/// Only the entries that are claimed are written; everybody else's bytes stay. A
/// change that would lock people out or stop nodes or Fargate pods is refused, with
/// the one flag that allows it.
///
///     accord apply --state cluster.yaml -f team-a.yaml --owner team-a
///     accord apply --state cluster.yaml change.plan --yes
///
/// Exit code: 0 done or nothing to do, 5 refused, 6 partly applied.
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ApplyArgs {
    /// A plan that `accord plan --out` kept
    #[arg(value_name = "PLAN", conflicts_with_all = ["filename", "owner", "prune", "take_over", "allow"])]
    pub(crate) plan: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) declaration: DeclarationArgs,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

pub(crate) fn run(args: &ApplyArgs) -> Result<u8> {
    let mut session = Session::open(&args.cluster)?;
    let manner = Manner::new("apply", &args.write, args.output.output);
    let Some(path) = &args.plan else {
        let declaration =
            Declaration::read(&args.declaration, &args.allow.allow, &mut session.sources)?;
        return perform(&mut session, &manner, &|observed| {
            declaration.decide(observed)
        });
    };
    let (declaration, saved) = Declaration::kept(path, &mut session.sources)?;
    perform(&mut session, &manner, &|observed| {
        let plan = perform::guard(Some(&saved.cluster), observed, &|observed| {
            declaration.decide(observed)
        })?;
        Ok(
            if plan.is_refused() || plan.steps.is_empty() || saved.fits(&plan) {
                plan
            } else {
                outdated(plan)
            },
        )
    })
}

/// The plan that would be made now, refused because it is not the one that was kept.
fn outdated(plan: Plan) -> Plan {
    let refusal = Refusal {
        kind: FindingKind::PlanOutdated,
        principal: None,
        message: "The cluster has changed since the plan was made, and the same files would now change something \
                  else, as shown here. Make the plan anew."
            .to_owned(),
        held_by: None,
        allow: None,
        askers: true,
    };
    Plan {
        refusals: vec![refusal],
        ..plan
    }
}
