//! The time of a whole process, from its start to its end.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};

/// The median of `runs` runs of `accord` with these arguments in nanoseconds, after a few that warm the page cache. It may
/// exit with 4, which says that something was found.
pub(super) fn median(accord: &Path, arguments: &[&OsStr], runs: usize) -> Result<f64> {
    const WARM_UP: usize = 5;
    let told: Vec<_> = arguments.iter().map(|a| a.to_string_lossy()).collect();
    eprintln!("==> accord {}, {runs} runs", told.join(" "));
    let mut times = Vec::with_capacity(runs);
    for run in 0..WARM_UP + runs {
        let mut command = Command::new(accord);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let start = Instant::now();
        let status = command.status()?;
        let time = start.elapsed();
        if !matches!(status.code(), Some(0 | 4)) {
            bail!("accord failed: {status}");
        }
        if run >= WARM_UP {
            times.push(time.as_nanos() as f64);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times.get(runs / 2).copied().unwrap_or_default())
}
