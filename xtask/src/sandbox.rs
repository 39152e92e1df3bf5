//! `cargo xtask sandbox`: the sandbox's tests with real clients (the AWS CLI, boto3, kubectl, moto).

use std::process::Command;

use anyhow::Result;

use crate::tally::Tally;
use crate::{shell, tools};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only test files whose name holds one of these.
    names: Vec<String>,
    /// Write the keys that are seen on the tour to golden.json (then read the difference).
    #[arg(long)]
    update_golden: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut runner = runner()?;
    runner.args(&arguments.names);
    runner.args(arguments.update_golden.then_some("--update-golden"));
    shell::run("sandbox", &mut runner)
}

/// All of them, as a suite of `cargo xtask test`.
pub(crate) fn test() -> Result<Tally> {
    let (output, ok) = shell::tee("sandbox", &mut runner()?)?;
    let mut tally = Tally::read(&output);
    if !ok && tally.failed == 0 {
        tally.failed = 1;
    }
    Ok(tally)
}

fn runner() -> Result<Command> {
    let accord = tools::accord(tools::Profile::Dev)?;
    let mut runner = Command::new(tools::python_with(tools::AWS_CLIENTS)?);
    runner
        .arg(shell::root().join("tests/sandbox/run.py"))
        .env("ACCORD", accord)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(shell::root());
    Ok(runner)
}
