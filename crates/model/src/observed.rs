//! Everything that was read before a decision: the one input that says how the world is.

use crate::claim::Fragment;
use crate::facts::{AccessEntry, Cluster, ComputeFacts, Listing, Role};
use crate::finding::Finding;
use crate::journal::JournalEntry;
use crate::ledger::Ledger;
use crate::reading::AuthMap;
use crate::span::Span;
use crate::time::Timestamp;

/// The `aws-auth` ConfigMap as an object.
#[derive(Clone, Debug)]
pub struct AwsAuth {
    /// What the authenticator reads of it.
    pub map: AuthMap,
    /// `immutable: true`.
    pub immutable: bool,
    /// Data keys and binaryData keys that look like a section and are none.
    pub stray_keys: Vec<StrayKey>,
    /// Bytes of all values, which the API server limits to 1,048,576.
    pub size: usize,
    /// Who wrote what, from `metadata.managedFields`.
    pub managers: Vec<FieldManager>,
    /// The object itself.
    pub span: Option<Span>,
}

/// A key that somebody meant to be a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrayKey {
    /// The key as spelled.
    pub key: String,
    /// The section that is meant.
    pub meant: crate::mapping::SectionName,
    /// It is under `binaryData`.
    pub binary: bool,
    /// The key.
    pub span: Option<Span>,
    /// Entries that would be in it.
    pub lost: Vec<crate::reading::Salvaged>,
}

/// One element of `metadata.managedFields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldManager {
    /// `manager`.
    pub name: String,
    /// `operation`: `Apply` or `Update`.
    pub operation: String,
    /// `time`.
    pub time: Option<Timestamp>,
    /// The data keys it owns.
    pub keys: Vec<String>,
}

/// The ledger as read.
#[derive(Clone, Debug)]
pub enum LedgerRead {
    /// There is none.
    Absent,
    /// It is there.
    Present(Ledger),
    /// It is there and cannot be read: nothing may be removed, and it is not overwritten.
    Unreadable(String),
}

/// What was observed, and when.
#[derive(Clone, Debug)]
pub struct Observed {
    /// When.
    pub now: Timestamp,
    /// What the plan is headed by: the cluster's ARN, or a state file's name.
    pub heading: String,
    /// The cluster, if EKS or a state file told.
    pub cluster: Option<Cluster>,
    /// UID of the `kube-system` namespace, if known.
    pub cluster_uid: Option<String>,
    /// The map; `None` if the ConfigMap does not exist.
    pub aws_auth: Option<AwsAuth>,
    /// All fragments, admitted or not.
    pub fragments: Listing<Fragment>,
    /// The ledger.
    pub ledger: LedgerRead,
    /// Who uses which role.
    pub compute: ComputeFacts,
    /// Access entries.
    pub access_entries: Listing<AccessEntry>,
    /// IAM roles.
    pub roles: Listing<Role>,
    /// The caller's ARN as `sts get-caller-identity` prints it, if known.
    pub caller: Option<String>,
    /// The journal, oldest first, as far as it could be read.
    pub journal: Vec<JournalEntry>,
    /// What was wrong with the objects read (malformed fragments and the like).
    pub findings: Vec<Finding>,
}
