//! What can go wrong, as it is told to people: a message, its causes, and hints, each apart.

use std::fmt::Write as _;

use accord_engine::assembly::AssemblyError;
use accord_engine::cluster::ClusterError;
use accord_engine::file::FileError;
use accord_engine::input::InputError;
use accord_engine::run::RunError;
use accord_kube::{KubeError, right};
use accord_plan::request::RequestError;
use accord_wire::declaration::DeclarationError;
use accord_wire::sources::{Misread, Sources};

use crate::exit;
use crate::render::finding::{self, Quote};
use crate::style;

/// Whose fault it is, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The command line, or what it names.
    Usage,
    /// The environment: files, locks, disks.
    Failed,
    /// A question that nobody could answer, or a change that was decided against.
    Refused,
    /// The environment, after a part was written.
    Partly,
    /// Accord itself.
    Bug,
    /// Whoever read the output has stopped: no error at all.
    BrokenPipe,
}

/// An error on its way to the person.
#[derive(Debug)]
pub(crate) struct CliError {
    kind: Kind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
    /// Text that shows the place, already rendered.
    excerpt: Option<String>,
    hints: Vec<String>,
    /// A hint for the case that nothing was written.
    if_untouched: Option<&'static str>,
}

/// A cause that has been told once.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Because {
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What commands return.
pub(crate) type Result<T, E = CliError> = std::result::Result<T, E>;

impl CliError {
    /// An error of that kind; the message is a lower-case fragment without its cause.
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
            excerpt: None,
            hints: Vec::new(),
            if_untouched: None,
        }
    }

    /// The command line, or what it names, is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// The same, because of `source`.
    #[must_use]
    pub(crate) fn because(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same, with a way out: a whole sentence or a command.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The same, with a rendered excerpt of the text concerned.
    #[must_use]
    pub(crate) fn excerpt(mut self, excerpt: impl Into<String>) -> Self {
        self.excerpt = Some(excerpt.into());
        self
    }

    /// The same, with a hint that says that nothing was written.
    #[must_use]
    const fn untouched(mut self, hint: &'static str) -> Self {
        self.if_untouched = Some(hint);
        self
    }

    /// The same, after some objects were written, or one may have been.
    #[must_use]
    pub(crate) fn partly(mut self, written: &[String]) -> Self {
        self.kind = Kind::Partly;
        self.if_untouched = None;
        let again = "run the same command again, and it goes on from there";
        self.hints.push(match written {
            [] => again.to_owned(),
            written => format!("written before: {}; {again}", written.join(", ")),
        });
        self
    }

    /// The exit code.
    pub(crate) const fn exit(&self) -> u8 {
        match self.kind {
            Kind::Usage => exit::USAGE,
            Kind::Failed | Kind::Bug => exit::FAILED,
            Kind::Refused => exit::REFUSED,
            Kind::Partly => exit::PARTIAL,
            Kind::BrokenPipe => exit::DONE,
        }
    }

    /// The message, its causes and the hints, as they are printed; empty for a broken pipe.
    pub(crate) fn render(&self) -> String {
        let mut out = String::new();
        let (error, hint) = (style::BAD, style::GOOD);
        let label = match self.kind {
            Kind::BrokenPipe => return out,
            Kind::Refused => "refused",
            Kind::Usage | Kind::Failed => "error",
            Kind::Partly => "partly applied",
            Kind::Bug => "internal error",
        };
        let _ = writeln!(out, "{error}{label}{error:#}: {}", self.message);
        let mut source: Option<&dyn std::error::Error> = match &self.source {
            Some(source) => Some(&**source),
            None => None,
        };
        while let Some(cause) = source {
            let _ = writeln!(out, "  because {cause}");
            source = cause.source();
        }
        if let Some(excerpt) = &self.excerpt {
            let _ = writeln!(out, "{}", excerpt.trim_end());
        }
        let mut said: Vec<&str> = Vec::new();
        let hints = self.hints.iter().map(String::as_str);
        for text in hints.chain(self.if_untouched) {
            if !said.contains(&text) {
                said.push(text);
                let _ = writeln!(out, "{hint}hint{hint:#}: {text}");
            }
        }
        out
    }
}

