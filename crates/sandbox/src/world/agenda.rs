//! What will happen by itself: resources become active or go, updates end.

use accord_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{ClusterKey, World};
use crate::eks::{addon, cluster, fargate_profile, nodegroup, update};
use crate::kubernetes::controllers;

/// Something that will happen to a resource. If the resource is gone by then, nothing happens.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Due {
    /// A cluster becomes `ACTIVE`.
    ClusterActive(ClusterKey),
    /// A cluster that is `DELETING` goes.
    ClusterGone(ClusterKey),
    /// A node group becomes `ACTIVE`, if its nodes can join.
    NodegroupActive(ClusterKey, String),
    /// A node group that is `DELETING` goes.
    NodegroupGone(ClusterKey, String),
    /// A Fargate profile becomes `ACTIVE`.
    ProfileActive(ClusterKey, String),
    /// A Fargate profile that is `DELETING` goes.
    ProfileGone(ClusterKey, String),
    /// An add-on becomes `ACTIVE`, `DEGRADED` or failed.
    AddonSettled(ClusterKey, String),
    /// An add-on that is `DELETING` goes.
    AddonGone(ClusterKey, String),
    /// An update ends.
    UpdateDone(ClusterKey, String),
    /// Access may have changed: nodes and pods are looked at again.
    Look(ClusterKey),
}

impl Due {
    pub(super) fn happen(self, world: &mut World) {
        match self {
            Self::ClusterActive(key) => cluster::become_active(world, &key),
            Self::ClusterGone(key) => cluster::go(world, &key),
            Self::NodegroupActive(key, name) => nodegroup::become_active(world, &key, &name),
            Self::NodegroupGone(key, name) => nodegroup::go(world, &key, &name),
            Self::ProfileActive(key, name) => fargate_profile::become_active(world, &key, &name),
            Self::ProfileGone(key, name) => fargate_profile::go(world, &key, &name),
            Self::AddonSettled(key, name) => addon::settle(world, &key, &name),
            Self::AddonGone(key, name) => addon::go(world, &key, &name),
            Self::UpdateDone(key, id) => update::finish(world, &key, &id),
            Self::Look(key) => controllers::look(world, &key),
        }
    }
}

/// Everything that will happen, the next first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Agenda {
    /// Sorted by time; among equal times in the order in which they were added.
    items: Vec<(Millis, Due)>,
}

/// Milliseconds since 1970.
type Millis = u64;

impl Agenda {
    pub(super) fn add(&mut self, at: Timestamp, due: Due) {
        let place = self.items.partition_point(|(other, _)| *other <= at.millis);
        self.items.insert(place, (at.millis, due));
    }

    pub(super) fn next(&self) -> Option<Timestamp> {
        let (millis, _) = self.items.first()?;
        Some(Timestamp { millis: *millis })
    }

    /// Takes the first thing that happens until `now`.
    pub(super) fn take_until(&mut self, now: Timestamp) -> Option<(Timestamp, Due)> {
        let at = self.next().filter(|at| *at <= now)?;
        let (_, due) = self.items.remove(0);
        Some((at, due))
    }
}
