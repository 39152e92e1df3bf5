//! Arguments that several commands share. Their doc comments are the help text.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Which cluster, and who asks.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct ClusterArgs {
    /// The kubeconfig; without it `$KUBECONFIG`, `~/.kube/config`, or the pod's service account
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig; without it the current one
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,

    /// Act as this Kubernetes user
    #[arg(long = "as", value_name = "USER")]
    pub(crate) as_user: Option<String>,

    /// Act as a member of this group (repeatable)
    #[arg(long = "as-group", value_name = "GROUP", requires = "as_user")]
    pub(crate) as_groups: Vec<String>,

    /// Read the fragments of these namespaces and of kube-system only, separated by commas
    ///
    /// For those who may not list ConfigMaps everywhere. Then nothing is removed, because somebody elsewhere may claim
    /// it.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) namespaces: Vec<String>,

    /// Work on this state file instead of a live cluster
    ///
    /// A state file describes a cluster: YAML or JSON documents, separated by `---`, exactly as
    /// `kubectl get ... -o yaml` and `aws eks describe-... --output json` print them. Commands that change something
    /// edit this file, atomically.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kubeconfig", "context", "as_user", "namespaces"])]
    pub(crate) state: Option<PathBuf>,

    /// Take further facts from these state documents, read only (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) facts: Vec<PathBuf>,

    /// Who is asking, as `aws sts get-caller-identity` prints it, where the cluster cannot tell
    #[arg(long, value_name = "ARN")]
    pub(crate) as_identity: Option<String>,

    /// Refuse any other cluster than this
    #[arg(long, value_name = "ARN")]
    pub(crate) expect_cluster: Option<String>,

    /// The time to take for now, in RFC 3339: for tests
    #[arg(long, value_name = "TIME", env = "ACCORD_NOW", hide = true)]
    pub(crate) now: Option<String>,
}

/// How the answer is written.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// The form of the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: Format,
}

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs; the schemas are published in docs/schemas
    Json,
    /// The same as json, in YAML
    Yaml,
}

/// For whatever writes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Writing")]
pub(crate) struct WriteArgs {
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

/// Hazards that may pass.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Writing")]
pub(crate) struct AllowArgs {
    /// Let one hazard pass, as the refusal names it (repeatable); written to the journal
    #[arg(long, value_name = "KIND=PRINCIPAL")]
    pub(crate) allow: Vec<String>,
}

/// What is declared.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Declaration")]
pub(crate) struct DeclarationArgs {
    /// A file, a folder or `-`: fragments, or bare lists of mappings (repeatable)
    ///
    /// A fragment is a ConfigMap with the label `accord.dev/aws-auth: fragment`; it is its own owner. A bare list is a
    /// YAML list of role mappings, or a mapping with `mapRoles`, `mapUsers` or `mapAccounts`; it needs `--owner`.
    #[arg(short, long = "filename", value_name = "PATH")]
    pub(crate) filename: Vec<PathBuf>,

    /// The owner of a bare list
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,

    /// Give up the owner's mappings that are not in the files
    #[arg(long)]
    pub(crate) prune: bool,

    /// Claim what is somebody else's or nobody's and differs (repeatable)
    #[arg(long, value_name = "PRINCIPAL")]
    pub(crate) take_over: Vec<String>,
}