/// From the loop: the kind and the hints are chosen here, for every command alike.
pub(crate) fn of_run(error: RunError<CliError>, sources: &Sources) -> CliError {
    match error {
        RunError::Decide(error) => error,
        RunError::Declined => CliError::new(
            Kind::Refused,
            "somebody else's write has made the rest another plan, and nobody said yes to that",
        ),
        RunError::RefusedMeanwhile => CliError::new(
            Kind::Refused,
            "after somebody else's write the rest is refused, as told",
        ),
        RunError::Cluster(error) => of_cluster(error, sources),
        RunError::Deviation(error) => CliError::new(
            Kind::Bug,
            "what is written does not give the access that was planned",
        )
        .because(error)
        .untouched(REPORT),
        RunError::Write(error) => CliError::new(
            Kind::Failed,
            "there is no text that would mean what is planned",
        )
        .because(error)
        .untouched(NOTHING),
        RunError::Unsound(error) => CliError::new(Kind::Bug, "the plan breaks a rule")
            .because(error)
            .untouched(REPORT),
    }
}

/// From a request that cannot be answered with a plan.
pub(crate) fn of_request(error: RequestError) -> CliError {
    CliError::usage(error.to_string())
}

/// From declarations.
pub(crate) fn of_declaration(error: DeclarationError, sources: &Sources) -> CliError {
    match error {
        DeclarationError::Misread(error) => of_misread(error, sources),
        DeclarationError::OwnerNeeded(error) => {
            let mut cli = of_misread(error, sources).hint("say whose it is: `--owner NAME`");
            cli.kind = Kind::Usage;
            cli
        }
        DeclarationError::OwnerIsGiven(error) => {
            let mut cli = of_misread(error, sources).hint("leave `--owner` out");
            cli.kind = Kind::Usage;
            cli
        }
    }
}

/// From files and folders that are declared.
pub(crate) fn of_input(error: InputError) -> CliError {
    match error {
        InputError::File(error) => of_file(error),
        error @ InputError::StdinTwice => CliError::usage(error.to_string()),
        error @ (InputError::Empty(_) | InputError::TooMany(_)) => {
            CliError::new(Kind::Failed, error.to_string())
        }
    }
}

/// From a cluster.
pub(crate) fn of_cluster(error: ClusterError, sources: &Sources) -> CliError {
    match error {
        ClusterError::File(error) => of_file(error),
        ClusterError::Misread(error) => of_misread(error, sources),
        error @ (ClusterError::Edit(..) | ClusterError::Journal(_)) => {
            CliError::new(Kind::Failed, "a text cannot be written")
                .because(error)
                .untouched(NOTHING)
        }
        ClusterError::Kube(error) => of_kube(error),
        error @ ClusterError::Taken(_) => CliError::new(Kind::Refused, error.to_string())
            .hint("choose another `--owner`, or label that ConfigMap if it holds mappings")
            .untouched(NOTHING),
        ClusterError::Conflict(_) => {
            CliError::new(Kind::Failed, error.to_string()).untouched(AGAIN)
        }
    }
}

/// From a live cluster.
pub(crate) fn of_kube(error: KubeError) -> CliError {
    let message = error.to_string();
    let failed = |cause: Option<Box<dyn std::error::Error + Send + Sync>>| CliError {
        source: cause,
        ..CliError::new(Kind::Failed, message.clone())
    };
    match error {
        KubeError::NoCluster => CliError::usage(message).hint(
            "say where the cluster is: `aws eks update-kubeconfig --name CLUSTER`, `--kubeconfig FILE`, or \
             `--state FILE` for a state file",
        ),
        KubeError::Kubeconfig(cause) => CliError::usage(message)
            .because(cause)
            .hint("`kubectl config get-contexts` shows what there is"),
        KubeError::SignIn(cause) => failed(Some(cause.into()))
            .hint("sign in to AWS again, such as with `aws sso login`; `aws sts get-caller-identity` must work"),
        KubeError::Unreachable { cause, .. } => failed(Some(cause.into())).hint(UNREACHABLE),
        KubeError::TimedOut { .. } => failed(None).hint(UNREACHABLE),
        KubeError::Clock { cause, .. } => failed(Some(cause.into()))
            .hint("set the clock of this machine; if it is right, the cluster's certificate must be renewed"),
        KubeError::Certificate { cause, .. } => failed(Some(cause.into())).hint(
            "`aws eks update-kubeconfig --name CLUSTER` writes address and authority anew; if that does not help, \
             something in between answers in the cluster's place",
        ),
        KubeError::Unauthorized { .. } => WAYS_IN.iter().fold(failed(None), |e, way| e.hint(*way)),
        KubeError::Forbidden(rights) => failed(None)
            .excerpt(right::manifest(&rights))
            .hint("this manifest grants it; an administrator fills in the group and applies it"),
        KubeError::Busy { .. } => failed(None).hint("run it again when the cluster is less busy"),
        KubeError::NotKubernetes { .. } => failed(None)
            .hint("look at `server` in the kubeconfig and at `HTTPS_PROXY`: something else answers there"),
        KubeError::TooLarge { .. } => failed(None)
            .hint("no object of Kubernetes is that large: look at `server` in the kubeconfig and at `HTTPS_PROXY`"),
        KubeError::MaybeWritten { cause, .. } => {
            let cause = of_kube(*cause);
            let because = Because {
                message: cause.message,
                source: cause.source,
            };
            CliError {
                excerpt: cause.excerpt,
                hints: cause.hints,
                ..failed(Some(Box::new(because)))
            }
        }
        KubeError::Setup(cause) => failed(Some(cause.into())),
        KubeError::Refused(_) => failed(None),
        KubeError::Conflict(_) | KubeError::SentTwice(_) => failed(None).untouched(AGAIN),
    }
}

