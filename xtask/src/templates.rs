//! `cargo xtask templates`: what is said of templates that the CDK really synthesizes.
//!
//! Each program of `tests/templates` is run by Node.js with the CDK's own library, and what `accord check` says of the
//! result is compared with the text beside the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::tally::Tally;
use crate::{shell, tools};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only programs whose name holds this.
    #[arg(long, default_value = "")]
    only: String,
    /// Write what is said anew.
    #[arg(long)]
    update: bool,
}

/// The packages that the programs need, each of one version, so that everybody gets the same templates.
const PACKAGES: &[&str] = &["aws-cdk-lib@2.276.0", "constructs@10.8.1"];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let tally = compare(arguments)?;
    println!("{tally}");
    if tally.failed > 0 {
        bail!("what is said of templates has changed; look, and write it anew with --update");
    }
    Ok(())
}

/// The programs, as a suite of `cargo xtask test`.
pub(crate) fn test() -> Result<Tally> {
    compare(&Arguments {
        only: String::new(),
        update: false,
    })
}

fn compare(arguments: &Arguments) -> Result<Tally> {
    let accord = tools::accord(tools::Profile::Dev)?;
    let modules = tools::node_modules(PACKAGES)?;
    let mut tally = Tally::default();
    for program in programs()? {
        let name = program
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !name.contains(&arguments.only) {
            continue;
        }
        let said = said(&program, &modules, &accord)?;
        let expected = program.with_extension("txt");
        if arguments.update {
            std::fs::write(&expected, &said)?;
        }
        let before = std::fs::read_to_string(&expected).unwrap_or_default();
        if before == said {
            tally.passed += 1;
        } else {
            tally.failed += 1;
            println!("{name}: expected\n{before}\nand it is\n{said}");
        }
    }
    Ok(tally)
}

/// The programs, in the order of their names.
fn programs() -> Result<Vec<PathBuf>> {
    let folder = shell::root().join("tests/templates");
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let is_program =
            path.extension().is_some_and(|e| e == "js") && !path.ends_with("common.js");
        programs.extend(is_program.then_some(path));
    }
    programs.sort();
    Ok(programs)
}

/// Synthesizes a program, and tells what is said of the result: one line for each finding and change.
fn said(program: &Path, modules: &Path, accord: &Path) -> Result<String> {
    let out = tempfile::tempdir()?;
    let mut synthesize = Command::new("node");
    synthesize
        .arg(program)
        .env("NODE_PATH", modules)
        .env("CDK_OUTDIR", out.path())
        .env("CI", "true")
        .current_dir(shell::root());
    shell::output(&mut synthesize)
        .with_context(|| format!("{} was not synthesized", program.display()))?;
    let mut check = Command::new(accord);
    check
        .arg("check")
        .arg(out.path())
        .args(["-o", "json", "--fail-on", "breaks-cluster"]);
    let state = program.with_extension("state.yaml");
    if state.exists() {
        check.arg("--against").arg(&state);
    }
    let output = check.output()?;
    let report: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    told(&report, out.path())
}

fn told(report: &Value, out: &Path) -> Result<String> {
    let mut lines = String::new();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for finding in report["findings"].as_array().context("no findings")? {
        let parts = ["severity", "kind", "object", "at"].map(|key| text(&finding[key]));
        writeln!(lines, "{}", parts.join(" ").trim_end())?;
        let file = text(&finding["file"]);
        let file = Path::new(&file)
            .strip_prefix(out)
            .unwrap_or(Path::new(&file))
            .display()
            .to_string();
        let construct = text(&finding["source"]["construct"]);
        let made_by = if construct.is_empty() {
            construct
        } else {
            format!(", made by {construct}")
        };
        writeln!(lines, "  in {file}{made_by}")?;
        if let Some(principal) = finding["principal"].as_str() {
            writeln!(lines, "  about {principal}")?;
        }
    }
    for change in report["changes"].as_array().context("no changes")? {
        writeln!(
            lines,
            "{} {} ({})",
            text(&change["change"]),
            text(&change["principal"]),
            text(&change["owner"])
        )?;
    }
    Ok(lines)
}
