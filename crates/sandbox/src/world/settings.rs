//! How the world behaves, as far as a test can set it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Switches;
use super::fault::Fault;

/// Everything that can be set.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Settings {
    /// The account of callers whose access key is not known.
    pub account: String,
    /// Who the callers are whose access key is not known, as `GetCallerIdentity` prints it. Without it: the account's
    /// administrator.
    pub caller: Option<String>,
    /// The partition.
    pub partition: String,
    /// The region of calls that name none.
    pub region: String,
    /// Items on a page, where a caller does not say; AWS's own number is 100.
    pub page_size: usize,
    /// How long things take.
    pub delays: Delays,
    /// Contested behaviour.
    pub switches: Switches,
    /// Latency, throttling and errors, by operation (`CreateAddon`, `iam:GetRole`, `*`).
    pub faults: BTreeMap<String, Fault>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            account: "111122223333".into(),
            caller: None,
            partition: "aws".into(),
            region: "eu-west-1".into(),
            page_size: 10,
            delays: Delays::default(),
            switches: Switches::default(),
            faults: BTreeMap::new(),
        }
    }
}

/// How long things take, in milliseconds of the sandbox's clock. AWS takes minutes for most of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Delays {
    /// Until a cluster is active.
    pub cluster: u64,
    /// Until a node group is active.
    pub nodegroup: u64,
    /// Until a Fargate profile is active.
    pub fargate_profile: u64,
    /// Until an add-on is active.
    pub addon: u64,
    /// Until an update is done.
    pub update: u64,
    /// Until something deleted is gone.
    pub deletion: u64,
    /// For how long a node may be silent before it is `NotReady`; 40 seconds in Kubernetes.
    pub node_grace: u64,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            cluster: 2_000,
            nodegroup: 1_000,
            fargate_profile: 1_000,
            addon: 1_000,
            update: 500,
            deletion: 1_000,
            node_grace: 2_000,
        }
    }
}
