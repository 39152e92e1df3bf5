//! Writing: create, replace, patch, delete.

use serde_json::{Value, json};

use super::managed::{self, Writer};
use super::patch::{self, Kind};
use super::path::Target;
use super::status::Status;
use super::{Outcome, body, is_set, parameter, read};
use crate::kubernetes::resource::Resource;
use crate::kubernetes::store::{self, meta, set_meta};
use crate::kubernetes::{controllers, pod};
use crate::protocol::Request;
use crate::world::{Iso, World};

/// The name under which a request writes fields: the query's, else the client's own up to its version.
fn manager(request: &Request) -> String {
    let parameters = request.parameters();
    let given = parameter(&parameters, "fieldManager").map(str::to_owned);
    given.unwrap_or_else(|| {
        let agent = request.header("user-agent").unwrap_or("unknown");
        agent.split('/').next().unwrap_or(agent).to_owned()
    })
}

fn is_dry(request: &Request) -> bool {
    parameter(&request.parameters(), "dryRun") == Some("All")
}

/// Checks what the API server checks of every object, and what `aws-auth` depends on.
fn check(target: &Target, object: &Value) -> Outcome<()> {
    let resource = target.resource;
    let name = meta(object, "name");
    let invalid = |why: &str| Err(Status::invalid(resource, name, why));
    if !object["metadata"].is_object() {
        return Err(Status::bad_request("metadata is no object"));
    }
    if object["kind"] != resource.kind() || object["apiVersion"] != resource.api_version() {
        return Err(Status::bad_request(&format!(
            "the object provided is unrecognized (must be of type {})",
            resource.kind()
        )));
    }
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-:".contains(c);
    if name.is_empty() || name.len() > 253 || !name.chars().all(allowed) {
        return invalid(
            "metadata.name: Invalid value: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'",
        );
    }
    let metadata = &object["metadata"];
    let mut maps = vec![
        ("metadata.labels", &metadata["labels"]),
        ("metadata.annotations", &metadata["annotations"]),
    ];
    if resource == Resource::ConfigMaps {
        maps.extend([
            ("data", &object["data"]),
            ("binaryData", &object["binaryData"]),
        ]);
    }
    for (path, map) in maps {
        let texts = match map {
            Value::Null => true,
            Value::Object(map) => map.values().all(Value::is_string),
            _ => false,
        };
        if !texts {
            return Err(Status::bad_request(&format!(
                "{path}: expected a map of strings"
            )));
        }
    }
    if resource == Resource::ConfigMaps {
        let texts = ["data", "binaryData"]
            .into_iter()
            .filter_map(|f| object[f].as_object());
        let size: usize = texts
            .flat_map(|m| m.values())
            .filter_map(Value::as_str)
            .map(str::len)
            .sum();
        if size > 1 << 20 {
            return invalid("[]: Too long: may not be more than 1048576 bytes");
        }
    }
    let annotations = metadata["annotations"].as_object().into_iter().flatten();
    let size: usize = annotations
        .map(|(k, v)| k.len() + v.as_str().map_or(0, str::len))
        .sum();
    match size > 256 << 10 {
        true => invalid("metadata.annotations: Too long: may not be more than 262144 bytes"),
        false => Ok(()),
    }
}

fn check_namespace(world: &World, key: &str, target: &Target) -> Outcome<()> {
    let Some(namespace) = target.namespace.as_deref() else {
        return Ok(());
    };
    let store = world.clusters.get(key).map(|c| &c.kubernetes);
    match store.and_then(|s| s.get(Resource::Namespaces, "", namespace)) {
        Some(_) => Ok(()),
        None => Err(Status::not_found(Resource::Namespaces, namespace)),
    }
}

/// Puts an object, and lets what depends on it happen.
fn put(world: &mut World, key: &str, resource: Resource, object: Value) -> Value {
    let Some(cluster) = world.clusters.get_mut(key) else {
        return object;
    };
    let mut put = cluster.kubernetes.put(resource, object).clone();
    if matches!(
        resource,
        Resource::ConfigMaps | Resource::Pods | Resource::Nodes
    ) {
        controllers::look(world, key);
    }
    if resource == Resource::Namespaces {
        let name = meta(&put, "name").to_owned();
        let account = json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "default", "namespace": name},
        });
        store::put_new(
            world,
            key,
            Resource::ServiceAccounts,
            &name,
            "default",
            account,
        );
    }
    if resource == Resource::Pods {
        let store = world.clusters.get(key).map(|c| &c.kubernetes);
        let now = store.and_then(|s| s.get(resource, meta(&put, "namespace"), meta(&put, "name")));
        put = now.cloned().unwrap_or(put);
    }
    put
}

