//! ARNs of the resources of a cluster.

use super::cluster::Cluster;
use crate::world::World;

/// `arn:aws:eks:REGION:ACCOUNT:KIND/CLUSTER/REST`
pub(super) fn of(cluster: &Cluster, kind: &str, rest: &str) -> String {
    let prefix = cluster
        .about
        .arn
        .split(":cluster/")
        .next()
        .unwrap_or_default();
    format!("{prefix}:{kind}/{}/{rest}", cluster.about.name)
}

/// `arn:aws:eks:REGION:ACCOUNT:KIND/CLUSTER/NAME/UUID`
pub(super) fn with_uuid(world: &mut World, key: &str, kind: &str, name: &str) -> String {
    let uuid = world.random().uuid();
    match world.clusters.get(key) {
        Some(cluster) => of(cluster, kind, &format!("{name}/{uuid}")),
        None => String::new(),
    }
}
