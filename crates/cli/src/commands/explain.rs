use accord_model::explanation::Outcome;
use accord_plan::explain;
use accord_plan::holder::Holders;
use accord_wire::report;
use clap::{Args, ValueEnum};

use crate::args::{ClusterArgs, OutputArgs};
use crate::error::Result;
use crate::session::Session;
use crate::{convert, exit, render, ui};

/// Who an IAM identity would be in the cluster, by which entry, and whose it is
///
/// Give identities as `aws sts get-caller-identity` prints them: sessions of roles,
/// users, root, federated users, of any partition. Also: `fargate-profile/NAME`,
/// `node/NAME`, or the text of a FailedScheduling event.
///
///     accord explain --state cluster.yaml arn:aws:sts::111122223333:assumed-role/Admins/kim
///     accord explain --state cluster.yaml fargate-profile/jobs -o json
///
/// Exit code: 0 if every identity gets in, else 4.
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExplainArgs {
    /// Identities to explain
    #[arg(value_name = "IDENTITY", required = true)]
    pub(crate) identities: Vec<String>,

    /// The private DNS name that EC2 has for the instance
    ///
    /// It fills `{{EC2PrivateDNSName}}` in a node's username, which only EC2 knows.
    #[arg(long, value_name = "NAME")]
    pub(crate) ec2_private_dns: Option<String>,

    /// Whether the authenticator matches `sso` blocks; on EKS it does not
    #[arg(long, value_name = "WHETHER", default_value = "off")]
    pub(crate) sso_matcher: Switch,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// It does
    On,
    /// It does not
    Off,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<u8> {
    let mut session = Session::open(&args.cluster)?;
    let observed = session.observe()?;
    let options = explain::Options {
        ec2_private_dns: args.ec2_private_dns.clone(),
        sso_matcher: args.sso_matcher == Switch::On,
    };
    let holders = Holders::of(&observed);
    let holder = |via| holders.holder(via);
    let explainer = explain::Explainer::new(&observed, &options, &holder);
    let identities: Vec<report::ExplainedIdentity> = args
        .identities
        .iter()
        .map(|asked| {
            let explanation = explainer.explain(asked);
            let place = match &explanation.outcome {
                Outcome::Mapped(granted) => granted.span,
                Outcome::Denied | Outcome::Ambiguous(_) | Outcome::Invalid => None,
            };
            let place = place.and_then(|span| session.sources.locate(span));
            report::ExplainedIdentity::new(&explanation, place)
        })
        .collect();
    let all_get_in = identities
        .iter()
        .all(|it| it.outcome == report::ExplainedOutcome::Mapped);
    let report = report::Explain {
        version: report::Version,
        identities,
        findings: convert::findings(&observed.findings, &session.sources),
    };
    ui::report(args.output.output, &report, render::explain::explain)?;
    Ok(if all_get_in {
        exit::DONE
    } else {
        exit::FINDINGS
    })
}
