//! Clusters: what EKS says of one, and everything that belongs to it.

use std::collections::BTreeMap;

use accord_model::facts::AuthenticationMode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::access_entry::AccessEntry;
use super::addon::Addon;
use super::fargate_profile::FargateProfile;
use super::nodegroup::Nodegroup;
use super::pod_identity::Association;
use super::update::{Subject, Tracked};
use super::{Tags, access_entry, cluster_version, input, mode, page, tag, update};
use crate::kubernetes::store::Store;
use crate::world::{Answer, AwsError, Call, Due, Stamp, World};

/// A cluster with everything in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cluster {
    /// As `DescribeCluster` shows it.
    pub(crate) about: About,
    /// Who made it: the role or user itself, an administrator as long as `aws-auth` is read alone.
    pub(crate) creator: String,
    /// By name.
    pub(crate) nodegroups: BTreeMap<String, Nodegroup>,
    /// By name.
    pub(crate) fargate_profiles: BTreeMap<String, FargateProfile>,
    /// By the principal's ARN.
    pub(crate) access_entries: BTreeMap<String, AccessEntry>,
    /// By name.
    pub(crate) addons: BTreeMap<String, Addon>,
    /// By id.
    pub(crate) associations: BTreeMap<String, Association>,
    /// In the order in which they began.
    pub(crate) updates: Vec<Tracked>,
    /// What its Kubernetes API holds.
    pub(crate) kubernetes: Store,
    /// Nodes that do not get in any more, and since when, in milliseconds.
    pub(crate) silent: BTreeMap<String, u64>,
}

/// What `DescribeCluster` shows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) arn: String,
    pub(crate) created_at: Stamp,
    pub(crate) version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) endpoint: Option<String>,
    pub(crate) role_arn: String,
    pub(crate) resources_vpc_config: Map<String, Value>,
    pub(crate) kubernetes_network_config: Map<String, Value>,
    pub(crate) logging: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) identity: Option<Value>,
    pub(crate) status: String,
    pub(crate) certificate_authority: Map<String, Value>,
    pub(crate) platform_version: String,
    pub(crate) tags: Tags,
    pub(crate) access_config: AccessConfig,
    pub(crate) health: Value,
    pub(crate) upgrade_policy: Value,
    pub(crate) deletion_protection: bool,
    /// What the sandbox has no rule about.
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

/// Who may enter, in general.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AccessConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bootstrap_cluster_creator_admin_permissions: Option<bool>,
    pub(crate) authentication_mode: String,
}

impl Cluster {
    /// A cluster with nothing in it yet.
    pub(crate) fn new(about: About, creator: String) -> Self {
        Self {
            about,
            creator,
            nodegroups: BTreeMap::new(),
            fargate_profiles: BTreeMap::new(),
            access_entries: BTreeMap::new(),
            addons: BTreeMap::new(),
            associations: BTreeMap::new(),
            updates: Vec::new(),
            kubernetes: Store::default(),
            silent: BTreeMap::new(),
        }
    }

    /// The authentication mode.
    pub(crate) fn mode(&self) -> AuthenticationMode {
        mode::parse(&self.about.access_config.authentication_mode)
            .unwrap_or(AuthenticationMode::ConfigMap)
    }

    /// The account that it belongs to.
    pub(crate) fn account(&self) -> &str {
        self.about.arn.split(':').nth(4).unwrap_or_default()
    }

    /// The region that it is in.
    pub(crate) fn region(&self) -> &str {
        self.about.arn.split(':').nth(3).unwrap_or_default()
    }

