//! Bare lists read leniently, for pointing out the mistakes in them.

use accord_model::mapping::SectionName;
use accord_model::reading::AuthMap;
use accord_model::span::TextId;

use super::section_like;
use crate::sources::{Misread, Sources};
use crate::view::{View, scalar_type};
use crate::yaml::{self, Dialect, NodeId, OffsetMap, PlainType};
use crate::{authenticator, state};

/// Reads a bare list, or a mapping of sections, as the authenticator would read it if it stood in `aws-auth`; `None` if
/// the file is neither. A list whose entries all have `userarn` is taken for `mapUsers`.
///
/// # Errors
/// If the file is no text in UTF-8, or too large. One that is no YAML is `None`.
pub fn as_map(name: &str, bytes: &[u8], sources: &mut Sources) -> Result<Option<AuthMap>, Misread> {
    let text = state::text(name, bytes)?;
    let Ok(tree) = yaml::first_document(text, Dialect::Json) else {
        return Ok(None);
    };
    let Some(root) = View::root(&tree) else {
        return Ok(None);
    };
    let mut map = AuthMap::empty();
    if root.is_list() {
        let id = sources.add_file(name, text);
        let section = if is_all_users(&root) {
            SectionName::Users
        } else {
            SectionName::Roles
        };
        *map.section_mut(section) = authenticator::read_section(section, Some(id), text);
        return Ok(Some(map));
    }
    let is_object = root.has("apiVersion") && root.has("kind");
    let mut sections = tree.entries(root.node).filter_map(|(key, value)| {
        let section = section_like(&root, key)?;
        (tree.scalar(tree.target(key)) == section.key()).then_some((section, tree.target(value)))
    });
    let Some(first) = sections.next().filter(|_| !is_object) else {
        return Ok(None);
    };
    let id = sources.add_file(name, text);
    for (section, value) in std::iter::once(first).chain(sections) {
        *map.section_mut(section) = read_section(&tree, section, value, id, sources);
    }
    Ok(Some(map))
}

fn read_section(
    tree: &yaml::Tree<'_>,
    section: SectionName,
    value: NodeId,
    file: TextId,
    sources: &mut Sources,
) -> accord_model::reading::Section {
    let (map, text) = if scalar_type(tree, value) == Some(PlainType::String) {
        (tree.offset_map(value), tree.scalar(value))
    } else {
        let (range, text) = state::whole_lines(tree.text(), tree.range(value));
        (
            OffsetMap::shifted(range.start, range.end - range.start),
            text,
        )
    };
    let id = sources.add_inner(file, map, text);
    authenticator::read_section(section, Some(id), text)
}

/// The file with another text of one section: all of a bare list, or the section's value in a mapping of sections, in
/// the style that it has. `None` if there is no such section, or it cannot be written so that only this changes.
pub fn with_section(text: &str, section: SectionName, new: &str) -> Option<String> {
    let tree = yaml::first_document(text, Dialect::Json).ok()?;
    let root = View::root(&tree)?;
    if root.is_list() {
        return Some(new.to_owned());
    }
    let value = tree.target(tree.get(root.node, section.key())?);
    let ways = if scalar_type(&tree, value) == Some(PlainType::String) {
        state::rewrite(&tree, root.node, value, new)
    } else {
        let (range, _) = state::whole_lines(text, tree.range(value));
        vec![(range, new.to_owned())]
    };
    let spliced = ways.into_iter().map(|(range, new)| {
        let (before, after) = (
            text.get(..range.start as usize),
            text.get(range.end as usize..),
        );
        format!(
            "{}{new}{}",
            before.unwrap_or_default(),
            after.unwrap_or_default()
        )
    });
    spliced
        .into_iter()
        .find(|edited| says(edited, &root, section, new))
}

/// Whether the mapping of sections says `new` in one section and the same as before in the others.
fn says(edited: &str, before: &View<'_>, section: SectionName, new: &str) -> bool {
    let mut sources = Sources::new();
    let mut texts = |text: &str| -> Option<Vec<(SectionName, String)>> {
        let map = as_map("", text.as_bytes(), &mut sources).ok()??;
        let sections = map.sections().filter_map(|s| {
            let text = sources.text(s.text?)?;
            Some((s.name, text.to_string()))
        });
        Some(sections.collect())
    };
    let expected = texts(before.tree.text()).map(|mut all| {
        for (_, text) in all.iter_mut().filter(|(name, _)| *name == section) {
            new.clone_into(text);
        }
        all
    });
    expected.is_some() && texts(edited) == expected
}

fn is_all_users(list: &View<'_>) -> bool {
    let tree = list.tree;
    let mut items = tree.items(list.node).map(|item| tree.target(item));
    let is_user = |item: NodeId| tree.get(item, "userarn").is_some();
    tree.count(list.node) > 0 && items.all(is_user)
}
