//! Access entries: who gets in, bound to a role or user by its unique id.

use accord_model::arn::{self, Arn};
use accord_model::facts;
use accord_plan::entry;
use accord_plan::usage::Use;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::access_policy::AssociatedPolicy;
use super::input::{Lookup, look_up};
use super::{Tags, arn as resource, mode, page, tag};
use crate::world::{Answer, AwsError, Call, Due, Stamp, World};

/// An access entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccessEntry {
    pub(crate) cluster_name: String,
    pub(crate) principal_arn: String,
    #[serde(default)]
    pub(crate) kubernetes_groups: Vec<String>,
    #[serde(default)]
    pub(crate) access_entry_arn: String,
    #[serde(default)]
    pub(crate) created_at: Stamp,
    #[serde(default)]
    pub(crate) modified_at: Stamp,
    #[serde(default)]
    pub(crate) tags: Tags,
    #[serde(default)]
    pub(crate) username: String,
    #[serde(rename = "type", default = "standard")]
    pub(crate) kind: String,
    /// What only the sandbox knows.
    #[serde(default)]
    pub(crate) hidden: Hidden,
}

/// What an answer does not show.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Hidden {
    /// The unique id of the principal when the entry was made; `None` of another account's.
    pub(crate) unique_id: Option<String>,
    /// When what it says takes effect in Kubernetes.
    pub(crate) effective: Stamp,
    /// Its policies.
    pub(crate) policies: Vec<AssociatedPolicy>,
}

fn standard() -> String {
    "STANDARD".into()
}

/// Types that a caller may give.
const TYPES: [&str; 7] = [
    "STANDARD",
    "FARGATE_LINUX",
    "EC2_LINUX",
    "EC2_WINDOWS",
    "EC2",
    "HYBRID_LINUX",
    "HYPERPOD_LINUX",
];

/// What a username must not begin with.
const RESERVED: [&str; 5] = ["system:", "eks:", "aws:", "amazon:", "iam:"];

impl AccessEntry {
    /// As EKS shows it.
    pub(crate) fn shown(&self) -> Value {
        let mut shown = json!(self);
        if let Some(fields) = shown.as_object_mut() {
            fields.shift_remove("hidden");
        }
        shown
    }

    /// As the engine reads it.
    pub(crate) fn as_fact(&self) -> facts::AccessEntry {
        facts::AccessEntry {
            principal: self.principal_arn.clone(),
            kind: self.kind.clone(),
            username: Some(self.username.clone()).filter(|u| !u.is_empty()),
            groups: self.kubernetes_groups.clone(),
            policies: Some(
                self.hidden
                    .policies
                    .iter()
                    .map(AssociatedPolicy::as_fact)
                    .collect(),
            ),
            tags: self.tags.clone().into_iter().collect(),
            created: Some(self.created_at.0),
        }
    }

