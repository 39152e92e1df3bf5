//! Managed node groups: their role, their nodes, and what EKS does about access when they come and go.

use std::collections::BTreeMap;

use accord_plan::usage::Use;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::update::{self, Effect, Subject};
use super::{Tags, arn, aws_auth, input, page, tag};
use crate::iam::trust;
use crate::kubernetes::{controllers, node};
use crate::world::{Answer, AwsError, Call, Due, Stamp, World};

/// A node group.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Nodegroup {
    pub(crate) nodegroup_name: String,
    pub(crate) nodegroup_arn: String,
    pub(crate) cluster_name: String,
    pub(crate) version: String,
    pub(crate) release_version: String,
    pub(crate) created_at: Stamp,
    pub(crate) modified_at: Stamp,
    pub(crate) status: String,
    pub(crate) capacity_type: String,
    pub(crate) scaling_config: Scaling,
    pub(crate) instance_types: Vec<String>,
    pub(crate) subnets: Vec<String>,
    pub(crate) ami_type: String,
    pub(crate) node_role: String,
    pub(crate) labels: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) taints: Vec<Value>,
    pub(crate) resources: Value,
    pub(crate) disk_size: u32,
    pub(crate) health: Value,
    pub(crate) update_config: Value,
    pub(crate) tags: Tags,
    /// What the sandbox has no rule about.
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

impl Default for Nodegroup {
    /// A group with what EKS fills in, without a name.
    fn default() -> Self {
        Self {
            nodegroup_name: String::new(),
            nodegroup_arn: String::new(),
            cluster_name: String::new(),
            version: String::new(),
            release_version: String::new(),
            created_at: Stamp::default(),
            modified_at: Stamp::default(),
            status: "ACTIVE".into(),
            capacity_type: "ON_DEMAND".into(),
            scaling_config: Scaling::default(),
            instance_types: vec!["t3.medium".into()],
            subnets: Vec::new(),
            ami_type: "AL2023_x86_64_STANDARD".into(),
            node_role: String::new(),
            labels: BTreeMap::new(),
            taints: Vec::new(),
            resources: json!({"autoScalingGroups": []}),
            disk_size: 20,
            health: json!({"issues": []}),
            update_config: json!({"maxUnavailable": 1}),
            tags: Tags::new(),
            rest: Map::new(),
        }
    }
}

/// How many nodes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scaling {
    #[serde(default = "one")]
    pub(crate) min_size: u32,
    #[serde(default = "two")]
    pub(crate) max_size: u32,
    #[serde(default = "two")]
    pub(crate) desired_size: u32,
}

const fn one() -> u32 {
    1
}

const fn two() -> u32 {
    2
}

/// More nodes than that a sandbox does not make.
const MOST_NODES: u32 = 500;

impl Default for Scaling {
    fn default() -> Self {
        Self {
            min_size: 1,
            max_size: 2,
            desired_size: 2,
        }
    }
}

impl Scaling {
    fn check(self) -> Result<Self, AwsError> {
        let message = if self.min_size > self.max_size {
            format!(
                "Minimum capacity {} can't be greater than maximum size {}",
                self.min_size, self.max_size
            )
        } else if self.desired_size > self.max_size {
            format!(
                "desired capacity {} can't be greater than max size {}",
                self.desired_size, self.max_size
            )
        } else if self.desired_size < self.min_size {
            format!(
                "Minimum capacity {} can't be greater than desired size {}",
                self.min_size, self.desired_size
            )
        } else if self.max_size > MOST_NODES {
            format!("The sandbox makes at most {MOST_NODES} nodes in a group")
        } else {
            return Ok(self);
        };
        Err(AwsError::invalid_parameter(message))
    }
}

impl Nodegroup {
    /// What its role is used for.
    pub(crate) fn used_for(&self) -> Use {
        match self.ami_type.starts_with("WINDOWS") {
            true => Use::WindowsNodes,
            false => Use::LinuxNodes,
        }
    }

    /// Whether it still has or will have nodes.
    fn lives(&self) -> bool {
        self.status != "DELETING"
    }
}

