//! Fargate profiles: which pods run on Fargate, and as which role.

use std::collections::BTreeMap;

use accord_plan::usage::Use;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Tags, arn, aws_auth, input, page, tag};
use crate::iam::trust;
use crate::kubernetes::{controllers, pod};
use crate::world::{Answer, AwsError, Call, Due, Stamp, World};

/// A profile.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FargateProfile {
    pub(crate) fargate_profile_name: String,
    pub(crate) fargate_profile_arn: String,
    pub(crate) cluster_name: String,
    pub(crate) created_at: Stamp,
    pub(crate) pod_execution_role_arn: String,
    pub(crate) subnets: Vec<String>,
    pub(crate) selectors: Vec<Selector>,
    pub(crate) status: String,
    pub(crate) tags: Tags,
    pub(crate) health: Value,
}

/// Which pods.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Selector {
    pub(crate) namespace: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: BTreeMap<String, String>,
}

impl Selector {
    /// Whether a pod is meant. `*` and `?` count as patterns, in namespaces and in labels.
    pub(crate) fn selects(&self, namespace: &str, labels: &BTreeMap<String, String>) -> bool {
        let has = |(key, pattern): (&String, &String)| {
            let found =
                |(k, v): (&String, &String)| trust::matches(key, k) && trust::matches(pattern, v);
            labels.iter().any(found)
        };
        trust::matches(&self.namespace, namespace) && self.labels.iter().all(has)
    }
}

fn missing(cluster: &str, name: &str) -> AwsError {
    AwsError::not_found(format!("No Fargate Profile found with name: {name}."))
        .of_cluster(cluster)
        .with("fargateProfileName", name)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    cluster_name: String,
    fargate_profile_name: String,
    pod_execution_role_arn: String,
    #[serde(default)]
    subnets: Vec<String>,
    #[serde(default)]
    selectors: Vec<Selector>,
    #[serde(default)]
    tags: Tags,
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let input: Create = call.input()?;
    let cluster = world.cluster(call, &input.cluster_name)?;
    input::check_active(cluster, "CreateFargateProfile")?;
    input::check_name("Fargate profile", &input.fargate_profile_name, 100)?;
    tag::check(&input.tags)?;
    check_selectors(&input.selectors)?;
    let role = input::own_role(world, call, &input.pod_execution_role_arn)?;
    let trusts = trust::allows(
        &role.assume_role_policy_document,
        "Service",
        "eks-fargate-pods.amazonaws.com",
        &["sts:AssumeRole"],
        |_| true,
    );
    if !trusts {
        return Err(AwsError::invalid_parameter(
            "Misconfigured PodExecutionRole Trust Policy; Please add the eks-fargate-pods.amazonaws.com Service Principal",
        ));
    }
    let name = input.fargate_profile_name;
    if cluster.fargate_profiles.contains_key(&name) {
        return Err(AwsError::in_use(
            "A Fargate Profile already exists with this name in this cluster.",
        )
        .of_cluster(&input.cluster_name));
    }
    // EKS makes or deletes one profile at a time.
    if let Some(busy) = cluster
        .fargate_profiles
        .values()
        .find(|p| p.status != "ACTIVE")
    {
        return Err(AwsError::in_use(format!(
            "Cannot create Fargate Profile {name} because cluster {} currently has Fargate profile {} in status {}",
            input.cluster_name, busy.fargate_profile_name, busy.status
        ))
        .of_cluster(&input.cluster_name));
    }
    let key = call.cluster_key(&input.cluster_name);
    let profile = FargateProfile {
        fargate_profile_arn: arn::with_uuid(world, &key, "fargateprofile", &name),
        fargate_profile_name: name.clone(),
        cluster_name: input.cluster_name,
        created_at: world.stamp(),
        pod_execution_role_arn: input.pod_execution_role_arn,
        subnets: input.subnets,
        selectors: input.selectors,
        status: "CREATING".into(),
        tags: input.tags,
        health: json!({"issues": []}),
    };
    let shown = json!({"fargateProfile": profile});
    let role = profile.pod_execution_role_arn.clone();
    if let Some(cluster) = world.clusters.get_mut(&key) {
        cluster.fargate_profiles.insert(name.clone(), profile);
    }
    aws_auth::admit(world, &key, &role, Use::FargatePods);
    let delay = world.settings.delays.fargate_profile;
    world.later(delay, Due::ProfileActive(key, name));
    Ok(shown)
}

