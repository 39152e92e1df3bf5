//! A world out of a state file: the cluster in it, as if it had always been there.
//!
//! The file is read by `accord-wire` first, which refuses what no command would take. Then every document is taken whole,
//! with fields that no rule reads.

use accord_model::arn::{Arn, is_service_linked};
use accord_model::time::Timestamp;
use accord_wire::sources::{Misread, Sources};
use accord_wire::state::{self, StateFile};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::eks::access_entry::{AccessEntry, Hidden};
use crate::eks::access_policy::AssociatedPolicy;
use crate::eks::addon::{self, Addon};
use crate::eks::cluster::{self, About, Cluster};
use crate::eks::fargate_profile::FargateProfile;
use crate::eks::nodegroup::Nodegroup;
use crate::eks::pod_identity::Association;
use crate::iam::role::Role;
use crate::iam::{Tag, caller, trust, user};
use crate::kubernetes::resource::Resource;
use crate::kubernetes::store::{complete, meta, set_meta};
use crate::kubernetes::{controllers, furnish};
use crate::world::{Iso, Stamp, World};

/// Why a state file cannot be the beginning of a world.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedError {
    /// It is no state file.
    #[error("the state file cannot be read")]
    Misread(#[from] Box<Misread>),
    /// A document has a field of another type than AWS's.
    #[error("{document} is not as AWS prints it: {why}")]
    Shape {
        /// Which document.
        document: String,
        /// What is wrong.
        why: String,
    },
    /// Something is listed and not described, so that the world would lack what everything depends on.
    #[error("{0} is listed and not described; add its description to the file")]
    NotDescribed(String),
}

/// Puts the cluster of a state file into the world, with the roles and the caller that the file names; the caller is taken
/// to have made the cluster. Roles that only
/// their users name are made, unless the file has a whole list of roles.
///
/// # Errors
/// See [`SeedError`]. The world is to be thrown away then.
pub fn seed(world: &mut World, name: &str, bytes: &[u8]) -> Result<(), SeedError> {
    StateFile::parse(name, bytes, &mut Sources::new()).map_err(Box::new)?;
    let text = String::from_utf8_lossy(bytes);
    let documents = state::values(&text).map_err(|error| SeedError::Shape {
        document: name.to_owned(),
        why: error.to_string(),
    })?;
    let file = File(documents);
    if let Some(caller) = file.caller() {
        world.settings.caller = Some(caller.to_owned());
    }
    let key = file.cluster(world)?;
    file.roles(world)?;
    file.contents(world, &key)?;
    file.objects(world, &key);
    file.nodes(world, &key);
    furnish(world, &key);
    crate::eks::cluster::move_endpoints(world);
    controllers::look(world, &key);
    Ok(())
}

/// The documents of a file.
struct File(Vec<Value>);

fn typed<T: DeserializeOwned>(document: &str, value: &Value) -> Result<T, SeedError> {
    T::deserialize(value).map_err(|error| SeedError::Shape {
        document: document.to_owned(),
        why: error.to_string(),
    })
}

impl File {
    /// The values of all documents that have this field.
    fn of<'f>(&'f self, field: &'f str) -> impl Iterator<Item = &'f Value> {
        let known = |document: &&Value| document.get("kind").is_none();
        let documents = self.0.iter().filter(known);
        documents.filter_map(move |d| d.get(field).filter(|v| !v.is_null()))
    }

    fn caller(&self) -> Option<&str> {
        let caller = self.0.iter().find(|d| d.get("UserId").is_some());
        caller?.get("Arn")?.as_str()
    }

