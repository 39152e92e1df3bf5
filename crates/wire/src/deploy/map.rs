//! `aws-auth` and service accounts as another tool is about to write them.

use accord_model::deploy::{Declared, Given, MapWrite, MapWriter, ServiceAccount};
use accord_model::observed::AwsAuth;
use accord_model::reading::{Section, SectionState};
use accord_model::span::{Range, TextId};
use accord_model::unknown;

use super::value::{Kind, Node, Text};
use crate::config_map::{ConfigMap, Datum, ObjectName, Value};
use crate::sources::Sources;
use crate::view::View;
use crate::yaml::{self, Dialect};
use crate::{aws_auth, state};

/// The annotation that names a service account's role.
const ROLE_ANNOTATION: &str = "eks.amazonaws.com/role-arn";

/// A text of manifests, and the resource that it stands in.
pub(crate) struct Manifests<'a> {
    pub(crate) text: &'a Text,
    /// The path of the text inside the resource.
    pub(crate) at: &'a str,
    pub(crate) cluster: Option<Given<String>>,
    pub(crate) how: MapWriter,
}

/// What manifests declare of access: `aws-auth` and service accounts. A text that cannot be read declares nothing,
/// unless it is about `aws-auth`: then its content is unknown.
pub(crate) fn in_manifests(
    manifests: &Manifests<'_>,
    file: TextId,
    sources: &mut Sources,
) -> Vec<Declared> {
    let Manifests { text, at, .. } = manifests;
    let id = sources.add_inner(file, text.map.clone(), text.text.as_str());
    let whole = sources.text(id).cloned().unwrap_or_default();
    let mut found = Vec::new();
    for document in yaml::documents(&whole, Dialect::Json) {
        let Ok(tree) = document.tree else {
            if whole.contains(ObjectName::aws_auth().name.as_str()) {
                found.push(manifests.unknown_map(id, Range::new(0, whole.len() as u32)));
            }
            continue;
        };
        let Some(root) = View::root(&tree) else {
            continue;
        };
        if root.is_list() {
            for (i, item) in root.as_list().unwrap_or_default().iter().enumerate() {
                found.extend(manifests.object(item, &format!("{at}[{i}]"), id, sources));
            }
        } else if root.has("items") {
            for (i, item) in root.list("items").unwrap_or_default().iter().enumerate() {
                found.extend(manifests.object(item, &format!("{at}.items[{i}]"), id, sources));
            }
        } else {
            found.extend(manifests.object(&root, at, id, sources));
        }
    }
    found
}

impl Manifests<'_> {
    fn object(
        &self,
        object: &View<'_>,
        at: &str,
        id: TextId,
        sources: &mut Sources,
    ) -> Option<Declared> {
        match object.text("kind").ok()??.as_str() {
            "ConfigMap" => {
                let name = state::config_map_name(object).ok()?;
                if name != ObjectName::aws_auth() {
                    return None;
                }
                let Ok(config_map) = state::config_map(object, name, id, sources) else {
                    return Some(self.unknown_map(id, object.range()));
                };
                let mut write = map_of(&config_map, self.cluster.clone(), self.how);
                write.prefix = format!("{at}.data.");
                write.span = key_of(object, "data")
                    .map(|range| range.of(id))
                    .or(write.span);
                Some(Declared::Map(Box::new(write)))
            }
            "ServiceAccount" => {
                service_account(object, at, self.cluster.clone(), id).map(Declared::ServiceAccount)
            }
            _ => None,
        }
    }

    fn unknown_map(&self, id: TextId, range: Range) -> Declared {
        Declared::Map(Box::new(MapWrite {
            cluster: self.cluster.clone(),
            how: self.how,
            map: None,
            unknown: vec![Given {
                value: "what it holds".into(),
                at: self.at.to_owned(),
                span: Some(range.of(id)),
            }],
            prefix: String::new(),
            span: Some(range.of(id)),
        }))
    }
}

/// Where a key of an object stands.
fn key_of(object: &View<'_>, key: &str) -> Option<Range> {
    let tree = object.tree;
    let mut entries = tree.entries(object.node);
    let (found, _) = entries.find(|(k, _)| tree.scalar(tree.target(*k)) == key)?;
    Some(tree.range(tree.target(found)))
}

