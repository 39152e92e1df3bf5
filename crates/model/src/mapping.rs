//! One entry of `aws-auth`, as the authenticator keeps it.

use std::fmt;

/// A data key of `aws-auth` that the authenticator reads. Ordered by precedence: roles decide before users,
/// users before accounts (`pkg/mapper/configmap`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SectionName {
    /// `mapRoles`
    Roles,
    /// `mapUsers`
    Users,
    /// `mapAccounts`
    Accounts,
}

impl SectionName {
    /// All three, in order of precedence.
    pub const ALL: [Self; 3] = [Self::Roles, Self::Users, Self::Accounts];

    /// The data key, spelled as the authenticator wants it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Roles => "mapRoles",
            Self::Users => "mapUsers",
            Self::Accounts => "mapAccounts",
        }
    }

    /// The field that holds an entry's ARN: `rolearn` or `userarn`; accounts have none.
    pub const fn arn_field(self) -> Option<&'static str> {
        match self {
            Self::Roles => Some("rolearn"),
            Self::Users => Some("userarn"),
            Self::Accounts => None,
        }
    }
}

impl fmt::Display for SectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// Which entry: printed as `mapRoles[2]`. The index counts list items from 0 as the author wrote them,
/// those that the authenticator skips included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId {
    /// The section.
    pub section: SectionName,
    /// The item's number in its section, from 0.
    pub index: usize,
}

impl EntryId {
    /// The entry `index` of `section`.
    pub const fn new(section: SectionName, index: usize) -> Self {
        Self { section, index }
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.section, self.index)
    }
}

/// What a caller becomes in Kubernetes. Templates are not filled in.
///
/// Groups keep the order in which they were written, duplicates and empty ones included, because that is what
/// the authenticator hands on. Two identities *mean* the same if usernames are equal and the groups are equal
/// as sets: see [`Identity::means_same`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// The username, templates unfilled. May be empty.
    pub username: String,
    /// The groups, templates unfilled.
    pub groups: Vec<String>,
}

impl Identity {
    /// Whether both give the same rights: the same username, and the same set of groups.
    pub fn means_same(&self, other: &Self) -> bool {
        use std::collections::BTreeSet;
        self.username == other.username
            && (self.groups == other.groups
                || self.groups.iter().collect::<BTreeSet<_>>()
                    == other.groups.iter().collect::<BTreeSet<_>>())
    }

    /// Whether this is an administrator by group: exactly `system:masters`.
    pub fn is_admin(&self) -> bool {
        self.groups.iter().any(|g| g == "system:masters")
    }
}

/// An `sso` block that passed the authenticator's own validation (`pkg/config/mapper.go`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sso {
    /// `permissionSetName`
    pub permission_set_name: String,
    /// `accountID`, twelve digits
    pub account_id: String,
    /// `partition`, empty if not given. A given partition never matches: `SSOArnLike` drops it.
    pub partition: String,
}

/// An entry of `mapRoles` or `mapUsers` that the authenticator keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mapping {
    /// `rolearn` or `userarn`, byte for byte as decoded; empty only if `sso` is given.
    pub arn: String,
    /// The `sso` block, in `mapRoles` only.
    pub sso: Option<Box<Sso>>,
    /// Username and groups.
    pub identity: Identity,
    /// `userid`; the ConfigMap backend never looks at it, but it survives the authenticator's own rewrites.
    pub user_id: Option<Box<str>>,
}
