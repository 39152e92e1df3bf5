//! The library's own benches: run, and their medians read from what criterion leaves.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::{shell, tools};

/// Where criterion left its estimates.
pub(super) struct Estimates(PathBuf);

/// Runs the benches.
pub(super) fn measure() -> Result<Estimates> {
    shell::run(
        "criterion benches",
        shell::cargo()
            .args(["bench", "--quiet", "--locked", "--package", "bench", "--"])
            .args([
                "--noplot",
                "--quiet",
                "--warm-up-time=1",
                "--measurement-time=4",
            ]),
    )?;
    Ok(Estimates(tools::target_folder()?.join("criterion")))
}

impl Estimates {
    /// Nanoseconds to read `mapRoles` with that many entries.
    pub(super) fn read(&self, entries: usize) -> Result<f64> {
        self.get(&format!("read/{entries}"))
    }

    /// The median of a bench (`group/parameter`) in nanoseconds.
    pub(super) fn get(&self, name: &str) -> Result<f64> {
        let path = self.0.join(name).join("new/estimates.json");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let estimates: serde_json::Value = serde_json::from_str(&text)?;
        estimates["median"]["point_estimate"]
            .as_f64()
            .with_context(|| format!("no median in {}", path.display()))
    }
}
