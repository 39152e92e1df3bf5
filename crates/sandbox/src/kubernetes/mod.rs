//! A small Kubernetes API for each cluster, and what EKS and the nodes do in it.
//!
//! It holds what access is about: ConfigMaps, service accounts, nodes, pods, events and namespaces. kubectl can talk to
//! it. It knows nothing of the kinds' schemas: objects are values, and a few fields mean something.

pub(crate) mod access;
pub(crate) mod api;
pub(crate) mod config_map;
pub(crate) mod controllers;
mod event;
pub(crate) mod node;
pub(crate) mod pod;
pub(crate) mod resource;
pub(crate) mod service_account;
pub(crate) mod store;

use serde_json::json;

use crate::world::World;
use resource::Resource;

/// The namespaces that every cluster begins with.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// Puts into a new cluster what every cluster begins with; what is there stays.
pub(crate) fn furnish(world: &mut World, key: &str) {
    for name in NAMESPACES {
        let namespace = json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"},
        });
        store::put_new(world, key, Resource::Namespaces, "", name, namespace);
    }
    for namespace in NAMESPACES {
        let account = json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "default", "namespace": namespace},
        });
        store::put_new(
            world,
            key,
            Resource::ServiceAccounts,
            namespace,
            "default",
            account,
        );
    }
}
