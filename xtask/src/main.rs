//! Every chore of this repository, for people and for CI: `cargo xtask --help`.
//!
//! One file (or folder) per subcommand. [`shell`] runs programs and says what it runs on stderr; [`tools`] finds the
//! programs that are not Rust's own, or builds them into a cache outside the tree.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for a terminal"
)]

mod benches;
mod cases;
mod check;
mod envtest;
mod fuzz;
mod generate;
mod guides;
mod oracle;
mod sandbox;
mod shell;
mod tally;
mod templates;
mod test;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Every chore of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Check the tree without running it: format, lints, crate graph, documentation, licences.
    Check(check::Arguments),
    /// Run every test: crates, guides, cases, oracle.
    Test,
    /// Run the cases: problems real users met, replayed through the public interface.
    Cases(cases::Arguments),
    /// Measure speed and memory beside the authenticator's own packages; writes bench/RESULTS.md.
    Bench(benches::Arguments),
    /// Feed mutated input to everything that reads untrusted text.
    Fuzz(fuzz::Arguments),
    /// Compare how maps are read with the authenticator's own packages.
    Oracle(oracle::Arguments),
    /// Run the sandbox's tests with real clients: the AWS CLI, boto3, kubectl, moto.
    Sandbox(sandbox::Arguments),
    /// Run the examples of the README and the guides, and compare what they print.
    Guides(guides::Arguments),
    /// Check templates that the CDK really synthesizes, and compare what is said of them.
    Templates(templates::Arguments),
    /// Find or build kube-apiserver, etcd, kubectl and Terraform's provider, and print where they are, for a shell.
    Envtest,
    /// Make the parts of the documentation that come from the code.
    Generate,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().chore {
        Chore::Check(arguments) => check::run(&arguments),
        Chore::Test => test::run(),
        Chore::Cases(arguments) => cases::run(&arguments),
        Chore::Bench(arguments) => benches::run(&arguments),
        Chore::Fuzz(arguments) => fuzz::run(&arguments),
        Chore::Oracle(arguments) => oracle::run(&arguments),
        Chore::Sandbox(arguments) => sandbox::run(&arguments),
        Chore::Guides(arguments) => guides::run(&arguments),
        Chore::Templates(arguments) => templates::run(&arguments),
        Chore::Envtest => envtest::run(),
        Chore::Generate => generate::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
