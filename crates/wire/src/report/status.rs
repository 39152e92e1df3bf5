//! What `status` prints.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Finding, Policy, Version};

/// Every mapping and access entry with its owner, and what stands in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Status {
    /// Always 1.
    pub version: Version,
    /// The cluster's ARN, or the state file's name.
    pub cluster: String,
    /// The authentication mode, if known: `CONFIG_MAP`, `API_AND_CONFIG_MAP` or `API`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    /// The entries: `aws-auth` in its order, then access entries, then claims without an entry.
    pub entries: Vec<StatusEntry>,
    /// Standing hazards and drift.
    pub findings: Vec<Finding>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatusEntry {
    /// The principal in canonical form where there is one; an account is its text.
    pub principal: String,
    /// The username.
    pub username: String,
    /// The groups.
    pub groups: Vec<String>,
    /// The access policies.
    pub policies: Vec<Policy>,
    /// Where: `mapRoles[i]`, `mapUsers[i]`, `mapAccounts[i]` or `accessEntry`; absent for a claim without an entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Whose it is: an owner, `eks` or `unclaimed`.
    pub owner: String,
    /// How it came to be the owner's: `added`, `adopted` or `found`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<&'static str>,
    /// `in-effect`, `drifted`, `missing`, `shadowed`, `ignored`, `releasing`, `suspended`, `proposed` or `refused`.
    pub state: &'static str,
}
