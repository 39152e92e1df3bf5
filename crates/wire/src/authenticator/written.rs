//! What the author wrote, and seems to have meant.

use std::borrow::Cow;

use accord_model::mapping::SectionName;
use accord_model::reading::{Element, Field, Remark, Salvaged, Shape, What, Written};

use super::entry::known_fields;
use super::fields::{is_merge, known_field};
use super::near::near;
use super::sso::SSO_FIELDS;
use super::value::{raw_text, shape, text};
use crate::yaml::{Kind, NodeId, Tree};

/// Of values longer than this many bytes only the beginning is shown.
const SHOWN: usize = 120;
/// Of lists that an alias stands for only so many items are told.
const SHOWN_ITEMS: usize = 20;

/// What stands where a value belongs.
pub(super) fn written(tree: &Tree<'_>, node: NodeId) -> Written {
    let text = &tree.text()[tree.full_range(node).bytes()];
    Written {
        shape: shape(tree, node),
        text: text[..text.floor_char_boundary(SHOWN)].into(),
    }
}

/// The fields of an item as written; none if it is no mapping, or an alias of one written elsewhere.
pub(super) fn fields(tree: &Tree<'_>, node: NodeId) -> Vec<Field> {
    let mut fields = Vec::with_capacity(tree.count(node));
    fields.extend(tree.entries(node).map(|(key, value)| Field {
        fields: flat_fields(tree, value),
        ..field(tree, key, value)
    }));
    fields
}

/// The fields of a mapping inside an item, without theirs.
fn flat_fields(tree: &Tree<'_>, node: NodeId) -> Vec<Field> {
    if !matches!(tree.kind(node), Kind::Mapping(_)) {
        return Vec::new();
    }
    let entries = tree.entries(node);
    entries
        .map(|(key, value)| field(tree, key, value))
        .collect()
}

fn field(tree: &Tree<'_>, key: NodeId, value: NodeId) -> Field {
    let mut elements = Vec::new();
    if let Kind::Sequence(_) = tree.kind(value) {
        elements.reserve_exact(tree.count(value));
        elements.extend(tree.items(value).map(|item| Element {
            range: tree.full_range(item),
            shape: shape(tree, item),
        }));
    }
    Field {
        key: key_text(tree, key).into(),
        key_range: tree.full_range(key),
        value_range: tree.full_range(value),
        shape: shape(tree, value),
        elements,
        fields: Vec::new(),
    }
}

/// A key's text; of a list or mapping as a key, which loses the section, the source.
fn key_text<'a>(tree: &'a Tree<'_>, key: NodeId) -> Cow<'a, str> {
    let target = tree.target(key);
    match tree.kind(target) {
        Kind::Scalar(_) => raw_text(tree, target),
        Kind::Sequence(_) | Kind::Mapping(_) | Kind::Alias => {
            tree.text()[tree.full_range(key).bytes()].into()
        }
    }
}

/// A remark for each field of an item that the decoder does not know; in its `sso` block too.
pub(super) fn remark_unknown(
    section: SectionName,
    tree: &Tree<'_>,
    item: NodeId,
    remarks: &mut Vec<Remark>,
) {
    let known = known_fields(section);
    for (key, value) in tree.entries(item) {
        match known_field(tree, key, known) {
            Some(("sso", _)) => {
                for (key, value) in tree.entries(tree.target(value)) {
                    if known_field(tree, key, SSO_FIELDS).is_none() && !is_merge(tree, key) {
                        remarks.push(unknown(tree, key, value, SSO_FIELDS, ".sso"));
                    }
                }
            }
            Some(_) => {}
            None if is_merge(tree, key) => {}
            None => remarks.push(unknown(tree, key, value, known, "")),
        }
    }
}

fn unknown(
    tree: &Tree<'_>,
    key: NodeId,
    value: NodeId,
    known: &'static [&'static str],
    parent: &str,
) -> Remark {
    let name = key_text(tree, key);
    Remark {
        what: What::UnknownField {
            key: name.to_string(),
            near: near(&name, text(tree, value).as_deref(), known),
            value: written(tree, value),
        },
        range: tree.full_range(key),
        at: format!("{parent}.{name}"),
    }
}

/// The unknown field that seems to be meant as the ARN's, as it is spelled.
pub(super) fn missing_arn(section: SectionName, tree: &Tree<'_>, item: NodeId) -> Option<String> {
    let known = known_fields(section);
    tree.entries(item)
        .filter(|&(key, _)| known_field(tree, key, known).is_none())
        .map(|(key, value)| (key_text(tree, key), value))
        .find(|(name, value)| {
            near(name, text(tree, *value).as_deref(), known) == section.arn_field()
        })
        .map(|(name, _)| name.into_owned())
}

/// What the author of an item seems to have meant.
pub(super) fn meant(section: SectionName, tree: &Tree<'_>, item: NodeId) -> Salvaged {
    let target = tree.target(item);
    let known = known_fields(section);
    let mut meant = Salvaged::default();
    if let Kind::Scalar(_) = tree.kind(target) {
        meant.arn = as_text(tree, item);
    }
    for (key, value) in tree.entries(item) {
        let name = key_text(tree, key);
        let field = known_field(tree, key, known)
            .map(|(field, _)| field)
            .or_else(|| near(&name, text(tree, value).as_deref(), known));
        match field {
            Some("username") => meant.username = as_text(tree, value),
            Some("groups") => meant.groups = as_texts(tree, value),
            Some("rolearn" | "userarn") => meant.arn = as_text(tree, value),
            _ => {}
        }
    }
    meant
}

/// A value as the author would have it as text: of a scalar its text, of a list or mapping (`{{SessionName}}`) the source.
/// Of an alias only the beginning: nothing limits how often a long text is referred to in a section that is lost.
fn as_text(tree: &Tree<'_>, value: NodeId) -> String {
    let target = tree.target(value);
    let mut text = match (tree.kind(target), shape(tree, target)) {
        (Kind::Scalar(_), Shape::Null) => String::new(),
        (Kind::Scalar(_), _) => raw_text(tree, target).into_owned(),
        _ => written(tree, target).text,
    };
    if target != value {
        text.truncate(text.floor_char_boundary(SHOWN));
    }
    text
}

/// The items of a list as texts; anything else as a list of one. Of an alias only the first items.
fn as_texts(tree: &Tree<'_>, value: NodeId) -> Vec<String> {
    let target = tree.target(value);
    let limit = if target == value {
        usize::MAX
    } else {
        SHOWN_ITEMS
    };
    match shape(tree, target) {
        Shape::List => {
            let items = tree.items(target).take(limit);
            items.map(|item| as_text(tree, item)).collect()
        }
        Shape::Null => Vec::new(),
        Shape::Bool | Shape::Number | Shape::String | Shape::Map => vec![as_text(tree, value)],
    }
}
