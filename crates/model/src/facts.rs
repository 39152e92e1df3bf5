//! What EKS, IAM and the cluster's nodes tell about who uses which role.

use crate::time::Timestamp;

/// What was listed, and whether that is all.
///
/// Nothing may be deleted on the strength of an incomplete listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    /// What is known.
    pub items: Vec<T>,
    /// Whether there is nothing else.
    pub complete: bool,
}

impl<T> Default for Listing<T> {
    /// Nothing known, and more may exist.
    fn default() -> Self {
        Self {
            items: Vec::new(),
            complete: false,
        }
    }
}

/// The authentication mode, as the EKS API has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuthenticationMode {
    /// `CONFIG_MAP`: only `aws-auth`.
    ConfigMap,
    /// `API_AND_CONFIG_MAP`: access entries first, then `aws-auth`.
    ApiAndConfigMap,
    /// `API`: only access entries.
    Api,
}

impl AuthenticationMode {
    /// The EKS API's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ConfigMap => "CONFIG_MAP",
            Self::ApiAndConfigMap => "API_AND_CONFIG_MAP",
            Self::Api => "API",
        }
    }

    /// Whether `aws-auth` is read.
    pub const fn reads_aws_auth(self) -> bool {
        !matches!(self, Self::Api)
    }

    /// Whether access entries are read.
    pub const fn reads_entries(self) -> bool {
        !matches!(self, Self::ConfigMap)
    }
}

/// The cluster, from `describe-cluster`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// Its name.
    pub name: Option<String>,
    /// Its ARN.
    pub arn: Option<String>,
    /// `accessConfig.authenticationMode`.
    pub mode: Option<AuthenticationMode>,
}

/// A managed node group, from `describe-nodegroup`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGroup {
    /// Its name.
    pub name: String,
    /// `nodeRole`, with its path; `None` if only its name was listed.
    pub role: Option<String>,
    /// `amiType` begins with `WINDOWS`.
    pub windows: bool,
    /// The role of its instance profile differs from the profile's name: the profile's ARN, if known.
    pub instance_profile: Option<String>,
}

/// A Fargate profile, from `describe-fargate-profile`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FargateProfile {
    /// Its name.
    pub name: String,
    /// Its own ARN, which people mistake for the role's.
    pub arn: Option<String>,
    /// `podExecutionRoleArn`, with its path; `None` if only its name was listed.
    pub role: Option<String>,
}

/// A Kubernetes node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// The label `eks.amazonaws.com/nodegroup`, if any.
    pub node_group: Option<String>,
    /// The label `kubernetes.io/os` is `windows`.
    pub windows: bool,
    /// The node is a Fargate pod's (`eks.amazonaws.com/compute-type: fargate`).
    pub fargate: bool,
    /// The EC2 instance of `spec.providerID`.
    pub instance: Option<String>,
}

/// An access entry's policy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AssociatedPolicy {
    /// `policyArn`, whole.
    pub arn: String,
    /// The policy's name, the last part of the ARN.
    pub name: String,
    /// The namespaces of a namespace scope; `None` is the cluster scope.
    pub namespaces: Option<Vec<String>>,
}

/// An access entry, from `describe-access-entry` and `list-associated-access-policies`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessEntry {
    /// `principalArn`, with the role's path.
    pub principal: String,
    /// `type`: `STANDARD`, `EC2_LINUX`, …; empty if the entry was only listed, so that nothing else is known of it.
    pub kind: String,
    /// `username`, if known.
    pub username: Option<String>,
    /// `kubernetesGroups`.
    pub groups: Vec<String>,
    /// Its policies; `None` if they were never listed.
    pub policies: Option<Vec<AssociatedPolicy>>,
    /// `tags`.
    pub tags: Vec<(String, String)>,
    /// `createdAt`, if given.
    pub created: Option<Timestamp>,
}

/// An IAM role, from `get-role` or `list-roles`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Its ARN, with the path.
    pub arn: String,
    /// `RoleId`, the unique id.
    pub id: Option<String>,
    /// `CreateDate`.
    pub created: Option<Timestamp>,
}

/// Who uses which role: the compute of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComputeFacts {
    /// Managed node groups.
    pub node_groups: Listing<NodeGroup>,
    /// Fargate profiles.
    pub fargate_profiles: Listing<FargateProfile>,
    /// Nodes.
    pub nodes: Listing<Node>,
}
