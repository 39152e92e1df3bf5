//! Kubernetes objects, as `kubectl get … -o yaml` and `-o json` print them.

use accord_model::facts::Node;
use accord_model::observed::FieldManager;
use accord_model::span::{Range, TextId};

use super::facts::Facts;
use crate::config_map::{ConfigMap, Datum, ObjectName, Value};
use crate::sources::Sources;
use crate::view::{Fault, View, scalar_type};
use crate::yaml::{Kind, NodeId, OffsetMap, PlainType};
use crate::{fragment, journal, ledger, time};

/// Takes an object, or each item of a list, into the facts. Kinds that no rule needs are passed over.
pub(super) fn read(
    object: &View<'_>,
    file: TextId,
    sources: &mut Sources,
    facts: &mut Facts,
) -> Result<(), Fault> {
    let kind = object.need_text("kind")?;
    let Some(item_kind) = kind.strip_suffix("List").filter(|_| object.has("items")) else {
        return read_one(object, &kind, file, sources, facts);
    };
    let whole = match object.mapping("metadata")? {
        // Set where the API server cut the listing into pages.
        Some(metadata) => metadata.text("continue")?.is_none_or(|c| c.is_empty()),
        None => true,
    };
    facts.nodes.complete |= whole && item_kind == "Node";
    for item in object.list("items")? {
        // In a typed list from the API server the items do not say their kind.
        let kind = item.text("kind")?.unwrap_or_else(|| item_kind.to_owned());
        facts.nodes.complete |= whole && kind == "Node";
        read_one(&item, &kind, file, sources, facts)?;
    }
    Ok(())
}

fn read_one(
    object: &View<'_>,
    kind: &str,
    file: TextId,
    sources: &mut Sources,
    facts: &mut Facts,
) -> Result<(), Fault> {
    let is_core = object.text("apiVersion")?.is_none_or(|v| v == "v1");
    match kind {
        "ConfigMap" if is_core => {
            let name = config_map_name(object)?;
            let labels = texts(&metadata(object)?, "labels")?;
            if concerns_us(&name, &labels) {
                let range = object.range();
                facts.add_config_map(config_map(object, name, file, sources)?, range)?;
            }
        }
        "Node" if is_core => facts.nodes.items.push(node(object)?),
        "Namespace" if is_core => {
            let metadata = metadata(object)?;
            if metadata.need_text("name")? == "kube-system" {
                facts.cluster_uid = metadata.text("uid")?.or(facts.cluster_uid.take());
            }
        }
        _ => {}
    }
    Ok(())
}

fn metadata<'a>(object: &View<'a>) -> Result<View<'a>, Fault> {
    object
        .mapping("metadata")?
        .ok_or_else(|| object.fault("`metadata` is missing"))
}

/// The name of a ConfigMap. One called `aws-auth` without a namespace is taken for the one in `kube-system`, since
/// manifests leave the namespace to the command line.
pub(crate) fn config_map_name(object: &View<'_>) -> Result<ObjectName, Fault> {
    let metadata = metadata(object)?;
    let name = metadata.need_text("name")?;
    let namespace = match metadata.text("namespace")? {
        Some(namespace) => namespace,
        None if name == ObjectName::aws_auth().name => ObjectName::aws_auth().namespace,
        None => "default".to_owned(),
    };
    Ok(ObjectName { namespace, name })
}

fn concerns_us(name: &ObjectName, labels: &[(String, String)]) -> bool {
    let is_system = name.namespace == "kube-system";
    let is_ours = name.name == "aws-auth" || name.name == ledger::NAME;
    (is_system && is_ours) || journal::id(name).is_some() || fragment::is_labelled(labels)
}

/// A field that maps texts to texts, as labels do.
fn texts(object: &View<'_>, key: &str) -> Result<Vec<(String, String)>, Fault> {
    let pairs = object.pairs(key)?.into_iter();
    pairs
        .map(|(key, value)| Ok((key, value.as_text()?)))
        .collect()
}

/// A whole ConfigMap, its texts registered as inner texts of `file`.
pub(crate) fn config_map(
    object: &View<'_>,
    name: ObjectName,
    file: TextId,
    sources: &mut Sources,
) -> Result<ConfigMap, Fault> {
    let metadata = metadata(object)?;
    Ok(ConfigMap {
        name,
        uid: metadata.text("uid")?,
        created: metadata
            .text("creationTimestamp")?
            .and_then(|t| time::parse(&t)),
        labels: texts(&metadata, "labels")?,
        immutable: object.flag("immutable")?,
        managers: managers(&metadata)?,
        data: data(object, "data", file, sources)?,
        binary_data: data(object, "binaryData", file, sources)?,
        span: Some(object.range().of(file)),
    })
}