    /// The cluster itself; one that the file says nothing of gets the mode that fits the rest.
    fn cluster(&self, world: &mut World) -> Result<String, SeedError> {
        let mut about: About = match self.of("cluster").next() {
            Some(value) => typed("the cluster", value)?,
            None => About::default(),
        };
        let settings = &world.settings;
        if about.name.is_empty() {
            let named =
                self.named_cluster()
                    .or(about.arn.rsplit('/').next().filter(|n| !n.is_empty()));
            about.name = named.unwrap_or("demo").to_owned();
        }
        let (account, region) = match Arn::parse(&about.arn) {
            Some(arn) => (arn.account.to_owned(), arn.region.to_owned()),
            None => (settings.account.clone(), settings.region.clone()),
        };
        about.arn = format!(
            "arn:{}:eks:{region}:{account}:cluster/{}",
            settings.partition, about.name
        );
        world.settings.account.clone_from(&account);
        world.settings.region.clone_from(&region);
        let fill = |text: &mut String, default: &str| {
            if text.is_empty() {
                default.clone_into(text);
            }
        };
        let has_entries = self.of("accessEntry").next().is_some();
        let mode = if has_entries {
            "API_AND_CONFIG_MAP"
        } else {
            "CONFIG_MAP"
        };
        fill(&mut about.access_config.authentication_mode, mode);
        fill(&mut about.version, "1.33");
        fill(&mut about.platform_version, "eks.1");
        about.status = "ACTIVE".into();
        fill(
            &mut about.role_arn,
            &format!("arn:aws:iam::{account}:role/cluster-{}", about.name),
        );
        if about.created_at == Stamp::default() {
            about.created_at = world.stamp();
        }
        about.endpoint = Some(String::new());
        for (value, default) in [
            (&mut about.logging, json!({"clusterLogging": []})),
            (&mut about.health, json!({"issues": []})),
            (
                &mut about.upgrade_policy,
                json!({"supportType": "EXTENDED"}),
            ),
        ] {
            if value.is_null() {
                *value = default;
            }
        }
        let security_group = format!("sg-{}", world.random().hex(17));
        let vpc = format!("vpc-{}", world.random().hex(17));
        cluster::complete(&mut about, &security_group, &vpc);
        let issuer = world.random().upper(32);
        let creator = caller::unknown(world).principal;
        let mut made = Cluster::new(about, creator);
        cluster::open(&mut made, &issuer);
        let key = made.key();
        world.clusters.insert(key.clone(), made);
        Ok(key)
    }

    /// The name of the cluster that other documents say they are of.
    fn named_cluster(&self) -> Option<&str> {
        let inside = [
            "nodegroup",
            "fargateProfile",
            "accessEntry",
            "addon",
            "association",
        ];
        let mut values = inside.into_iter().flat_map(|field| self.of(field));
        let inner = values.find_map(|v| v.get("clusterName")?.as_str());
        inner.or_else(|| self.of("clusterName").find_map(Value::as_str))
    }

    fn roles(&self, world: &mut World) -> Result<(), SeedError> {
        let lists = self.of("Roles").filter_map(Value::as_array).flatten();
        let all: Vec<&Value> = self.of("Role").chain(lists).collect();
        for value in all {
            let role = role(world, value)?;
            insert_role(world, role);
        }
        if self.of("Roles").next().is_some() {
            return Ok(());
        }
        let users = [
            ("cluster", "roleArn"),
            ("nodegroup", "nodeRole"),
            ("fargateProfile", "podExecutionRoleArn"),
            ("accessEntry", "principalArn"),
            ("addon", "serviceAccountRoleArn"),
            ("association", "roleArn"),
        ];
        let named = users.into_iter().flat_map(|(document, field)| {
            self.of(document)
                .filter_map(move |v| v.get(field)?.as_str())
        });
        let named: Vec<String> = named.map(str::to_owned).collect();
        for arn in named {
            make(world, &arn);
        }
        Ok(())
    }

