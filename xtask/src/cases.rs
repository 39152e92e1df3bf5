//! `cargo xtask cases`: problems real users met, replayed through the public interface of the binary.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::tally::Tally;
use crate::{shell, tools};

/// The capabilities that exist today; cases of later ones are counted as skipped.
const CAPABILITIES: &str = "A";

/// Cases of later capabilities that already pass, by name.
const EARLY: &[&str] = &[
    "access-entry-must-keep-role-path",
    "access-entry-session-arn-as-principal",
    "cdk-manifest-replaces-map",
    "cdk-nodegroup-before-masters-role",
    "cdk-two-agent-addons",
    "cdk-two-aws-auth-constructs",
    "cfn-entry-type-cannot-change",
    "cfn-tagging-non-standard-entry",
    "fargate-mixed-mode-entry-missing",
    "lint-fargate-profile-arn-as-role",
    "resolve-mode-decides-source",
    "terraform-creator-entry-flaps",
    "terraform-dropped-data-resource-empties-the-map",
    "terraform-map-known-after-apply",
    "terraform-misnamed-policy-attribute",
    "terraform-rekeyed-entry-is-deleted",
    "terraform-role-made-anew-under-its-entry",
];

#[derive(clap::Args, Clone)]
pub(crate) struct Arguments {
    /// Folders of case files.
    #[arg(default_value = "tests/cases")]
    folders: Vec<PathBuf>,
    /// Only cases whose file name holds this.
    #[arg(long, default_value = "")]
    only: String,
    /// Only cases of these capabilities (letters; see `tests/cases/README.md`).
    #[arg(long, default_value = CAPABILITIES)]
    issue: String,
    /// Name every case, also those that pass.
    #[arg(short, long)]
    verbose: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    shell::run("cases", &mut runner(arguments)?)
}

/// The cases of the tree, as a suite of `cargo xtask test`.
pub(crate) fn test() -> Result<Tally> {
    let arguments = Arguments {
        folders: vec!["tests/cases".into()],
        only: String::new(),
        issue: CAPABILITIES.into(),
        verbose: false,
    };
    let (output, _) = shell::tee("cases", &mut runner(&arguments)?)?;
    let mut tally = Tally::read(&output);
    for name in EARLY {
        let arguments = Arguments {
            only: format!("/{name}.yaml"),
            issue: String::new(),
            ..arguments.clone()
        };
        let (output, _) = shell::tee(&format!("case {name}"), &mut runner(&arguments)?)?;
        let early = Tally::read(&output);
        tally += early;
        if early.passed + early.failed == 0 {
            tally.failed += 1; // there is no such case
        }
    }
    Ok(tally)
}

fn runner(arguments: &Arguments) -> Result<Command> {
    let accord = tools::accord(tools::Profile::Dev)?;
    let mut runner = Command::new(tools::python()?);
    runner
        .arg(shell::root().join("tests/cases/run.py"))
        .arg("--accord")
        .arg(accord)
        .args(["--only", &arguments.only, "--issue", &arguments.issue])
        .args(arguments.verbose.then_some("-v"))
        .args(&arguments.folders)
        .current_dir(shell::root());
    Ok(runner)
}
