//! `cargo xtask check`: everything that can be said of the tree without running it.
//!
//! All checks run, also after one has failed, so that one round shows everything.

mod graph;
mod manifests;

pub(crate) use graph::arrows;

use anyhow::{Result, bail};

use crate::{generate, shell, tools};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only the checks whose name holds this. `advisories`, which needs the network, runs only when named.
    #[arg(long, default_value = "")]
    only: String,
}

/// A check's name, and what it does.
type Check = (&'static str, fn() -> Result<()>);

const CHECKS: &[Check] = &[
    ("format", format),
    ("clippy", clippy),
    ("graph", graph::check),
    ("manifests", manifests::check),
    ("generated", generate::check),
    ("documentation", documentation),
    ("dependencies", dependencies),
];

/// Runs only if it is named: it needs the network, and its answer changes by the day.
const ADVISORIES: Check = ("advisories", advisories);

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut failed = Vec::new();
    let asked = arguments.only == ADVISORIES.0;
    for &(name, check) in CHECKS.iter().chain(asked.then_some(&ADVISORIES)) {
        if !name.contains(&arguments.only) {
            continue;
        }
        if let Err(error) = check() {
            eprintln!("{name}: {error:#}");
            failed.push(name);
        }
    }
    manifests::report_lengths()?;
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

fn format() -> Result<()> {
    shell::run("format", shell::cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> Result<()> {
    shell::run(
        "clippy",
        shell::cargo().args([
            "clippy",
            "--quiet",
            "--locked",
            "--workspace",
            "--all-targets",
            "--",
            "--deny=warnings",
        ]),
    )
}

fn documentation() -> Result<()> {
    shell::run(
        "documentation of the crates",
        shell::cargo()
            .args(["doc", "--quiet", "--locked", "--workspace", "--no-deps"])
            .arg("--document-private-items")
            .env("RUSTDOCFLAGS", "--deny=warnings"),
    )
}

/// Bans, licences and sources of the crates that we depend on.
fn dependencies() -> Result<()> {
    deny(
        "dependencies: bans, licences, sources",
        &["bans", "licenses", "sources"],
    )
}

/// Known faults of the crates that we depend on.
fn advisories() -> Result<()> {
    deny("dependencies: advisories", &["advisories"])
}

fn deny(title: &str, what: &[&str]) -> Result<()> {
    let deny = tools::cargo_tool(tools::CARGO_DENY)?;
    shell::run(
        title,
        std::process::Command::new(deny)
            .args(["--locked", "check", "--hide-inclusion-graph"])
            .args(what)
            .current_dir(shell::root()),
    )
}