    /// Its key among all clusters.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}/{}", self.account(), self.region(), self.about.name)
    }

    /// The tags of the resource with that ARN, if it is this cluster or part of it.
    pub(super) fn tags_of(&mut self, arn: &str) -> Option<&mut Tags> {
        if self.about.arn == arn {
            return Some(&mut self.about.tags);
        }
        let nodegroups = self
            .nodegroups
            .values_mut()
            .map(|n| (&n.nodegroup_arn, &mut n.tags));
        let profiles = self
            .fargate_profiles
            .values_mut()
            .map(|p| (&p.fargate_profile_arn, &mut p.tags));
        let entries = self
            .access_entries
            .values_mut()
            .map(|e| (&e.access_entry_arn, &mut e.tags));
        let addons = self
            .addons
            .values_mut()
            .map(|a| (&a.about.addon_arn, &mut a.about.tags));
        let associations = self
            .associations
            .values_mut()
            .map(|a| (&a.association_arn, &mut a.tags));
        let all = nodegroups
            .chain(profiles)
            .chain(entries)
            .chain(addons)
            .chain(associations);
        all.into_iter()
            .find(|(other, _)| *other == arn)
            .map(|(_, tags)| tags)
    }

    /// The answer about this cluster alone.
    fn shown(&self) -> Value {
        json!({"cluster": self.about})
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    name: String,
    version: Option<String>,
    role_arn: String,
    resources_vpc_config: Map<String, Value>,
    #[serde(default)]
    kubernetes_network_config: Map<String, Value>,
    logging: Option<Value>,
    #[serde(default)]
    tags: Tags,
    #[serde(default)]
    access_config: AccessConfig,
    upgrade_policy: Option<Value>,
    #[serde(default)]
    deletion_protection: bool,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Fields of a creation that come back as they were given.
const KEPT: &[&str] = &[
    "computeConfig",
    "controlPlaneScalingConfig",
    "encryptionConfig",
    "outpostConfig",
    "remoteNetworkConfig",
    "storageConfig",
    "zonalShiftConfig",
];

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let mut input: Create = call.input()?;
    input::check_name("Cluster", &input.name, 100)?;
    tag::check(&input.tags)?;
    input::own_role(world, call, &input.role_arn)?;
    let key = call.cluster_key(&input.name);
    if world.clusters.contains_key(&key) {
        return Err(
            AwsError::in_use(format!("Cluster already exists with name: {}", input.name))
                .of_cluster(&input.name),
        );
    }
    if input.access_config.authentication_mode.is_empty() {
        input.access_config.authentication_mode = AuthenticationMode::ConfigMap.name().into();
    }
    let mode = mode::read(&input.access_config.authentication_mode)?;
    let bootstrap = input
        .access_config
        .bootstrap_cluster_creator_admin_permissions
        .unwrap_or(true);
    if mode == AuthenticationMode::ConfigMap && !bootstrap {
        return Err(AwsError::invalid_parameter(
            "bootstrapClusterCreatorAdminPermissions must be true if cluster authentication mode is set to CONFIG_MAP",
        ));
    }
    input
        .access_config
        .bootstrap_cluster_creator_admin_permissions = Some(bootstrap);
    let version = match &input.version {
        Some(version) => cluster_version::check(version)?,
        None => cluster_version::DEFAULT.to_owned(),
    };
    let security_group = format!("sg-{}", world.random().hex(17));
    let vpc = format!("vpc-{}", world.random().hex(17));
    let mut about = About {
        arn: format!(
            "arn:{}:eks:{}:{}:cluster/{}",
            world.settings.partition, call.region, call.caller.account, input.name
        ),
        name: input.name,
        created_at: world.stamp(),
        version,
        role_arn: input.role_arn,
        resources_vpc_config: input.resources_vpc_config,
        kubernetes_network_config: input.kubernetes_network_config,
        logging: input
            .logging
            .unwrap_or_else(|| json!({"clusterLogging": []})),
        status: "CREATING".into(),
        platform_version: "eks.1".into(),
        tags: input.tags,
        access_config: input.access_config,
        health: json!({"issues": []}),
        upgrade_policy: input
            .upgrade_policy
            .unwrap_or_else(|| json!({"supportType": "EXTENDED"})),
        deletion_protection: input.deletion_protection,
        ..About::default()
    };
    complete(&mut about, &security_group, &vpc);
    input.rest.retain(|field, _| KEPT.contains(&field.as_str()));
    about.rest = input.rest;
    let cluster = Cluster::new(about, call.caller.principal.clone());
    let shown = cluster.shown();
    world.clusters.insert(key.clone(), cluster);
    if mode.reads_entries() && bootstrap {
        access_entry::bootstrap(world, &key);
    }
    let delay = world.settings.delays.cluster;
    world.later(delay, Due::ClusterActive(key));
    Ok(shown)
}