    fn contents(&self, world: &mut World, key: &str) -> Result<(), SeedError> {
        let now = world.stamp();
        let cluster_name = world
            .clusters
            .get(key)
            .map_or_else(String::new, |c| c.about.name.clone());
        let cluster_arn = world
            .clusters
            .get(key)
            .map_or_else(String::new, |c| c.about.arn.clone());
        let arn = |kind: &str, rest: &str| {
            let base = cluster_arn.replace(":cluster/", &format!(":{kind}/"));
            format!("{base}/{rest}")
        };
        let fill = |text: &mut String, default: String| {
            if text.is_empty() {
                *text = default;
            }
        };
        for value in self.of("nodegroup") {
            let mut group: Nodegroup = typed("a node group", value)?;
            let uuid = world.random().uuid();
            fill(
                &mut group.nodegroup_arn,
                arn("nodegroup", &format!("{}/{uuid}", group.nodegroup_name)),
            );
            group.cluster_name.clone_from(&cluster_name);
            fill(&mut group.version, "1.33".into());
            fill(
                &mut group.release_version,
                format!("{}.0-20261101", group.version),
            );
            if let Some(cluster) = world.clusters.get_mut(key) {
                cluster
                    .nodegroups
                    .insert(group.nodegroup_name.clone(), group);
            }
        }
        for value in self.of("fargateProfile") {
            let mut profile: FargateProfile = typed("a Fargate profile", value)?;
            let uuid = world.random().uuid();
            let rest = format!("{}/{uuid}", profile.fargate_profile_name);
            fill(
                &mut profile.fargate_profile_arn,
                arn("fargateprofile", &rest),
            );
            profile.cluster_name.clone_from(&cluster_name);
            fill(&mut profile.status, "ACTIVE".into());
            if profile.health.is_null() {
                profile.health = json!({"issues": []});
            }
            if let Some(cluster) = world.clusters.get_mut(key) {
                cluster
                    .fargate_profiles
                    .insert(profile.fargate_profile_name.clone(), profile);
            }
        }
        for value in self.of("accessEntry") {
            let uuid = world.random().uuid();
            let mut entry = self.entry(world, value, &cluster_name, now)?;
            let principal = Arn::parse(&entry.principal_arn);
            let (account, resource) = principal.map_or(("", ""), |p| (p.account, p.resource));
            let (kind, name) = resource.split_once('/').unwrap_or((resource, ""));
            let name = name.rsplit('/').next().unwrap_or_default();
            fill(
                &mut entry.access_entry_arn,
                arn("access-entry", &format!("{kind}/{account}/{name}/{uuid}")),
            );
            if let Some(cluster) = world.clusters.get_mut(key) {
                cluster
                    .access_entries
                    .insert(entry.principal_arn.clone(), entry);
            }
        }
        for value in self.of("addon") {
            let mut about: addon::About = typed("an add-on", value)?;
            let uuid = world.random().uuid();
            fill(
                &mut about.addon_arn,
                arn("addon", &format!("{}/{uuid}", about.addon_name)),
            );
            about.cluster_name.clone_from(&cluster_name);
            fill(&mut about.status, "ACTIVE".into());
            if about.health.is_null() {
                about.health = json!({"issues": []});
            }
            if let Some(cluster) = world.clusters.get_mut(key) {
                cluster
                    .addons
                    .insert(about.addon_name.clone(), Addon::standing(about));
            }
        }
        for value in self.of("association") {
            let mut association: Association = typed("an association", value)?;
            let id = format!("a-{}", world.random().lower(17));
            fill(&mut association.association_id, id);
            fill(
                &mut association.association_arn,
                arn("podidentityassociation", &association.association_id),
            );
            association.cluster_name.clone_from(&cluster_name);
            if let Some(cluster) = world.clusters.get_mut(key) {
                cluster
                    .associations
                    .insert(association.association_id.clone(), association);
            }
        }
        self.check_listed(world, key)
    }

