//! Rules for the crates' own files: shared lints, the bans of the pure crates, the length of files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// Crates that are functions of values: each carries the same list of banned calls.
const PURE: [&str; 3] = ["model", "wire", "plan"];

/// Lines from which a file is named in the report.
const LONG: usize = 400;

pub(super) fn check() -> Result<()> {
    eprintln!("==> manifests");
    let crates = shell::root().join("crates");
    let mut manifests = vec![shell::root().join("xtask/Cargo.toml")];
    for entry in fs::read_dir(&crates)? {
        manifests.push(entry?.path().join("Cargo.toml"));
    }
    for manifest in manifests {
        let text = read(&manifest)?;
        if !text.contains("[lints]\nworkspace = true\n") {
            bail!(
                "{} does not inherit the workspace's lints",
                manifest.display()
            );
        }
    }
    let mut bans = PURE
        .map(|name| read(&crates.join(name).join("clippy.toml")))
        .into_iter();
    let first = bans.next().context("no pure crate")??;
    for other in bans {
        if other? != first {
            bail!(
                "the clippy.toml of the pure crates ({}) differ",
                PURE.join(", ")
            );
        }
    }
    Ok(())
}

/// Names the longest files, so that one can see where to split. Nothing fails.
pub(super) fn report_lengths() -> Result<()> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        collect(&shell::root().join(folder), &mut files)?;
    }
    let mut lengths = Vec::new();
    for file in files {
        lengths.push((read(&file)?.lines().count(), file));
    }
    lengths.sort_by(|a, b| b.cmp(a));
    let median = lengths
        .get(lengths.len() / 2)
        .map_or(0, |(lines, _)| *lines);
    eprintln!(
        "==> lengths: {} files, median {median} lines",
        lengths.len()
    );
    for (lines, file) in lengths.iter().take_while(|(lines, _)| *lines > LONG) {
        let name = file.strip_prefix(shell::root()).unwrap_or(file);
        eprintln!("    {lines:5}  {}", name.display());
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}
