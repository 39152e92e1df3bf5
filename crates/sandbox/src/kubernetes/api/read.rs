//! Reading: one object, a list of them, or their changes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::form::Form;
use super::path::Target;
use super::status::Status;
use super::{Outcome, is_set, parameter};
use crate::kubernetes::resource::Resource;
use crate::kubernetes::store::{Change, labels, meta};
use crate::world::World;

pub(super) fn get(world: &World, key: &str, target: &Target) -> Outcome {
    let name = target.name.as_deref().unwrap_or_default();
    let namespace = target.namespace.as_deref().unwrap_or_default();
    let store = world.clusters.get(key).map(|c| &c.kubernetes);
    let object = store.and_then(|s| s.get(target.resource, namespace, name));
    object
        .cloned()
        .ok_or_else(|| Status::not_found(target.resource, name))
}

/// What of a resource is meant.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    resource: Resource,
    namespace: Option<String>,
    labels: Vec<Requirement>,
    fields: Vec<Requirement>,
    /// From which version a watch begins.
    pub(crate) since: u64,
    /// The objects that a watch begins with.
    pub(crate) first: Vec<Value>,
    /// The client wants to be told versions when nothing happens.
    pub(crate) bookmarks: bool,
    /// Seconds after which the watch ends.
    pub(crate) timeout: Option<u64>,
    /// In which form objects are sent.
    pub(super) form: Form,
}

/// A requirement on a label or a field.
#[derive(Clone, Debug)]
enum Requirement {
    Is(String, String),
    IsNot(String, String),
    Exists(String),
    Lacks(String),
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
}

impl Requirement {
    fn parse_all(text: &str) -> Option<Vec<Self>> {
        let mut all = Vec::new();
        let mut depth = 0;
        let mut from = 0;
        let bytes = format!("{text},");
        for (at, c) in bytes.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ',' if depth == 0 => {
                    let part = bytes.get(from..at).unwrap_or_default().trim();
                    from = at + 1;
                    if !part.is_empty() {
                        all.push(Self::parse(part)?);
                    }
                }
                _ => {}
            }
        }
        Some(all)
    }

    fn parse(text: &str) -> Option<Self> {
        let own = |text: &str| text.trim().to_owned();
        for (operator, not) in [(" notin ", true), (" in ", false)] {
            if let Some((key, list)) = text.split_once(operator) {
                let list = list.trim().strip_prefix('(')?.strip_suffix(')')?;
                let values = list.split(',').map(own).collect();
                return Some(match not {
                    true => Self::NotIn(own(key), values),
                    false => Self::In(own(key), values),
                });
            }
        }
        if let Some((key, value)) = text.split_once("!=") {
            return Some(Self::IsNot(own(key), own(value)));
        }
        if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
            return Some(Self::Is(own(key), own(value)));
        }
        Some(match text.strip_prefix('!') {
            Some(key) => Self::Lacks(own(key)),
            None => Self::Exists(own(text)),
        })
    }

    fn holds<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> bool {
        match self {
            Self::Is(key, wanted) => value(key) == Some(wanted),
            Self::IsNot(key, wanted) => value(key) != Some(wanted),
            Self::Exists(key) => value(key).is_some(),
            Self::Lacks(key) => value(key).is_none(),
            Self::In(key, wanted) => value(key).is_some_and(|v| wanted.iter().any(|w| w == v)),
            Self::NotIn(key, wanted) => !value(key).is_some_and(|v| wanted.iter().any(|w| w == v)),
        }
    }
}

impl Selection {
    fn of(target: &Target, parameters: &[(String, String)]) -> Outcome<Self> {
        let read = |name: &str| {
            let text = parameter(parameters, name).unwrap_or_default();
            Requirement::parse_all(text)
                .ok_or_else(|| Status::bad_request(&format!("unable to parse {name} `{text}`")))
        };
        let mut fields = read("fieldSelector")?;
        if let Some(name) = &target.name {
            fields.push(Requirement::Is("metadata.name".into(), name.clone()));
        }
        Ok(Self {
            resource: target.resource,
            namespace: target.namespace.clone(),
            labels: read("labelSelector")?,
            fields,
            since: 0,
            first: Vec::new(),
            bookmarks: is_set(parameters, "allowWatchBookmarks"),
            timeout: parameter(parameters, "timeoutSeconds").and_then(|t| t.parse().ok()),
            form: Form::Whole,
        })
    }

    fn selects(&self, object: &Value) -> bool {
        let labels: BTreeMap<String, String> = labels(object);
        let label = |key: &str| labels.get(key).map(String::as_str);
        let field = |key: &str| {
            let value = key.split('.').fold(object, |value, part| &value[part]);
            Some(value.as_str().unwrap_or_default())
        };
        self.namespace
            .as_ref()
            .is_none_or(|n| meta(object, "namespace") == n)
            && self.labels.iter().all(|r| r.holds(label))
            && self.fields.iter().all(|r| r.holds(field))
    }