fn service_account(
    object: &View<'_>,
    at: &str,
    cluster: Option<Given<String>>,
    id: TextId,
) -> Option<ServiceAccount> {
    let metadata = object.mapping("metadata").ok()??;
    let annotations = metadata.mapping("annotations").ok()?;
    let role = annotations
        .and_then(|a| a.get(ROLE_ANNOTATION))
        .and_then(|role| {
            Some(Given {
                value: role.as_text().ok()?,
                at: format!("{at}.metadata.annotations.{ROLE_ANNOTATION}"),
                span: Some(role.range().of(id)),
            })
        });
    Some(ServiceAccount {
        cluster,
        namespace: metadata
            .text("namespace")
            .ok()?
            .unwrap_or_else(|| "default".to_owned()),
        name: metadata.text("name").ok()??,
        role,
    })
}

/// A map whose data are values of the resource itself: each key a text, or unknown. `data` that is unknown as a whole
/// says nothing.
pub(crate) fn map_of_data(
    data: &Node,
    cluster: Option<Given<String>>,
    how: MapWriter,
    file: TextId,
    sources: &mut Sources,
) -> MapWrite {
    let mut unknown = Vec::new();
    let mut object = ConfigMap {
        name: ObjectName::aws_auth(),
        uid: None,
        created: None,
        labels: Vec::new(),
        immutable: false,
        managers: Vec::new(),
        data: Vec::new(),
        binary_data: Vec::new(),
        span: Some(data.range.of(file)),
    };
    let whole = match &data.kind {
        Kind::Map(fields) => {
            for (key, value) in fields {
                match &value.kind {
                    Kind::Unknown(_) => unknown.push(value.place(key.clone(), file)),
                    Kind::Text(text) => object.data.push(Datum {
                        key: key.clone(),
                        span: Some(value.range.of(file)),
                        value: registered(text, file, sources),
                    }),
                    // A key that is taken out.
                    Kind::Null => object.data.push(Datum {
                        key: key.clone(),
                        span: Some(value.range.of(file)),
                        value: registered(&Text::made("", value.range), file, sources),
                    }),
                    Kind::Flag(_) | Kind::List(_) | Kind::Map(_) => {}
                }
            }
            true
        }
        _ => {
            unknown.push(data.place("what it holds".to_owned(), file));
            false
        }
    };
    let mut write = map_of(&object, cluster, how);
    write.unknown.extend(unknown);
    if !whole {
        write.map = None;
    }
    write.prefix = format!("{}.", data.at);
    write
}

fn registered(text: &Text, file: TextId, sources: &mut Sources) -> Value {
    let id = sources.add_inner(file, text.map.clone(), text.text.as_str());
    Value::Text {
        text: sources.text(id).cloned().unwrap_or_default(),
        id: Some(id),
    }
}

/// Whether what is not known yet may be entries, and not only a value inside one: a line of its own, or an item.
fn is_open(section: &Section, text: &str) -> bool {
    let is_lost = matches!(section.state, SectionState::Lost(_));
    let stands_alone = text.lines().any(|line| unknown::is_whole(line.trim()));
    let mut items = section.items.iter();
    (is_lost && stands_alone)
        || items.any(|item| text.get(item.range.bytes()).is_some_and(unknown::is_whole))
}

/// The object as the authenticator would read it. A section of which whole entries are not known yet is unknown.
fn map_of(object: &ConfigMap, cluster: Option<Given<String>>, how: MapWriter) -> MapWrite {
    let mut read: AwsAuth = aws_auth::read(object);
    let mut unknown = Vec::new();
    for name in accord_model::mapping::SectionName::ALL {
        let Some(datum) = object.datum(name.key()) else {
            continue;
        };
        let text = datum.value.text().unwrap_or_default();
        let section = read.map.section_mut(name);
        if !unknown::is_known(text) && is_open(section, text) {
            *section = Section::absent(name);
            unknown.push(Given {
                value: name.key().to_owned(),
                at: name.key().to_owned(),
                span: datum.span,
            });
        }
    }
    MapWrite {
        cluster,
        how,
        map: Some(read),
        unknown,
        prefix: String::new(),
        span: object.span,
    }
}
