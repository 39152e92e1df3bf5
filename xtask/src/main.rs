//! Every chore of this repository, for people and for CI: `cargo xtask --help`.
//!
//! One file (or folder) per subcommand. [`shell`] runs programs and says what it runs on stderr; [`tools`] finds the
//! programs that are not Rust's own, or builds them into a cache outside the tree.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for a terminal"
)]

mod cases;
mod shell;
mod tools;

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
    /// Run the cases: problems real users met, replayed through the public interface.
    Cases(cases::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().chore {
        Chore::Cases(arguments) => cases::run(&arguments),
    }
}
