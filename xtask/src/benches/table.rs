//! The table of figures: what was measured, beside what, against which budget.

use std::fmt;
use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::shell;

/// What was measured.
#[derive(Clone, Copy)]
pub(super) enum Figure {
    /// Nanoseconds.
    Time(f64),
    /// A multiple of something.
    Times(f64),
}

impl Figure {
    fn value(self) -> f64 {
        match self {
            Self::Time(value) | Self::Times(value) => value,
        }
    }

    /// The same kind of figure with another value.
    fn with(self, value: f64) -> Self {
        match self {
            Self::Time(_) => Self::Time(value),
            Self::Times(_) => Self::Times(value),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(ns) if *ns >= 1e6 => write!(f, "{:.2} ms", ns / 1e6),
            Self::Time(ns) if *ns >= 1e3 => write!(f, "{:.2} µs", ns / 1e3),
            Self::Time(ns) => write!(f, "{ns:.0} ns"),
            Self::Times(times) => write!(f, "{times:.1} ×"),
        }
    }
}

/// What a figure may be at most.
#[derive(Clone, Copy)]
pub(super) enum Budget {
    /// This part of the peer's figure.
    OfPeer(f64),
    /// This value.
    AtMost(f64),
}

/// One line of the table.
pub(super) struct Row {
    /// What was measured.
    pub what: String,
    /// Ours.
    pub ours: Figure,
    /// The authenticator's own packages.
    pub peer: Option<Figure>,
    /// The budget.
    pub budget: Option<Budget>,
}

impl Row {
    /// What ours may be at most, if there is a budget.
    fn limit(&self) -> Option<f64> {
        match self.budget? {
            Budget::AtMost(value) => Some(value),
            Budget::OfPeer(part) => self.peer.map(|peer| peer.value() * part),
        }
    }

    /// Whether the figure keeps its budget.
    pub(super) fn is_within(&self) -> bool {
        self.limit().is_none_or(|limit| self.ours.value() <= limit)
    }
}

/// The page that is printed and kept.
pub(super) fn page(rows: &[Row], runs: usize) -> Result<String> {
    let mut page = format!(
        "# Results\n\nWritten by `cargo xtask bench`. {}.\n\nInputs are those of `bench/src/lib.rs` (5,000 entries are \
         447 kB). Ours: criterion's median; the whole process: the median of {runs} runs. The authenticator: its own \
         `ParseMap` and `Map` (v0.7.18), by Go's benchmark loop, one thread.\n\n\
         | what | Accord | authenticator | ratio | budget | |\n|---|---:|---:|---:|---:|---|\n",
        machine()?
    );
    for row in rows {
        let peer = row
            .peer
            .map(|figure| figure.to_string())
            .unwrap_or_default();
        let ratio = row
            .peer
            .map(|peer| format!("1 : {:.1}", peer.value() / row.ours.value()))
            .unwrap_or_default();
        let (budget, verdict) = match row.limit() {
            Some(limit) => (
                format!("≤ {}", row.ours.with(limit)),
                if row.is_within() {
                    "kept"
                } else {
                    "**missed**"
                },
            ),
            None => (String::new(), ""),
        };
        page.push_str(&format!(
            "| {} | {} | {peer} | {ratio} | {budget} | {verdict} |\n",
            row.what, row.ours
        ));
    }
    Ok(page)
}

/// Processor, cores, system and compilers.
fn machine() -> Result<String> {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpus
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown processor", |(_, name)| name);
    let cores = std::thread::available_parallelism()?;
    let rust = shell::output(Command::new("rustc").arg("--version"))?;
    let go = shell::output(Command::new("go").arg("version"))?;
    Ok(format!(
        "{cpu}, {cores} cores; {}; {}",
        rust.trim(),
        go.trim()
    ))
}
