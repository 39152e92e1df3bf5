//! `cargo xtask fuzz`: feeds mutated input to everything that reads untrusted text, one target after the other.
//!
//! The corpus begins with the texts of the cases; what is found on the way joins it, outside the repository.
//! A failure is kept under `fuzz/artifacts/`; add its input to the tests of the crate concerned before mending it.

mod seed;

use std::fs::{self, File};
use std::process::Command;

use anyhow::{Result, bail};

use crate::{shell, tools};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How long each target runs.
    #[arg(long, default_value_t = 600)]
    seconds: u32,
    /// Only targets whose name holds this.
    #[arg(long, default_value = "")]
    only: String,
}

/// How libFuzzer's count of runs begins, in its closing statistics.
const EXECUTED: &str = "stat::number_of_executed_units:";

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let program = tools::cargo_tool(tools::CARGO_FUZZ)?;
    // Sanitizers are unstable flags, but the toolchain at hand has them: no second toolchain is needed.
    let cargo_fuzz = |subcommand: &str| {
        let mut command = Command::new(&program);
        command
            .args(["fuzz", subcommand])
            .current_dir(shell::root())
            .env("RUSTC_BOOTSTRAP", "1")
            .env_remove("RUST_BACKTRACE");
        command
    };
    seed::corpus(&shell::root().join("fuzz/corpus"))?;
    shell::run("build the fuzz targets", &mut cargo_fuzz("build"))?;
    let artifacts = shell::root().join("fuzz/artifacts");
    fs::create_dir_all(&artifacts)?;
    let mut failed = Vec::new();
    for target in targets()? {
        if !target.contains(&arguments.only) {
            continue;
        }
        let log = artifacts.join(format!("{target}.log"));
        let mut command = cargo_fuzz("run");
        command
            .arg(&target)
            .arg("--")
            .arg(format!("-max_total_time={}", arguments.seconds))
            .args(["-max_len=8192", "-timeout=10", "-rss_limit_mb=2048"])
            .args(["-verbosity=0", "-print_final_stats=1"])
            .stderr(File::create(&log)?);
        let done = shell::run(&format!("fuzz {target}"), &mut command);
        let log = fs::read_to_string(&log)?;
        if let Err(error) = done {
            eprintln!("{log}\n{error:#}");
            failed.push(target);
        } else if let Some(runs) = log.lines().find_map(|l| l.strip_prefix(EXECUTED)) {
            eprintln!("    {} runs", runs.trim());
        }
    }
    if !failed.is_empty() {
        bail!("findings in {}: see fuzz/artifacts", failed.join(", "));
    }
    Ok(())
}

/// The names of the targets: one file each.
fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(shell::root().join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        names.extend(
            path.file_stem()
                .map(|stem| stem.to_string_lossy().into_owned()),
        );
    }
    names.sort();
    Ok(names)
}
