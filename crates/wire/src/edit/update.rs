//! Changing username and groups of an entry in place.

use accord_model::mapping::{EntryId, Identity, Mapping, SectionName};

use super::entry::{block_field, flow_field};
use super::lines;
use super::scalar::{self, Around};
use super::splice::Splices;
use super::style::{EntryStyle, FlowStyle, Form, GroupsStyle, Part, part_of};
use super::{EditError, List, groups, remove};
use crate::yaml::{Kind, NodeId, ScalarStyle, Style};

/// Makes the entry `id` give the identity of `wanted`. What already is so is not touched.
pub(super) fn update(
    list: &List<'_>,
    id: EntryId,
    wanted: &Mapping,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let cannot = |reason: &str| EditError::CannotUpdate {
        entry: id,
        reason: reason.into(),
    };
    let Some(&item) = list.items.get(id.index) else {
        return Err(EditError::NoSuchEntry(id));
    };
    if list.name == SectionName::Accounts {
        return Err(cannot("an account has neither username nor groups"));
    }
    match list.tree.kind(item) {
        Kind::Mapping(Style::Flow) if !list.source(item).starts_with('{') => {
            return Err(cannot("it is written without braces"));
        }
        Kind::Mapping(_) | Kind::Alias => {}
        Kind::Scalar(_) | Kind::Sequence(_) => return Err(cannot("it is no mapping")),
    }
    let (first, end) = list.nodes_of(id.index);
    if list.tree.anchor(item).is_some()
        && let Some(anchor) = list.anchor_used_elsewhere(first, end, |_| false)
    {
        return Err(EditError::Anchored { entry: id, anchor });
    }
    let old = list
        .section
        .items
        .get(id.index)
        .and_then(|i| i.kept.as_ref())
        .and_then(|k| k.mapping());
    let old = old.map(|m| m.identity.clone()).unwrap_or_default();
    let editor = Editor {
        list,
        id,
        item,
        wanted,
    };
    let same_groups = old.means_same(&Identity {
        username: old.username.clone(),
        groups: wanted.identity.groups.clone(),
    });
    let mut missing = Vec::new();
    if list.tree.kind(item) == Kind::Alias {
        missing.extend((old.username != wanted.identity.username).then_some(Part::Username));
        missing.extend((!same_groups).then_some(Part::Groups));
        editor.override_alias(&missing, splices);
        return Ok(());
    }
    if old.username != wanted.identity.username {
        match editor.value(Part::Username)? {
            Some(value) => editor.replace_scalar(value, &wanted.identity.username, splices)?,
            None => missing.push(Part::Username),
        }
    }
    if !same_groups {
        match editor.value(Part::Groups)? {
            Some(value) => groups::change(&editor, value, splices)?,
            None => missing.push(Part::Groups),
        }
    }
    editor.insert(&missing, splices)
}

/// An entry that is changed.
pub(super) struct Editor<'a> {
    pub(super) list: &'a List<'a>,
    id: EntryId,
    pub(super) item: NodeId,
    pub(super) wanted: &'a Mapping,
}