pub(super) fn missing(cluster: &str, name: &str) -> AwsError {
    AwsError::not_found(format!("No node group found for name: {name}."))
        .of_cluster(cluster)
        .with("nodegroupName", name)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    cluster_name: String,
    nodegroup_name: String,
    node_role: String,
    subnets: Vec<String>,
    version: Option<String>,
    release_version: Option<String>,
    #[serde(default)]
    tags: Tags,
    #[serde(default)]
    scaling_config: Scaling,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Fields of a creation that come back as they were given.
const KEPT: &[&str] = &[
    "amiType",
    "capacityType",
    "diskSize",
    "instanceTypes",
    "labels",
    "launchTemplate",
    "nodeRepairConfig",
    "remoteAccess",
    "taints",
    "updateConfig",
    "warmPoolConfig",
];

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let mut input: Create = call.input()?;
    let cluster = world.cluster(call, &input.cluster_name)?;
    input::check_active(cluster, "CreateNodegroup")?;
    input::check_name("Nodegroup", &input.nodegroup_name, 63)?;
    tag::check(&input.tags)?;
    let scaling = input.scaling_config.check()?;
    let role = input::own_role(world, call, &input.node_role)?;
    let trusts = trust::allows(
        &role.assume_role_policy_document,
        "Service",
        "ec2.amazonaws.com",
        &["sts:AssumeRole"],
        |_| true,
    );
    if !trusts {
        return Err(AwsError::invalid_parameter(
            "Following required service principals [ec2.amazonaws.com] were not found in the trust relationships of \
             nodeRole",
        ));
    }
    if cluster.nodegroups.contains_key(&input.nodegroup_name) {
        return Err(AwsError::in_use(format!(
            "NodeGroup already exists with name {} and cluster name {}",
            input.nodegroup_name, input.cluster_name
        ))
        .of_cluster(&input.cluster_name)
        .with("nodegroupName", &input.nodegroup_name));
    }
    let version = input
        .version
        .unwrap_or_else(|| cluster.about.version.clone());
    let key = call.cluster_key(&input.cluster_name);
    input.rest.retain(|field, _| KEPT.contains(&field.as_str()));
    let invalid = |e: serde_json::Error| AwsError::invalid_parameter(e.to_string());
    let mut made: Nodegroup = serde_json::from_value(Value::Object(input.rest)).map_err(invalid)?;
    let release = format!("{version}.0-20261101");
    made.nodegroup_arn = arn::with_uuid(world, &key, "nodegroup", &input.nodegroup_name);
    let uuid = made.nodegroup_arn.rsplit('/').next().unwrap_or_default();
    let group = format!("eks-{}-{uuid}", input.nodegroup_name);
    made.resources = json!({"autoScalingGroups": [{"name": group}]});
    made.nodegroup_name = input.nodegroup_name;
    made.cluster_name = input.cluster_name;
    made.version = version;
    made.release_version = input.release_version.unwrap_or(release);
    made.created_at = world.stamp();
    made.modified_at = world.stamp();
    made.status = "CREATING".into();
    made.scaling_config = scaling;
    made.subnets = input.subnets;
    made.node_role = input.node_role;
    made.tags = input.tags;
    let shown = json!({"nodegroup": made});
    let (name, role, used) = (
        made.nodegroup_name.clone(),
        made.node_role.clone(),
        made.used_for(),
    );
    if let Some(cluster) = world.clusters.get_mut(&key) {
        cluster.nodegroups.insert(name.clone(), made);
    }
    aws_auth::admit(world, &key, &role, used);
    let delay = world.settings.delays.nodegroup;
    world.later(delay, Due::NodegroupActive(key, name));
    Ok(shown)
}

/// The nodes join, if their role gets in by now.
pub(crate) fn become_active(world: &mut World, key: &str, name: &str) {
    let lets_in = controllers::nodes_get_in(world, key, name);
    let Some(group) = group_mut(world, key, name).filter(|g| g.status == "CREATING") else {
        return;
    };
    if lets_in || !group.lives() {
        group.status = "ACTIVE".into();
    } else {
        group.status = "CREATE_FAILED".into();
        group.health = json!({"issues": [{
            "code": "NodeCreationFailure",
            "message": "Instances failed to join the kubernetes cluster",
            "resourceIds": [],
        }]});
    }
    node::scale(world, key, name);
    controllers::look(world, key);
}

fn group_mut<'w>(world: &'w mut World, key: &str, name: &str) -> Option<&'w mut Nodegroup> {
    world.clusters.get_mut(key)?.nodegroups.get_mut(name)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    cluster_name: String,
    nodegroup_name: String,
}

fn find<'w>(
    world: &'w mut World,
    call: &Call,
    named: &Named,
) -> Result<&'w mut Nodegroup, AwsError> {
    let cluster = world.cluster_mut(call, &named.cluster_name)?;
    let group = cluster.nodegroups.get_mut(&named.nodegroup_name);
    group.ok_or_else(|| missing(&named.cluster_name, &named.nodegroup_name))
}

pub(super) fn describe(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    Ok(json!({"nodegroup": find(world, call, &named)?}))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    cluster_name: String,
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let List { cluster_name } = call.input()?;
    let cluster = world.cluster(call, &cluster_name)?;
    page::names(world, call, "nodegroups", cluster.nodegroups.keys())
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let group = find(world, call, &named)?;
    group.status = "DELETING".into();
    let shown = json!({"nodegroup": group});
    let key = call.cluster_key(&named.cluster_name);
    node::scale(world, &key, &named.nodegroup_name);
    let delay = world.settings.delays.deletion;
    world.later(delay, Due::NodegroupGone(key, named.nodegroup_name));
    Ok(shown)
}

