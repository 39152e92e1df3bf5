//! `cargo xtask bench`: speed and memory beside the authenticator's own packages, in one go on one machine.
//!
//! Prints a table of figures, ratios and budgets, and writes it to `bench/RESULTS.md` with the machine and the
//! commands. Only ratios mean something elsewhere: machines differ, and so do hours.

mod criterion;
mod peak;
mod peers;
mod process;
mod table;

use std::ffi::OsStr;
use std::fs;

use anyhow::{Result, bail};

use crate::{shell, tools};
use table::{Budget, Figure, Row};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Fail if a budget is missed.
    #[arg(long)]
    check: bool,
    /// Runs of the whole process.
    #[arg(long, default_value_t = 40)]
    runs: usize,
}

/// The size that most budgets are about, in entries.
const LARGE: usize = 5_000;

/// The size of a template or plan, in bytes.
const LARGE_TEMPLATE: usize = 5_000_000;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let map = folder.path().join("mapRoles.yaml");
    let state = folder.path().join("state.yaml");
    fs::write(&map, bench::roles(LARGE))?;
    fs::write(&state, bench::state(LARGE))?;
    let size = bench::roles(LARGE).len() as f64;

    let peers = peers::measure(folder.path())?;
    let ours = criterion::measure()?;
    let accord = tools::accord(tools::Profile::Release)?;
    let principal = bench::principal(LARGE / 2);
    let asked = [
        OsStr::new("explain"),
        OsStr::new("--output=json"),
        OsStr::new("--state"),
        state.as_os_str(),
        OsStr::new(&principal),
    ];
    let explain = process::median(&accord, &asked, arguments.runs)?;
    let mut checks = Vec::new();
    for (name, text) in [
        ("template.json", bench::template(LARGE_TEMPLATE)),
        ("plan.json", bench::plan(LARGE_TEMPLATE)),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, &text)?;
        let asked = [
            OsStr::new("check"),
            OsStr::new("--output=json"),
            path.as_os_str(),
            OsStr::new("--against"),
            state.as_os_str(),
        ];
        let time = process::median(&accord, &asked, arguments.runs)?;
        checks.push((name, text.len(), time));
    }
    let peak = peak::measure(&map)?;

    let mut rows = Vec::new();
    for entries in bench::SIZES {
        rows.push(Row {
            what: format!("read `mapRoles`, {entries} entries"),
            ours: Figure::Time(ours.read(entries)?),
            peer: Some(Figure::Time(peers.parse(entries)?)),
            budget: (entries == LARGE).then_some(Budget::OfPeer(1.0 / 4.0)),
        });
    }
    rows.push(Row {
        what: format!("resolve one identity among {LARGE}"),
        ours: Figure::Time(ours.get("resolve/5000")?),
        peer: Some(Figure::Time(peers.map(LARGE)?)),
        budget: Some(Budget::OfPeer(1.0 / 100.0)),
    });
    rows.push(Row {
        what: format!("growth: {LARGE} entries against 500"),
        ours: Figure::Times(ours.read(LARGE)? / ours.read(500)?),
        peer: Some(Figure::Times(peers.parse(LARGE)? / peers.parse(500)?)),
        budget: Some(Budget::AtMost(12.0)),
    });
    for (name, what) in [("in-effect", "all in effect"), ("new", "all new")] {
        rows.push(Row {
            what: format!("reconcile {LARGE} claims, {what}"),
            ours: Figure::Time(ours.get(&format!("reconcile/{name}"))?),
            peer: None,
            budget: Some(Budget::AtMost(20e6)),
        });
    }
    rows.push(Row {
        what: format!("`accord explain --state`, {LARGE} entries, whole process"),
        ours: Figure::Time(explain),
        peer: None,
        budget: Some(Budget::AtMost(30e6)),
    });
    for (name, bytes, time) in checks {
        rows.push(Row {
            what: format!(
                "`accord check {name} --against`, {:.1} MB, whole process",
                bytes as f64 / 1e6
            ),
            ours: Figure::Time(time),
            peer: None,
            budget: Some(Budget::AtMost(300e6)),
        });
    }
    rows.push(Row {
        what: format!("peak heap of reading {LARGE} entries, against the map"),
        ours: Figure::Times(peak.heap / size),
        peer: None,
        budget: Some(Budget::AtMost(10.0)),
    });
    rows.push(Row {
        what: "peak resident memory of the same process, against the map".into(),
        ours: Figure::Times(peak.resident / size),
        peer: None,
        budget: None,
    });

    let page = table::page(&rows, arguments.runs)?;
    print!("{page}");
    fs::write(shell::root().join("bench/RESULTS.md"), page)?;
    let missed: Vec<_> = rows
        .iter()
        .filter(|row| !row.is_within())
        .map(|row| row.what.as_str())
        .collect();
    if arguments.check && !missed.is_empty() {
        bail!("over budget: {}", missed.join("; "));
    }
    Ok(())
}
