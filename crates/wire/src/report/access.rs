//! Rights as they are shown: username, groups and access policies.

use accord_model::claim::PolicyGrant;
use accord_model::plan;
use schemars::JsonSchema;
use serde::Serialize;

/// What somebody has. Templates are unfilled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rights {
    /// The Kubernetes username.
    pub username: String,
    /// The Kubernetes groups.
    pub groups: Vec<String>,
    /// The EKS access policies.
    pub policies: Vec<Policy>,
}

impl From<&plan::Rights> for Rights {
    fn from(rights: &plan::Rights) -> Self {
        Self {
            username: rights.username.clone(),
            groups: rights.groups.clone(),
            policies: rights.policies.iter().map(Policy::from).collect(),
        }
    }
}

/// An access policy and how far it reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Policy {
    /// The policy's name: `AmazonEKSViewPolicy`.
    pub policy: String,
    /// How far it reaches.
    pub scope: Scope,
    /// The namespaces of a namespace scope.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
}

/// How far an access policy reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The whole cluster.
    Cluster,
    /// The namespaces that are listed.
    Namespace,
}

impl From<&PolicyGrant> for Policy {
    fn from(grant: &PolicyGrant) -> Self {
        Self {
            policy: grant.policy.clone(),
            scope: match grant.namespaces {
                None => Scope::Cluster,
                Some(_) => Scope::Namespace,
            },
            namespaces: grant.namespaces.clone().unwrap_or_default(),
        }
    }
}
