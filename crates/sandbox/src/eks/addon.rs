//! Add-ons: software that EKS installs and keeps in a cluster, with the roles that it needs.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::pod_identity::{self, Association};
use super::update::{self, Effect, Subject};
use super::{Tags, addon_catalog, arn, input, page, tag};
use crate::kubernetes::service_account::{self, Applied};
use crate::world::{Answer, AwsError, Call, Due, Stamp, World};

/// An add-on of a cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Addon {
    pub(crate) about: About,
    /// How conflicts at its creation are resolved.
    pub(crate) resolve: Resolve,
    /// It is deleted without its software.
    pub(crate) preserve: bool,
}

/// What `DescribeAddon` shows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct About {
    pub(crate) addon_name: String,
    pub(crate) cluster_name: String,
    pub(crate) status: String,
    pub(crate) addon_version: String,
    pub(crate) health: Value,
    pub(crate) addon_arn: String,
    pub(crate) created_at: Stamp,
    pub(crate) modified_at: Stamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) service_account_role_arn: Option<String>,
    pub(crate) tags: Tags,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) publisher: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) configuration_values: Option<String>,
    /// ARNs of its associations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) pod_identity_associations: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace_config: Option<Value>,
}

impl Addon {
    /// An add-on that has been there for long.
    pub(crate) const fn standing(about: About) -> Self {
        Self {
            about,
            resolve: Resolve::None,
            preserve: false,
        }
    }
}

/// What happens where somebody else has set a field that the add-on sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Resolve {
    /// It fails.
    #[default]
    None,
    /// The field is set.
    Overwrite,
    /// The field stays.
    Preserve,
}

/// Why an add-on is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issue {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) resource_ids: Vec<String>,
}

/// A role for a service account.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pair {
    service_account: String,
    role_arn: String,
}

/// What an update wants.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Wanted {
    addon_version: Option<String>,
    service_account_role_arn: Option<String>,
    configuration_values: Option<String>,
    pod_identity_associations: Option<Vec<Pair>>,
    #[serde(default, rename = "resolveConflicts")]
    resolve: Resolve,
}

pub(super) fn missing(cluster: &str, name: &str) -> AwsError {
    AwsError::not_found(format!("No addon: {name} found in cluster: {cluster}"))
        .of_cluster(cluster)
        .with("addonName", name)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    cluster_name: String,
    addon_name: String,
    #[serde(default)]
    tags: Tags,
    namespace_config: Option<Value>,
    #[serde(flatten)]
    wanted: Wanted,
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let input: Create = call.input()?;
    let (cluster_name, name) = (input.cluster_name, input.addon_name);
    let cluster = world.cluster(call, &cluster_name)?;
    input::check_active(cluster, "CreateAddon")?;
    tag::check(&input.tags)?;
    let entry = addon_catalog::find(&name)?;
    if cluster.addons.contains_key(&name) {
        return Err(AwsError::in_use("Addon already exists.")
            .of_cluster(&cluster_name)
            .with("addonName", &name));
    }
    let wanted = input.wanted;
    if wanted.resolve == Resolve::Preserve && world.settings.switches.preserve_on_create_refused {
        return Err(AwsError::invalid_parameter(
            "The PRESERVE value is not supported for resolveConflicts on CreateAddon",
        ));
    }
    let version = entry.version(wanted.addon_version.as_deref())?;
    check(world, call, &cluster_name, &name, &version, &wanted)?;
    let key = call.cluster_key(&cluster_name);
    let addon_arn = arn::with_uuid(world, &key, "addon", &name);
    let pairs = wanted.pod_identity_associations.unwrap_or_default();
    let associations = associate(world, &key, entry, &addon_arn, pairs);
    let about = About {
        addon_name: name.clone(),
        cluster_name,
        status: "CREATING".into(),
        addon_version: version,
        health: json!({"issues": []}),
        addon_arn,
        created_at: world.stamp(),
        modified_at: world.stamp(),
        service_account_role_arn: wanted.service_account_role_arn,
        tags: input.tags,
        publisher: None,
        owner: None,
        configuration_values: wanted.configuration_values,
        pod_identity_associations: associations,
        namespace_config: input.namespace_config,
    };
    let shown = json!({"addon": about});
    let addon = Addon {
        about,
        resolve: wanted.resolve,
        preserve: false,
    };
    if let Some(cluster) = world.clusters.get_mut(&key) {
        cluster.addons.insert(name.clone(), addon);
    }
    let delay = world.settings.delays.addon;
    world.later(delay, Due::AddonSettled(key, name));
    Ok(shown)
}