fn check_selectors(selectors: &[Selector]) -> Result<(), AwsError> {
    let message = if selectors.is_empty() {
        "Fargate Profile must have at least one selector."
    } else if selectors.len() > 5 {
        "Fargate Profile must have at most five selectors."
    } else if selectors.iter().any(|s| s.namespace.is_empty()) {
        "Fargate Profile must have at least one selector with at least one namespace value."
    } else if selectors.iter().any(|s| s.labels.len() > 5) {
        "Request contains Selector with more than 5 Label pairs"
    } else {
        return Ok(());
    };
    Err(AwsError::invalid_parameter(message))
}

pub(crate) fn become_active(world: &mut World, key: &str, name: &str) {
    let profile = world
        .clusters
        .get_mut(key)
        .and_then(|c| c.fargate_profiles.get_mut(name));
    if let Some(profile) = profile.filter(|p| p.status == "CREATING") {
        profile.status = "ACTIVE".into();
        controllers::look(world, key);
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    cluster_name: String,
    fargate_profile_name: String,
}

pub(super) fn describe(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let cluster = world.cluster(call, &named.cluster_name)?;
    let profile = cluster.fargate_profiles.get(&named.fargate_profile_name);
    let profile =
        profile.ok_or_else(|| missing(&named.cluster_name, &named.fargate_profile_name))?;
    Ok(json!({"fargateProfile": profile}))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    cluster_name: String,
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let List { cluster_name } = call.input()?;
    let cluster = world.cluster(call, &cluster_name)?;
    page::names(
        world,
        call,
        "fargateProfileNames",
        cluster.fargate_profiles.keys(),
    )
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let cluster = world.cluster_mut(call, &named.cluster_name)?;
    let name = named.fargate_profile_name;
    if !cluster.fargate_profiles.contains_key(&name) {
        return Err(missing(&named.cluster_name, &name));
    }
    if let Some(busy) = cluster
        .fargate_profiles
        .values()
        .find(|p| p.status != "ACTIVE")
    {
        return Err(AwsError::in_use(format!(
            "Cannot delete Fargate Profile {name} because cluster {} currently has Fargate profile {} in status {}",
            named.cluster_name, busy.fargate_profile_name, busy.status
        ))
        .of_cluster(&named.cluster_name));
    }
    let mut shown = Value::Null;
    if let Some(profile) = cluster.fargate_profiles.get_mut(&name) {
        profile.status = "DELETING".into();
        shown = json!({"fargateProfile": profile});
    }
    let key = call.cluster_key(&named.cluster_name);
    let delay = world.settings.delays.deletion;
    world.later(delay, Due::ProfileGone(key, name));
    Ok(shown)
}

/// The profile is gone, and its pods with it.
pub(crate) fn go(world: &mut World, key: &str, name: &str) {
    let Some(cluster) = world.clusters.get_mut(key) else {
        return;
    };
    let profile = cluster
        .fargate_profiles
        .get(name)
        .filter(|p| p.status == "DELETING");
    let Some(role) = profile.map(|p| p.pod_execution_role_arn.clone()) else {
        return;
    };
    cluster.fargate_profiles.remove(name);
    let is_shared = cluster
        .fargate_profiles
        .values()
        .any(|p| p.pod_execution_role_arn == role);
    if world.settings.switches.fargate_access_goes && !is_shared {
        cluster.access_entries.remove(&role);
        aws_auth::remove(world, key, &role, Use::FargatePods);
    }
    pod::evict_profile(world, key, name);
    controllers::look(world, key);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_patterns() {
        let labels = BTreeMap::from([("app".to_owned(), "shop-1".to_owned())]);
        let selector = |namespace: &str, labels: &[(&str, &str)]| Selector {
            namespace: namespace.into(),
            labels: labels
                .iter()
                .map(|(k, v)| ((*k).into(), (*v).into()))
                .collect(),
        };
        assert!(selector("shop", &[]).selects("shop", &labels));
        assert!(selector("sh*", &[("app", "shop-?")]).selects("shop", &labels));
        assert!(!selector("shop", &[("tier", "x")]).selects("shop", &labels));
        assert!(!selector("default", &[]).selects("shop", &labels));
    }
}