    /// An access entry with its policies, bound to the principal that there is now, unless that one is younger.
    fn entry(
        &self,
        world: &mut World,
        value: &Value,
        cluster: &str,
        now: Stamp,
    ) -> Result<AccessEntry, SeedError> {
        let mut value = value.clone();
        if value.get("clusterName").is_none() {
            value["clusterName"] = cluster.into();
        }
        let has_date = value.get("createdAt").is_some();
        let mut entry: AccessEntry = typed("an access entry", &value)?;
        if !has_date {
            entry.created_at = now;
            entry.modified_at = now;
        }
        let bound = principal(world, &entry.principal_arn);
        entry.hidden = Hidden {
            unique_id: bound.map(
                |(id, created)| match created > entry.created_at.0 && has_date {
                    true => format!("{id}-before"),
                    false => id,
                },
            ),
            ..Hidden::default()
        };
        if entry.hidden.unique_id.is_none() && is_own(world, &entry.principal_arn) {
            entry.hidden.unique_id = Some(world.random().unique_id("AROA"));
        }
        entry.complete();
        let policies = self
            .0
            .iter()
            .filter(|d| d.get("associatedAccessPolicies").is_some());
        let of_entry = policies.filter(|d| d["principalArn"] == entry.principal_arn);
        for document in of_entry {
            let list: Vec<AssociatedPolicy> = typed(
                "a list of access policies",
                &document["associatedAccessPolicies"],
            )?;
            entry.hidden.policies.extend(list);
        }
        Ok(entry)
    }

    /// What is listed must be described.
    fn check_listed(&self, world: &World, key: &str) -> Result<(), SeedError> {
        let Some(cluster) = world.clusters.get(key) else {
            return Ok(());
        };
        let check = |field: &str, what: &str, has: &dyn Fn(&String) -> bool| {
            let names = self.of(field).filter_map(Value::as_array).flatten();
            let mut names = names.filter_map(|n| n.as_str().map(str::to_owned));
            match names.find(|name| !has(name)) {
                Some(name) => Err(SeedError::NotDescribed(format!("the {what} `{name}`"))),
                None => Ok(()),
            }
        };
        check("nodegroups", "node group", &|n| {
            cluster.nodegroups.contains_key(n)
        })?;
        check("fargateProfileNames", "Fargate profile", &|n| {
            cluster.fargate_profiles.contains_key(n)
        })?;
        check("accessEntries", "access entry", &|n| {
            cluster.access_entries.contains_key(n)
        })?;
        check("addons", "add-on", &|n| cluster.addons.contains_key(n))
    }

    /// Nodes of the node groups, where the file says nothing of nodes.
    fn nodes(&self, world: &mut World, key: &str) {
        let is_told = |d: &Value| matches!(d["kind"].as_str(), Some("Node" | "NodeList"));
        let items = |d: &Value| d["items"].as_array().is_some_and(|i| i.iter().any(is_told));
        if self.0.iter().any(|d| is_told(d) || items(d)) {
            return;
        }
        let groups = world
            .clusters
            .get(key)
            .map(|c| c.nodegroups.keys().cloned().collect());
        let groups: Vec<String> = groups.unwrap_or_default();
        for group in groups {
            crate::kubernetes::node::scale(world, key, &group);
        }
    }

    /// The Kubernetes objects of kinds that are held.
    fn objects(&self, world: &mut World, key: &str) {
        for document in &self.0 {
            let kind = document["kind"].as_str().unwrap_or_default();
            let items = document["items"]
                .as_array()
                .filter(|_| kind.ends_with("List"));
            match items {
                Some(items) => {
                    let item_kind = kind.strip_suffix("List").unwrap_or_default();
                    for item in items {
                        let kind = item["kind"].as_str().unwrap_or(item_kind);
                        object(world, key, kind, item);
                    }
                }
                None => object(world, key, kind, document),
            }
        }
    }
}

