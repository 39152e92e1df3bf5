use clap::{Args, ValueEnum};

use crate::args::{ClusterArgs, OutputArgs};

/// Who an IAM identity would be in the cluster, by which entry, and whose it is
///
/// Give identities as `aws sts get-caller-identity` prints them: sessions of roles, users, root, federated users, of
/// any partition. Also: `fargate-profile/NAME`, `node/NAME`, or the text of a FailedScheduling event.
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
