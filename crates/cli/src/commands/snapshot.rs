use std::path::PathBuf;

use accord_engine::file;
use accord_wire::snapshot;
use clap::Args;

use crate::args::ClusterArgs;
use crate::error::{self, CliError, Result};
use crate::{exit, session, ui};

/// Write what a live cluster looks like into one file
///
/// The file is a state file: every command takes it with `--state`, so that a plan
/// can be tried, a pull request checked, or a wiped map restored from it.
///
///     accord snapshot > cluster.yaml
///     accord snapshot --context prod --out prod.yaml
///     accord plan --state prod.yaml -f team-a.yaml --owner team-a
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct SnapshotArgs {
    /// Write it to this new file instead of standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
}

pub(crate) fn run(args: &SnapshotArgs) -> Result<u8> {
    if args.cluster.state.is_some() {
        return Err(CliError::usage(
            "a snapshot is taken of a live cluster, not of a state file",
        ));
    }
    let live = session::live(&args.cluster, true)?;
    let objects = live.objects().map_err(error::of_kube)?;
    let text = snapshot::file(objects.values());
    match &args.out {
        Some(path) => file::write_new(path, text.as_bytes()).map_err(error::of_file)?,
        None => ui::print(&text)?,
    }
    Ok(exit::DONE)
}