    /// Fills in what EKS fills in by itself.
    pub(crate) fn complete(&mut self) {
        if self.username.is_empty() {
            self.username = entry::default_username(&self.as_fact());
        }
        if self.kubernetes_groups.is_empty() {
            let groups = entry::default_groups(&self.kind).iter();
            self.kubernetes_groups = groups.map(|g| (*g).to_owned()).collect();
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    cluster_name: String,
    principal_arn: String,
    #[serde(default)]
    kubernetes_groups: Vec<String>,
    #[serde(default)]
    tags: Tags,
    #[serde(default)]
    username: String,
    #[serde(rename = "type", default = "standard")]
    kind: String,
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let input: Create = call.input()?;
    let cluster = world.cluster(call, &input.cluster_name)?;
    mode::check_entries(cluster)?;
    tag::check(&input.tags)?;
    check_principal(world, call, &input)?;
    check_rights(&input.kind, &input.username, &input.kubernetes_groups)?;
    if cluster.access_entries.contains_key(&input.principal_arn) {
        return Err(AwsError::in_use(
            "The specified access entry resource is already in use on this cluster.",
        )
        .of_cluster(&input.cluster_name));
    }
    let key = call.cluster_key(&input.cluster_name);
    let made = AccessEntry {
        cluster_name: input.cluster_name,
        principal_arn: input.principal_arn,
        kubernetes_groups: input.kubernetes_groups,
        access_entry_arn: String::new(),
        created_at: Stamp::default(),
        modified_at: Stamp::default(),
        tags: input.tags,
        username: input.username,
        kind: input.kind,
        hidden: Hidden::default(),
    };
    let shown = insert(world, &key, made);
    Ok(json!({"accessEntry": shown}))
}

/// Puts an entry into the cluster, with everything that it gets by being made.
fn insert(world: &mut World, key: &str, mut made: AccessEntry) -> Value {
    let principal = Arn::parse(&made.principal_arn);
    let account = principal.map_or_else(String::new, |p| p.account.to_owned());
    let (kind, name) = principal.map_or(("", ""), |p| {
        (p.resource_type(), p.name().unwrap_or(p.resource))
    });
    let rest = format!("{kind}/{account}/{name}");
    made.access_entry_arn = resource::with_uuid(world, key, "access-entry", &rest);
    made.created_at = world.stamp();
    made.modified_at = world.stamp();
    made.hidden.unique_id = match look_up(world, &made.principal_arn) {
        Lookup::Role(role) => Some(role.role_id),
        Lookup::User(id) => Some(id),
        Lookup::Elsewhere | Lookup::Missing => None,
    };
    made.hidden.effective = takes_effect(world, key);
    made.complete();
    let shown = made.shown();
    if let Some(cluster) = world.clusters.get_mut(key) {
        cluster
            .access_entries
            .insert(made.principal_arn.clone(), made);
    }
    crate::kubernetes::controllers::look(world, key);
    shown
}

/// When a change that is made now takes effect. Nodes and pods are looked at again then.
pub(super) fn takes_effect(world: &mut World, key: &str) -> Stamp {
    let delay = world.settings.switches.entry_takes_effect_after;
    if delay > 0 {
        world.later(delay, Due::Look(key.to_owned()));
    }
    let mut at = world.stamp();
    at.0.millis += delay;
    at
}

/// Which principals an entry can be for.
fn check_principal(world: &World, call: &Call, input: &Create) -> Result<(), AwsError> {
    let invalid = |why: &str| {
        AwsError::invalid_parameter(format!("The specified principalArn is invalid: {why}."))
    };
    let principal = Arn::parse(&input.principal_arn)
        .filter(|p| p.service == "iam" && p.has_account())
        .ok_or_else(|| invalid("invalid principal"))?;
    if arn::is_service_linked(&input.principal_arn) {
        return Err(AwsError::invalid_parameter(
            "The caller is not allowed to modify access entries with a principalArn value of a Service Linked Role.",
        ));
    }
    let is_root = principal.resource == "root" && world.settings.switches.root_entry_taken;
    if !matches!(principal.resource_type(), "role" | "user") && !is_root {
        return Err(invalid("invalid principal"));
    }
    if !TYPES.contains(&input.kind.as_str()) {
        return Err(AwsError::invalid_parameter(format!(
            "The specified type {} is not supported. Supported types are: {}",
            input.kind,
            TYPES.join(", ")
        )));
    }
    if input.kind != "STANDARD"
        && (principal.resource_type() != "role" || principal.account != call.caller.account)
    {
        return Err(AwsError::invalid_parameter(format!(
            "An access entry of type {} is only for a role of the cluster's account.",
            input.kind
        )));
    }
    match look_up(world, &input.principal_arn) {
        Lookup::Missing if !is_root => Err(invalid("invalid principal")),
        _ => Ok(()),
    }
}

/// Which usernames and groups a type of entry can have.
fn check_rights(kind: &str, username: &str, groups: &[String]) -> Result<(), AwsError> {
    if kind != "STANDARD" && !(username.is_empty() && groups.is_empty()) {
        return Err(AwsError::invalid_parameter(format!(
            "The username and kubernetesGroups of an access entry of type {kind} cannot be set."
        )));
    }
    if let Some(prefix) = RESERVED
        .iter()
        .find(|prefix| username.starts_with(**prefix))
    {
        return Err(AwsError::invalid_parameter(format!(
            "The username {username} is invalid: it cannot start with {prefix}"
        )));
    }
    if let Some((before, _)) = username.split_once("{{SessionName}}")
        && !before.contains(':')
    {
        return Err(AwsError::invalid_parameter(format!(
            "The username {username} is invalid: a colon must come before {{{{SessionName}}}}"
        )));
    }
    match groups.iter().find(|group| group.starts_with("system:")) {
        Some(group) => Err(AwsError::invalid_parameter(format!(
            "The kubernetes group name {group} is invalid, it cannot start with system:"
        ))),
        None => Ok(()),
    }
}

/// An entry that EKS makes by itself; one that is there already is used as it is.
pub(super) fn ensure(world: &mut World, key: &str, principal: &str, kind: &str) {
    let Some(cluster) = world.clusters.get(key) else {
        return;
    };
    if cluster.access_entries.contains_key(principal) {
        return;
    }
    let made = AccessEntry {
        cluster_name: cluster.about.name.clone(),
        principal_arn: principal.to_owned(),
        kubernetes_groups: Vec::new(),
        access_entry_arn: String::new(),
        created_at: Stamp::default(),
        modified_at: Stamp::default(),
        tags: Tags::new(),
        username: String::new(),
        kind: kind.to_owned(),
        hidden: Hidden::default(),
    };
    insert(world, key, made);
}

/// The type of the entry that EKS makes for a use of a role.
pub(super) const fn kind_for(used: Use) -> &'static str {
    match used {
        Use::LinuxNodes => "EC2_LINUX",
        Use::WindowsNodes => "EC2_WINDOWS",
        Use::FargatePods => "FARGATE_LINUX",
    }
}

/// The creator's entry, an administrator of the whole cluster.
pub(super) fn bootstrap(world: &mut World, key: &str) {
    let Some(cluster) = world.clusters.get(key) else {
        return;
    };
    let creator = cluster.creator.clone();
    let wanted = cluster
        .about
        .access_config
        .bootstrap_cluster_creator_admin_permissions;
    if creator.is_empty() || wanted == Some(false) {
        return;
    }
    ensure(world, key, &creator, "STANDARD");
    let partition = world.settings.partition.clone();
    let policy = AssociatedPolicy::administrator(&partition, world.stamp());
    let cluster = world.clusters.get_mut(key);
    if let Some(entry) = cluster.and_then(|c| c.access_entries.get_mut(&creator)) {
        entry.hidden.policies = vec![policy];
    }
}

/// Entries for every node group and Fargate profile that is there.
pub(super) fn for_all_compute(world: &mut World, key: &str) {
    let Some(cluster) = world.clusters.get(key) else {
        return;
    };
    let nodegroups = cluster
        .nodegroups
        .values()
        .map(|n| (n.node_role.clone(), n.used_for()));
    let profiles = cluster.fargate_profiles.values();
    let profiles = profiles.map(|p| (p.pod_execution_role_arn.clone(), Use::FargatePods));
    let all: Vec<(String, Use)> = nodegroups.chain(profiles).collect();
    for (role, used) in all {
        ensure(world, key, &role, kind_for(used));
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Named {
    pub(super) cluster_name: String,
    pub(super) principal_arn: String,
}

pub(super) fn missing(cluster: &str) -> AwsError {
    AwsError::not_found(
        "The specified principalArn could not be found. You can view your available access entries with \
         'list-access-entries'.",
    )
    .of_cluster(cluster)
}

/// The entry that a call names, in a cluster that has entries.
pub(super) fn find<'w>(
    world: &'w mut World,
    call: &Call,
    named: &Named,
) -> Result<&'w mut AccessEntry, AwsError> {
    let cluster = world.cluster_mut(call, &named.cluster_name)?;
    mode::check_entries(cluster)?;
    let entry = cluster.access_entries.get_mut(&named.principal_arn);
    entry.ok_or_else(|| missing(&named.cluster_name))
}

pub(super) fn describe(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    Ok(json!({"accessEntry": find(world, call, &named)?.shown()}))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    cluster_name: String,
    associated_policy_arn: Option<String>,
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let input: List = call.input()?;
    let cluster = world.cluster(call, &input.cluster_name)?;
    mode::check_entries(cluster)?;
    let wanted = |entry: &&AccessEntry| match &input.associated_policy_arn {
        None => true,
        Some(arn) => entry.hidden.policies.iter().any(|p| p.policy_arn == *arn),
    };
    let entries = cluster.access_entries.values().filter(wanted);
    page::names(
        world,
        call,
        "accessEntries",
        entries.map(|e| &e.principal_arn),
    )
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update {
    kubernetes_groups: Option<Vec<String>>,
    username: Option<String>,
}

pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let input: Update = call.input()?;
    let key = call.cluster_key(&named.cluster_name);
    let kind = find(world, call, &named)?.kind.clone();
    if kind != "STANDARD" {
        return Err(AwsError::invalid_request(format!(
            "The access entry of type {kind} cannot be updated."
        ))
        .of_cluster(&named.cluster_name));
    }
    let groups = input.kubernetes_groups.clone().unwrap_or_default();
    let username = input.username.clone().unwrap_or_default();
    check_rights(&kind, &username, &groups)?;
    let now = world.stamp();
    let effective = takes_effect(world, &key);
    let entry = find(world, call, &named)?;
    if let Some(groups) = input.kubernetes_groups {
        entry.kubernetes_groups = groups;
    }
    if let Some(username) = input.username {
        entry.username = username;
    }
    entry.modified_at = now;
    entry.hidden.effective = effective;
    entry.complete();
    let shown = entry.shown();
    crate::kubernetes::controllers::look(world, &key);
    Ok(json!({"accessEntry": shown}))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    find(world, call, &named)?;
    let cluster = world.cluster_mut(call, &named.cluster_name)?;
    cluster.access_entries.remove(&named.principal_arn);
    let key = call.cluster_key(&named.cluster_name);
    crate::kubernetes::controllers::look(world, &key);
    Ok(json!({}))
}