/// Refuses roles, associations and settings that cannot be.
fn check(
    world: &World,
    call: &Call,
    cluster: &str,
    name: &str,
    version: &str,
    wanted: &Wanted,
) -> Result<(), AwsError> {
    let entry = addon_catalog::find(name)?;
    if let Some(role) = &wanted.service_account_role_arn {
        input::own_role(world, call, role)?;
    }
    if let Some(settings) = &wanted.configuration_values {
        entry.check_settings(settings)?;
    }
    let owned = world.cluster(call, cluster)?.addons.get(name);
    let owned = owned.map(|addon| addon.about.addon_arn.clone());
    for pair in wanted.pod_identity_associations.iter().flatten() {
        entry.check_association(version, &pair.service_account)?;
        pod_identity::check_role(world, call, &pair.role_arn)?;
        let associations = world.cluster(call, cluster)?.associations.values();
        let others = associations.filter(|a| a.owner_arn.is_none() || a.owner_arn != owned);
        let mut same = others.filter(|a| {
            a.namespace == entry.namespace && a.service_account == pair.service_account
        });
        if let Some(other) = same.next() {
            return Err(AwsError::in_use(format!(
                "Association already exists: {}",
                other.association_id
            ))
            .of_cluster(cluster)
            .with("addonName", name));
        }
    }
    Ok(())
}

/// Makes the associations that an add-on owns, and tells their ARNs.
fn associate(
    world: &mut World,
    key: &str,
    entry: &addon_catalog::Entry,
    owner: &str,
    pairs: Vec<Pair>,
) -> Vec<String> {
    let mut arns = Vec::new();
    for pair in pairs {
        let Some(cluster) = world.clusters.get(key) else {
            break;
        };
        let association = Association {
            cluster_name: cluster.about.name.clone(),
            namespace: entry.namespace.clone(),
            service_account: pair.service_account,
            role_arn: pair.role_arn,
            owner_arn: Some(owner.to_owned()),
            ..Association::default()
        };
        arns.push(pod_identity::insert(world, key, association).association_arn);
    }
    arns
}

/// The software of a new add-on is there, or could not be installed.
pub(crate) fn settle(world: &mut World, key: &str, name: &str) {
    let addon = world
        .clusters
        .get(key)
        .and_then(|c| c.addons.get(name))
        .cloned();
    let Some(addon) = addon.filter(|addon| addon.about.status == "CREATING") else {
        return;
    };
    let issue = install(world, key, &addon.about, addon.resolve)
        .err()
        .map(|issue| ("CREATE_FAILED", issue))
        .or_else(|| lacks_compute(world, key, name).map(|issue| ("DEGRADED", issue)));
    let Some(addon) = world
        .clusters
        .get_mut(key)
        .and_then(|c| c.addons.get_mut(name))
    else {
        return;
    };
    match issue {
        None => addon.about.status = "ACTIVE".into(),
        Some((status, issue)) => {
            addon.about.status = status.into();
            addon.about.health = json!({"issues": [{
                "code": issue.code,
                "message": issue.message,
                "resourceIds": issue.resource_ids,
            }]});
        }
    }
}

/// Installs the service accounts: the part of an add-on that access is about.
fn install(world: &mut World, key: &str, about: &About, resolve: Resolve) -> Result<(), Issue> {
    let Ok(entry) = addon_catalog::find(&about.addon_name) else {
        return Ok(());
    };
    let mut conflicts = Vec::new();
    let accounts = entry.service_accounts.iter().enumerate();
    let wanted: Vec<Applied> = accounts
        .map(|(at, account)| Applied {
            namespace: entry.namespace.clone(),
            name: account.name.clone(),
            addon: entry.name.clone(),
            // The role given for an add-on is that of its first service account that needs one.
            role: about.service_account_role_arn.clone().filter(|_| at == 0),
        })
        .collect();
    if resolve != Resolve::Overwrite {
        for account in &wanted {
            conflicts.extend(service_account::conflicts(world, key, account));
        }
    }
    if resolve == Resolve::None && !conflicts.is_empty() {
        return Err(Issue {
            code: "ConfigurationConflict",
            message: format!(
                "Conflicts found when trying to apply. Will not continue due to resolve conflicts mode. Conflicts:\n{}",
                conflicts.join("\n")
            ),
            resource_ids: Vec::new(),
        });
    }
    for account in &wanted {
        service_account::apply(world, key, account, resolve == Resolve::Preserve);
    }
    Ok(())
}

/// CoreDNS runs on nodes or on Fargate, and has nowhere to run without either.
fn lacks_compute(world: &World, key: &str, name: &str) -> Option<Issue> {
    let cluster = world.clusters.get(key)?;
    let nowhere = cluster.nodegroups.is_empty() && cluster.fargate_profiles.is_empty();
    (nowhere && name == "coredns").then(|| Issue {
        code: "InsufficientNumberOfReplicas",
        message: "The add-on is unhealthy because it doesn't have the desired number of replicas."
            .into(),
        resource_ids: Vec::new(),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    cluster_name: String,
    addon_name: String,
}

fn find<'w>(world: &'w mut World, call: &Call, named: &Named) -> Result<&'w mut Addon, AwsError> {
    let cluster = world.cluster_mut(call, &named.cluster_name)?;
    let addon = cluster.addons.get_mut(&named.addon_name);
    addon.ok_or_else(|| missing(&named.cluster_name, &named.addon_name))
}

