//! The time of a whole process, from its start to its end.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};

/// The median of `runs` runs of `accord explain --state STATE` in nanoseconds, after a few that warm the page cache.
pub(super) fn median(accord: &Path, state: &Path, runs: usize) -> Result<f64> {
    const WARM_UP: usize = 5;
    eprintln!("==> accord explain --state, {runs} runs");
    let mut times = Vec::with_capacity(runs);
    for run in 0..WARM_UP + runs {
        let mut command = Command::new(accord);
        command
            .args(["explain", "--output=json", "--state"])
            .arg(state)
            .arg(bench::principal(super::LARGE / 2))
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let start = Instant::now();
        let status = command.status()?;
        let time = start.elapsed();
        if !status.success() {
            bail!("accord explain failed: {status}");
        }
        if run >= WARM_UP {
            times.push(time.as_nanos() as f64);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times.get(runs / 2).copied().unwrap_or_default())
}
