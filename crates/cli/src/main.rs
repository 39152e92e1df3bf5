//! `accord`: arguments, rendering and exit codes. It decides nothing and writes nothing by itself.

mod args;
mod commands;
mod convert;
mod declare;
mod error;
mod exit;
mod render;
mod session;
mod style;
mod ui;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{
    admit, adopt, apply, check, completions, explain, history, plan, remove, restore, rollback,
    sandbox, snapshot, status, suspend, sync,
};
use crate::error::Result;

/// Keeps `aws-auth`, the map of who may enter an Amazon EKS cluster, in agreement among everybody who writes it
///
/// Every team declares its own entries. Accord merges them, shows who gains and who loses access before anything
/// happens, refuses what would lock people out or stop nodes, and touches nobody else's bytes.
#[derive(Parser, Debug)]
#[command(
    name = "accord",
    version,
    after_help = "Exit codes: 0 done or nothing to do, 1 failed, 2 usage, 3 changes pending, 4 findings, \
                  5 refused, 6 partly applied.",
    disable_help_subcommand = true
)]
struct App {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Explain(explain::ExplainArgs),
    Check(check::CheckArgs),
    Status(status::StatusArgs),
    Plan(plan::PlanArgs),
    Apply(apply::ApplyArgs),
    Sync(sync::SyncArgs),
    Remove(remove::RemoveArgs),
    Adopt(adopt::AdoptArgs),
    Admit(admit::AdmitArgs),
    Suspend(suspend::SuspendArgs),
    Restore(restore::RestoreArgs),
    History(history::HistoryArgs),
    Rollback(rollback::RollbackArgs),
    Sandbox(sandbox::SandboxArgs),
    Snapshot(snapshot::SnapshotArgs),
    Completions(completions::CompletionsArgs),
}

impl Command {
    fn run(&self) -> Result<u8> {
        match self {
            Self::Explain(args) => explain::run(args),
            Self::Check(args) => check::run(args),
            Self::Status(args) => status::run(args),
            Self::Plan(args) => plan::run(args),
            Self::Apply(args) => apply::run(args),
            Self::Sync(args) => sync::run(args),
            Self::Remove(args) => remove::run(args),
            Self::Adopt(args) => adopt::run(args),
            Self::Admit(args) => admit::run(args),
            Self::Suspend(args) => suspend::run(args),
            Self::Restore(args) => restore::run(args),
            Self::History(args) => history::run(args),
            Self::Rollback(args) => rollback::run(args),
            Self::Sandbox(args) => sandbox::run(args),
            Self::Snapshot(args) => snapshot::run(args),
            Self::Completions(args) => completions::run(args),
        }
    }
}

fn main() -> ExitCode {
    match App::parse().command.run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            ui::say(&error.render());
            ExitCode::from(error.exit())
        }
    }
}
