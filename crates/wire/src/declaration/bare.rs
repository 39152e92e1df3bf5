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

fn is_all_users(list: &View<'_>) -> bool {
    let tree = list.tree;
    let mut items = tree.items(list.node).map(|item| tree.target(item));
    let is_user = |item: NodeId| tree.get(item, "userarn").is_some();
    tree.count(list.node) > 0 && items.all(is_user)
}