const NOTHING: &str = "nothing was written";
const AGAIN: &str = "nothing was written; run it again";
const REPORT: &str = "nothing was written; please report this with the command and its input";

const UNREACHABLE: &str = "is this the right context (`kubectl config current-context`), and is the endpoint reachable \
                           from here? A private endpoint needs the VPN or a proxy";

/// After a 401 (<https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html>).
const WAYS_IN: [&str; 3] = [
    "if the credentials have expired, sign in to AWS again; `aws sts get-caller-identity` says who you are",
    "the identity that created the cluster gets in unless that was switched off, and so does everybody in aws-auth or \
     with an access entry; `accord explain --state FILE ARN` tells it of a snapshot",
    "where the authentication mode is API or API_AND_CONFIG_MAP, somebody with rights in AWS can let you in: \
     `aws eks create-access-entry --cluster-name NAME --principal-arn ARN`, then `aws eks associate-access-policy \
     --cluster-name NAME --principal-arn ARN --access-scope type=cluster --policy-arn \
     arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`",
];

/// From a text that cannot be used: the line is quoted.
pub(crate) fn of_misread(error: Misread, sources: &Sources) -> CliError {
    let quote = error
        .span
        .and_then(|span| sources.line(span))
        .map(|line| Quote::of(line.text, line.marked));
    let excerpt = finding::excerpt(&error.place, quote.as_ref());
    CliError::new(Kind::Failed, error.message).excerpt(excerpt)
}

/// From a folder that the CDK synthesized.
pub(crate) fn of_assembly(error: AssemblyError, sources: &Sources) -> CliError {
    match error {
        AssemblyError::File(error) => of_file(error),
        AssemblyError::Misread(error) => of_misread(error, sources),
        AssemblyError::NoManifest(_) => CliError::usage(error.to_string())
            .hint("give the folder that `cdk synth` writes, `cdk.out`, or single files"),
    }
}

/// From a file.
pub(crate) fn of_file(error: FileError) -> CliError {
    let message = error.to_string();
    match error {
        FileError::Read(_, source) | FileError::Write(_, source) => {
            CliError::new(Kind::Failed, message).because(source)
        }
        FileError::TooLarge(_) => CliError::new(Kind::Failed, message),
        FileError::Locked(_) => {
            CliError::new(Kind::Failed, message).hint("wait until it is done, then run it again")
        }
        FileError::Changed(_) => CliError::new(Kind::Failed, message).untouched(AGAIN),
        FileError::ReadOnly(_) => {
            CliError::new(Kind::Failed, message).hint("make it writable, or work on a copy")
        }
    }
}

impl From<std::io::Error> for CliError {
    /// Writing to the terminal or pipe failed: the only place where a bare I/O error arises here.
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Self::new(Kind::BrokenPipe, "nobody reads the output")
        } else {
            Self::new(Kind::Failed, "could not write the output").because(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_and_hints_stand_apart() {
        let io = std::io::Error::other("no space left on device");
        let error = CliError::new(Kind::Failed, "could not write `a.yaml`")
            .because(io)
            .hint("free some space")
            .hint("free some space");
        assert_eq!(
            anstream::adapter::strip_str(&error.render()).to_string(),
            "error: could not write `a.yaml`\n  because no space left on device\nhint: free some space\n"
        );
        assert_eq!(error.exit(), 1);
    }

    #[test]
    fn a_broken_pipe_is_success_and_says_nothing() {
        let error = CliError::from(std::io::Error::from(std::io::ErrorKind::BrokenPipe));
        assert_eq!((error.exit(), error.render().as_str()), (0, ""));
    }
}
