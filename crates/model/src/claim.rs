//! What owners want.

use std::fmt;

use crate::arn::PrincipalKey;
use crate::mapping::{Identity, SectionName};
use crate::span::Span;

/// Who claims: the namespaced object that holds the claims.
///
/// A bare list of mappings that is declared with `--owner NAME` becomes the fragment `kube-system/accord-NAME`,
/// and is printed as `NAME`; any other owner is printed as `namespace/name`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner {
    /// The object's namespace.
    pub namespace: String,
    /// The object's name.
    pub name: String,
}

impl Owner {
    /// The owner that `--owner name` stands for.
    pub fn named(name: &str) -> Self {
        Self {
            namespace: "kube-system".into(),
            name: format!("accord-{name}"),
        }
    }

    /// The name that `--owner` would take, if this owner has one.
    pub fn short_name(&self) -> Option<&str> {
        if self.namespace == "kube-system" {
            self.name.strip_prefix("accord-")
        } else {
            None
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.short_name() {
            Some(short) => f.write_str(short),
            None => write!(f, "{}/{}", self.namespace, self.name),
        }
    }
}

/// An access policy asked for: its name (`AmazonEKSViewPolicy`), and the namespaces; `None` is the whole cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PolicyGrant {
    /// The policy's name, without the ARN around it.
    pub policy: String,
    /// The namespaces; `None` means the whole cluster.
    pub namespaces: Option<Vec<String>>,
}

/// One thing an owner wants: this principal, as this identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Which section it belongs in.
    pub section: SectionName,
    /// The ARN or account, in the owner's spelling.
    pub principal: String,
    /// Username and groups; for accounts empty. Duplicate groups are already dropped, the first order kept.
    pub identity: Identity,
    /// Access policies, which only an access entry can hold.
    pub policies: Vec<PolicyGrant>,
    /// Where the claim stands, if it was read from a text.
    pub span: Option<Span>,
    /// The place inside the owner's object: `mapRoles[2]`.
    pub at: String,
}

impl Claim {
    /// The key under which the authenticator compares the principal.
    pub fn key(&self) -> PrincipalKey {
        PrincipalKey::in_section(self.section, &self.principal)
    }
}

/// Whether a fragment's claims count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// In `kube-system`, where writing already is admin.
    Trusted,
    /// Anywhere else: it counts if the ledger (or, later, the webhook's stamp) admits this very content.
    Asked {
        /// The object's UID; `None` where the source does not say, and then it is never admitted.
        uid: Option<String>,
    },
}

/// One owner's claims: a labelled ConfigMap, as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The owner.
    pub owner: Owner,
    /// Whether it must be admitted.
    pub admission: Admission,
    /// When the object was made, for deciding by age where the ledger knows nothing.
    pub created: Option<crate::time::Timestamp>,
    /// The claims that could be read. A section that cannot be read yields none, and `unreadable` says so.
    pub claims: Vec<Claim>,
    /// Sections that could not be read, with the reason: the owner's former claims stay in effect meanwhile.
    pub unreadable: Vec<(SectionName, String)>,
}
