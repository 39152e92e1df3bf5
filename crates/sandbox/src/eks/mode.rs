//! The authentication mode, which only goes forward: `CONFIG_MAP` → `API_AND_CONFIG_MAP` → `API`.

use accord_model::facts::AuthenticationMode;

use super::cluster::Cluster;
use crate::world::{AwsError, World};

const MODES: [AuthenticationMode; 3] = [
    AuthenticationMode::ConfigMap,
    AuthenticationMode::ApiAndConfigMap,
    AuthenticationMode::Api,
];

/// The mode of that name.
pub(super) fn parse(name: &str) -> Option<AuthenticationMode> {
    MODES.into_iter().find(|mode| mode.name() == name)
}

/// The same; another name is the caller's mistake.
pub(super) fn read(name: &str) -> Result<AuthenticationMode, AwsError> {
    parse(name).ok_or_else(|| {
        AwsError::invalid_parameter(format!(
            "Invalid authentication mode: {name}. Allowed values are: API, API_AND_CONFIG_MAP, CONFIG_MAP"
        ))
    })
}

/// The mode that a cluster is asked to take, if it may.
pub(super) fn check_change(
    cluster: &Cluster,
    wanted: &str,
) -> Result<AuthenticationMode, AwsError> {
    let (from, to) = (cluster.mode(), read(wanted)?);
    match (from, to) {
        (AuthenticationMode::ConfigMap, AuthenticationMode::ApiAndConfigMap)
        | (AuthenticationMode::ApiAndConfigMap, AuthenticationMode::Api) => Ok(to),
        _ if from == to => Err(AwsError::invalid_parameter(format!(
            "Cluster is already at the desired configuration with authenticationMode: {wanted}"
        ))
        .of_cluster(&cluster.about.name)),
        _ => Err(AwsError::invalid_parameter(format!(
            "Unsupported authentication mode update from {} to {}",
            from.name(),
            to.name()
        ))
        .of_cluster(&cluster.about.name)),
    }
}

/// Refuses operations of access entries where the mode has none.
pub(super) fn check_entries(cluster: &Cluster) -> Result<(), AwsError> {
    match cluster.mode().reads_entries() {
        true => Ok(()),
        false => Err(AwsError::invalid_request(
            "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
        )
        .of_cluster(&cluster.about.name)),
    }
}

/// The mode has changed. Coming from `CONFIG_MAP`, EKS makes entries for its own mappings and for the creator.
pub(super) fn changed(world: &mut World, key: &str, wanted: &str) {
    let Some(cluster) = world.clusters.get_mut(key) else {
        return;
    };
    let from = cluster.mode();
    wanted.clone_into(&mut cluster.about.access_config.authentication_mode);
    if from == AuthenticationMode::ConfigMap {
        super::access_entry::bootstrap(world, key);
        if world.settings.switches.compute_gets_entries {
            super::access_entry::for_all_compute(world, key);
        }
    }
    crate::kubernetes::controllers::look(world, key);
}
