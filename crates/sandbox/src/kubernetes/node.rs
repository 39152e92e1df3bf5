//! Nodes: those of node groups, and the one that each Fargate pod gets.

use serde_json::{Value, json};

use super::resource::Resource;
use super::store::{self, labels, meta};
use super::{event, pod};
use crate::world::{Due, Iso, World};

/// The label of a node's group.
const GROUP: &str = "eks.amazonaws.com/nodegroup";
/// The label of a Fargate pod's node.
pub(super) const COMPUTE: &str = "eks.amazonaws.com/compute-type";

/// The names of a group's nodes.
fn of_group(world: &World, key: &str, group: &str) -> Vec<String> {
    let Some(cluster) = world.clusters.get(key) else {
        return Vec::new();
    };
    let nodes = cluster.kubernetes.list(Resource::Nodes, None);
    nodes
        .filter(|node| labels(node).get(GROUP).is_some_and(|g| g == group))
        .map(|node| meta(node, "name").to_owned())
        .collect()
}

/// Makes or takes away nodes, until there are as many as the group shall have.
pub(crate) fn scale(world: &mut World, key: &str, name: &str) {
    let Some(cluster) = world.clusters.get(key) else {
        return;
    };
    let Some(group) = cluster.nodegroups.get(name).cloned() else {
        return;
    };
    let wanted = match group.status.as_str() {
        "ACTIVE" | "UPDATING" | "DEGRADED" => group.scaling_config.desired_size as usize,
        _ => 0,
    };
    let region = cluster.region().to_owned();
    let there = of_group(world, key, name);
    for name in there.iter().skip(wanted) {
        remove(world, key, name);
    }
    for _ in there.len()..wanted {
        let instance = format!("i-{}", world.random().hex(17));
        let (node, address) = address(world, &region, "ip");
        let os = match group.ami_type.starts_with("WINDOWS") {
            true => "windows",
            false => "linux",
        };
        let mut node_labels = json!({
            "kubernetes.io/os": os,
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/hostname": node,
            "node.kubernetes.io/instance-type": group.instance_types.first(),
            "topology.kubernetes.io/region": region,
            "topology.kubernetes.io/zone": format!("{region}a"),
            GROUP: name,
        });
        for (label, value) in &group.labels {
            node_labels[label] = json!(value);
        }
        let object = object(
            world,
            &node,
            &address,
            &group.version,
            node_labels,
            &format!("aws:///{region}a/{instance}"),
        );
        store::put_new(world, key, Resource::Nodes, "", &node, object);
    }
}

/// A name and an address in the private network.
pub(super) fn address(world: &mut World, region: &str, prefix: &str) -> (String, String) {
    let digits = world.random().hex(4);
    let byte =
        |at: usize| u8::from_str_radix(digits.get(at..at + 2).unwrap_or("0"), 16).unwrap_or(0);
    let (a, b) = (byte(0), byte(2));
    (
        format!("{prefix}-10-0-{a}-{b}.{region}.compute.internal"),
        format!("10.0.{a}.{b}"),
    )
}

/// A node that is ready.
pub(super) fn object(
    world: &World,
    name: &str,
    address: &str,
    version: &str,
    labels: Value,
    provider: &str,
) -> Value {
    let mut node = json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"providerID": provider},
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": address},
                {"type": "Hostname", "address": name},
            ],
            "capacity": {"cpu": "2", "memory": "4Gi", "pods": "17"},
            "allocatable": {"cpu": "2", "memory": "4Gi", "pods": "17"},
            "nodeInfo": {
                "kubeletVersion": format!("v{version}.0-eks-sandbox"),
                "osImage": "Accord sandbox",
                "operatingSystem": "linux",
                "architecture": "amd64",
                "kernelVersion": "6.12.0",
                "containerRuntimeVersion": "containerd://2.1.0",
            },
        },
    });
    set_ready(world, &mut node, true);
    node
}

fn set_ready(world: &World, node: &mut Value, ready: bool) {
    let now = Iso(world.now()).text();
    let (status, reason, message) = match ready {
        true => ("True", "KubeletReady", "kubelet is posting ready status"),
        false => (
            "Unknown",
            "NodeStatusUnknown",
            "Kubelet stopped posting node status.",
        ),
    };
    node["status"]["conditions"] = json!([{
        "type": "Ready",
        "status": status,
        "reason": reason,
        "message": message,
        "lastHeartbeatTime": now,
        "lastTransitionTime": now,
    }]);
    if ready {
        node["spec"]["taints"] = Value::Null;
    } else {
        node["spec"]["taints"] = json!([
            {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule", "timeAdded": now},
        ]);
    }
    if let Some(spec) = node["spec"].as_object_mut() {
        spec.retain(|_, value| !value.is_null());
    }
}

/// Whether a node is ready.
pub(crate) fn is_ready(node: &Value) -> bool {
    let conditions = node["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|c| c["type"] == "Ready" && c["status"] == "True")
}

/// The nodes of a group keep posting, or fall silent because their role does not get in. After a while the silent ones
/// are `NotReady`.
pub(super) fn heed(world: &mut World, key: &str, group: &str, gets_in: bool) {
    let now = world.now();
    let grace = world.settings.delays.node_grace;
    for name in of_group(world, key, group) {
        let Some(cluster) = world.clusters.get_mut(key) else {
            return;
        };
        let Some(node) = cluster.kubernetes.get(Resource::Nodes, "", &name).cloned() else {
            continue;
        };
        let silent = cluster.silent.get(&name).copied();
        if gets_in {
            cluster.silent.remove(&name);
            if !is_ready(&node) {
                mark(world, key, node, true);
            }
            continue;
        }
        match silent {
            None => {
                cluster.silent.insert(name, now.millis);
                world.later(grace, Due::Look(key.to_owned()));
            }
            Some(since) if since + grace <= now.millis && is_ready(&node) => {
                mark(world, key, node, false);
            }
            Some(_) => {}
        }
    }
}

fn mark(world: &mut World, key: &str, mut node: Value, ready: bool) {
    set_ready(world, &mut node, ready);
    let (reason, message) = match ready {
        true => ("NodeReady", "status is now: NodeReady"),
        false => ("NodeNotReady", "status is now: NodeNotReady"),
    };
    let name = meta(&node, "name").to_owned();
    event::record(
        world,
        key,
        &node,
        &event::Event {
            kind: "Normal",
            reason,
            message: format!("Node {name} {message}"),
            component: "node-controller",
        },
    );
    if let Some(cluster) = world.clusters.get_mut(key) {
        cluster.kubernetes.put(Resource::Nodes, node);
    }
}

/// Takes a node away, with the pods on it.
pub(super) fn remove(world: &mut World, key: &str, name: &str) {
    pod::evict_node(world, key, name);
    if let Some(cluster) = world.clusters.get_mut(key) {
        cluster.silent.remove(name);
        cluster.kubernetes.remove(Resource::Nodes, "", name);
    }
}
