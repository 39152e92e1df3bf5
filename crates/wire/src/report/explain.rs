//! What `explain` prints.

use accord_model::explanation::{self, Explanation, Granted};
use accord_model::span::Place;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Finding, Policy, Version};

/// Who the asked identities would be in the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explain {
    /// Always 1.
    pub version: Version,
    /// One answer per identity, in the order asked.
    pub identities: Vec<ExplainedIdentity>,
    /// What else is worth saying.
    pub findings: Vec<Finding>,
}

/// The answer for one identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainedIdentity {
    /// The text that was asked about.
    pub asked: String,
    /// The form that the authenticator compares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// What would happen.
    pub outcome: ExplainedOutcome,
    /// The username; a template that cannot be filled stays in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// It is an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin: Option<bool>,
    /// The entry that decides: `mapRoles[i]`, `mapUsers[i]`, `mapAccounts[i]` or `accessEntry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The file in which that entry stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Entries for the same identity that do not decide.
    pub shadows: Vec<String>,
    /// Whose the entry is: an owner, `eks` or `unclaimed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The access policies, with an access entry.
    pub policies: Vec<Policy>,
    /// Every answer that may apply, if that is random.
    pub alternatives: Vec<Alternative>,
    /// Names of templates that cannot be filled.
    pub unfilled: Vec<String>,
    /// Entries that nearly match.
    pub near: Vec<Near>,
    /// Why, for whatever is not plainly mapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What else is worth knowing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ExplainedIdentity {
    /// The answer; `place` is where the entry that decides stands.
    pub fn new(explanation: &Explanation, place: Option<Place>) -> Self {
        let (outcome, granted, alternatives) = match &explanation.outcome {
            explanation::Outcome::Mapped(granted) => {
                (ExplainedOutcome::Mapped, Some(granted), &[][..])
            }
            explanation::Outcome::Denied => (ExplainedOutcome::Denied, None, &[][..]),
            explanation::Outcome::Ambiguous(all) => (ExplainedOutcome::Ambiguous, None, &all[..]),
            explanation::Outcome::Invalid => (ExplainedOutcome::Invalid, None, &[][..]),
        };
        let (file, line) = match place {
            Some(place) => (place.file, Some(place.line)),
            None => (None, None),
        };
        Self {
            asked: explanation.asked.clone(),
            canonical: explanation.canonical.clone(),
            outcome,
            username: granted.map(|g| g.username.clone()),
            groups: granted.map(|g| g.groups.clone()),
            admin: granted.map(|g| g.admin),
            via: granted.map(|g| g.via.clone()),
            file,
            line,
            shadows: explanation.shadows.clone(),
            owner: granted.map(|g| g.owner.to_string()),
            policies: granted
                .map_or_else(Vec::new, |g| g.policies.iter().map(Policy::from).collect()),
            alternatives: alternatives.iter().map(Alternative::from).collect(),
            unfilled: explanation
                .unfilled
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            near: explanation.near.iter().map(Near::from).collect(),
            reason: explanation.reason.clone(),
            notes: explanation.notes.clone(),
        }
    }
}

/// What would happen to an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExplainedOutcome {
    /// It gets in.
    Mapped,
    /// It is turned away.
    Denied,
    /// One of several answers, at random.
    Ambiguous,
    /// It is no identity.
    Invalid,
}

/// One of several answers that may apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Alternative {
    /// The username.
    pub username: String,
    /// The groups.
    pub groups: Vec<String>,
    /// The entry.
    pub via: String,
}

impl From<&Granted> for Alternative {
    fn from(granted: &Granted) -> Self {
        Self {
            username: granted.username.clone(),
            groups: granted.groups.clone(),
            via: granted.via.clone(),
        }
    }
}

/// An entry that nearly matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Near {
    /// The entry: `mapRoles[0]`.
    pub at: String,
    /// In what it differs: `path`, `case`, `partition`, `account`, `session-arn`, `whitespace`, `section`.
    pub difference: &'static str,
}

impl From<&explanation::Near> for Near {
    fn from(near: &explanation::Near) -> Self {
        Self {
            at: near.at.clone(),
            difference: near.difference.name(),
        }
    }
}
