use std::path::PathBuf;

use clap::Args;

use accord_sandbox::seed::SeedError;
use accord_sandbox::server::{self, Options};
use accord_sandbox::world::Settings;
use accord_sandbox::{World, demo, seed};

use crate::error::{CliError, Kind, Result};
use crate::{exit, ui};

/// Run an emulator of EKS, IAM and STS on this machine
///
/// The AWS CLI, boto3, the SDKs and eksctl work against it with only `AWS_ENDPOINT_URL`
/// set, and kubectl talks to the clusters in it. Nothing leaves this machine: it
/// listens on loopback, and any access key is good. It serves until it is
/// interrupted.
///
///     accord sandbox --demo
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct SandboxArgs {
    /// The port; 0 takes one that is free
    #[arg(long, value_name = "PORT", default_value_t = 8700)]
    port: u16,

    /// Begin with the cluster of this state file
    #[arg(long, value_name = "FILE")]
    seed_state: Option<PathBuf>,

    /// Begin with a cluster to play with, and print what to set and what to try
    #[arg(long, conflicts_with = "seed_state")]
    demo: bool,

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
    let world = match loaded {
        Some(world) => world,
        None => new_world(args)?,
    };
    let options = Options {
        port: args.port,
        save: args.save.clone(),
        verbose: args.verbose,
        frozen: args.frozen,
    };
    let mut told = Ok(());
    let served = server::run(world, options, |world, url| {
        told = tell(args, world, url);
    });
    told?;
    served.map_err(|error| {
        CliError::new(Kind::Failed, "the sandbox cannot be served")
            .because(error)
            .hint("another process may have the port: choose one with `--port`")
    })?;
    Ok(exit::DONE)
}

fn new_world(args: &SandboxArgs) -> Result<World> {
    let mut world = World::new(args.seed, server::machine_time(), Settings::default());
    if args.demo {
        demo::furnish(&mut world).map_err(|e| of_seed(e, "the demo"))?;
    }
    if let Some(path) = &args.seed_state {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| {
            CliError::new(Kind::Failed, format!("could not read `{name}`")).because(error)
        })?;
        seed::seed(&mut world, &name, &bytes).map_err(|e| of_seed(e, &name))?;
    }
    Ok(world)
}

fn of_seed(error: SeedError, name: &str) -> CliError {
    CliError::new(
        Kind::Failed,
        format!("the sandbox cannot begin with `{name}`"),
    )
    .because(error)
}

/// Says where it serves; for the demo also what to set and to try.
fn tell(args: &SandboxArgs, world: &World, url: &str) -> Result<()> {
    ui::print(&format!("The sandbox serves at {url}\n"))?;
    if !args.demo {
        return Ok(());
    }
    let port = url.rsplit(':').next().unwrap_or_default();
    let path = std::env::temp_dir().join(format!("accord-sandbox-{port}.kubeconfig"));
    std::fs::write(&path, demo::kubeconfig(world)).map_err(|error| {
        CliError::new(
            Kind::Failed,
            format!("could not write `{}`", path.display()),
        )
        .because(error)
    })?;
    let tour = demo::tour(world, url, &path.display().to_string());
    ui::print(&format!("\n{tour}"))
}
