//! ConfigMaps, and `aws-auth` among them.

use accord_wire::config_map::{ConfigMap, Datum, ObjectName, Value as Text};
use serde_json::{Value, json};

use super::api::managed::{self, Writer};
use super::resource::Resource;
use super::store::{self, meta};
use crate::world::{Iso, World};

const AWS_AUTH: (&str, &str) = ("kube-system", "aws-auth");

/// A ConfigMap as `accord-wire` reads it.
pub(crate) fn read(object: &Value) -> ConfigMap {
    let texts = |field: &str| {
        let pairs = object[field].as_object().into_iter().flatten();
        let texts = pairs.filter_map(|(key, value)| {
            Some(Datum {
                key: key.clone(),
                span: None,
                value: Text::Text {
                    text: value.as_str()?.into(),
                    id: None,
                },
            })
        });
        texts.collect()
    };
    ConfigMap {
        name: ObjectName {
            namespace: meta(object, "namespace").into(),
            name: meta(object, "name").into(),
        },
        uid: Some(meta(object, "uid").to_owned()),
        created: None,
        labels: store::labels(object).into_iter().collect(),
        immutable: object["immutable"] == true,
        managers: Vec::new(),
        data: texts("data"),
        binary_data: texts("binaryData"),
        span: None,
    }
}

/// The object `aws-auth` of a cluster.
pub(crate) fn aws_auth<'w>(world: &'w World, key: &str) -> Option<&'w Value> {
    let cluster = world.clusters.get(key)?;
    cluster
        .kubernetes
        .get(Resource::ConfigMaps, AWS_AUTH.0, AWS_AUTH.1)
}

/// The text of its `mapRoles`.
pub(crate) fn aws_auth_roles(world: &World, key: &str) -> Option<String> {
    let text = &aws_auth(world, key)?["data"]["mapRoles"];
    text.as_str().map(str::to_owned)
}

/// Writes `mapRoles`, as EKS does; the ConfigMap is made if there is none.
pub(crate) fn set_aws_auth_roles(world: &mut World, key: &str, text: String) {
    let Some(object) = aws_auth(world, key) else {
        let mut object = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": AWS_AUTH.1, "namespace": AWS_AUTH.0},
            "data": {"mapRoles": text},
        });
        own(world, key, &mut object);
        store::put_new(
            world,
            key,
            Resource::ConfigMaps,
            AWS_AUTH.0,
            AWS_AUTH.1,
            object,
        );
        return;
    };
    // EKS does not get past `immutable` either.
    if object["immutable"] == true {
        return;
    }
    let mut object = object.clone();
    if !object["data"].is_object() {
        object["data"] = json!({});
    }
    object["data"]["mapRoles"] = text.into();
    own(world, key, &mut object);
    if let Some(cluster) = world.clusters.get_mut(key) {
        cluster.kubernetes.put(Resource::ConfigMaps, object);
    }
}

/// Notes that EKS wrote what has changed.
fn own(world: &World, key: &str, object: &mut Value) {
    let now = Iso(world.now()).text();
    let writer = Writer {
        manager: "eks",
        now: &now,
    };
    managed::updated(aws_auth(world, key), object, writer);
}
