//! Pod Identity associations: which role the pods of a service account get.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::input::{Lookup, look_up, own_role};
use super::{Tags, arn, input, page, tag};
use crate::iam::trust;
use crate::world::{Answer, AwsError, Call, Stamp, World};

/// An association.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Association {
    pub(crate) cluster_name: String,
    pub(crate) namespace: String,
    pub(crate) service_account: String,
    pub(crate) role_arn: String,
    pub(crate) association_arn: String,
    pub(crate) association_id: String,
    pub(crate) tags: Tags,
    pub(crate) created_at: Stamp,
    pub(crate) modified_at: Stamp,
    /// The add-on that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner_arn: Option<String>,
    pub(crate) disable_session_tags: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target_role_arn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) external_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) policy: Option<String>,
}

/// The service that pods get their credentials from.
const SERVICE: &str = "pods.eks.amazonaws.com";

/// Refuses a role that Pod Identity cannot use: its trust policy must name the service, with both actions.
pub(super) fn check_role(world: &World, call: &Call, role: &str) -> Result<(), AwsError> {
    let role = own_role(world, call, role)?;
    let actions = ["sts:AssumeRole", "sts:TagSession"];
    let document = &role.assume_role_policy_document;
    match trust::allows(document, "Service", SERVICE, &actions, |_| true) {
        true => Ok(()),
        false => Err(AwsError::invalid_parameter(format!(
            "Trust policy of role {} is invalid: it must allow {SERVICE} the actions sts:AssumeRole and sts:TagSession",
            role.arn
        ))),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    cluster_name: String,
    namespace: String,
    service_account: String,
    role_arn: String,
    #[serde(default)]
    tags: Tags,
    #[serde(default)]
    disable_session_tags: bool,
    target_role_arn: Option<String>,
    policy: Option<String>,
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let input: Create = call.input()?;
    let cluster = world.cluster(call, &input.cluster_name)?;
    input::check_active(cluster, "CreatePodIdentityAssociation")?;
    tag::check(&input.tags)?;
    check_role(world, call, &input.role_arn)?;
    check_target(world, input.target_role_arn.as_deref())?;
    check_free(
        world,
        call,
        &input.cluster_name,
        &input.namespace,
        &input.service_account,
    )?;
    let key = call.cluster_key(&input.cluster_name);
    let association = Association {
        cluster_name: input.cluster_name,
        namespace: input.namespace,
        service_account: input.service_account,
        role_arn: input.role_arn,
        tags: input.tags,
        disable_session_tags: input.disable_session_tags,
        target_role_arn: input.target_role_arn,
        policy: input.policy,
        ..Association::default()
    };
    let made = insert(world, &key, association);
    Ok(json!({"association": made}))
}

/// Refuses a second association of a service account.
pub(super) fn check_free(
    world: &World,
    call: &Call,
    cluster: &str,
    namespace: &str,
    service_account: &str,
) -> Result<(), AwsError> {
    let mut associations = world.cluster(call, cluster)?.associations.values();
    match associations.any(|a| a.namespace == namespace && a.service_account == service_account) {
        true => Err(AwsError::in_use("Association already exists").of_cluster(cluster)),
        false => Ok(()),
    }
}

fn check_target(world: &World, target: Option<&str>) -> Result<(), AwsError> {
    match target.map(|arn| look_up(world, arn)) {
        Some(Lookup::Missing | Lookup::User(_)) => Err(AwsError::invalid_parameter(format!(
            "The targetRoleArn is invalid: {}",
            target.unwrap_or_default()
        ))),
        _ => Ok(()),
    }
}

/// Puts an association into the cluster, with its id.
pub(super) fn insert(world: &mut World, key: &str, mut association: Association) -> Association {
    let id = format!("a-{}", world.random().lower(17));
    let Some(cluster) = world.clusters.get(key) else {
        return association;
    };
    association.association_arn = arn::of(cluster, "podidentityassociation", &id);
    association.association_id.clone_from(&id);
    if association.target_role_arn.is_some() {
        let external = format!(
            "{}/{}/{}/{}",
            cluster.region(),
            cluster.about.name,
            association.namespace,
            association.service_account
        );
        association.external_id = Some(external);
    }
    association.created_at = world.stamp();
    association.modified_at = world.stamp();
    if let Some(cluster) = world.clusters.get_mut(key) {
        cluster.associations.insert(id, association.clone());
    }
    association
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    cluster_name: String,
    association_id: String,
}

fn find<'w>(
    world: &'w mut World,
    call: &Call,
    named: &Named,
) -> Result<&'w mut Association, AwsError> {
    let cluster = world.cluster_mut(call, &named.cluster_name)?;
    let association = cluster.associations.get_mut(&named.association_id);
    association.ok_or_else(|| {
        AwsError::not_found(format!(
            "The association {} could not be found in the cluster.",
            named.association_id
        ))
        .of_cluster(&named.cluster_name)
    })
}

pub(super) fn describe(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    Ok(json!({"association": find(world, call, &named)?}))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    cluster_name: String,
    namespace: Option<String>,
    service_account: Option<String>,
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let input: List = call.input()?;
    let cluster = world.cluster(call, &input.cluster_name)?;
    let wanted = |a: &&Association| {
        input.namespace.as_ref().is_none_or(|n| a.namespace == *n)
            && input
                .service_account
                .as_ref()
                .is_none_or(|s| a.service_account == *s)
    };
    let items = cluster.associations.values().filter(wanted).map(|a| {
        let mut summary = json!({
            "clusterName": a.cluster_name,
            "namespace": a.namespace,
            "serviceAccount": a.service_account,
            "associationArn": a.association_arn,
            "associationId": a.association_id,
        });
        if let Some(owner) = &a.owner_arn {
            summary["ownerArn"] = json!(owner);
        }
        (a.association_id.clone(), summary)
    });
    page::answer(world, call, "associations", items)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update {
    role_arn: Option<String>,
    disable_session_tags: Option<bool>,
    target_role_arn: Option<String>,
    policy: Option<String>,
}

pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let input: Update = call.input()?;
    find(world, call, &named)?;
    if let Some(role) = &input.role_arn {
        check_role(world, call, role)?;
    }
    check_target(world, input.target_role_arn.as_deref())?;
    let now = world.stamp();
    let association = find(world, call, &named)?;
    if let Some(role) = input.role_arn {
        association.role_arn = role;
    }
    if let Some(disable) = input.disable_session_tags {
        association.disable_session_tags = disable;
    }
    association.target_role_arn = input.target_role_arn.or(association.target_role_arn.take());
    association.policy = input.policy.or(association.policy.take());
    association.modified_at = now;
    Ok(json!({"association": association}))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let association = find(world, call, &named)?.clone();
    if let Some(owner) = &association.owner_arn {
        return Err(AwsError::invalid_request(format!(
            "The association {} is owned by {owner} and can only be deleted through it",
            association.association_id
        ))
        .of_cluster(&named.cluster_name));
    }
    let cluster = world.cluster_mut(call, &named.cluster_name)?;
    cluster.associations.remove(&named.association_id);
    let shown: Value = json!({"association": association});
    Ok(shown)
}
