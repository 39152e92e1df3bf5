//! The authenticator's own packages on the same maps: the oracle has a mode for that.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::{shell, tools};

/// What the oracle measured, one object per size.
pub(super) struct Peers(Vec<Value>);

/// Measures every size; the maps are written into `folder`.
pub(super) fn measure(folder: &Path) -> Result<Peers> {
    let oracle = tools::go_program("oracle")?;
    eprintln!("==> the authenticator's own packages");
    let mut command = Command::new(oracle);
    command.arg("bench");
    for entries in bench::SIZES {
        let map = folder.join(format!("{entries}.yaml"));
        fs::write(&map, bench::roles(entries))?;
        command.arg(map);
    }
    let output = shell::output(&mut command)?;
    let lines: Result<Vec<Value>, _> = output.lines().map(serde_json::from_str).collect();
    Ok(Peers(lines?))
}

impl Peers {
    /// Nanoseconds of `ParseMap` on a map with that many entries.
    pub(super) fn parse(&self, entries: usize) -> Result<f64> {
        self.get(entries, "parse_ns")
    }

    /// Nanoseconds of `Map` for one identity among that many entries.
    pub(super) fn map(&self, entries: usize) -> Result<f64> {
        self.get(entries, "map_ns")
    }

    fn get(&self, entries: usize, field: &str) -> Result<f64> {
        self.0
            .iter()
            .find(|line| line["entries"] == entries)
            .and_then(|line| line[field].as_f64())
            .with_context(|| format!("the oracle measured no {field} for {entries} entries"))
    }
}