    /// The events after a version, and the version that they lead to; `None` if some are forgotten.
    pub(crate) fn events(&self, world: &World, key: &str, since: u64) -> Option<(Vec<Value>, u64)> {
        let store = &world.clusters.get(key)?.kubernetes;
        let changes = store.since(since)?;
        let wanted = changes.filter(|c| c.resource == self.resource && self.selects(&c.object));
        let events = wanted.map(|c: &Change| self.event(world, &c.kind, c.object.clone()));
        Some((events.collect(), store.version()))
    }

    /// An event in the form that the client wants.
    fn event(&self, world: &World, kind: &str, object: Value) -> Value {
        event(kind, self.form.shape(self.resource, object, world.now()))
    }

    /// The events that a watch begins with.
    pub(crate) fn beginning(&self, world: &World) -> Vec<Value> {
        let objects = self.first.iter().cloned();
        objects
            .map(|object| self.event(world, "ADDED", object))
            .collect()
    }

    /// A bookmark at a version.
    pub(crate) fn bookmark(&self, version: u64) -> Value {
        event(
            "BOOKMARK",
            json!({
                "apiVersion": self.resource.api_version(),
                "kind": self.resource.kind(),
                "metadata": {"resourceVersion": version.to_string()},
            }),
        )
    }

    fn objects(&self, world: &World, key: &str) -> Vec<Value> {
        let Some(cluster) = world.clusters.get(key) else {
            return Vec::new();
        };
        let all = cluster
            .kubernetes
            .list(self.resource, self.namespace.as_deref());
        all.filter(|object| self.selects(object)).cloned().collect()
    }
}

/// An event of a watch.
fn event(kind: &str, object: Value) -> Value {
    json!({"type": kind, "object": object})
}

/// Objects in pages of `limit`. A page's token names the last object and the version; what changes meanwhile is seen.
pub(super) fn list(
    world: &World,
    key: &str,
    target: &Target,
    parameters: &[(String, String)],
) -> Outcome {
    let selection = Selection::of(target, parameters)?;
    let place = |object: &Value| format!("{}/{}", meta(object, "namespace"), meta(object, "name"));
    let mut items = selection.objects(world, key);
    if let Some(after) = parameter(parameters, "continue").filter(|c| !c.is_empty()) {
        items.retain(|object| *place(object) > *after);
    }
    let limit = parameter(parameters, "limit").and_then(|l| l.parse::<usize>().ok());
    let limit = limit.filter(|l| *l > 0).unwrap_or(usize::MAX);
    let rest = items.len().saturating_sub(limit);
    items.truncate(limit);
    let version = world
        .clusters
        .get(key)
        .map_or(0, |c| c.kubernetes.version());
    let mut metadata = json!({"resourceVersion": version.to_string()});
    if let Some(last) = items.last().filter(|_| rest > 0) {
        metadata["continue"] = place(last).into();
        metadata["remainingItemCount"] = rest.into();
    }
    for item in &mut items {
        // In a typed list the items do not repeat their kind.
        if let Some(fields) = item.as_object_mut() {
            fields.shift_remove("apiVersion");
            fields.shift_remove("kind");
        }
    }
    Ok(json!({
        "kind": format!("{}List", target.resource.kind()),
        "apiVersion": target.resource.api_version(),
        "metadata": metadata,
        "items": items,
    }))
}

/// From where a watch begins: at a version, or with everything that is there.
pub(super) fn watch(
    world: &World,
    key: &str,
    target: &Target,
    parameters: &[(String, String)],
) -> Outcome<Selection> {
    let mut selection = Selection::of(target, parameters)?;
    let version = world
        .clusters
        .get(key)
        .map_or(0, |c| c.kubernetes.version());
    match parameter(parameters, "resourceVersion") {
        None | Some("" | "0") => {
            selection.first = selection.objects(world, key);
            selection.since = version;
        }
        Some(text) => {
            selection.since = text
                .parse()
                .map_err(|_| Status::bad_request("invalid resource version"))?;
            if selection.events(world, key, selection.since).is_none() {
                return Err(Status::gone());
            }
        }
    }
    Ok(selection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors() {
        let labels = BTreeMap::from([("app", "shop"), ("tier", "web")]);
        let holds = |text: &str| {
            let all = Requirement::parse_all(text).unwrap();
            all.iter().all(|r| r.holds(|key| labels.get(key).copied()))
        };
        for (text, wanted) in [
            ("app=shop", true),
            ("app==shop,tier!=db", true),
            ("app in (a, shop),tier", true),
            ("app notin (shop)", false),
            ("!stage", true),
            ("!app", false),
            ("", true),
        ] {
            assert_eq!(holds(text), wanted, "{text}");
        }
        assert!(Requirement::parse_all("a in b").is_none());
    }
}
