//! Node groups and Fargate profiles put in place, and what EKS then does by itself.

use accord_model::deploy::{Compute, Resource};
use accord_model::facts::{AccessEntry, AuthenticationMode, FargateProfile, NodeGroup};
use accord_model::observed::Observed;
use accord_model::unknown;

use super::after::{Index, key};

pub(super) fn name(compute: &Compute, resource: &Resource) -> String {
    let name = compute.name.as_ref().map(|n| n.value.as_str());
    let name = name.filter(|n| unknown::is_known(n));
    name.unwrap_or(&resource.address).to_owned()
}

pub(super) fn node_group(observed: &mut Observed, resource: &Resource, compute: &Compute) {
    let name = name(compute, resource);
    let groups = &mut observed.compute.node_groups.items;
    groups.retain(|g| g.name != name);
    groups.push(NodeGroup {
        name,
        role: compute.role.as_ref().map(|r| r.value.clone()),
        windows: compute.windows,
        instance_profile: None,
    });
}

pub(super) fn profile(observed: &mut Observed, resource: &Resource, compute: &Compute) {
    let name = name(compute, resource);
    let profiles = &mut observed.compute.fargate_profiles.items;
    profiles.retain(|p| p.name != name);
    profiles.push(FargateProfile {
        name,
        arn: None,
        role: compute.role.as_ref().map(|r| r.value.clone()),
    });
}

/// What EKS does by itself: new compute gets an access entry where entries are read. (Where only the map is read, EKS
/// adds to the map, which is looked at elsewhere.)
pub(super) fn by_eks(before: &Observed, after: &mut Observed, entries: &mut Index) {
    let mode = after.cluster.as_ref().and_then(|c| c.mode);
    if !mode.is_some_and(AuthenticationMode::reads_entries) {
        return;
    }
    let of_groups = after.compute.node_groups.items.iter().filter(|g| {
        !before
            .compute
            .node_groups
            .items
            .iter()
            .any(|old| old.name == g.name)
    });
    let of_groups = of_groups.map(|g| {
        (
            g.role.clone(),
            if g.windows {
                "EC2_WINDOWS"
            } else {
                "EC2_LINUX"
            },
        )
    });
    let of_profiles = after.compute.fargate_profiles.items.iter().filter(|p| {
        !before
            .compute
            .fargate_profiles
            .items
            .iter()
            .any(|old| old.name == p.name)
    });
    let of_profiles = of_profiles.map(|p| (p.role.clone(), "FARGATE_LINUX"));
    let made: Vec<_> = of_groups.chain(of_profiles).collect();
    for (role, kind) in made {
        let Some(principal) = role.filter(|role| !entries.contains_key(&key(role))) else {
            continue;
        };
        entries.insert(key(&principal), after.access_entries.items.len());
        after.access_entries.items.push(AccessEntry {
            principal,
            kind: kind.to_owned(),
            username: None,
            groups: Vec::new(),
            policies: Some(Vec::new()),
            tags: Vec::new(),
            created: None,
        });
    }
}
