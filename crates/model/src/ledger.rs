//! The record of which entries Accord wrote, and for whom.
//!
//! Kept per principal in a ConfigMap of its own (`kube-system/accord-ledger`). Written ahead: a new digest is
//! recorded as intended before the map is written, so that after a crash at any point whichever digest the live
//! entry has tells the truth.

use std::collections::BTreeMap;

use crate::arn::PrincipalKey;
use crate::claim::{Claim, Owner};
use crate::mapping::SectionName;
use crate::time::Timestamp;

/// A digest of the *meaning* of an entry: canonical principal, username, group set. Never of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub String);

/// How an entry came to be an owner's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Accord wrote it: it goes when the last owner gives it up.
    Added,
    /// It was there, and was taken over by `adopt` or `--take-over`: it goes when the last owner gives it up.
    Adopted,
    /// It was there with the very identity that was claimed: giving up the claim leaves it.
    Found,
}

impl Origin {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Adopted => "adopted",
            Self::Found => "found",
        }
    }
}

/// Where an entry is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Door {
    /// The `aws-auth` ConfigMap.
    AwsAuth,
    /// An EKS access entry.
    AccessEntry,
}

/// One principal's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The section the entry is in.
    pub section: SectionName,
    /// The principal as it was claimed.
    pub principal: String,
    /// The owners, in the order in which they came.
    pub owners: Vec<Owner>,
    /// The door used.
    pub door: Door,
    /// How it came to be theirs.
    pub origin: Origin,
    /// Digests of what Accord wrote or found, newest first, a few of them. The first may only be intended.
    pub digests: Vec<Digest>,
    /// The identity claimed when the line was last written, so that a changed claim can be told from an edited entry.
    pub claimed: Digest,
    /// Set while the last claim is given up but a hazard keeps the entry: why.
    pub releasing: Option<String>,
}

impl Line {
    /// The key under which the ledger keeps it.
    pub fn key(&self) -> PrincipalKey {
        PrincipalKey::in_section(self.section, &self.principal)
    }
}

/// A principal that is not to be put back for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspension {
    /// The principal; `None` suspends all.
    pub principal: Option<PrincipalKey>,
    /// Until when.
    pub until: Timestamp,
    /// Why.
    pub reason: String,
}

/// What was admitted of a fragment outside `kube-system`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// The UID of the object that was admitted.
    pub uid: String,
    /// The digest of the meaning of all its claims.
    pub digest: Digest,
    /// The claims themselves: they stay in effect while a changed fragment is proposed anew.
    pub claims: Vec<Claim>,
}

/// The ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// The UID of the `kube-system` namespace of the cluster it belongs to.
    pub cluster: Option<String>,
    /// One line per principal.
    pub lines: BTreeMap<PrincipalKey, Line>,
    /// What was admitted, per owner.
    pub admitted: BTreeMap<Owner, Admitted>,
    /// Suspensions, expired ones included.
    pub suspended: Vec<Suspension>,
}
