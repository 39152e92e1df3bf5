use std::path::{Path, PathBuf};

use accord_engine::clock::Clock;
use accord_engine::cluster::Cluster as _;
use accord_engine::state_file::StateFile;
use accord_engine::{assembly, examine, file, fix, input};
use accord_model::deploy::Deploy;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::observed::Observed;
use accord_model::plan::Change;
use accord_plan::against::against;
use accord_plan::{deploy, lint};
use accord_wire::report::{self, sarif};
use accord_wire::sources::Sources;
use accord_wire::state;
use clap::{Args, ValueEnum};

use crate::args::Format;
use crate::error::{self, CliError, Result};
use crate::{convert, exit, render, session, ui};

/// Find what is wrong in a map, a state file, a template or a Terraform plan
///
/// What a file is, is told by its shape: a manifest, a fragment, a list of mappings, a state file, a CloudFormation
/// template, what `terraform show -json PLAN` prints; a folder is what the CDK synthesizes. `-` reads standard input.
///
///     accord check aws-auth.yaml
///     accord check aws-auth.yaml --fix
///     accord check aws-auth.yaml --against cluster.yaml
///     accord check cdk.out --against cluster.yaml
///     terraform show -json tfplan | accord check - --against cluster.yaml
///     kubectl -n kube-system get configmap aws-auth -o yaml | accord check -
///     accord check --explain arn-has-path
///
/// Exit code: 4 if a finding is at or above the severity of `--fail-on`, else 0.
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct CheckArgs {
    /// Files to check, or the folder `cdk.out`
    #[arg(value_name = "FILE", required_unless_present = "explain")]
    pub(crate) files: Vec<PathBuf>,

    /// Judge the files as what is about to replace the whole object in this state, or to be deployed on it
    #[arg(long, value_name = "STATE")]
    pub(crate) against: Option<PathBuf>,

    /// Mend what needs no choice and takes nothing from anybody, in the files themselves, and report what is left
    ///
    /// Only the values concerned change; comments, quoting and order stay. Duplicates are never removed.
    #[arg(long, conflicts_with = "against")]
    pub(crate) fix: bool,

    /// The least severity that makes the exit code 4
    ///
    /// Worst first: breaks-cluster, locks-out, privilege-gain, breaks-workload, silent-wrong, warning, info.
    #[arg(long, value_name = "SEVERITY", default_value = "silent-wrong")]
    pub(crate) fail_on: Severity,

    /// Tell what a kind of finding means
    #[arg(long, value_name = "KIND", conflicts_with_all = ["files", "against", "fix"])]
    pub(crate) explain: Option<FindingKind>,

    /// Take further facts from these state documents, read only (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) facts: Vec<PathBuf>,

    /// Who is asking, as `aws sts get-caller-identity` prints it
    #[arg(long, value_name = "ARN", requires = "against")]
    pub(crate) as_identity: Option<String>,

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
        changes: Vec::new(),
        fixed: Vec::new(),
    };
    let facts = checked.facts(&args.facts)?;
    let before = checked.before(args)?;
    for path in &args.files {
        if args.fix {
            checked.fix(path, &facts)?;
        }
        checked.file(path, &facts, before.as_ref(), args.as_identity.as_deref())?;
    }
    let Checked {
        sources,
        findings,
        changes,
        fixed,
        ..
    } = checked;
    let quotes = convert::quotes(&findings, &sources);
    let report = report::Check {
        version: report::Version,
        findings: convert::findings(&findings, &sources),
        changes: changes.iter().map(report::Change::from).collect(),
        fixed,
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
    changes: Vec<Change>,
    fixed: Vec<String>,
}

impl Checked {
    fn facts(&mut self, paths: &[PathBuf]) -> Result<Vec<state::StateFile>> {
        let mut facts = Vec::new();
        for path in paths {
            let bytes = file::read(path).map_err(error::of_file)?;
            let parsed =
                state::StateFile::parse(&path.display().to_string(), &bytes, &mut self.sources);
            facts.push(parsed.map_err(|error| error::of_misread(error, &self.sources))?);
        }
        Ok(facts)
    }

    /// The state in which the files are to be put in place.
    fn before(&mut self, args: &CheckArgs) -> Result<Option<Observed>> {
        let Some(path) = &args.against else {
            return Ok(None);
        };
        StateFile::new(path, &args.facts)
            .observe(self.clock.now(), &mut self.sources)
            .map(Some)
            .map_err(|error| error::of_cluster(error, &self.sources))
    }

    /// Mends a file in place, as a whole or not at all.
    fn fix(&mut self, path: &Path, facts: &[state::StateFile]) -> Result<()> {
        if path.as_os_str() == "-" {
            return Err(CliError::usage(
                "standard input cannot be mended; give a file",
            ));
        }
        let input = input::read(path).map_err(error::of_file)?;
        let fixed = fix::fix(&input, facts, self.clock.now(), &mut self.sources)
            .map_err(|error| error::of_misread(error, &self.sources))?;
        if fixed.bytes != input.bytes {
            file::replace(path, &input.bytes, &fixed.bytes).map_err(error::of_file)?;
            self.fixed.push(input.name);
        }
        Ok(())
    }

    fn file(
        &mut self,
        path: &Path,
        facts: &[state::StateFile],
        before: Option<&Observed>,
        caller: Option<&str>,
    ) -> Result<()> {
        if let Some(folder) = assembly::folder(path) {
            let deploys = assembly::read(folder, &mut self.sources)
                .map_err(|error| error::of_assembly(error, &self.sources))?;
            return self.deploys(&deploys, before, caller);
        }
        let input = input::read(path).map_err(error::of_file)?;
        let facts = if before.is_some() { &[] } else { facts };
        let examined = examine::read(&input, facts, before, self.clock.now(), &mut self.sources)
            .map_err(|error| error::of_misread(error, &self.sources))?;
        if let examine::Examined::Deploy(deploy) = &examined {
            return self.deploys(std::slice::from_ref(deploy), before, caller);
        }
        self.findings.extend(examined.findings(before));
        let Some(before) = before else {
            return Ok(());
        };
        let proposed = examined.aws_auth().ok_or_else(|| {
            CliError::usage(format!("`{}` holds no ConfigMap `aws-auth`", input.name))
                .hint("`--against` judges what is about to replace that object as a whole")
        })?;
        let replacement = against(before, Some(&proposed.map), caller).map_err(of_caller)?;
        self.findings.extend(replacement.findings);
        self.changes.extend(replacement.changes);
        Ok(())
    }

    /// What other tools' output would do.
    fn deploys(
        &mut self,
        deploys: &[Deploy],
        before: Option<&Observed>,
        caller: Option<&str>,
    ) -> Result<()> {
        let outlook = deploy::judge(deploys, before, caller).map_err(of_caller)?;
        self.findings.extend(outlook.findings);
        self.changes.extend(outlook.changes);
        Ok(())
    }
}

fn of_caller(error: accord_plan::caller::NotAnIdentity) -> CliError {
    CliError::usage("`--as-identity` is no identity").because(error)
}
