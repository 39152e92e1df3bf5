//! Who an identity would be in a cluster, and why.

use crate::claim::PolicyGrant;
use crate::plan::Holder;
use crate::span::Span;

/// What would happen to an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It gets in, as this.
    Mapped(Granted),
    /// It is turned away.
    Denied,
    /// One of these at random, from request to request; a denial may be among the chances, and `reason` says so.
    Ambiguous(Vec<Granted>),
    /// It is no identity.
    Invalid,
}

/// What a caller becomes, templates filled as far as they can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// The username.
    pub username: String,
    /// The groups, as the authenticator hands them on: duplicates and empty ones included.
    pub groups: Vec<String>,
    /// The access policies.
    pub policies: Vec<PolicyGrant>,
    /// It is an administrator.
    pub admin: bool,
    /// What decides: `mapRoles[1]`, `mapAccounts[0]`, `accessEntry`.
    pub via: String,
    /// Where that entry stands.
    pub span: Option<Span>,
    /// Whose it is.
    pub owner: Holder,
}

/// In what an entry differs from the identity asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Difference {
    /// It has white space or an invisible character in it.
    Whitespace,
    /// It is a session's ARN, and the role's belongs there.
    SessionArn,
    /// The path of the role or user.
    Path,
    /// It stands in a section that is not read, or under the other section's field.
    Section,
    /// It stands under a data key that differs from the section's name in letter case.
    Case,
    /// The partition.
    Partition,
    /// The account.
    Account,
}

impl Difference {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whitespace => "whitespace",
            Self::SessionArn => "session-arn",
            Self::Path => "path",
            Self::Section => "section",
            Self::Case => "case",
            Self::Partition => "partition",
            Self::Account => "account",
        }
    }
}

/// An entry that nearly matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The entry: `mapRoles[0]`.
    pub at: String,
    /// Where it stands.
    pub span: Option<Span>,
    /// Its ARN as written.
    pub arn: String,
    /// In what it differs.
    pub difference: Difference,
}

/// The answer for one identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The text that was asked about; a token is not repeated.
    pub asked: String,
    /// The ARN that the authenticator compares; `None` if it is no identity.
    pub canonical: Option<String>,
    /// What would happen.
    pub outcome: Outcome,
    /// Entries for the same identity that do not decide: `mapUsers[0]`.
    pub shadows: Vec<String>,
    /// The names of placeholders that cannot be filled: `EC2PrivateDNSName`.
    pub unfilled: Vec<&'static str>,
    /// Entries that nearly match, the nearest first; of a denial only.
    pub near: Vec<Near>,
    /// Why, for whatever is not plainly mapped, in whole sentences.
    pub reason: Option<String>,
    /// What else is worth knowing: how templates were filled, what is not spoken for.
    pub notes: Vec<String>,
}