/// Fills in what EKS fills in by itself.
pub(crate) fn complete(about: &mut About, security_group: &str, vpc: &str) {
    let fill = |map: &mut Map<String, Value>, field: &str, value: Value| {
        map.entry(field).or_insert(value);
    };
    let vpc_config = &mut about.resources_vpc_config;
    fill(vpc_config, "subnetIds", json!([]));
    fill(vpc_config, "securityGroupIds", json!([]));
    fill(vpc_config, "clusterSecurityGroupId", security_group.into());
    fill(vpc_config, "vpcId", vpc.into());
    fill(vpc_config, "endpointPublicAccess", true.into());
    fill(vpc_config, "endpointPrivateAccess", false.into());
    fill(vpc_config, "publicAccessCidrs", json!(["0.0.0.0/0"]));
    let network = &mut about.kubernetes_network_config;
    fill(network, "serviceIpv4Cidr", "10.100.0.0/16".into());
    fill(network, "ipFamily", "ipv4".into());
    fill(network, "elasticLoadBalancing", json!({"enabled": false}));
}

/// The cluster is up: it has an address, an issuer and its first objects.
pub(crate) fn become_active(world: &mut World, key: &str) {
    let issuer = world.random().upper(32);
    let Some(cluster) = world.clusters.get_mut(key) else {
        return;
    };
    if cluster.about.status != "CREATING" {
        return;
    }
    cluster.about.status = "ACTIVE".into();
    open(cluster, &issuer);
    place(world, key);
    crate::kubernetes::furnish(world, key);
    crate::kubernetes::controllers::look(world, key);
}

/// Gives the cluster its issuer, where it has none, and an address.
pub(crate) fn open(cluster: &mut Cluster, issuer: &str) {
    let region = cluster.region().to_owned();
    let about = &mut cluster.about;
    about.identity.get_or_insert_with(|| {
        json!({"oidc": {"issuer": format!("https://oidc.eks.{region}.amazonaws.com/id/{issuer}")}})
    });
    about.endpoint.get_or_insert_default();
}

/// Where the Kubernetes APIs of clusters are served; the cluster's key follows.
pub(crate) const KUBERNETES: &str = "/_kubernetes/";

/// Corrects the address of a cluster that is up, and the authority of its certificate.
fn place(world: &mut World, key: &str) {
    let secure = world.url.replacen("http://", "https://", 1);
    let authority = world.authority.clone();
    if let Some(cluster) = world.clusters.get_mut(key)
        && cluster.about.endpoint.is_some()
    {
        cluster.about.endpoint = Some(format!("{secure}{KUBERNETES}{key}"));
        let ca = &mut cluster.about.certificate_authority;
        ca.insert("data".into(), authority.into());
    }
}

