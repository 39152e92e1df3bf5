//! What the API has, as clients ask before they begin.

use serde_json::{Value, json};

use super::path::{Discovery, GROUPS};
use crate::eks::cluster::KUBERNETES;
use crate::kubernetes::resource::Resource;
use crate::world::World;

pub(super) fn answer(world: &World, key: &str, what: Discovery) -> Value {
    match what {
        Discovery::Version => version(world, key),
        Discovery::Api => json!({
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [],
        }),
        Discovery::Groups => json!({
            "kind": "APIGroupList",
            "apiVersion": "v1",
            "groups": GROUPS.map(group).to_vec(),
        }),
        Discovery::Group(api_version) => resources(api_version),
        Discovery::OpenApiV2 => json!({
            "swagger": "2.0",
            "info": {"title": "Kubernetes", "version": "v1"},
            "paths": {},
            "definitions": {},
        }),
        Discovery::OpenApiV3 => json!({"paths": {
            "api/v1": {"serverRelativeURL": documents(key, "api/v1")},
            "apis/coordination.k8s.io/v1": {
                "serverRelativeURL": documents(key, "apis/coordination.k8s.io/v1"),
            },
        }}),
        Discovery::OpenApi(api_version) => open_api(api_version),
    }
}

/// Where the document of a group is; with the path at which the cluster itself is served.
fn documents(key: &str, group: &str) -> String {
    format!("{KUBERNETES}{key}/openapi/v3/{group}")
}

/// What kubectl wants to know before it applies: that patches may ask the server to check fields. There are no schemas,
/// so the server checks none.
fn open_api(api_version: &str) -> Value {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let prefix = match group {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    };
    let held = Resource::ALL
        .into_iter()
        .filter(|r| r.api_version() == api_version);
    let paths = held.map(|resource| {
        let below = match resource.is_namespaced() {
            true => format!("namespaces/{{namespace}}/{}", resource.plural()),
            false => resource.plural().to_owned(),
        };
        let parameters = ["dryRun", "fieldManager", "fieldValidation", "force"]
            .map(|name| json!({"name": name, "in": "query", "schema": {"type": "string"}}));
        let patch = json!({
            "operationId": format!("patch{}", resource.kind()),
            "parameters": parameters.to_vec(),
            "responses": {"200": {"description": "OK"}},
            "x-kubernetes-action": "patch",
            "x-kubernetes-group-version-kind": {
                "group": group, "version": version, "kind": resource.kind(),
            },
        });
        (
            format!("{prefix}/{below}/{{name}}"),
            json!({"patch": patch}),
        )
    });
    let paths: serde_json::Map<String, Value> = paths.collect();
    json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1"},
        "paths": paths,
        "components": {"schemas": {}},
    })
}

fn version(world: &World, key: &str) -> Value {
    let version = world
        .clusters
        .get(key)
        .map_or("1.33", |c| c.about.version.as_str());
    let (major, minor) = version.split_once('.').unwrap_or(("1", "33"));
    json!({
        "major": major,
        "minor": minor,
        "gitVersion": format!("v{version}.0-eks-sandbox"),
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z",
        "goVersion": "none",
        "compiler": "rustc",
        "platform": "linux/amd64",
    })
}

fn group(name: &str) -> Value {
    let version = json!({"groupVersion": format!("{name}/v1"), "version": "v1"});
    json!({"name": name, "versions": [version], "preferredVersion": version})
}

fn resources(api_version: &str) -> Value {
    let held = Resource::ALL
        .into_iter()
        .filter(|r| r.api_version() == api_version);
    let mut resources: Vec<Value> = held
        .map(|resource| {
            json!({
                "name": resource.plural(),
                "singularName": resource.kind().to_lowercase(),
                "namespaced": resource.is_namespaced(),
                "kind": resource.kind(),
                "shortNames": resource.short().into_iter().collect::<Vec<_>>(),
                "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            })
        })
        .collect();
    let review = |name: &str, kind: &str| json!({"name": name, "singularName": "", "namespaced": false, "kind": kind, "verbs": ["create"]});
    match api_version {
        "authentication.k8s.io/v1" => {
            resources.push(review("selfsubjectreviews", "SelfSubjectReview"))
        }
        "authorization.k8s.io/v1" => {
            resources.push(review(
                "selfsubjectaccessreviews",
                "SelfSubjectAccessReview",
            ));
        }
        _ => {}
    }
    json!({
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": api_version,
        "resources": resources,
    })
}
