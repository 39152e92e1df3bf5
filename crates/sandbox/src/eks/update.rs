//! Updates: changes that take a while, and can be asked about.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::cluster::Cluster;
use super::{addon, mode, nodegroup, page};
use crate::world::{Answer, AwsError, Call, Due, Stamp, World};

/// An update, what it is of, and what it will have done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Tracked {
    about: Update,
    of: Subject,
    effect: Effect,
}

/// What `DescribeUpdate` shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update {
    id: String,
    status: String,
    #[serde(rename = "type")]
    kind: String,
    params: Vec<Parameter>,
    created_at: Stamp,
    errors: Vec<Value>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Parameter {
    #[serde(rename = "type")]
    kind: String,
    value: String,
}

/// What an update is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Subject {
    /// The cluster itself.
    Cluster,
    /// A node group.
    Nodegroup(String),
    /// An add-on.
    Addon(String),
}

/// What an update does when it is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Effect {
    /// The authentication mode becomes this.
    Mode(String),
    /// A field of the cluster takes this value; objects are merged field by field.
    Merge(String, Value),
    /// A node group is no longer `UPDATING`.
    NodegroupDone(String),
    /// An add-on becomes as wanted.
    AddonDone(String, Box<addon::Wanted>),
}

/// Refuses a further update of the cluster while one is under way.
pub(super) fn check_idle(cluster: &Cluster, kind: &str) -> Result<(), AwsError> {
    let busy = cluster
        .updates
        .iter()
        .find(|u| u.of == Subject::Cluster && u.about.status == "InProgress");
    match busy {
        None => Ok(()),
        Some(update) => Err(AwsError::in_use(format!(
            "Cannot {kind} because cluster {} currently has update {} in progress",
            cluster.about.name, update.about.id
        ))
        .of_cluster(&cluster.about.name)),
    }
}

/// Begins an update, and answers with it.
pub(super) fn begin(
    world: &mut World,
    key: &str,
    of: Subject,
    kind: &str,
    parameters: Vec<(&str, Value)>,
    effect: Effect,
) -> Answer {
    let id = world.random().uuid();
    let update = Update {
        id: id.clone(),
        status: "InProgress".into(),
        kind: kind.to_owned(),
        params: parameters
            .into_iter()
            .map(|(kind, value)| Parameter {
                kind: kind.to_owned(),
                value: match value {
                    Value::String(text) => text,
                    other => other.to_string(),
                },
            })
            .collect(),
        created_at: world.stamp(),
        errors: Vec::new(),
    };
    let shown = json!({"update": update});
    let delay = world.settings.delays.update;
    if let Some(cluster) = world.clusters.get_mut(key) {
        if of == Subject::Cluster {
            cluster.about.status = "UPDATING".into();
        }
        cluster.updates.push(Tracked {
            about: update,
            of,
            effect,
        });
    }
    world.later(delay, Due::UpdateDone(key.to_owned(), id));
    Ok(shown)
}

/// The update takes effect.
pub(crate) fn finish(world: &mut World, key: &str, id: &str) {
    let Some(cluster) = world.clusters.get_mut(key) else {
        return;
    };
    let Some(update) = cluster.updates.iter_mut().find(|u| u.about.id == id) else {
        return;
    };
    update.about.status = "Successful".into();
    let effect = update.effect.clone();
    if update.of == Subject::Cluster && cluster.about.status == "UPDATING" {
        cluster.about.status = "ACTIVE".into();
    }
    match effect {
        Effect::Mode(wanted) => mode::changed(world, key, &wanted),
        Effect::Merge(field, value) => merge_field(cluster, &field, value),
        Effect::NodegroupDone(name) => nodegroup::updated(world, key, &name),
        Effect::AddonDone(name, wanted) => {
            if let Err(error) = addon::change(world, key, &name, &wanted) {
                fail(world, key, id, &error);
            }
        }
    }
}

/// The update has failed, and why.
fn fail(world: &mut World, key: &str, id: &str, error: &addon::Issue) {
    let Some(cluster) = world.clusters.get_mut(key) else {
        return;
    };
    if let Some(update) = cluster.updates.iter_mut().find(|u| u.about.id == id) {
        update.about.status = "Failed".into();
        update.about.errors = vec![json!({
            "errorCode": error.code,
            "errorMessage": error.message,
            "resourceIds": error.resource_ids,
        })];
    }
}

fn merge_field(cluster: &mut Cluster, field: &str, value: Value) {
    let Ok(Value::Object(mut about)) = serde_json::to_value(&cluster.about) else {
        return;
    };
    let slot = about.entry(field).or_insert(Value::Null);
    match (slot, value) {
        (Value::Object(there), Value::Object(new)) => there.extend(new),
        (slot, new) => *slot = new,
    }
    if let Ok(about) = serde_json::from_value(Value::Object(about)) {
        cluster.about = about;
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    name: String,
    update_id: Option<String>,
    nodegroup_name: Option<String>,
    addon_name: Option<String>,
}

impl Asked {
    fn subject(&self) -> Result<Subject, AwsError> {
        match (&self.nodegroup_name, &self.addon_name) {
            (None, None) => Ok(Subject::Cluster),
            (Some(name), None) => Ok(Subject::Nodegroup(name.clone())),
            (None, Some(name)) => Ok(Subject::Addon(name.clone())),
            (Some(_), Some(_)) => Err(AwsError::invalid_parameter(
                "Only one of nodegroupName and addonName may be given",
            )),
        }
    }
}

pub(super) fn describe(world: &mut World, call: &Call) -> Answer {
    let asked: Asked = call.input()?;
    let subject = asked.subject()?;
    let id = asked.update_id.unwrap_or_default();
    let cluster = world.cluster(call, &asked.name)?;
    let update = cluster
        .updates
        .iter()
        .find(|u| u.of == subject && u.about.id == id);
    match update {
        Some(update) => Ok(json!({"update": update.about})),
        None => {
            Err(AwsError::not_found(format!("No update found for ID: {id}"))
                .of_cluster(&asked.name))
        }
    }
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let asked: Asked = call.input()?;
    let subject = asked.subject()?;
    let cluster = world.cluster(call, &asked.name)?;
    let missing = match &subject {
        Subject::Nodegroup(name) if !cluster.nodegroups.contains_key(name) => {
            Some(nodegroup::missing(&asked.name, name))
        }
        Subject::Addon(name) if !cluster.addons.contains_key(name) => {
            Some(addon::missing(&asked.name, name))
        }
        _ => None,
    };
    if let Some(error) = missing {
        return Err(error);
    }
    let updates = cluster.updates.iter().filter(|u| u.of == subject);
    let mut ids: Vec<&String> = updates.map(|u| &u.about.id).collect();
    ids.sort();
    page::names(world, call, "updateIds", ids)
}

/// Parameters with these values, those that are not there left out.
pub(super) fn parameters<'p>(
    input: &Map<String, Value>,
    fields: &[(&str, &'p str)],
) -> Vec<(&'p str, Value)> {
    let given = fields.iter();
    given
        .filter_map(|(field, name)| Some((*name, input.get(*field)?.clone())))
        .collect()
}
