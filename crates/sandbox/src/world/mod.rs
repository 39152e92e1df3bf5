//! The whole emulated world as one value: a clock, a source of randomness, accounts and clusters.
//!
//! Nothing here asks what time it is or throws a die of its own: the clock is moved from outside, and the random source
//! starts from a seed. The same seed and the same calls at the same times give the same world, byte for byte.

mod agenda;
mod call;
mod error;
mod fault;
mod random;
mod settings;
pub(crate) mod stamp;
mod switches;

use std::collections::BTreeMap;

use accord_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::eks::cluster::Cluster;
use crate::iam::Account;
use crate::iam::caller::Session;

pub(crate) use agenda::{Agenda, Due};
pub(crate) use call::{Answer, Call, Caller};
pub(crate) use error::AwsError;

pub(crate) use random::Random;
pub use settings::{Delays, Settings};
pub(crate) use stamp::{Iso, Stamp};
pub use switches::Switches;

/// Everything that exists.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct World {
    #[serde(with = "stamp::millis")]
    now: Timestamp,
    random: Random,
    agenda: Agenda,
    /// How it behaves.
    pub settings: Settings,
    /// What IAM holds, by account.
    pub(crate) accounts: BTreeMap<String, Account>,
    /// Who holds the temporary access keys that were given out.
    pub(crate) sessions: BTreeMap<String, Session>,
    /// Clusters by [`ClusterKey`].
    pub(crate) clusters: BTreeMap<ClusterKey, Cluster>,
    /// Where this is served, for the addresses in answers: `http://127.0.0.1:8700`.
    #[serde(skip)]
    pub(crate) url: String,
    /// The certificate of its authority, as EKS shows it.
    #[serde(skip)]
    pub(crate) authority: String,
}

/// Which cluster: `ACCOUNT/REGION/NAME`.
pub(crate) type ClusterKey = String;

impl World {
    /// An empty world: one account with its administrator, and no cluster.
    pub fn new(seed: u64, now: Timestamp, settings: Settings) -> Self {
        let mut world = Self {
            now,
            random: Random::new(seed),
            agenda: Agenda::default(),
            settings,
            accounts: BTreeMap::new(),
            sessions: BTreeMap::new(),
            clusters: BTreeMap::new(),
            url: String::new(),
            authority: String::new(),
        };
        crate::iam::user::furnish(&mut world);
        world
    }

    /// Says where this is served: `http://127.0.0.1:8700`, without a slash at the end; and the certificate of the
    /// authority under which Kubernetes is served there with TLS: PEM in base64.
    pub fn serve_at(&mut self, url: &str, authority: &str) {
        url.clone_into(&mut self.url);
        authority.clone_into(&mut self.authority);
        crate::eks::cluster::move_endpoints(self);
    }

    /// What time it is here.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Moves the clock, and lets everything happen that is due until then, each at its own time. A clock never goes
    /// back: an earlier time changes nothing.
    pub fn advance_to(&mut self, now: Timestamp) {
        while let Some((at, due)) = self.agenda.take_until(now) {
            self.now = self.now.max(at);
            due.happen(self);
        }
        self.now = self.now.max(now);
    }

    /// When something happens next by itself.
    pub fn next_due(&self) -> Option<Timestamp> {
        self.agenda.next()
    }

    /// The time as a resource shows it.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp(self.now)
    }

    /// Lets something happen after so many milliseconds.
    pub(crate) fn later(&mut self, millis: u64, due: Due) {
        let at = Timestamp {
            millis: self.now.millis.saturating_add(millis),
        };
        self.agenda.add(at, due);
    }

    /// The source of everything random.
    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// A cluster that the caller can see: of its account, in the region asked.
    pub(crate) fn cluster(&self, call: &Call, name: &str) -> Result<&Cluster, AwsError> {
        let key = call.cluster_key(name);
        self.clusters.get(&key).ok_or_else(|| no_cluster(name))
    }

    /// The same, to change.
    pub(crate) fn cluster_mut(
        &mut self,
        call: &Call,
        name: &str,
    ) -> Result<&mut Cluster, AwsError> {
        let key = call.cluster_key(name);
        self.clusters.get_mut(&key).ok_or_else(|| no_cluster(name))
    }
}

fn no_cluster(name: &str) -> AwsError {
    AwsError::not_found(format!("No cluster found for name: {name}.")).of_cluster(name)
}
