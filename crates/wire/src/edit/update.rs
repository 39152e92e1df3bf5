//! Changing username and groups of an entry in place.

use accord_model::mapping::{EntryId, Identity, Mapping, SectionName};

use super::entry::{block_field, flow_list};
use super::lines;
use super::scalar::{self, Around};
use super::splice::Splices;
use super::style::{EntryStyle, FlowStyle, Part, part_of};
use super::{EditError, List};
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
    if !matches!(list.tree.kind(item), Kind::Mapping(_)) {
        return Err(cannot("it is an alias"));
    }
    let (first, end) = list.nodes_of(id.index);
    if list.tree.anchor(item).is_some()
        && let Some(anchor) = list.anchor_used_elsewhere(first, end)
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
    if old.username != wanted.identity.username {
        match editor.value(Part::Username)? {
            Some(value) => editor.replace_scalar(value, &wanted.identity.username, splices)?,
            None => missing.push(Part::Username),
        }
    }
    if !same_groups {
        match editor.value(Part::Groups)? {
            Some(value) => editor.change_groups(value, splices)?,
            None => missing.push(Part::Groups),
        }
    }
    editor.insert(&missing, splices)
}

struct Editor<'a> {
    list: &'a List<'a>,
    id: EntryId,
    item: NodeId,
    wanted: &'a Mapping,
}

