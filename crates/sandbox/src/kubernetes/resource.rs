//! The kinds that are held.

use serde::{Deserialize, Serialize};

/// A kind, by the name in paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Resource {
    /// `configmaps`
    ConfigMaps,
    /// `events`
    Events,
    /// `leases`
    Leases,
    /// `namespaces`
    Namespaces,
    /// `nodes`
    Nodes,
    /// `pods`
    Pods,
    /// `serviceaccounts`
    ServiceAccounts,
}

impl Resource {
    /// All, in the order of the alphabet.
    pub(crate) const ALL: [Self; 7] = [
        Self::ConfigMaps,
        Self::Events,
        Self::Leases,
        Self::Namespaces,
        Self::Nodes,
        Self::Pods,
        Self::ServiceAccounts,
    ];

    /// The name in paths.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Self::ConfigMaps => "configmaps",
            Self::Events => "events",
            Self::Leases => "leases",
            Self::Namespaces => "namespaces",
            Self::Nodes => "nodes",
            Self::Pods => "pods",
            Self::ServiceAccounts => "serviceaccounts",
        }
    }

    /// The kind of an object.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Self::ConfigMaps => "ConfigMap",
            Self::Events => "Event",
            Self::Leases => "Lease",
            Self::Namespaces => "Namespace",
            Self::Nodes => "Node",
            Self::Pods => "Pod",
            Self::ServiceAccounts => "ServiceAccount",
        }
    }

    /// What people may type instead.
    pub(crate) const fn short(self) -> Option<&'static str> {
        match self {
            Self::ConfigMaps => Some("cm"),
            Self::Events => Some("ev"),
            Self::Leases => None,
            Self::Namespaces => Some("ns"),
            Self::Nodes => Some("no"),
            Self::Pods => Some("po"),
            Self::ServiceAccounts => Some("sa"),
        }
    }

    /// The group and version, as `apiVersion` has it.
    pub(crate) const fn api_version(self) -> &'static str {
        match self {
            Self::Leases => "coordination.k8s.io/v1",
            _ => "v1",
        }
    }

    /// Whether an object is in a namespace.
    pub(crate) const fn is_namespaced(self) -> bool {
        !matches!(self, Self::Namespaces | Self::Nodes)
    }

    /// The resource of that name in a path below an `apiVersion`.
    pub(crate) fn find(api_version: &str, name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|r| r.plural() == name && r.api_version() == api_version)
    }

    /// The resource of a kind.
    pub(crate) fn of_kind(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.kind() == kind)
    }
}
