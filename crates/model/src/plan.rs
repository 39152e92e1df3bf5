//! The decided change: people first, then the writes.

use crate::claim::{Fragment, Owner, PolicyGrant};
use crate::finding::{Finding, FindingKind};
use crate::ledger::Ledger;
use crate::mapping::{EntryId, Mapping, SectionName};

/// Whose an entry is, as it is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Claimed by these owners.
    Owners(Vec<Owner>),
    /// EKS wrote it for compute that exists.
    Eks,
    /// Nobody claims it and EKS did not write it.
    Unclaimed,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Owners(owners) => {
                for (i, o) in owners.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{o}")?;
                }
                Ok(())
            }
            Self::Eks => f.write_str("eks"),
            Self::Unclaimed => f.write_str("unclaimed"),
        }
    }
}

/// What somebody has: username, groups and access policies, templates unfilled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// The username.
    pub username: String,
    /// The groups, without duplicates, in their order.
    pub groups: Vec<String>,
    /// The access policies.
    pub policies: Vec<PolicyGrant>,
}

impl Rights {
    /// Whether both let do the same: the same username, and groups and policies equal as sets.
    pub fn means_same(&self, other: &Self) -> bool {
        use std::collections::BTreeSet;
        let groups = |r: &Self| r.groups.iter().cloned().collect::<BTreeSet<_>>();
        let policies = |r: &Self| {
            let namespaces = |p: &PolicyGrant| {
                let namespaces = p.namespaces.as_ref();
                namespaces.map(|n| n.iter().cloned().collect::<BTreeSet<_>>())
            };
            let all = r.policies.iter();
            all.map(|p| (p.policy.clone(), namespaces(p)))
                .collect::<BTreeSet<_>>()
        };
        self == other
            || (self.username == other.username
                && groups(self) == groups(other)
                && policies(self) == policies(other))
    }
}

impl Rights {
    /// Whether this is an administrator: the group `system:masters`, or the policy `AmazonEKSClusterAdminPolicy` for
    /// the whole cluster.
    pub fn is_admin(&self) -> bool {
        is_admin(&self.groups, &self.policies)
    }
}

/// Whether these groups or policies make an administrator: see [`Rights::is_admin`].
pub fn is_admin(groups: &[String], policies: &[PolicyGrant]) -> bool {
    let whole_cluster =
        |p: &PolicyGrant| p.policy == "AmazonEKSClusterAdminPolicy" && p.namespaces.is_none();
    groups.iter().any(|g| g == "system:masters") || policies.iter().any(whole_cluster)
}

/// A change of effective access for one principal. Reordered groups or other quoting are no change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Canonical where there is such a form, in the case of the claim; else as written.
    pub principal: String,
    /// What it had; `None`: no access.
    pub before: Option<Rights>,
    /// What it would have; `None`: no access.
    pub after: Option<Rights>,
    /// It is, or was, an administrator.
    pub admin: bool,
    /// Whose the entry is.
    pub owner: Holder,
    /// Why it changes, in a few words.
    pub reason: String,
}

impl Change {
    /// `gains`, `loses` or `changes`.
    pub fn kind(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "gains",
            (Some(_), None) => "loses",
            (Some(_), Some(_)) => "changes",
        }
    }
}

/// A write to one entry of `aws-auth`. Positions are those of the map as observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryEdit {
    /// Append an entry to its section.
    Add {
        /// The section.
        section: SectionName,
        /// The entry; for `mapAccounts` only `arn`, holding the account.
        mapping: Mapping,
    },
    /// Change username and groups of an entry in place; the ARN and everything else stay byte for byte.
    Update {
        /// Which entry.
        id: EntryId,
        /// What it shall be.
        mapping: Mapping,
    },
    /// Take an entry out.
    Remove {
        /// Which entry.
        id: EntryId,
        /// Its principal, for showing.
        principal: String,
    },
}

impl EntryEdit {
    /// The section it writes to.
    pub const fn section(&self) -> SectionName {
        match self {
            Self::Add { section, .. } => *section,
            Self::Update { id, .. } | Self::Remove { id, .. } => id.section,
        }
    }
}

/// One action. An executor has no choices left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Edit the map.
    Edit(EntryEdit),
    /// Create or replace the fragment that holds an owner's claims.
    WriteFragment(Fragment),
    /// Delete an owner's fragment.
    DeleteFragment(Owner),
    /// Write the ledger.
    WriteLedger(Box<Ledger>),
}

impl Step {
    /// The name used in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Edit(EntryEdit::Add { .. }) => "add-mapping",
            Self::Edit(EntryEdit::Update { .. }) => "update-mapping",
            Self::Edit(EntryEdit::Remove { .. }) => "remove-mapping",
            Self::WriteFragment(_) => "write-fragment",
            Self::DeleteFragment(_) => "delete-fragment",
            Self::WriteLedger(_) => "write-ledger",
        }
    }
}

/// Something that is not done, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why, by name.
    pub kind: FindingKind,
    /// The principal, where it concerns one.
    pub principal: Option<String>,
    /// Why, in words, with the exact thing in the way.
    pub message: String,
    /// Who holds it.
    pub held_by: Option<String>,
    /// What to give to `--allow`, where it can be allowed.
    pub allow: Option<String>,
    /// It concerns the asker: then nothing of the asker's is written.
    pub askers: bool,
}

/// The decided change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Who gains, loses or changes access.
    pub changes: Vec<Change>,
    /// What is written, in order.
    pub steps: Vec<Step>,
    /// What is not done.
    pub refusals: Vec<Refusal>,
    /// The asker's claims that are no longer in the files: given up with `--prune`, else only shown.
    pub pruned: Vec<String>,
    /// Whether they are to be given up.
    pub prunes: bool,
    /// Hazards that were allowed to pass, as `KIND=PRINCIPAL`.
    pub allowed: Vec<String>,
    /// What is worth saying beside it.
    pub findings: Vec<Finding>,
}

impl Plan {
    /// Whether one of the asker's own principals, or the whole plan, is refused.
    pub fn is_refused(&self) -> bool {
        self.refusals.iter().any(|r| r.askers)
    }

    /// The edits of the map.
    pub fn edits(&self) -> impl Iterator<Item = &EntryEdit> {
        self.steps.iter().filter_map(|s| match s {
            Step::Edit(e) => Some(e),
            _ => None,
        })
    }
}
