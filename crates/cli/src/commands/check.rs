use std::path::{Path, PathBuf};

use accord_engine::clock::Clock;
use accord_engine::{examine, file, input};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_plan::lint;
use accord_wire::report::{self, sarif};
use accord_wire::sources::Sources;
use accord_wire::state::StateFile;
use clap::{Args, ValueEnum};

use crate::args::Format;
use crate::error::{self, Result};
use crate::{convert, exit, render, session, ui};

/// Find what is wrong in a map, a fragment, a list of mappings or a state file
///
/// What a file is, is told by its shape. `-` reads standard input.
///
///     accord check aws-auth.yaml
///     kubectl -n kube-system get configmap aws-auth -o yaml | accord check -
///     accord check --explain arn-has-path
///
/// Exit code: 4 if a finding is at or above the severity of `--fail-on`, else 0.
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct CheckArgs {
    /// Files to check
    #[arg(value_name = "FILE", required_unless_present = "explain")]
    pub(crate) files: Vec<PathBuf>,

    /// The least severity that makes the exit code 4
    ///
    /// Worst first: breaks-cluster, locks-out, privilege-gain, breaks-workload, silent-wrong, warning, info.
    #[arg(long, value_name = "SEVERITY", default_value = "silent-wrong")]
    pub(crate) fail_on: Severity,

    /// Tell what a kind of finding means
    #[arg(long, value_name = "KIND", conflicts_with = "files")]
    pub(crate) explain: Option<FindingKind>,

    /// Take further facts from these state documents, read only (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) facts: Vec<PathBuf>,

    /// The time to take for now, in RFC 3339: for tests
    #[arg(long, value_name = "TIME", env = "ACCORD_NOW", hide = true)]
    pub(crate) now: Option<String>,

    /// The form of the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: CheckFormat,
}

/// A form of output of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people, with the line quoted
    Text,
    /// For programs; the schema is published in docs/schemas
    Json,
    /// The same as json, in YAML
    Yaml,
    /// SARIF 2.1.0, for code-scanning services
    Sarif,
}

pub(crate) fn run(args: &CheckArgs) -> Result<u8> {
    if let Some(kind) = args.explain {
        ui::print(lint::page(kind))?;
        return Ok(exit::DONE);
    }
    let mut checked = Checked {
        clock: session::clock(args.now.as_deref())?,
        sources: Sources::new(),
        findings: Vec::new(),
    };
    let facts = checked.facts(&args.facts)?;
    for path in &args.files {
        checked.file(path, &facts)?;
    }
    let Checked {
        sources, findings, ..
    } = checked;
    let quotes = convert::quotes(&findings, &sources);
    let report = report::Check {
        version: report::Version,
        findings: convert::findings(&findings, &sources),
        changes: Vec::new(),
        fixed: Vec::new(),
    };
    let format = match args.output {
        CheckFormat::Sarif => {
            let log = sarif::log(&report.findings, env!("CARGO_PKG_VERSION"));
            ui::print(&ui::json(&log)?)?;
            None
        }
        CheckFormat::Text => Some(Format::Text),
        CheckFormat::Json => Some(Format::Json),
        CheckFormat::Yaml => Some(Format::Yaml),
    };
    if let Some(format) = format {
        ui::report(format, &report, |report| {
            render::check::check(report, &quotes)
        })?;
    }
    let is_bad = findings.iter().any(|f| f.severity >= args.fail_on);
    Ok(if is_bad { exit::FINDINGS } else { exit::DONE })
}

/// What was read and found so far.
struct Checked {
    clock: Clock,
    sources: Sources,
    findings: Vec<Finding>,
}

impl Checked {
    fn facts(&mut self, paths: &[PathBuf]) -> Result<Vec<StateFile>> {
        let mut facts = Vec::new();
        for path in paths {
            let bytes = file::read(path).map_err(error::of_file)?;
            let parsed = StateFile::parse(&path.display().to_string(), &bytes, &mut self.sources);
            facts.push(parsed.map_err(|error| error::of_misread(error, &self.sources))?);
        }
        Ok(facts)
    }

    fn file(&mut self, path: &Path, facts: &[StateFile]) -> Result<()> {
        let input = input::read(path).map_err(error::of_file)?;
        let examined = examine::read(&input, facts, self.clock.now(), &mut self.sources)
            .map_err(|error| error::of_misread(error, &self.sources))?;
        self.findings.extend(examined.findings(None));
        Ok(())
    }
}
