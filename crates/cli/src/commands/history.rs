use accord_wire::{report, time};
use clap::Args;

use crate::args::{ClusterArgs, OutputArgs};
use crate::error::Result;
use crate::session::Session;
use crate::{exit, render, ui};

/// What was applied, when, by whom and why
///
///     accord history --state cluster.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

pub(crate) fn run(args: &HistoryArgs) -> Result<u8> {
    let observed = Session::with_journal(&args.cluster)?.observe()?;
    let report = report::History {
        version: report::Version,
        cluster: observed.heading,
        entries: observed
            .journal
            .iter()
            .rev()
            .map(|entry| report::HistoryEntry::new(entry, time::print(entry.at)))
            .collect(),
    };
    ui::report(args.output.output, &report, render::history::history)?;
    Ok(exit::DONE)
}
