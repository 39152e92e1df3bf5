//! Behaviour on which the sources disagree, or that nobody has documented: each a switch with a default.
//!
//! The evidence for each stands in `docs/sandbox.md`.

use serde::{Deserialize, Serialize};

/// How contested behaviour is decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Switches {
    /// In the modes with access entries, EKS makes entries for node groups and Fargate profiles. Off: it writes
    /// `aws-auth` wherever that is read.
    pub compute_gets_entries: bool,
    /// The mapping of a node role goes with the first node group of that role that is deleted. Off: with the last.
    pub shared_mapping_goes_first: bool,
    /// The access entry of a node role goes with the last node group of that role. Off: it stays.
    pub node_entry_goes: bool,
    /// The mapping or entry of a pod execution role goes with the last Fargate profile of that role. Off: it stays.
    pub fargate_access_goes: bool,
    /// EKS adds its mapping although one for the same role with the same rights is there already.
    pub adds_although_mapped: bool,
    /// `PRESERVE` is refused when an add-on is created. Off: it is taken for `NONE`.
    pub preserve_on_create_refused: bool,
    /// An access entry for an account's root is taken, and lets nobody in.
    pub root_entry_taken: bool,
    /// Milliseconds until a new or changed access entry takes effect in Kubernetes.
    pub entry_takes_effect_after: u64,
    /// An access key that this sandbox did not give out belongs to the account's administrator. Off: it is refused.
    pub any_access_key: bool,
    /// The Kubernetes API asks who calls, by the token that the AWS CLI makes. A call without a token is the sandbox's
    /// own administrator in any case.
    pub authenticates: bool,
    /// The Fargate scheduler, the scheduler of EC2 nodes and the nodes work.
    pub schedules: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            compute_gets_entries: true,
            shared_mapping_goes_first: true,
            node_entry_goes: false,
            fargate_access_goes: false,
            adds_although_mapped: false,
            preserve_on_create_refused: false,
            root_entry_taken: true,
            entry_takes_effect_after: 0,
            any_access_key: true,
            authenticates: true,
            schedules: true,
        }
    }
}
