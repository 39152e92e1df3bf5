//! Events: what people read when something does not start.

use serde_json::{Value, json};

use super::resource::Resource;
use super::store::{self, meta};
use crate::world::{Iso, World};

/// What happened.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// `Normal` or `Warning`.
    pub(super) kind: &'static str,
    /// `FailedScheduling`
    pub(super) reason: &'static str,
    pub(super) message: String,
    /// Who says it: `fargate-scheduler`.
    pub(super) component: &'static str,
}

/// Records an event about an object. The same once more changes nothing.
pub(super) fn record(world: &mut World, key: &str, about: &Value, event: &Event) {
    let namespace = match meta(about, "namespace") {
        "" => "default",
        namespace => namespace,
    }
    .to_owned();
    let uid = meta(about, "uid").to_owned();
    let Some(cluster) = world.clusters.get(key) else {
        return;
    };
    let events = cluster.kubernetes.list(Resource::Events, Some(&namespace));
    let of_object = events.filter(|e| e["involvedObject"]["uid"] == uid);
    let last = of_object.max_by_key(|e| meta(e, "resourceVersion").parse::<u64>().unwrap_or(0));
    if last.is_some_and(|e| e["message"] == event.message && e["reason"] == event.reason) {
        return;
    }
    let name = format!("{}.{}", meta(about, "name"), world.random().hex(16));
    let now = Iso(world.now()).text();
    let object = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": namespace},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": about["kind"],
            "namespace": about["metadata"]["namespace"],
            "name": about["metadata"]["name"],
            "uid": uid,
        },
        "type": event.kind,
        "reason": event.reason,
        "message": event.message,
        "source": {"component": event.component},
        "reportingComponent": event.component,
        "reportingInstance": "",
        "firstTimestamp": now,
        "lastTimestamp": now,
        "eventTime": null,
        "count": 1,
    });
    store::put_new(world, key, Resource::Events, &namespace, &name, object);
}
