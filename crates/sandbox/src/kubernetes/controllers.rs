//! What happens in a cluster by itself whenever access may have changed: nodes become ready or fall silent, and pods
//! that wait are looked at again.

use accord_plan::access::Access;
use accord_plan::usage::Use;

use super::access::{observed, serves};
use super::{node, pod};
use crate::world::World;

/// Looks at the nodes and pods of a cluster.
pub(crate) fn look(world: &mut World, key: &str) {
    if !world.settings.switches.schedules {
        return;
    }
    let Some(observed) = observed(world, key) else {
        return;
    };
    let access = Access::of(&observed);
    let Some(cluster) = world.clusters.get(key) else {
        return;
    };
    let groups: Vec<(String, bool)> = cluster
        .nodegroups
        .values()
        .map(|group| {
            let gets_in = serves(&access, &group.node_role, group.used_for());
            (group.nodegroup_name.clone(), gets_in)
        })
        .collect();
    let profiles: Vec<(String, bool)> = cluster
        .fargate_profiles
        .values()
        .map(|profile| {
            let role = &profile.pod_execution_role_arn;
            let gets_in = serves(&access, role, Use::FargatePods);
            (profile.fargate_profile_name.clone(), gets_in)
        })
        .collect();
    for (group, gets_in) in groups {
        node::heed(world, key, &group, gets_in);
    }
    for (profile, gets_in) in profiles {
        pod::schedule_on_fargate(world, key, &profile, gets_in);
    }
    pod::schedule_on_nodes(world, key);
}

/// Looks at all clusters: for changes of IAM, which belong to none.
pub(crate) fn look_everywhere(world: &mut World) {
    let keys: Vec<String> = world.clusters.keys().cloned().collect();
    for key in keys {
        look(world, &key);
    }
}

/// Whether the nodes of a group would get in now.
pub(crate) fn nodes_get_in(world: &World, key: &str, group: &str) -> bool {
    let Some(observed) = observed(world, key) else {
        return false;
    };
    let group = world
        .clusters
        .get(key)
        .and_then(|c| c.nodegroups.get(group));
    group.is_some_and(|group| serves(&Access::of(&observed), &group.node_role, group.used_for()))
}
