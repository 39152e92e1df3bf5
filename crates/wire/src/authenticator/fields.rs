//! Which values the keys of a mapping end up with: merge keys, equal keys, spellings.

use std::borrow::Cow;
use std::collections::BTreeMap;

use accord_model::fold::equal_fold;

use super::collection;
use super::value::{raw_text, scalar_type};
use crate::teeth::{Rule, holds};
use crate::yaml::resolve::PlainType;
use crate::yaml::{Kind, NodeId, ScalarStyle, TAG_PREFIX, Tree};

/// A key being given a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment {
    pub(super) key: NodeId,
    pub(super) value: NodeId,
    /// It comes from a merge key.
    pub(super) merged: bool,
}

/// The assignments that a mapping makes, in the order in which go-yaml makes them: a merge key acts where it stands,
/// and of several merged mappings the last goes first.
pub(super) struct Assignments<'a> {
    tree: &'a Tree<'a>,
    /// Mappings being walked through, innermost last: the next key.
    walks: Vec<Walk>,
}

enum Walk {
    /// The next key of a mapping.
    Mapping(Option<NodeId>),
    /// Mappings to be merged, the next one last.
    Merges(Vec<NodeId>),
}

/// See [`Assignments`]. The mapping must have passed [`super::check::check`].
pub(super) fn assignments<'a>(tree: &'a Tree<'a>, mapping: NodeId) -> Assignments<'a> {
    Assignments {
        tree,
        walks: vec![Walk::Mapping(tree.children(mapping).next())],
    }
}

impl Iterator for Assignments<'_> {
    type Item = Assignment;

    fn next(&mut self) -> Option<Assignment> {
        loop {
            match self.walks.last_mut()? {
                Walk::Mapping(next) => {
                    let Some((key, value)) = next.and_then(|k| Some((k, self.tree.next(k)?)))
                    else {
                        self.walks.pop();
                        continue;
                    };
                    *next = self.tree.next(value);
                    if is_merge(self.tree, key) {
                        let merged = merged_mappings(self.tree, value);
                        self.walks.push(Walk::Merges(merged));
                        continue;
                    }
                    let merged = self.walks.len() > 1;
                    return Some(Assignment { key, value, merged });
                }
                Walk::Merges(mappings) => match mappings.pop() {
                    Some(mapping) => {
                        let first = self.tree.children(mapping).next();
                        self.walks.push(Walk::Mapping(first));
                    }
                    None => {
                        self.walks.pop();
                    }
                },
            }
        }
    }
}

/// Whether a key is `<<` and means it: plain, or with the tag `!` or `!!merge`.
pub(super) fn is_merge(tree: &Tree<'_>, key: NodeId) -> bool {
    let Kind::Scalar(style) = tree.kind(key) else {
        return false;
    };
    tree.scalar(key) == "<<"
        && match tree.tag(key) {
            None => style == ScalarStyle::Plain,
            Some("!") => true,
            Some(tag) => tag.strip_prefix(TAG_PREFIX) == Some("merge"),
        }
}

/// The mappings that the value of a merge key names, in the order of the text.
fn merged_mappings(tree: &Tree<'_>, value: NodeId) -> Vec<NodeId> {
    match tree.kind(value) {
        Kind::Sequence(_) => tree.items(value).map(|m| tree.target(m)).collect(),
        Kind::Mapping(_) | Kind::Alias | Kind::Scalar(_) => {
            collection(tree, value).into_iter().collect()
        }
    }
}

/// A key as go-yaml holds it: `1` and `'1'` are two keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    /// By its bits, zero always positive.
    Float(u64),
    /// Not equal to anything, itself included: its node.
    Nan(NodeId),
    Text(Cow<'a, str>),
}

