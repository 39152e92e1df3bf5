use std::path::PathBuf;

use accord_model::finding::{FindingKind, Severity};
use clap::{Args, ValueEnum};

/// Find what is wrong in a map, a fragment, a list of mappings or a state file
///
/// What a file is, is told by its shape. `-` reads standard input.
///
///     accord check aws-auth.yaml
///     accord check aws-auth.yaml --against cluster.yaml
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

    /// Judge the files as what is about to replace the whole object in this state
    #[arg(long, value_name = "STATE")]
    pub(crate) against: Option<PathBuf>,

    /// The least severity that makes the exit code 4
    ///
    /// Worst first: breaks-cluster, locks-out, privilege-gain, breaks-workload, silent-wrong, warning, info.
    #[arg(long, value_name = "SEVERITY", default_value = "silent-wrong")]
    pub(crate) fail_on: Severity,

    /// Mend what needs no choice and takes nothing from anybody, in the files themselves
    #[arg(long, conflicts_with = "against")]
    pub(crate) fix: bool,

    /// Tell what a kind of finding means
    #[arg(long, value_name = "KIND", conflicts_with_all = ["files", "against", "fix"])]
    pub(crate) explain: Option<FindingKind>,

    /// Take further facts from these state documents, read only (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) facts: Vec<PathBuf>,

    /// Who is asking, as `aws sts get-caller-identity` prints it
    #[arg(long, value_name = "ARN")]
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
