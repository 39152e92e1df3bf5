//! Peak memory of reading a map: a program of its own counts what it allocates.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::shell;

/// Bytes.
pub(super) struct Peak {
    /// The most that was allocated at one time.
    pub heap: f64,
    /// The most that the process had in memory, its own code included.
    pub resident: f64,
}

pub(super) fn measure(map: &Path) -> Result<Peak> {
    eprintln!("==> peak memory");
    let output = shell::output(
        shell::cargo()
            .args([
                "run",
                "--quiet",
                "--locked",
                "--release",
                "--package",
                "bench",
            ])
            .args(["--example", "peak", "--"])
            .arg(map),
    )?;
    let (heap, resident) = output
        .trim()
        .split_once(' ')
        .with_context(|| format!("peak printed {output:?}"))?;
    Ok(Peak {
        heap: heap.parse()?,
        resident: resident.parse()?,
    })
}