impl Editor<'_> {
    pub(super) fn cannot(&self, reason: impl Into<String>) -> EditError {
        EditError::CannotUpdate {
            entry: self.id,
            reason: reason.into(),
        }
    }

    /// The value that decides for a part; `None` if it is not written in the entry itself, and can be added.
    fn value(&self, part: Part) -> Result<Option<NodeId>, EditError> {
        let tree = self.list.tree;
        let name = part.field(self.list.name);
        let mut found = tree
            .entries(self.item)
            .filter(|&(key, _)| part_of(self.list.name, tree.scalar(key)) == Some(part));
        let Some((key, value)) = found.next() else {
            return Ok(None);
        };
        if found.next().is_some() {
            return Err(self.cannot(format!("`{name}` is written more than once in it")));
        }
        let merges_later = tree
            .entries(self.item)
            .any(|(other, _)| tree.scalar(other) == "<<" && other > key);
        if merges_later {
            return Err(self.cannot(format!("a merge key (`<<`) behind `{name}` overrides it")));
        }
        // The value as a whole is replaced or changed: whoever refers to it would see the change.
        let first = value.index();
        let end = tree
            .next(value)
            .map_or_else(|| self.list.nodes_of(self.id.index).1, NodeId::index);
        match self.list.anchor_used_elsewhere(first, end, |_| false) {
            Some(anchor) => Err(EditError::Anchored {
                entry: self.id,
                anchor,
            }),
            None => Ok(Some(value)),
        }
    }

    fn around(&self) -> Around {
        match (self.list.style, self.list.tree.kind(self.item)) {
            (Style::Block, Kind::Mapping(Style::Block)) => Around::Block,
            _ => Around::Flow,
        }
    }

    /// Replaces a value, with its tag and anchor, by other text. A value that is missing gets a space before it.
    pub(super) fn replace(&self, value: NodeId, text: String, splices: &mut Splices) {
        let range = self.list.tree.full_range(value).bytes();
        let before = self.list.text.get(..range.start).unwrap_or_default();
        let space = if before.ends_with(':') { " " } else { "" };
        splices.replace(range, format!("{space}{text}"));
    }

    fn replace_scalar(
        &self,
        value: NodeId,
        text: &str,
        splices: &mut Splices,
    ) -> Result<(), EditError> {
        let style = match self.list.tree.kind(value) {
            Kind::Scalar(style) => style,
            Kind::Alias | Kind::Mapping(Style::Flow) | Kind::Sequence(Style::Flow) => {
                ScalarStyle::Plain
            }
            Kind::Mapping(Style::Block) | Kind::Sequence(Style::Block) => {
                return Err(self.cannot("its username is a list or mapping over several lines"));
            }
        };
        self.replace(value, scalar::write(text, style, self.around()), splices);
        Ok(())
    }

    /// Writes a mapping in the place of an alias, which has all that the alias stands for, and other fields.
    fn override_alias(&self, fields: &[Part], splices: &mut Splices) {
        if fields.is_empty() {
            return;
        }
        let style = EntryStyle {
            form: Form::spaced(),
            groups: GroupsStyle::Flow(FlowStyle::spaced()),
            ..EntryStyle::plain(self.list.name, self.list.text)
        };
        let alias = self.list.source(self.item);
        let fields = fields.iter().filter_map(|&part| style.field(part));
        let fields: String = fields
            .map(|field| format!(", {}", flow_field(self.wanted, field, &style)))
            .collect();
        let range = self.list.tree.range(self.item).bytes();
        splices.replace(range, format!("{{<<: {alias}{fields}}}"));
    }

    /// Adds fields that the entry lacks, behind its last one.
    fn insert(&self, missing: &[Part], splices: &mut Splices) -> Result<(), EditError> {
        if missing.is_empty() {
            return Ok(());
        }
        let tree = self.list.tree;
        let style = EntryStyle::of(self.list);
        let Some((_, value)) = tree.entries(self.item).last() else {
            return Err(self.cannot("it has no fields"));
        };
        let fields = missing.iter().filter_map(|&part| style.field(part));
        match tree.kind(self.item) {
            Kind::Mapping(Style::Block) => {
                let at = tree.range(self.item).start as usize;
                let column = at - lines::start(self.list.text, at);
                // The entry's own column may differ from its neighbours'.
                let own = EntryStyle {
                    column: column.saturating_sub(1 + style.gap),
                    ..style.clone()
                };
                let spaces = " ".repeat(column);
                let fields: Vec<String> = fields
                    .map(|field| format!("{spaces}{}", block_field(self.wanted, field, &own)))
                    .collect();
                let place = remove::end_of_item(self.list, self.id.index);
                splices.insert(place, lines::whole(&fields, &style.line_break));
            }
            _ => {
                let comma = FlowStyle::of_mapping(tree, self.item)
                    .unwrap_or_else(FlowStyle::spaced)
                    .comma;
                for field in fields {
                    let text = flow_field(self.wanted, field, &style);
                    splices.insert(tree.range(value).end as usize, format!("{comma}{text}"));
                }
            }
        }
        Ok(())
    }
}
