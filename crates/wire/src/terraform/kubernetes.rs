//! Kubernetes' objects in a plan.

use accord_model::deploy::{Declared, MapWriter, ServiceAccount};
use accord_model::unknown;

use super::resource::{Plan, first};
use crate::config_map::ObjectName;
use crate::deploy::{Kind, Manifests, Node, in_manifests, map_of_data};
use crate::sources::Sources;

impl Plan<'_> {
    pub(super) fn kubernetes(&self, kind: &str, n: &Node, sources: &mut Sources) -> Vec<Declared> {
        let file = self.file;
        match kind {
            "kubectl_manifest" => {
                let Some(Kind::Text(text)) = n.get("yaml_body").map(|b| &b.kind) else {
                    return Vec::new();
                };
                let manifests = Manifests {
                    text,
                    at: "yaml_body",
                    cluster: None,
                    how: MapWriter::Apply,
                };
                in_manifests(&manifests, file, sources)
            }
            "kubernetes_manifest" => {
                let manifest = n.get("manifest").or_else(|| n.get("object"));
                let Some(manifest) = manifest.filter(|m| is_kind(m, "ConfigMap")) else {
                    return Vec::new();
                };
                self.map(
                    manifest,
                    manifest.get("metadata"),
                    MapWriter::Apply,
                    sources,
                )
            }
            "kubernetes_config_map" | "kubernetes_config_map_v1" => {
                self.map(n, first(n.get("metadata")), MapWriter::Create, sources)
            }
            "kubernetes_config_map_v1_data" => {
                let force = n.flag("force", file).is_some_and(|f| f.value);
                self.map(
                    n,
                    first(n.get("metadata")),
                    MapWriter::Keys { force },
                    sources,
                )
            }
            "kubernetes_service_account" | "kubernetes_service_account_v1" => {
                let metadata = first(n.get("metadata"));
                let name = metadata.and_then(|m| m.get("name")?.text());
                let (Some(metadata), Some(name)) = (metadata, name) else {
                    return Vec::new();
                };
                vec![Declared::ServiceAccount(ServiceAccount {
                    cluster: None,
                    namespace: metadata
                        .get("namespace")
                        .and_then(Node::text)
                        .unwrap_or_else(|| "default".into()),
                    name,
                    role: metadata
                        .get("annotations")
                        .and_then(|a| a.given("eks.amazonaws.com/role-arn", file)),
                })]
            }
            _ => Vec::new(),
        }
    }

    /// `aws-auth`, if it is that ConfigMap.
    fn map(
        &self,
        object: &Node,
        metadata: Option<&Node>,
        how: MapWriter,
        sources: &mut Sources,
    ) -> Vec<Declared> {
        let text = |key: &str| metadata.and_then(|m| m.get(key)?.text());
        let wanted = ObjectName::aws_auth();
        let is_it = text("name").as_deref() == Some(&wanted.name)
            && text("namespace").is_none_or(|n| n == wanted.namespace || !unknown::is_known(&n));
        if !is_it {
            return Vec::new();
        }
        let empty = Node {
            kind: Kind::Map(Vec::new()),
            range: object.range,
            at: "data".to_owned(),
        };
        let data = object.get("data").unwrap_or(&empty);
        let write = map_of_data(data, None, how, self.file, sources);
        vec![Declared::Map(Box::new(write))]
    }
}

fn is_kind(object: &Node, kind: &str) -> bool {
    object.get("kind").and_then(Node::text).as_deref() == Some(kind)
}
