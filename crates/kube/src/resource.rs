//! Which objects are meant, and where the API has them.

use std::fmt;

/// A kind of object that Accord reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `v1/ConfigMap`
    ConfigMap,
    /// `v1/Namespace`
    Namespace,
    /// `v1/Node`
    Node,
    /// `v1/Event`
    Event,
}

impl Kind {
    /// The name in paths and in RBAC rules. All of them are in the core group.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::ConfigMap => "configmaps",
            Self::Namespace => "namespaces",
            Self::Node => "nodes",
            Self::Event => "events",
        }
    }

    /// The name in manifests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ConfigMap => "ConfigMap",
            Self::Namespace => "Namespace",
            Self::Node => "Node",
            Self::Event => "Event",
        }
    }
}

/// One object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace; `None` for what has none.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl Object {
    /// A ConfigMap.
    pub fn config_map(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            kind: Kind::ConfigMap,
            namespace: Some(namespace.into()),
            name: name.into(),
        }
    }

    /// A namespace.
    pub fn namespace(name: impl Into<String>) -> Self {
        Self {
            kind: Kind::Namespace,
            namespace: None,
            name: name.into(),
        }
    }

    /// Where it is.
    pub fn collection(&self) -> Collection {
        Collection {
            kind: self.kind,
            namespace: self.namespace.clone(),
            labels: None,
            fields: None,
        }
    }

    /// Its path: `/api/v1/namespaces/kube-system/configmaps/aws-auth`.
    pub fn path(&self) -> String {
        format!("{}/{}", self.collection().path(), self.name)
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{}/{namespace}/{}", self.kind.name(), self.name),
            None => write!(f, "{}/{}", self.kind.name(), self.name),
        }
    }
}

/// Objects of a kind, in one namespace or in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// Their kind.
    pub kind: Kind,
    /// The namespace; `None`: all.
    pub namespace: Option<String>,
    /// A label selector: `accord.dev/aws-auth=fragment`.
    pub labels: Option<String>,
    /// A field selector: `reason=FailedScheduling`.
    pub fields: Option<String>,
}

impl Collection {
    /// All objects of the kind.
    pub const fn all(kind: Kind) -> Self {
        Self {
            kind,
            namespace: None,
            labels: None,
            fields: None,
        }
    }

    /// Those in `namespace`, if one is named.
    #[must_use]
    pub fn within(mut self, namespace: Option<&str>) -> Self {
        self.namespace = namespace.map(str::to_owned);
        self
    }

    /// Those whose labels the selector takes.
    #[must_use]
    pub fn labelled(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into());
        self
    }

    /// Those whose fields the selector takes.
    #[must_use]
    pub fn with_fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = Some(selector.into());
        self
    }

    /// Its path, without a query.
    pub fn path(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("/api/v1/namespaces/{namespace}/{}", self.kind.plural()),
            None => format!("/api/v1/{}", self.kind.plural()),
        }
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{} in namespace {namespace}", self.kind.plural()),
            None => f.write_str(self.kind.plural()),
        }
    }
}
