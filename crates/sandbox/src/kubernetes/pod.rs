//! Pods: which of them run on Fargate, and where the others run.

use serde_json::{Value, json};

use super::event::{self, Event};
use super::node;
use super::resource::Resource;
use super::store::{self, labels, meta, set_meta};
use crate::world::{Iso, World};

/// The label that says which profile a pod runs on.
const PROFILE: &str = "eks.amazonaws.com/fargate-profile";
/// The scheduler of such pods.
const FARGATE_SCHEDULER: &str = "fargate-scheduler";

/// What admission does to a new pod: EKS's webhook gives it to the first profile that selects it, in the order of the
/// names.
pub(crate) fn admit(world: &World, key: &str, pod: &mut Value) {
    pod["status"] = json!({"phase": "Pending"});
    if !pod["spec"].is_object() {
        pod["spec"] = json!({});
    }
    let namespace = meta(pod, "namespace").to_owned();
    let pod_labels = labels(pod);
    let Some(cluster) = world.clusters.get(key) else {
        return;
    };
    let mut profiles = cluster
        .fargate_profiles
        .values()
        .filter(|p| p.status == "ACTIVE");
    let wanted = pod_labels.get(PROFILE);
    let chosen = profiles.find(|profile| {
        wanted.is_none_or(|name| *name == profile.fargate_profile_name)
            && profile
                .selectors
                .iter()
                .any(|s| s.selects(&namespace, &pod_labels))
    });
    if let Some(profile) = chosen {
        let mut all = json!(pod_labels);
        all[PROFILE] = json!(profile.fargate_profile_name);
        set_meta(pod, "labels", all);
        pod["spec"]["schedulerName"] = FARGATE_SCHEDULER.into();
    } else if pod["spec"]["schedulerName"].is_null() {
        pod["spec"]["schedulerName"] = "default-scheduler".into();
    }
}

fn waiting(world: &World, key: &str, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
    let Some(cluster) = world.clusters.get(key) else {
        return Vec::new();
    };
    let pods = cluster.kubernetes.list(Resource::Pods, None);
    pods.filter(|pod| pod["spec"]["nodeName"].is_null() && wanted(pod))
        .cloned()
        .collect()
}

/// Starts the pods of a profile, or says why they do not start.
pub(super) fn schedule_on_fargate(world: &mut World, key: &str, profile: &str, gets_in: bool) {
    let of_profile = |pod: &Value| {
        pod["spec"]["schedulerName"] == FARGATE_SCHEDULER
            && labels(pod).get(PROFILE).is_some_and(|p| p == profile)
    };
    for pod in waiting(world, key, of_profile) {
        if !gets_in {
            let message = format!(
                "Misconfigured Fargate Profile: fargate profile {profile} blocked for new launches due to: Pod execution \
                 role is not found in auth config or does not have all required permissions for launching fargate pods."
            );
            let event = Event {
                kind: "Warning",
                reason: "FailedScheduling",
                message,
                component: FARGATE_SCHEDULER,
            };
            event::record(world, key, &pod, &event);
            continue;
        }
        let Some(cluster) = world.clusters.get(key) else {
            return;
        };
        let (region, version) = (cluster.region().to_owned(), cluster.about.version.clone());
        let (name, address) = node::address(world, &region, "fargate-ip");
        let node_labels = json!({
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/hostname": name,
            "topology.kubernetes.io/region": region,
            node::COMPUTE: "fargate",
        });
        let provider = format!("aws:///{region}a/{}/{name}", world.random().hex(12));
        let object = node::object(world, &name, &address, &version, node_labels, &provider);
        store::put_new(world, key, Resource::Nodes, "", &name, object);
        start(world, key, pod, &name, &address, FARGATE_SCHEDULER);
    }
}

