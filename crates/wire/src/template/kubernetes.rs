//! Kubernetes objects inside templates: what the CDK's kubectl handler applies, creates or patches.
//!
//! Source: the handler bundled with aws-cdk-lib 2.276.0. `Overwrite` decides whether the first deploy creates or applies;
//! every later one applies.

use accord_model::deploy::{Declared, MapWriter};

use super::Template;
use crate::deploy::{Kind, Manifests, Node, Text, in_manifests, map_of_data};
use crate::sources::Sources;
use crate::view::View;
use crate::yaml::{self, Dialect};

impl Template<'_> {
    pub(super) fn kubernetes_resource(&self, p: &Node, sources: &mut Sources) -> Vec<Declared> {
        let overwrites = p
            .flag("Overwrite", self.file)
            .is_some_and(|flag| flag.value);
        let how = match overwrites {
            true => MapWriter::Apply,
            false => MapWriter::Create,
        };
        self.manifests(p, "Manifest", how, sources)
    }

    /// A resource of the registry type that the quick starts use: it applies a manifest.
    pub(super) fn quickstart_resource(&self, p: &Node, sources: &mut Sources) -> Vec<Declared> {
        self.manifests(p, "Manifest", MapWriter::Create, sources)
    }

    fn manifests(
        &self,
        p: &Node,
        property: &str,
        how: MapWriter,
        sources: &mut Sources,
    ) -> Vec<Declared> {
        let cluster = p.given("ClusterName", self.file);
        let Some(manifest) = p.get(property) else {
            return Vec::new();
        };
        let Kind::Text(text) = &manifest.kind else {
            return Vec::new();
        };
        let manifests = Manifests {
            text,
            at: &manifest.at,
            cluster,
            how,
        };
        in_manifests(&manifests, self.file, sources)
    }

    /// A patch of the map: the keys that it names are replaced as a whole, since each is one string.
    pub(super) fn kubernetes_patch(&self, p: &Node, sources: &mut Sources) -> Vec<Declared> {
        let name = p
            .get("ResourceName")
            .and_then(Node::text)
            .unwrap_or_default();
        let namespace = p.get("ResourceNamespace").and_then(Node::text);
        let is_map = name.rsplit('/').next() == Some("aws-auth")
            && namespace.is_none_or(|namespace| namespace == "kube-system");
        let Some(patch) = p.get("ApplyPatchJson").filter(|_| is_map) else {
            return Vec::new();
        };
        let cluster = p.given("ClusterName", self.file);
        let how = MapWriter::Keys { force: true };
        let data = match &patch.kind {
            Kind::Text(text) => data_of_patch(text, patch),
            _ => Some(patch.clone()),
        };
        let Some(data) = data else {
            return Vec::new();
        };
        let write = map_of_data(&data, cluster, how, self.file, sources);
        vec![Declared::Map(Box::new(write))]
    }
}

/// `data` of a patch of a ConfigMap, with places in the patch's text followed to the file; `None` if it leaves `data`
/// alone. A patch is a part of the object, or a list of operations.
fn data_of_patch(text: &Text, patch: &Node) -> Option<Node> {
    let node = |kind| Node {
        kind,
        range: patch.range,
        at: format!("{}.data", patch.at),
    };
    let unknown = || node(Kind::Unknown(accord_model::unknown::mark(&patch.at)));
    let Ok(tree) = yaml::first_document(&text.text, Dialect::Json) else {
        return Some(unknown());
    };
    let root = View::root(&tree)?;
    let value = |key: &str, value: Option<View<'_>>| {
        let range = value
            .as_ref()
            .map_or(patch.range, |v| text.map.source_range(v.range()));
        let kind = match value.map(|v| (v.as_text(), v)) {
            None => Kind::Null,
            Some((Ok(decoded), view)) => Kind::Text(Text {
                text: decoded,
                // Two maps one behind the other: from the value to the patch's text, from there to the file.
                map: tree.offset_map(view.node).through(&text.map),
            }),
            Some((Err(_), _)) => Kind::Unknown(accord_model::unknown::mark(key)),
        };
        let at = format!("{}.data.{key}", patch.at);
        (key.to_owned(), Node { kind, range, at })
    };
    let fields_of = |data: &View<'_>| -> Vec<(String, Node)> {
        let entries = tree.entries(data.node).map(|(key, field)| {
            let key = tree.scalar(tree.target(key)).to_owned();
            let field = View::of(&tree, field, key.clone());
            value(&key, field)
        });
        entries.collect()
    };
    if !root.is_list() {
        let data = root.get("data")?;
        return Some(match data.is_mapping() {
            true => node(Kind::Map(fields_of(&data))),
            false => unknown(),
        });
    }
    let mut fields = Vec::new();
    for operation in root.as_list().unwrap_or_default() {
        let path = operation.text("path").ok().flatten().unwrap_or_default();
        let is_removal = operation.text("op").ok().flatten().as_deref() == Some("remove");
        if let Some(key) = path.strip_prefix("/data/") {
            fields.push(value(key, operation.get("value").filter(|_| !is_removal)));
        } else if path == "/data" || path.is_empty() {
            return Some(unknown());
        }
    }
    (!fields.is_empty()).then(|| node(Kind::Map(fields)))
}