fn object(world: &mut World, key: &str, kind: &str, object: &Value) {
    let Some(resource) = Resource::of_kind(kind).filter(|_| object["metadata"].is_object()) else {
        return;
    };
    let mut whole = Map::new();
    whole.insert("apiVersion".into(), resource.api_version().into());
    whole.insert("kind".into(), resource.kind().into());
    for (field, value) in object.as_object().into_iter().flatten() {
        whole.insert(field.clone(), value.clone());
    }
    let mut whole = Value::Object(whole);
    if resource.is_namespaced() && meta(&whole, "namespace").is_empty() {
        let namespace = match (resource, meta(&whole, "name")) {
            (Resource::ConfigMaps, "aws-auth") => "kube-system",
            _ => "default",
        };
        set_meta(&mut whole, "namespace", namespace.into());
    }
    let (uid, created) = (
        whole["metadata"]["uid"].clone(),
        whole["metadata"]["creationTimestamp"].clone(),
    );
    complete(world, &mut whole);
    for (field, given) in [("uid", uid), ("creationTimestamp", created)] {
        if given.is_string() {
            set_meta(&mut whole, field, given);
        }
    }
    if let Some(cluster) = world.clusters.get_mut(key) {
        cluster.kubernetes.put(resource, whole);
    }
}

/// A role as IAM prints it; the trust policy may be an object, as the AWS CLI shows it.
fn role(world: &mut World, value: &Value) -> Result<Role, SeedError> {
    let arn = value["Arn"].as_str().unwrap_or_default();
    let mut role = Role::known_by_arn(world, arn).ok_or_else(|| SeedError::Shape {
        document: "a role".into(),
        why: format!("`{arn}` is no role's ARN"),
    })?;
    if let Some(id) = value["RoleId"].as_str() {
        id.clone_into(&mut role.role_id);
    }
    if let Some(date) = value.get("CreateDate") {
        role.create_date = typed::<Iso>("a role", date)?;
    }
    match &value["AssumeRolePolicyDocument"] {
        Value::Object(document) => {
            role.assume_role_policy_document = Value::Object(document.clone()).to_string();
        }
        Value::String(text) => role.assume_role_policy_document.clone_from(text),
        _ => {}
    }
    role.description = value["Description"].as_str().map(str::to_owned);
    if value["Tags"].is_array() {
        role.tags = typed::<Vec<Tag>>("a role", &value["Tags"])?;
    }
    Ok(role)
}

fn insert_role(world: &mut World, role: Role) {
    if let Some(account) = Arn::parse(&role.arn).map(|a| a.account.to_owned()) {
        let roles = &mut world.account(&account).roles;
        roles.insert(role.role_name.clone(), role);
    }
}

/// Whether a principal is of an account that the world holds.
fn is_own(world: &World, arn: &str) -> bool {
    Arn::parse(arn).is_some_and(|a| world.accounts.contains_key(a.account))
}

/// The unique id of a principal that is there, and when it was made.
fn principal(world: &World, arn: &str) -> Option<(String, Timestamp)> {
    let account = world.accounts.get(Arn::parse(arn)?.account)?;
    let role = account.roles.values().find(|r| r.arn == arn);
    let role = role.map(|r| (r.role_id.clone(), r.create_date.0));
    role.or_else(|| {
        let user = account.users.values().find(|u| u.arn == arn)?;
        Some((user.user_id.clone(), user.create_date.0))
    })
}

/// Makes a role or user that something names, if it is of the cluster's own account and not there. It was there before
/// everything else.
fn make(world: &mut World, arn: &str) {
    if principal(world, arn).is_some() || is_service_linked(arn) {
        return;
    }
    let Some((kind, _, name)) = trust::split_arn(arn) else {
        return;
    };
    let Some(account) = Arn::parse(arn).map(|a| a.account.to_owned()) else {
        return;
    };
    if account != world.settings.account {
        return;
    }
    if kind == "role" && !world.account(&account).roles.contains_key(&name) {
        if let Some(mut role) = Role::known_by_arn(world, arn) {
            role.create_date = Iso::default();
            insert_role(world, role);
        }
    } else if kind == "user"
        && let Some(mut user) = user::known_by_arn(world, arn)
    {
        user.create_date = Iso::default();
        world.account(&account).users.insert(name, user);
    }
}
