use accord_model::facts::AuthenticationMode;
use accord_model::ledger::Origin;
use accord_plan::{lint, status};
use accord_wire::report;
use clap::Args;

use crate::args::{ClusterArgs, OutputArgs};
use crate::error::Result;
use crate::session::Session;
use crate::{convert, exit, render, ui};

/// Every mapping and access entry with its owner; drift; standing hazards
///
///     accord status --state cluster.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

pub(crate) fn run(args: &StatusArgs) -> Result<u8> {
    let mut session = Session::with_journal(&args.cluster)?;
    let observed = session.observe()?;
    let status = status::status(&observed);
    let mut findings = lint::lint(&observed);
    for finding in status.findings {
        // Sections that cannot be read are told by both.
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    let mode = observed.cluster.as_ref().and_then(|cluster| cluster.mode);
    let report = report::Status {
        version: report::Version,
        cluster: observed.heading.clone(),
        mode: mode.map(AuthenticationMode::name),
        entries: status.entries.iter().map(entry).collect(),
        findings: convert::findings(&findings, &session.sources),
    };
    ui::report(args.output.output, &report, render::status::status)?;
    Ok(exit::DONE)
}

fn entry(entry: &status::StatusEntry) -> report::StatusEntry {
    let rights = report::Rights::from(&entry.rights);
    report::StatusEntry {
        principal: entry.principal.clone(),
        username: rights.username,
        groups: rights.groups,
        policies: rights.policies,
        via: entry.via.map(|via| via.to_string()),
        owner: entry.owner.to_string(),
        origin: entry.origin.map(Origin::name),
        state: entry.state.name(),
    }
}
