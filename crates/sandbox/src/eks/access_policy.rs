//! Access policies: AWS's own sets of rights in Kubernetes, associated with access entries.

use accord_model::facts;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::access_entry::{self, Named};
use super::page;
use crate::world::{Answer, AwsError, Call, Stamp, World};

/// Their names.
const POLICIES: [&str; 15] = [
    "AmazonEKSAdminPolicy",
    "AmazonEKSAdminViewPolicy",
    "AmazonEKSAutoNodePolicy",
    "AmazonEKSBlockStorageClusterPolicy",
    "AmazonEKSBlockStoragePolicy",
    "AmazonEKSClusterAdminPolicy",
    "AmazonEKSComputeClusterPolicy",
    "AmazonEKSComputePolicy",
    "AmazonEKSEditPolicy",
    "AmazonEKSHybridPolicy",
    "AmazonEKSLoadBalancingClusterPolicy",
    "AmazonEKSLoadBalancingPolicy",
    "AmazonEKSNetworkingClusterPolicy",
    "AmazonEKSNetworkingPolicy",
    "AmazonEKSViewPolicy",
];

fn arn(partition: &str, name: &str) -> String {
    format!("arn:{partition}:eks::aws:cluster-access-policy/{name}")
}

/// A policy of an entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssociatedPolicy {
    pub(crate) policy_arn: String,
    pub(crate) access_scope: Scope,
    #[serde(default)]
    pub(crate) associated_at: Stamp,
    #[serde(default)]
    pub(crate) modified_at: Stamp,
}

/// Where a policy holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scope {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) namespaces: Vec<String>,
}

impl AssociatedPolicy {
    /// What the creator of a cluster gets.
    pub(super) fn administrator(partition: &str, now: Stamp) -> Self {
        Self {
            policy_arn: arn(partition, "AmazonEKSClusterAdminPolicy"),
            access_scope: Scope {
                kind: "cluster".into(),
                namespaces: Vec::new(),
            },
            associated_at: now,
            modified_at: now,
        }
    }

    /// As the engine reads it.
    pub(super) fn as_fact(&self) -> facts::AssociatedPolicy {
        let scope = &self.access_scope;
        facts::AssociatedPolicy {
            name: self
                .policy_arn
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned(),
            arn: self.policy_arn.clone(),
            namespaces: (scope.kind == "namespace").then(|| scope.namespaces.clone()),
        }
    }
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let partition = world.settings.partition.clone();
    let items = POLICIES.iter().map(|name| {
        let shown = json!({"name": name, "arn": arn(&partition, name)});
        ((*name).to_owned(), shown)
    });
    page::answer(world, call, "accessPolicies", items)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Associate {
    policy_arn: String,
    access_scope: Scope,
}

pub(super) fn associate(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let input: Associate = call.input()?;
    let partition = world.settings.partition.clone();
    let kind = access_entry::find(world, call, &named)?.kind.clone();
    check(&partition, &kind, &input)?;
    let now = world.stamp();
    let key = call.cluster_key(&named.cluster_name);
    let effective = access_entry::takes_effect(world, &key);
    let entry = access_entry::find(world, call, &named)?;
    let policies = &mut entry.hidden.policies;
    let before = policies
        .iter()
        .position(|p| p.policy_arn == input.policy_arn);
    let associated_at = match before {
        Some(at) => policies.remove(at).associated_at,
        None => now,
    };
    let policy = AssociatedPolicy {
        policy_arn: input.policy_arn,
        access_scope: input.access_scope,
        associated_at,
        modified_at: now,
    };
    let shown = json!(policy);
    policies.push(policy);
    policies.sort_by(|a, b| a.policy_arn.cmp(&b.policy_arn));
    entry.hidden.effective = effective;
    crate::kubernetes::controllers::look(world, &key);
    Ok(json!({
        "clusterName": named.cluster_name,
        "principalArn": named.principal_arn,
        "associatedAccessPolicy": shown,
    }))
}

fn check(partition: &str, kind: &str, input: &Associate) -> Result<(), AwsError> {
    let name = POLICIES
        .iter()
        .find(|name| arn(partition, name) == input.policy_arn);
    let Some(name) = name else {
        return Err(AwsError::invalid_parameter(format!(
            "The policyArn parameter is not valid: {}. You can view available policies with 'list-access-policies'.",
            input.policy_arn
        )));
    };
    let fits = match kind {
        "STANDARD" => true,
        "EC2" => *name == "AmazonEKSAutoNodePolicy",
        _ => false,
    };
    if !fits {
        return Err(AwsError::invalid_request(format!(
            "The access policy {name} cannot be associated with an access entry of type {kind}."
        )));
    }
    let scope = &input.access_scope;
    match (scope.kind.as_str(), scope.namespaces.is_empty()) {
        ("cluster", true) | ("namespace", false) => Ok(()),
        ("cluster", false) => Err(AwsError::invalid_parameter(
            "The access scope of type cluster cannot have namespaces.",
        )),
        ("namespace", true) => Err(AwsError::invalid_parameter(
            "The access scope of type namespace needs at least one namespace.",
        )),
        (other, _) => Err(AwsError::invalid_parameter(format!(
            "The access scope type {other} is not valid. Valid types are: cluster, namespace"
        ))),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfPolicy {
    policy_arn: String,
}

pub(super) fn disassociate(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let OfPolicy { policy_arn } = call.input()?;
    let key = call.cluster_key(&named.cluster_name);
    let policies = &mut access_entry::find(world, call, &named)?.hidden.policies;
    let before = policies.len();
    policies.retain(|p| p.policy_arn != policy_arn);
    if policies.len() == before {
        return Err(AwsError::not_found(format!(
            "The policy {policy_arn} is not associated with the access entry."
        ))
        .of_cluster(&named.cluster_name));
    }
    crate::kubernetes::controllers::look(world, &key);
    Ok(json!({}))
}

pub(super) fn list_associated(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let policies = access_entry::find(world, call, &named)?
        .hidden
        .policies
        .clone();
    let items = policies.iter().map(|p| (p.policy_arn.clone(), json!(p)));
    let mut answer = page::answer(world, call, "associatedAccessPolicies", items)?;
    answer["clusterName"] = named.cluster_name.into();
    answer["principalArn"] = named.principal_arn.into();
    Ok(answer)
}