/// The key that a scalar, or an alias of one, makes.
pub(super) fn key<'a>(tree: &'a Tree<'_>, node: NodeId) -> Key<'a> {
    let scalar = tree.target(node);
    match scalar_type(tree, scalar) {
        Ok(PlainType::Null) => Key::Null,
        Ok(PlainType::Bool(value)) => Key::Bool(value),
        Ok(PlainType::Int(value)) => Key::Int(value),
        Ok(PlainType::Uint(value)) => Key::Uint(value),
        Ok(PlainType::Float(value)) if value.is_nan() => Key::Nan(node),
        Ok(PlainType::Float(value)) => Key::Float((value + 0.0).to_bits()),
        Ok(PlainType::Timestamp | PlainType::String) | Err(_) => Key::Text(raw_text(tree, scalar)),
    }
}

/// All keys of a mapping with the values they end up with: of equal keys the last one's.
pub(super) fn survivors<'a>(tree: &'a Tree<'a>, mapping: NodeId) -> BTreeMap<Key<'a>, Assignment> {
    assignments(tree, mapping)
        .map(|assignment| (key(tree, assignment.key), assignment))
        .collect()
}

/// A field of an entry that the decoder knows, as it is applied.
#[derive(Clone, Debug)]
pub(super) struct Applied<'a> {
    /// Its name among the known ones.
    pub(super) field: &'static str,
    /// Its spelling.
    pub(super) spelling: Cow<'a, str>,
    pub(super) key: NodeId,
    pub(super) value: NodeId,
    /// It comes from a merge key.
    merged: bool,
}

/// What happened to a field on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clash {
    /// An earlier key with the same spelling.
    SameSpelling,
    /// An earlier key with another spelling of the same field.
    OtherSpelling,
    /// A later merge key, which overrides this key.
    Merge,
}

/// The known fields of a mapping in the order in which Go's JSON decoder meets them, and the clashes of keys, each with
/// the key it concerns.
///
/// Of keys with equal spelling the last one's value is left; the printed JSON then sorts spellings by their bytes.
pub(super) fn applied<'a>(
    tree: &'a Tree<'a>,
    mapping: NodeId,
    known: &'static [&'static str],
) -> (Vec<Applied<'a>>, Vec<(Clash, &'static str, NodeId)>) {
    let mut applied: Vec<Applied<'a>> = Vec::new();
    let mut clashes = Vec::new();
    for Assignment { key, value, merged } in assignments(tree, mapping) {
        let Some((field, spelling)) = known_field(tree, key, known) else {
            continue;
        };
        let same = applied.iter_mut().find(|a| a.spelling == spelling);
        if let Some(before) = same {
            // What is merged first is meant to be overridden.
            if !before.merged {
                clashes.push(match merged {
                    true => (Clash::Merge, field, before.key),
                    false => (Clash::SameSpelling, field, key),
                });
            }
            let overrides = match merged {
                true => holds(Rule::MergeOverrides),
                false => holds(Rule::LastDuplicate),
            };
            if overrides {
                (before.key, before.value, before.merged) = (key, value, merged);
            }
            continue;
        }
        if applied.iter().any(|a| a.field == field) {
            clashes.push((Clash::OtherSpelling, field, key));
        }
        applied.push(Applied {
            field,
            spelling,
            key,
            value,
            merged,
        });
    }
    if holds(Rule::VariantOrder) {
        applied.sort_by(|a, b| a.spelling.as_bytes().cmp(b.spelling.as_bytes()));
    }
    (applied, clashes)
}

/// The known field that a key means, and the key's spelling.
pub(super) fn known_field<'a>(
    tree: &'a Tree<'_>,
    key: NodeId,
    known: &'static [&'static str],
) -> Option<(&'static str, Cow<'a, str>)> {
    let scalar = tree.target(key);
    if !matches!(tree.kind(scalar), Kind::Scalar(_)) {
        return None;
    }
    // All known names are text to YAML, so only text can be one of them.
    let spelling = raw_text(tree, scalar);
    let exactly = known.iter().find(|name| **name == spelling);
    let field = match exactly {
        None if holds(Rule::FoldedKeys) => known.iter().find(|name| equal_fold(name, &spelling)),
        found => found,
    }?;
    Some((field, spelling))
}