pub(super) fn describe(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    Ok(json!({"addon": find(world, call, &named)?.about}))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    cluster_name: String,
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let List { cluster_name } = call.input()?;
    let cluster = world.cluster(call, &cluster_name)?;
    page::names(world, call, "addons", cluster.addons.keys())
}

pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let wanted: Wanted = call.input()?;
    let now = world.stamp();
    let addon = find(world, call, &named)?;
    if !matches!(
        addon.about.status.as_str(),
        "ACTIVE" | "DEGRADED" | "CREATE_FAILED" | "UPDATE_FAILED"
    ) {
        return Err(AwsError::in_use(format!(
            "Addon {} cannot be updated as it is currently in {} state",
            named.addon_name, addon.about.status
        ))
        .of_cluster(&named.cluster_name)
        .with("addonName", &named.addon_name));
    }
    let entry = addon_catalog::find(&named.addon_name)?;
    let version = entry.version(Some(
        wanted
            .addon_version
            .as_deref()
            .unwrap_or(&addon.about.addon_version),
    ))?;
    check(
        world,
        call,
        &named.cluster_name,
        &named.addon_name,
        &version,
        &wanted,
    )?;
    let addon = find(world, call, &named)?;
    addon.about.status = "UPDATING".into();
    addon.about.modified_at = now;
    let names = [
        ("addonVersion", "AddonVersion"),
        ("serviceAccountRoleArn", "ServiceAccountRoleArn"),
        ("resolveConflicts", "ResolveConflicts"),
        ("configurationValues", "ConfigurationValues"),
        ("podIdentityAssociations", "PodIdentityAssociations"),
    ];
    let parameters = update::parameters(&call.input, &names);
    let key = call.cluster_key(&named.cluster_name);
    let subject = Subject::Addon(named.addon_name.clone());
    let effect = Effect::AddonDone(named.addon_name, Box::new(wanted));
    update::begin(world, &key, subject, "AddonUpdate", parameters, effect)
}

/// An update of the add-on takes effect.
pub(super) fn change(
    world: &mut World,
    key: &str,
    name: &str,
    wanted: &Wanted,
) -> Result<(), Issue> {
    let addon = world
        .clusters
        .get(key)
        .and_then(|c| c.addons.get(name))
        .cloned();
    let (Some(addon), Ok(entry)) = (addon, addon_catalog::find(name)) else {
        return Ok(());
    };
    let mut about = addon.about;
    if let Some(version) = &wanted.addon_version {
        about.addon_version.clone_from(version);
    }
    // What is left out stays: an add-on's role can be exchanged and not taken away.
    if wanted.service_account_role_arn.is_some() {
        about
            .service_account_role_arn
            .clone_from(&wanted.service_account_role_arn);
    }
    if wanted.configuration_values.is_some() {
        about
            .configuration_values
            .clone_from(&wanted.configuration_values);
    }
    let installed = install(world, key, &about, wanted.resolve);
    let failed = installed.is_err();
    if let (Some(pairs), false) = (&wanted.pod_identity_associations, failed) {
        forget_associations(world, key, &about.addon_arn);
        about.pod_identity_associations =
            associate(world, key, entry, &about.addon_arn, pairs.clone());
    }
    if let Some(addon) = world
        .clusters
        .get_mut(key)
        .and_then(|c| c.addons.get_mut(name))
    {
        if failed {
            addon.about.status = "UPDATE_FAILED".into();
        } else {
            about.status = "ACTIVE".into();
            about.health = json!({"issues": []});
            addon.about = about;
        }
    }
    installed
}

fn forget_associations(world: &mut World, key: &str, owner: &str) {
    if let Some(cluster) = world.clusters.get_mut(key) {
        let others = |_: &String, a: &mut Association| a.owner_arn.as_deref() != Some(owner);
        cluster.associations.retain(others);
    }
}

#[derive(Deserialize)]
struct Delete {
    #[serde(default)]
    preserve: bool,
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let named: Named = call.input()?;
    let Delete { preserve } = call.input()?;
    let addon = find(world, call, &named)?;
    addon.about.status = "DELETING".into();
    addon.preserve = preserve;
    let shown = json!({"addon": addon.about});
    let key = call.cluster_key(&named.cluster_name);
    let delay = world.settings.delays.deletion;
    world.later(delay, Due::AddonGone(key, named.addon_name));
    Ok(shown)
}

/// The add-on is gone; unless its software is preserved, with its service accounts and associations.
pub(crate) fn go(world: &mut World, key: &str, name: &str) {
    let Some(cluster) = world.clusters.get_mut(key) else {
        return;
    };
    let gone = cluster
        .addons
        .get(name)
        .filter(|a| a.about.status == "DELETING")
        .cloned();
    let Some(addon) = gone else {
        return;
    };
    cluster.addons.remove(name);
    if addon.preserve {
        return;
    }
    forget_associations(world, key, &addon.about.addon_arn);
    if let Ok(entry) = addon_catalog::find(name) {
        for account in &entry.service_accounts {
            service_account::remove(world, key, &entry.namespace, &account.name, name);
        }
    }
}