pub(super) fn create(world: &mut World, key: &str, target: &Target, request: &Request) -> Outcome {
    let mut object = body(request)?;
    if target.resource.is_namespaced() && target.namespace.is_none() {
        return Err(Status::bad_request(
            "an object of this kind is created in a namespace",
        ));
    }
    if !object.is_object() {
        return Err(Status::bad_request("the body is no object"));
    }
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    let generate = meta(&object, "generateName").to_owned();
    if meta(&object, "name").is_empty() && !generate.is_empty() {
        let suffix = world.random().lower(5);
        set_meta(&mut object, "name", format!("{generate}{suffix}").into());
    }
    insert(world, key, target, object, request)
}

/// Puts a new object.
fn insert(
    world: &mut World,
    key: &str,
    target: &Target,
    mut object: Value,
    request: &Request,
) -> Outcome {
    let resource = target.resource;
    if let Some(namespace) = &target.namespace {
        let given = meta(&object, "namespace");
        if !given.is_empty() && given != namespace {
            return Err(Status::bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
        set_meta(&mut object, "namespace", namespace.clone().into());
    }
    check(target, &object)?;
    check_namespace(world, key, target)?;
    let name = meta(&object, "name").to_owned();
    let namespace = target.namespace.as_deref().unwrap_or_default();
    let store = world.clusters.get(key).map(|c| &c.kubernetes);
    if store.is_some_and(|s| s.get(resource, namespace, &name).is_some()) {
        return Err(Status::already_exists(resource, &name));
    }
    store::complete(world, &mut object);
    match resource {
        Resource::Pods => pod::admit(world, key, &mut object),
        Resource::Namespaces => {
            object["status"] = json!({"phase": "Active"});
            object["spec"] = json!({"finalizers": ["kubernetes"]});
            let mut labels = json!(store::labels(&object));
            labels["kubernetes.io/metadata.name"] = name.into();
            set_meta(&mut object, "labels", labels);
        }
        _ => {}
    }
    if object["metadata"]["managedFields"].is_null() {
        let now = Iso(world.now()).text();
        let writer = Writer {
            manager: &manager(request),
            now: &now,
        };
        managed::updated(None, &mut object, writer);
    }
    match is_dry(request) {
        true => Ok(object),
        false => Ok(put(world, key, resource, object)),
    }
}

pub(super) fn replace(world: &mut World, key: &str, target: &Target, request: &Request) -> Outcome {
    let object = body(request)?;
    let before = read::get(world, key, target)?;
    write_over(world, key, target, &before, object, request)
}

/// Puts an object in place of what is there, if it was made of the newest version.
fn write_over(
    world: &mut World,
    key: &str,
    target: &Target,
    before: &Value,
    mut after: Value,
    request: &Request,
) -> Outcome {
    let resource = target.resource;
    let name = meta(before, "name").to_owned();
    if !after["metadata"].is_object() {
        return Err(Status::bad_request("metadata is no object"));
    }
    let version = meta(&after, "resourceVersion");
    if !version.is_empty() && version != meta(before, "resourceVersion") {
        return Err(Status::conflict(resource, &name));
    }
    let uid = meta(&after, "uid");
    if !uid.is_empty() && uid != meta(before, "uid") {
        return Err(Status::conflict(resource, &name));
    }
    if meta(&after, "name") != name {
        return Err(Status::bad_request(
            "the name of the object does not match the name on the URL",
        ));
    }
    for field in ["uid", "creationTimestamp", "namespace"] {
        let there = before["metadata"][field].clone();
        if !there.is_null() {
            set_meta(&mut after, field, there);
        }
    }
    check(target, &after)?;
    if resource == Resource::ConfigMaps && before["immutable"] == true {
        let changed = ["data", "binaryData", "immutable"]
            .iter()
            .any(|f| before[*f] != after[*f]);
        if changed {
            return Err(Status::invalid(
                resource,
                &name,
                "data: Forbidden: field is immutable when `immutable` is set",
            ));
        }
    }
    if target.subresource.is_none() && !before["status"].is_null() {
        after["status"] = before["status"].clone();
    }
    if request
        .header("content-type")
        .is_none_or(|kind| Kind::of(kind) != Some(Kind::Apply))
    {
        let now = Iso(world.now()).text();
        let writer = Writer {
            manager: &manager(request),
            now: &now,
        };
        managed::updated(Some(before), &mut after, writer);
    }
    match is_dry(request) {
        true => Ok(after),
        false => Ok(put(world, key, resource, after)),
    }
}

pub(super) fn patch(
    world: &mut World,
    key: &str,
    target: &Target,
    request: &Request,
) -> Outcome<(u16, Value)> {
    let kind = request
        .header("content-type")
        .and_then(Kind::of)
        .ok_or_else(|| {
            Status::new(
                415,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format",
            )
        })?;
    if kind == Kind::Apply {
        return apply(world, key, target, request);
    }
    let patch: Value = serde_json::from_slice(&request.body)
        .map_err(|error| Status::bad_request(&error.to_string()))?;
    let before = read::get(world, key, target)?;
    let after = patch::patched(kind, &before, &patch)?;
    let written = write_over(world, key, target, &before, after, request)?;
    Ok((200, written))
}

fn apply(
    world: &mut World,
    key: &str,
    target: &Target,
    request: &Request,
) -> Outcome<(u16, Value)> {
    let parameters = request.parameters();
    let Some(manager) = parameter(&parameters, "fieldManager") else {
        return Err(Status::bad_request(
            "fieldManager is required for apply patch",
        ));
    };
    let text = std::str::from_utf8(&request.body).unwrap_or_default();
    let documents = accord_wire::state::values(text)
        .map_err(|error| Status::bad_request(&error.to_string()))?;
    let mut config = documents.into_iter().next().unwrap_or_default();
    let name = target.name.clone().unwrap_or_default();
    if !config["metadata"].is_object() || !config["metadata"]["managedFields"].is_null() {
        return Err(Status::bad_request("metadata.managedFields must be nil"));
    }
    set_meta(&mut config, "name", name.into());
    if let Some(namespace) = &target.namespace {
        set_meta(&mut config, "namespace", namespace.clone().into());
    }
    check(target, &config)?;
    let before = read::get(world, key, target).ok();
    let now = Iso(world.now()).text();
    let writer = Writer { manager, now: &now };
    let force = is_set(&parameters, "force");
    let after = managed::applied(before.as_ref(), &config, writer, force)
        .map_err(|conflicts| Status::owned_by_others(&conflicts))?;
    match before {
        None => Ok((201, insert(world, key, target, after, request)?)),
        Some(before) => Ok((
            200,
            write_over(world, key, target, &before, after, request)?,
        )),
    }
}

pub(super) fn delete(world: &mut World, key: &str, target: &Target, request: &Request) -> Outcome {
    let before = read::get(world, key, target)?;
    let name = meta(&before, "name").to_owned();
    let options = match request.body.is_empty() {
        true => Value::Null,
        false => body(request)?,
    };
    let conditions = &options["preconditions"];
    for (condition, field) in [("uid", "uid"), ("resourceVersion", "resourceVersion")] {
        let wanted = conditions[condition].as_str();
        if wanted.is_some_and(|wanted| wanted != meta(&before, field)) {
            return Err(Status::conflict(target.resource, &name));
        }
    }
    let protected = ["default", "kube-system", "kube-public"];
    if target.resource == Resource::Namespaces && protected.contains(&name.as_str()) {
        let status = Status::new(
            403,
            "Forbidden",
            &format!("namespaces \"{name}\" is forbidden: this namespace may not be deleted"),
        );
        return Err(status);
    }
    if !is_dry(request) {
        remove(world, key, target.resource, &before);
    }
    Ok(json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": name, "kind": target.resource.plural(), "uid": before["metadata"]["uid"]},
    }))
}

pub(super) fn delete_all(
    world: &mut World,
    key: &str,
    target: &Target,
    parameters: &[(String, String)],
) -> Outcome {
    let selection = read::watch(world, key, target, parameters)?;
    for object in &selection.first {
        remove(world, key, target.resource, object);
    }
    Ok(json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}))
}

fn remove(world: &mut World, key: &str, resource: Resource, object: &Value) {
    let (namespace, name) = (
        meta(object, "namespace").to_owned(),
        meta(object, "name").to_owned(),
    );
    let Some(cluster) = world.clusters.get_mut(key) else {
        return;
    };
    cluster.kubernetes.remove(resource, &namespace, &name);
    match resource {
        Resource::Pods => pod::removed(world, key, object),
        Resource::Namespaces => {
            for resource in Resource::ALL.into_iter().filter(|r| r.is_namespaced()) {
                let Some(cluster) = world.clusters.get(key) else {
                    return;
                };
                let inside: Vec<Value> = cluster
                    .kubernetes
                    .list(resource, Some(&name))
                    .cloned()
                    .collect();
                for object in inside {
                    remove(world, key, resource, &object);
                }
            }
        }
        _ => {}
    }
    controllers::look(world, key);
}