impl Editor<'_> {
    fn cannot(&self, reason: impl Into<String>) -> EditError {
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
        match self.list.anchor_used_elsewhere(first, end) {
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
    fn replace(&self, value: NodeId, text: String, splices: &mut Splices) {
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
        match self.list.tree.kind(value) {
            Kind::Scalar(style) => {
                self.replace(value, scalar::write(text, style, self.around()), splices)
            }
            Kind::Alias => self.replace(
                value,
                scalar::write(text, ScalarStyle::Plain, self.around()),
                splices,
            ),
            Kind::Mapping(Style::Flow) | Kind::Sequence(Style::Flow) => {
                self.replace(
                    value,
                    scalar::write(text, ScalarStyle::Plain, self.around()),
                    splices,
                );
            }
            Kind::Mapping(Style::Block) | Kind::Sequence(Style::Block) => {
                return Err(self.cannot("its username is a list or mapping over several lines"));
            }
        }
        Ok(())
    }

    fn change_groups(&self, value: NodeId, splices: &mut Splices) -> Result<(), EditError> {
        let tree = self.list.tree;
        let wanted = &self.wanted.identity.groups;
        let simple = tree.items(value).all(|item| {
            matches!(tree.kind(item), Kind::Scalar(_))
                && tree.tag(item).is_none()
                && tree.anchor(item).is_none()
        });
        let items: Vec<NodeId> = tree.items(value).collect();
        let keeps = |item: &NodeId| wanted.iter().any(|group| group == tree.scalar(*item));
        let added: Vec<String> = wanted
            .iter()
            .filter(|group| items.iter().all(|&i| tree.scalar(i) != **group))
            .cloned()
            .collect();
        let kept = items.iter().filter(|item| keeps(item)).count();
        match tree.kind(value) {
            Kind::Sequence(Style::Block) if simple && kept > 0 => {
                self.change_block_list(value, &items, keeps, &added, splices);
            }
            Kind::Sequence(Style::Flow) if simple && kept > 0 => {
                self.change_flow_list(value, &items, keeps, &added, splices);
            }
            Kind::Sequence(Style::Block) => self.replace_block_list(value, splices),
            Kind::Mapping(Style::Block) => {
                return Err(self.cannot("its groups are a mapping over several lines"));
            }
            Kind::Sequence(Style::Flow)
            | Kind::Mapping(Style::Flow)
            | Kind::Scalar(_)
            | Kind::Alias => {
                let style = self
                    .flow_style(value)
                    .filter(|_| kept > 0)
                    .unwrap_or_else(FlowStyle::spaced);
                let quotes = self.quotes(&items, value);
                self.replace(value, flow_list(wanted, quotes, &style), splices);
            }
        }
        Ok(())
    }

    /// How a list in brackets is written.
    fn flow_style(&self, value: NodeId) -> Option<FlowStyle> {
        FlowStyle::of_list(self.list.tree, value, Some(self.item))
    }

    /// How the elements of a list are quoted, or what stands in its place.
    fn quotes(&self, items: &[NodeId], value: NodeId) -> ScalarStyle {
        match self.list.tree.kind(*items.first().unwrap_or(&value)) {
            Kind::Scalar(style @ (ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted)) => style,
            _ => ScalarStyle::Plain,
        }
    }

    /// Takes out the lines of groups that go, and puts new ones behind the last.
    fn change_block_list(
        &self,
        value: NodeId,
        items: &[NodeId],
        keeps: impl Fn(&NodeId) -> bool,
        added: &[String],
        splices: &mut Splices,
    ) {
        let (tree, text) = (self.list.tree, self.list.text);
        let start = tree.range(value).start as usize;
        let indent = text
            .get(lines::start(text, start)..start)
            .unwrap_or_default();
        let line_break = lines::line_break(text);
        // Each item's lines reach from its dash's line to the line behind its last byte.
        let end_of = |item: NodeId| {
            let end = tree.range(item).end as usize;
            if end > start && lines::start(text, end) == end {
                end
            } else {
                lines::next_start(text, end)
            }
        };
        let mut from = lines::start(text, start);
        for item in items {
            let end = end_of(*item);
            if !keeps(item) {
                let dash = self.dash_line(from, *item);
                splices.delete(dash..end);
            }
            from = end;
        }
        if added.is_empty() {
            return;
        }
        let quotes = self.quotes(items, value);
        let dashes: Vec<String> = added
            .iter()
            .map(|g| format!("{indent}- {}", scalar::write(g, quotes, Around::Block)))
            .collect();
        let joined = dashes.join(line_break);
        let inserted = if lines::start(text, from) == from && from > 0 {
            format!("{joined}{line_break}")
        } else {
            format!("{line_break}{joined}")
        };
        splices.insert(from, inserted);
    }

    /// The start of the line with an item's dash: the first line from `from` on that is no comment and not blank.
    fn dash_line(&self, from: usize, item: NodeId) -> usize {
        let text = self.list.text;
        let limit = self.list.tree.full_range(item).start as usize;
        let mut line = from;
        while line < limit && lines::what(text, line) != lines::Line::Other {
            line = lines::next_start(text, line);
        }
        line
    }

    fn change_flow_list(
        &self,
        value: NodeId,
        items: &[NodeId],
        keeps: impl Fn(&NodeId) -> bool,
        added: &[String],
        splices: &mut Splices,
    ) {
        let tree = self.list.tree;
        let comma = self
            .flow_style(value)
            .unwrap_or_else(FlowStyle::spaced)
            .comma;
        let quotes = self.quotes(items, value);
        let kept: Vec<&NodeId> = items.iter().filter(|item| keeps(item)).collect();
        let mut texts: Vec<String> = kept
            .iter()
            .map(|item| {
                self.list
                    .text
                    .get(tree.range(**item).bytes())
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect();
        texts.extend(added.iter().map(|g| scalar::write(g, quotes, Around::Flow)));
        let (Some(first), Some(last)) = (items.first(), items.last()) else {
            return;
        };
        let range = tree.full_range(*first).start as usize..tree.range(*last).end as usize;
        if kept.len() == items.len() {
            // Nothing goes: what stands between them, comments included, stays.
            let new: String = texts
                .iter()
                .skip(kept.len())
                .map(|t| format!("{comma}{t}"))
                .collect();
            splices.insert(range.end, new);
        } else {
            splices.replace(range, texts.join(&comma));
        }
    }

    /// Replaces a list over several lines by one with other elements, in brackets.
    fn replace_block_list(&self, value: NodeId, splices: &mut Splices) {
        let text = self.list.text;
        let range = self.list.tree.full_range(value).bytes();
        let before = text.get(..range.start).unwrap_or_default();
        let key_end = before.trim_end().len();
        let items: Vec<NodeId> = self.list.tree.items(value).collect();
        let quotes = self.quotes(&items, value);
        let list = flow_list(&self.wanted.identity.groups, quotes, &FlowStyle::spaced());
        // A comment behind the key keeps the list on the line below it.
        if before.get(..key_end).is_some_and(|t| t.ends_with(':')) {
            splices.replace(key_end..range.end, format!(" {list}"));
        } else {
            splices.replace(range, list);
        }
    }

    /// Adds fields that the entry lacks, behind its last one.
    fn insert(&self, missing: &[Part], splices: &mut Splices) -> Result<(), EditError> {
        if missing.is_empty() {
            return Ok(());
        }
        let tree = self.list.tree;
        let style = EntryStyle::of(self.list);
        let Some((key, value)) = tree.entries(self.item).last() else {
            return Err(self.cannot("it has no fields"));
        };
        let fields = missing.iter().filter_map(|&part| style.field(part));
        match tree.kind(self.item) {
            Kind::Mapping(Style::Block) => {
                let at = tree.range(key).start as usize;
                let column = at - lines::start(self.list.text, at);
                let end = tree.range(value).end as usize;
                let place = if lines::start(self.list.text, end) == end {
                    end
                } else {
                    lines::content_end(self.list.text, end)
                };
                let spaces = " ".repeat(column);
                // The entry's own column may differ from its neighbours'.
                let own = EntryStyle {
                    column: column.saturating_sub(1 + style.gap),
                    ..style.clone()
                };
                for field in fields {
                    let text = block_field(self.wanted, field, &own);
                    let open = lines::start(self.list.text, place) != place;
                    splices.insert(
                        place,
                        if open {
                            format!("{}{spaces}{text}", style.line_break)
                        } else {
                            format!("{spaces}{text}{}", style.line_break)
                        },
                    );
                }
            }
            _ => {
                let comma = FlowStyle::of_mapping(tree, self.item)
                    .unwrap_or_else(FlowStyle::spaced)
                    .comma;
                for field in fields {
                    let text = super::entry::flow_field(self.wanted, field, &style);
                    splices.insert(tree.range(value).end as usize, format!("{comma}{text}"));
                }
            }
        }
        Ok(())
    }
}