/// Starts the other pods on a node that is ready, or says that there is none.
pub(super) fn schedule_on_nodes(world: &mut World, key: &str) {
    let default = |pod: &Value| pod["spec"]["schedulerName"] == "default-scheduler";
    for pod in waiting(world, key, default) {
        let Some(cluster) = world.clusters.get(key) else {
            return;
        };
        let nodes = cluster.kubernetes.list(Resource::Nodes, None);
        let ours: Vec<&Value> = nodes
            .filter(|n| !labels(n).contains_key(node::COMPUTE))
            .collect();
        match ours.iter().find(|n| node::is_ready(n)) {
            Some(found) => {
                let name = meta(found, "name").to_owned();
                let address = found["status"]["addresses"][0]["address"].as_str();
                let address = address.unwrap_or("10.0.0.1").to_owned();
                start(world, key, pod, &name, &address, "default-scheduler");
            }
            None => {
                let count = ours.len();
                let message = match count {
                    0 => "no nodes available to schedule pods".to_owned(),
                    _ => format!(
                        "0/{count} nodes are available: {count} node(s) had untolerated taint \
                         {{node.kubernetes.io/unreachable: }}."
                    ),
                };
                let event = Event {
                    kind: "Warning",
                    reason: "FailedScheduling",
                    message,
                    component: "default-scheduler",
                };
                event::record(world, key, &pod, &event);
            }
        }
    }
}

fn start(
    world: &mut World,
    key: &str,
    mut pod: Value,
    node: &str,
    address: &str,
    scheduler: &'static str,
) {
    let name = meta(&pod, "name").to_owned();
    let namespace = meta(&pod, "namespace").to_owned();
    let event = Event {
        kind: "Normal",
        reason: "Scheduled",
        message: format!("Successfully assigned {namespace}/{name} to {node}"),
        component: scheduler,
    };
    event::record(world, key, &pod, &event);
    let now = Iso(world.now()).text();
    let containers = pod["spec"]["containers"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let statuses = containers.iter().map(|container| {
        json!({
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": true,
            "restartCount": 0,
            "started": true,
            "state": {"running": {"startedAt": now}},
        })
    });
    pod["spec"]["nodeName"] = node.into();
    pod["status"] = json!({
        "phase": "Running",
        "podIP": address,
        "hostIP": address,
        "startTime": now,
        "conditions": [
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": now},
            {"type": "Ready", "status": "True", "lastTransitionTime": now},
        ],
        "containerStatuses": statuses.collect::<Vec<_>>(),
    });
    if let Some(cluster) = world.clusters.get_mut(key) {
        cluster.kubernetes.put(Resource::Pods, pod);
    }
}

/// A pod is gone, and the node that was made for it.
pub(crate) fn removed(world: &mut World, key: &str, pod: &Value) {
    let node = pod["spec"]["nodeName"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    if pod["spec"]["schedulerName"] == FARGATE_SCHEDULER
        && let Some(cluster) = world.clusters.get_mut(key)
    {
        cluster.kubernetes.remove(Resource::Nodes, "", &node);
    }
}

fn evict(world: &mut World, key: &str, wanted: impl Fn(&Value) -> bool) {
    let Some(cluster) = world.clusters.get(key) else {
        return;
    };
    let pods = cluster.kubernetes.list(Resource::Pods, None);
    let gone: Vec<Value> = pods.filter(|pod| wanted(pod)).cloned().collect();
    for pod in gone {
        if let Some(cluster) = world.clusters.get_mut(key) {
            cluster
                .kubernetes
                .remove(Resource::Pods, meta(&pod, "namespace"), meta(&pod, "name"));
        }
        removed(world, key, &pod);
    }
}

/// The pods of a profile go with it.
pub(crate) fn evict_profile(world: &mut World, key: &str, profile: &str) {
    evict(world, key, |pod| {
        labels(pod).get(PROFILE).is_some_and(|p| p == profile)
    });
}

/// The pods of a node go with it.
pub(super) fn evict_node(world: &mut World, key: &str, node: &str) {
    evict(world, key, |pod| pod["spec"]["nodeName"] == node);
}
