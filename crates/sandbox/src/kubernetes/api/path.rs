//! What a path means.

use super::{is_set, parameter};
use crate::kubernetes::resource::Resource;
use crate::protocol::decoded;

/// A path, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// What the API has.
    Discovery(Discovery),
    /// A plain answer: health.
    Text(&'static str),
    /// A question that is asked by creating it.
    Review(Review),
    /// Objects.
    Object(Target),
}

/// What is asked about the API itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Discovery {
    Version,
    Api,
    Groups,
    Group(&'static str),
    OpenApiV2,
    OpenApiV3,
    /// The document of one group.
    OpenApi(&'static str),
}

/// Which question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Review {
    /// `kubectl auth can-i`
    Access,
    /// `kubectl auth whoami`
    Subject,
}

/// Which objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) resource: Resource,
    /// Without one: of all namespaces, or the resource has none.
    pub(super) namespace: Option<String>,
    /// Without one: all.
    pub(super) name: Option<String>,
    /// `status`
    pub(super) subresource: Option<String>,
}

impl Path {
    pub(super) fn parse(path: &str) -> Option<Self> {
        let parts: Vec<String> = path
            .split('/')
            .filter(|p| !p.is_empty())
            .map(decoded)
            .collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Some(match parts.as_slice() {
            ["version"] => Self::Discovery(Discovery::Version),
            ["api"] => Self::Discovery(Discovery::Api),
            ["apis"] => Self::Discovery(Discovery::Groups),
            ["api", "v1"] => Self::Discovery(Discovery::Group("v1")),
            ["apis", group, "v1"] => Self::Discovery(Discovery::Group(group_version(group)?)),
            ["openapi", "v2"] => Self::Discovery(Discovery::OpenApiV2),
            ["openapi", "v3"] => Self::Discovery(Discovery::OpenApiV3),
            ["openapi", "v3", "api", "v1"] => Self::Discovery(Discovery::OpenApi("v1")),
            ["openapi", "v3", "apis", group, "v1"] => {
                Self::Discovery(Discovery::OpenApi(group_version(group)?))
            }
            ["healthz" | "livez" | "readyz", ..] => Self::Text("ok"),
            [
                "apis",
                "authorization.k8s.io",
                "v1",
                "selfsubjectaccessreviews",
            ] => Self::Review(Review::Access),
            ["apis", "authentication.k8s.io", "v1", "selfsubjectreviews"] => {
                Self::Review(Review::Subject)
            }
            ["api", "v1", rest @ ..] => Self::Object(Target::parse("v1", rest)?),
            ["apis", group, "v1", rest @ ..] => {
                Self::Object(Target::parse(group_version(group)?, rest)?)
            }
            _ => return None,
        })
    }

    /// What is to be done: `get`, `list`, `create`, ….
    pub(super) fn verb(&self, method: &str, parameters: &[(String, String)]) -> &'static str {
        let Self::Object(target) = self else {
            return "get";
        };
        match (method, target.name.is_some()) {
            ("GET", _)
                if is_set(parameters, "watch") || parameter(parameters, "watch") == Some("") =>
            {
                "watch"
            }
            ("GET", true) => "get",
            ("GET", false) => "list",
            ("POST", false) => "create",
            ("PUT", true) => "update",
            ("PATCH", true) => "patch",
            ("DELETE", true) => "delete",
            ("DELETE", false) => "deletecollection",
            _ => "",
        }
    }
}

/// The groups that are served, besides the core.
pub(super) const GROUPS: [&str; 3] = [
    "authentication.k8s.io",
    "authorization.k8s.io",
    "coordination.k8s.io",
];

fn group_version(group: &str) -> Option<&'static str> {
    Some(match group {
        "authentication.k8s.io" => "authentication.k8s.io/v1",
        "authorization.k8s.io" => "authorization.k8s.io/v1",
        "coordination.k8s.io" => "coordination.k8s.io/v1",
        _ => return None,
    })
}

impl Target {
    fn parse(api_version: &str, parts: &[&str]) -> Option<Self> {
        let (namespace, rest) = match parts {
            ["namespaces", namespace, resource, rest @ ..]
                if !matches!(*resource, "status" | "finalize") =>
            {
                (Some((*namespace).to_owned()), [&[*resource], rest].concat())
            }
            _ => (None, parts.to_vec()),
        };
        let resource = Resource::find(api_version, rest.first()?)?;
        if namespace.is_some() && !resource.is_namespaced() {
            return None;
        }
        let name = rest.get(1).map(|name| (*name).to_owned());
        if name.is_some() && resource.is_namespaced() && namespace.is_none() {
            return None;
        }
        let subresource = rest.get(2).map(|s| (*s).to_owned());
        let known = matches!(subresource.as_deref(), None | Some("status"));
        (known && rest.len() <= 3).then_some(Self {
            resource,
            namespace,
            name,
            subresource,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_objects() {
        let read = |path: &str| match Path::parse(path) {
            Some(Path::Object(t)) => Some((
                t.resource,
                t.namespace.unwrap_or_default(),
                t.name.unwrap_or_default(),
            )),
            _ => None,
        };
        let target = |r, ns: &str, name: &str| Some((r, ns.to_owned(), name.to_owned()));
        assert_eq!(
            read("/api/v1/configmaps"),
            target(Resource::ConfigMaps, "", "")
        );
        assert_eq!(
            read("/api/v1/namespaces/kube-system/configmaps/aws-auth"),
            target(Resource::ConfigMaps, "kube-system", "aws-auth")
        );
        assert_eq!(
            read("/api/v1/namespaces/shop"),
            target(Resource::Namespaces, "", "shop")
        );
        assert_eq!(
            read("/api/v1/nodes/a/status"),
            target(Resource::Nodes, "", "a")
        );
        assert_eq!(
            read("/apis/coordination.k8s.io/v1/namespaces/a/leases/b"),
            target(Resource::Leases, "a", "b")
        );
        for path in [
            "/api/v1/configmaps/aws-auth",
            "/api/v1/namespaces/a/nodes",
            "/api/v1/secrets",
            "/apis/apps/v1/deployments",
            "/api/v1/namespaces/a/pods/b/log",
        ] {
            assert_eq!(read(path), None, "{path}");
        }
    }
}
