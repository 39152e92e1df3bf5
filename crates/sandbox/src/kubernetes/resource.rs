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
    pub(crate) const ALL: [Self; 6] = [
        Self::ConfigMaps,
        Self::Events,
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
            Self::Namespaces => Some("ns"),
            Self::Nodes => Some("no"),
            Self::Pods => Some("po"),
            Self::ServiceAccounts => Some("sa"),
        }
    }

    /// Whether an object is in a namespace.
    pub(crate) const fn is_namespaced(self) -> bool {
        !matches!(self, Self::Namespaces | Self::Nodes)
    }

    /// The resource of that name in a path.
    pub(crate) fn of_plural(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.plural() == name)
    }

    /// The resource of a kind.
    pub(crate) fn of_kind(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.kind() == kind)
    }
}
