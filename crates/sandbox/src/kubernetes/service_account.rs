//! Service accounts that EKS puts into a cluster for add-ons, by server-side apply.

use serde_json::{Value, json};

use super::resource::Resource;
use super::store;
use crate::world::World;

/// A service account as an add-on applies it.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) addon: String,
    /// The role of its annotation.
    pub(crate) role: Option<String>,
}

/// The annotation that names a role for a service account.
const ROLE: &str = "eks.amazonaws.com/role-arn";
/// Whose software it is.
const NAME: &str = "app.kubernetes.io/name";
/// Which EKS gives to what it manages.
const MANAGED: &str = "app.kubernetes.io/managed-by";

impl Applied {
    /// The fields that it sets: a path and the value.
    fn fields(&self) -> Vec<([&'static str; 2], Value)> {
        let mut fields = vec![
            (["labels", NAME], json!(self.addon)),
            (["labels", MANAGED], json!("EKS")),
        ];
        if let Some(role) = &self.role {
            fields.push((["annotations", ROLE], json!(role)));
        }
        fields
    }
}

fn find<'w>(world: &'w World, key: &str, namespace: &str, name: &str) -> Option<&'w Value> {
    let cluster = world.clusters.get(key)?;
    cluster
        .kubernetes
        .get(Resource::ServiceAccounts, namespace, name)
}

/// The fields that somebody else has set to another value, as EKS names them. What EKS itself wrote is its own.
pub(crate) fn conflicts(world: &World, key: &str, applied: &Applied) -> Vec<String> {
    let Some(object) = find(world, key, &applied.namespace, &applied.name) else {
        return Vec::new();
    };
    if object["metadata"]["labels"][MANAGED] == "EKS" {
        return Vec::new();
    }
    let fields = applied.fields();
    let differing = fields.iter().filter(|([group, field], wanted)| {
        let there = &object["metadata"][group][field];
        !there.is_null() && there != wanted
    });
    differing
        .map(|([group, field], _)| {
            format!(
                "ServiceAccount {} - .metadata.{group}.{field}",
                applied.name
            )
        })
        .collect()
}

/// Applies it. With `keep`, fields that are there keep their values.
pub(crate) fn apply(world: &mut World, key: &str, applied: &Applied, keep: bool) {
    let object = json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": applied.name, "namespace": applied.namespace},
    });
    let namespace = json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": applied.namespace, "labels": {"kubernetes.io/metadata.name": applied.namespace}},
        "status": {"phase": "Active"},
    });
    store::put_new(
        world,
        key,
        Resource::Namespaces,
        "",
        &applied.namespace,
        namespace,
    );
    store::put_new(
        world,
        key,
        Resource::ServiceAccounts,
        &applied.namespace,
        &applied.name,
        object,
    );
    let Some(mut object) = find(world, key, &applied.namespace, &applied.name).cloned() else {
        return;
    };
    for ([group, field], wanted) in applied.fields() {
        let there = !object["metadata"][group][field].is_null();
        if !(keep && there) {
            object["metadata"][group][field] = wanted;
        }
    }
    if let Some(cluster) = world.clusters.get_mut(key) {
        cluster.kubernetes.put(Resource::ServiceAccounts, object);
    }
}

/// Takes a service account of an add-on away, if it is still the add-on's.
pub(crate) fn remove(world: &mut World, key: &str, namespace: &str, name: &str, addon: &str) {
    let is_its = find(world, key, namespace, name)
        .is_some_and(|object| object["metadata"]["labels"][NAME] == addon);
    if let Some(cluster) = world.clusters.get_mut(key).filter(|_| is_its) {
        cluster
            .kubernetes
            .remove(Resource::ServiceAccounts, namespace, name);
    }
}