/// The group is gone, and EKS withdraws the access that it gave for it.
pub(crate) fn go(world: &mut World, key: &str, name: &str) {
    let Some(cluster) = world.clusters.get_mut(key) else {
        return;
    };
    let Some(group) = cluster.nodegroups.get(name).filter(|g| !g.lives()).cloned() else {
        return;
    };
    cluster.nodegroups.remove(name);
    let is_shared = cluster
        .nodegroups
        .values()
        .any(|g| g.node_role == group.node_role);
    let switches = &world.settings.switches;
    if switches.node_entry_goes && !is_shared {
        cluster.access_entries.remove(&group.node_role);
    }
    if switches.shared_mapping_goes_first || !is_shared {
        aws_auth::remove(world, key, &group.node_role, group.used_for());
    }
    controllers::look(world, key);
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    labels: Option<Labels>,
    taints: Option<Taints>,
    scaling_config: Option<Map<String, Value>>,
    update_config: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Labels {
    add_or_update_labels: BTreeMap<String, String>,
    remove_labels: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Taints {
    add_or_update_taints: Vec<Value>,
    remove_taints: Vec<Value>,
}

pub(super) fn update_config(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let config: Config = call.input()?;
    let now = world.stamp();
    let group = find(world, call, &named)?;
    check_idle(group)?;
    let mut parameters = Vec::new();
    if let Some(labels) = config.labels {
        parameters.push(("LabelsToAdd", json!(labels.add_or_update_labels)));
        group.labels.extend(labels.add_or_update_labels);
        group
            .labels
            .retain(|label, _| !labels.remove_labels.contains(label));
    }
    if let Some(taints) = config.taints {
        parameters.push(("TaintsToAdd", json!(taints.add_or_update_taints)));
        let same = |a: &Value, b: &Value| {
            a.get("key") == b.get("key") && a.get("effect") == b.get("effect")
        };
        let changed = taints
            .add_or_update_taints
            .iter()
            .chain(&taints.remove_taints);
        let changed: Vec<&Value> = changed.collect();
        group
            .taints
            .retain(|taint| !changed.iter().any(|c| same(taint, c)));
        group.taints.extend(taints.add_or_update_taints);
    }
    if let Some(scaling) = config.scaling_config {
        let names = [
            ("minSize", "MinSize"),
            ("maxSize", "MaxSize"),
            ("desiredSize", "DesiredSize"),
        ];
        parameters.extend(update::parameters(&scaling, &names));
        let mut merged = json!(group.scaling_config);
        if let Some(merged) = merged.as_object_mut() {
            merged.extend(scaling);
        }
        let read: Scaling = serde_json::from_value(merged)
            .map_err(|e| AwsError::invalid_parameter(e.to_string()))?;
        group.scaling_config = read.check()?;
    }
    if let Some(wanted) = config.update_config {
        parameters.push(("UpdateStrategy", wanted.clone()));
        group.update_config = wanted;
    }
    group.status = "UPDATING".into();
    group.modified_at = now;
    begin(world, call, named, "ConfigUpdate", parameters)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    version: Option<String>,
    release_version: Option<String>,
}

pub(super) fn update_version(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let input: Version = call.input()?;
    let cluster = world
        .cluster(call, &named.cluster_name)?
        .about
        .version
        .clone();
    let now = world.stamp();
    let group = find(world, call, &named)?;
    check_idle(group)?;
    let version = input.version.unwrap_or(cluster);
    let release = input
        .release_version
        .unwrap_or_else(|| format!("{version}.0-20261101"));
    let parameters = vec![
        ("Version", json!(version)),
        ("ReleaseVersion", json!(release)),
    ];
    group.version = version;
    group.release_version = release;
    group.status = "UPDATING".into();
    group.modified_at = now;
    begin(world, call, named, "VersionUpdate", parameters)
}

fn check_idle(group: &Nodegroup) -> Result<(), AwsError> {
    match group.status.as_str() {
        "ACTIVE" | "CREATE_FAILED" => Ok(()),
        status => Err(AwsError::in_use(format!(
            "Nodegroup cannot be updated as it is currently not in Active State: {status}"
        ))
        .of_cluster(&group.cluster_name)
        .with("nodegroupName", &group.nodegroup_name)),
    }
}

fn begin(
    world: &mut World,
    call: &Call,
    named: Named,
    kind: &str,
    parameters: Vec<(&str, Value)>,
) -> Answer {
    let key = call.cluster_key(&named.cluster_name);
    let name = named.nodegroup_name;
    let subject = Subject::Nodegroup(name.clone());
    update::begin(
        world,
        &key,
        subject,
        kind,
        parameters,
        Effect::NodegroupDone(name),
    )
}

/// An update of the group is done.
pub(super) fn updated(world: &mut World, key: &str, name: &str) {
    if let Some(group) = group_mut(world, key, name).filter(|g| g.status == "UPDATING") {
        group.status = "ACTIVE".into();
    }
    node::scale(world, key, name);
    controllers::look(world, key);
}
