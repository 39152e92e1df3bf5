use std::path::PathBuf;

use clap::Args;

use accord_sandbox::World;
use accord_sandbox::server::{self, Options};
use accord_sandbox::world::Settings;

use crate::error::{CliError, Kind, Result};
use crate::{exit, ui};

/// Run an emulator of EKS, IAM and STS on this machine
///
/// The AWS CLI, boto3, the SDKs and eksctl work against it with only `AWS_ENDPOINT_URL` set, and kubectl talks to the
/// clusters in it. Nothing leaves this machine: it listens on loopback, and any access key is good. It serves until it
/// is interrupted.
#[derive(Args, Clone, Debug)]
pub(crate) struct SandboxArgs {
    /// The port; 0 takes one that is free
    #[arg(long, value_name = "PORT", default_value_t = 8700)]
    port: u16,

    /// Keep everything in this file, and go on from it the next time
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Where identifiers begin: the same seed gives the same ones
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Let the clock stand until it is moved
    #[arg(long)]
    frozen: bool,

    /// Print each call
    #[arg(short, long)]
    verbose: bool,
}

pub(crate) fn run(args: &SandboxArgs) -> Result<u8> {
    let loaded = match &args.save {
        Some(path) => server::load(path).map_err(|error| {
            CliError::new(Kind::Failed, "the saved sandbox cannot be taken up")
                .because(error)
                .hint("give another file, or delete this one")
        })?,
        None => None,
    };
    let world = loaded
        .unwrap_or_else(|| World::new(args.seed, server::machine_time(), Settings::default()));
    let options = Options {
        port: args.port,
        save: args.save.clone(),
        verbose: args.verbose,
        frozen: args.frozen,
    };
    let mut told = Ok(());
    let served = server::run(world, options, |_, url| {
        told = ui::print(&format!("The sandbox serves at {url}\n"));
    });
    told?;
    served.map_err(|error| {
        CliError::new(Kind::Failed, "the sandbox cannot be served")
            .because(error)
            .hint("another process may have the port: choose one with `--port`")
    })?;
    Ok(exit::DONE)
}
