use std::path::PathBuf;

use accord_engine::file;
use accord_wire::report;
use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, DeclarationArgs, OutputArgs};
use crate::declare::Declaration;
use crate::error::{self, Result};
use crate::session::Session;
use crate::{convert, exit, render, ui};

/// Who would gain, lose or change access
///
/// Nothing is written to the cluster.
///
///     accord plan --state cluster.yaml -f team-a.yaml --owner team-a
///     accord plan --state cluster.yaml -f fragments/ --out change.plan
///
/// Exit code: 0; with `--exit-code` 3 if something is pending.
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) declaration: DeclarationArgs,

    /// Keep the plan in this file, for `accord apply FILE`
    ///
    /// It is performed only if deciding anew gives the same changes.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Exit with 3 if something is pending
    #[arg(long, help_heading = "Output")]
    pub(crate) exit_code: bool,

    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

pub(crate) fn run(args: &PlanArgs) -> Result<u8> {
    let mut session = Session::open(&args.cluster)?;
    let declaration =
        Declaration::read(&args.declaration, &args.allow.allow, &mut session.sources)?;
    let proposal = session.propose(&|observed| declaration.decide(observed))?;
    let outcome = if proposal.plan.is_refused() {
        report::Outcome::Refused
    } else if proposal.is_nothing() {
        report::Outcome::Nothing
    } else {
        report::Outcome::Pending
    };
    let report = convert::plan(&proposal, &session.sources, outcome);
    if let Some(path) = &args.out {
        let kept = declaration.keep(&proposal);
        file::write_new(path, kept.to_text().as_bytes()).map_err(error::of_file)?;
    }
    ui::report(args.output.output, &report, render::plan::plan)?;
    Ok(if args.exit_code && outcome == report::Outcome::Pending {
        exit::PENDING
    } else {
        exit::DONE
    })
}