fn data(
    object: &View<'_>,
    field: &str,
    file: TextId,
    sources: &mut Sources,
) -> Result<Vec<Datum>, Fault> {
    let Some(mapping) = object.mapping(field)? else {
        return Ok(Vec::new());
    };
    let tree = mapping.tree;
    let entries = tree.entries(mapping.node).map(|(key, value)| {
        let key = tree.target(key);
        Datum {
            key: tree.scalar(key).to_owned(),
            span: Some(tree.range(key).of(file)),
            value: datum(&mapping, tree.target(value), file, sources),
        }
    });
    Ok(entries.collect())
}

fn datum(mapping: &View<'_>, node: NodeId, file: TextId, sources: &mut Sources) -> Value {
    let tree = mapping.tree;
    let what = match (tree.kind(node), scalar_type(tree, node)) {
        (Kind::Sequence(_), _) => "a list",
        (Kind::Mapping(_), _) => "a mapping",
        (_, Some(PlainType::Bool(_))) => "a boolean",
        (_, Some(PlainType::Int(_) | PlainType::Uint(_) | PlainType::Float(_))) => "a number",
        // Null is no text to YAML, and empty text to Kubernetes. A date is text in JSON.
        (_, Some(PlainType::Null)) => return register(mapping, node, file, sources, ""),
        (_, Some(PlainType::String | PlainType::Timestamp)) => {
            return register(mapping, node, file, sources, tree.scalar(node));
        }
        (_, None) => "a value with a tag that does not fit",
    };
    let (range, text) = whole_lines(tree.text(), tree.range(node));
    let map = OffsetMap::shifted(range.start, range.end - range.start);
    Value::Other {
        text: text.into(),
        id: sources.add_inner(file, map, text),
        what,
    }
}

fn register(
    mapping: &View<'_>,
    node: NodeId,
    file: TextId,
    sources: &mut Sources,
    text: &str,
) -> Value {
    let id = sources.add_inner(file, mapping.tree.offset_map(node), text);
    Value::Text {
        // The registry's own copy: these are the largest texts there are.
        text: sources.text(id).cloned().unwrap_or_default(),
        id: Some(id),
    }
}

/// A node's text from the beginning of its first line, if nothing but blanks stands before it there: so a block keeps
/// its indentation, and is the same YAML on its own.
pub(crate) fn whole_lines(text: &str, range: Range) -> (Range, &str) {
    let before = text.get(..range.start as usize).unwrap_or_default();
    let indent = before.len() - before.trim_end_matches(' ').len();
    let starts_line = before.len() == indent || before[..before.len() - indent].ends_with('\n');
    let start = if starts_line {
        range.start - indent as u32
    } else {
        range.start
    };
    let range = Range::new(start, range.end);
    (range, text.get(range.bytes()).unwrap_or_default())
}

/// Who owns which data keys.
fn managers(metadata: &View<'_>) -> Result<Vec<FieldManager>, Fault> {
    let managers = metadata.list("managedFields")?;
    let managers = managers.iter().map(|field| {
        let keys = match field.mapping("fieldsV1")? {
            Some(fields) => fields.pairs("f:data")?,
            None => Vec::new(),
        };
        let names = keys.iter().filter_map(|(key, _)| key.strip_prefix("f:"));
        Ok(FieldManager {
            name: field.text("manager")?.unwrap_or_default(),
            operation: field.text("operation")?.unwrap_or_default(),
            time: field.text("time")?.and_then(|t| time::parse(&t)),
            keys: names.map(str::to_owned).collect(),
        })
    });
    managers.collect()
}

fn node(object: &View<'_>) -> Result<Node, Fault> {
    let metadata = metadata(object)?;
    let labels = metadata.mapping("labels")?;
    let label = |key| labels.as_ref().map_or(Ok(None), |labels| labels.text(key));
    let provider = match object.mapping("spec")? {
        Some(spec) => spec.text("providerID")?,
        None => None,
    };
    Ok(Node {
        name: metadata.need_text("name")?,
        node_group: label("eks.amazonaws.com/nodegroup")?,
        windows: label("kubernetes.io/os")?.as_deref() == Some("windows"),
        fargate: label("eks.amazonaws.com/compute-type")?.as_deref() == Some("fargate"),
        instance: provider
            .as_deref()
            .and_then(|id| id.rsplit('/').next())
            .filter(|id| id.starts_with("i-"))
            .map(str::to_owned),
    })
}