/// Corrects the addresses of all clusters after the world's own has changed.
pub(crate) fn move_endpoints(world: &mut World) {
    let keys: Vec<String> = world.clusters.keys().cloned().collect();
    for key in keys {
        place(world, &key);
    }
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

pub(super) fn describe(world: &mut World, call: &Call) -> Answer {
    let Named { name } = call.input()?;
    Ok(world.cluster(call, &name)?.shown())
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let prefix = call.cluster_prefix();
    let mine = world
        .clusters
        .iter()
        .filter(|(key, _)| key.starts_with(&prefix));
    page::names(world, call, "clusters", mine.map(|(_, c)| &c.about.name))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let Named { name } = call.input()?;
    let cluster = world.cluster_mut(call, &name)?;
    let refuse = |message: &str| Err(AwsError::in_use(message).of_cluster(&name));
    if cluster.about.deletion_protection {
        return Err(AwsError::invalid_request(format!(
            "Cannot delete cluster {name} because deletion protection is enabled"
        ))
        .of_cluster(&name));
    }
    if !cluster.nodegroups.is_empty() {
        return refuse("Cluster has nodegroups attached");
    }
    if !cluster.fargate_profiles.is_empty() {
        return refuse("Cluster has Fargate profiles attached");
    }
    if cluster.about.status == "DELETING" {
        return refuse("Cluster is already being deleted");
    }
    cluster.about.status = "DELETING".into();
    let shown = cluster.shown();
    let delay = world.settings.delays.deletion;
    world.later(delay, Due::ClusterGone(call.cluster_key(&name)));
    Ok(shown)
}

pub(crate) fn go(world: &mut World, key: &str) {
    if world
        .clusters
        .get(key)
        .is_some_and(|c| c.about.status == "DELETING")
    {
        world.clusters.remove(key);
    }
}

/// What one call of `UpdateClusterConfig` may change, and the type of its update.
const CHANGES: &[(&str, &str, &str)] = &[
    ("accessConfig", "AccessConfigUpdate", "AuthenticationMode"),
    ("resourcesVpcConfig", "VpcConfigUpdate", "Subnets"),
    ("logging", "LoggingUpdate", "ClusterLogging"),
    ("upgradePolicy", "UpgradePolicyUpdate", "UpgradePolicy"),
    (
        "zonalShiftConfig",
        "ZonalShiftConfigUpdate",
        "ZonalShiftConfig",
    ),
    (
        "deletionProtection",
        "DeletionProtectionUpdate",
        "DeletionProtection",
    ),
    (
        "remoteNetworkConfig",
        "RemoteNetworkConfigUpdate",
        "RemoteNetworkConfig",
    ),
];

pub(super) fn update_config(world: &mut World, call: &Call) -> Answer {
    let Named { name } = call.input()?;
    let cluster = world.cluster(call, &name)?;
    input::check_active(cluster, "UpdateClusterConfig")?;
    let given: Vec<_> = CHANGES
        .iter()
        .filter(|(field, _, _)| call.input.contains_key(*field))
        .collect();
    let (field, kind, parameter) = match given.as_slice() {
        [one] => **one,
        [] => {
            return Err(AwsError::invalid_parameter(
                "No changes needed for the cluster",
            ));
        }
        _ => {
            return Err(AwsError::invalid_parameter(
                "Only one type of update can be allowed.",
            ));
        }
    };
    update::check_idle(cluster, kind)?;
    let value = call.input.get(field).cloned().unwrap_or_default();
    let (kind, parameters, effect) = match field {
        "accessConfig" => {
            let config: AccessConfig = serde_json::from_value(value)
                .map_err(|e| AwsError::invalid_parameter(e.to_string()))?;
            let wanted = mode::check_change(cluster, &config.authentication_mode)?;
            let parameters = vec![(parameter, json!(wanted.name()))];
            (kind, parameters, update::Effect::Mode(wanted.name().into()))
        }
        "resourcesVpcConfig" => {
            let kind =
                match value.get("subnetIds").is_some() || value.get("securityGroupIds").is_some() {
                    true => kind,
                    false => "EndpointAccessUpdate",
                };
            (
                kind,
                vpc_parameters(&value),
                update::Effect::Merge(field.into(), value),
            )
        }
        _ => (
            kind,
            vec![(parameter, value.clone())],
            update::Effect::Merge(field.into(), value),
        ),
    };
    update::begin(
        world,
        &call.cluster_key(&name),
        Subject::Cluster,
        kind,
        parameters,
        effect,
    )
}

fn vpc_parameters(value: &Value) -> Vec<(&'static str, Value)> {
    let fields = [
        ("endpointPublicAccess", "EndpointPublicAccess"),
        ("endpointPrivateAccess", "EndpointPrivateAccess"),
        ("publicAccessCidrs", "PublicAccessCidrs"),
        ("subnetIds", "Subnets"),
        ("securityGroupIds", "SecurityGroups"),
    ];
    let given = fields.into_iter();
    given
        .filter_map(|(field, name)| Some((name, value.get(field)?.clone())))
        .collect()
}
