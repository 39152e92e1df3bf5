//! Changing the groups of an entry: those that stay are not touched.

use super::entry::flow_list;
use super::lines::{self, Line};
use super::scalar::{self, Around};
use super::splice::Splices;
use super::style::FlowStyle;
use super::update::Editor;
use super::{EditError, flow};
use crate::view::scalar_type;
use crate::yaml::{Kind, NodeId, PlainType, ScalarStyle, Style};

/// What the groups are, and what they shall be.
struct Groups<'e> {
    editor: &'e Editor<'e>,
    /// The value of `groups`.
    value: NodeId,
    items: Vec<NodeId>,
    /// Of each item, whether it stays.
    stays: Vec<bool>,
    added: Vec<&'e String>,
}

/// Changes the list `value` so that it holds the groups wanted.
pub(super) fn change(
    editor: &Editor<'_>,
    value: NodeId,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let tree = editor.list.tree;
    let wanted = &editor.wanted.identity.groups;
    let items: Vec<NodeId> = tree.items(value).collect();
    let is_text = |item: NodeId| {
        tree.kind(item) != Kind::Alias && scalar_type(tree, item) == Some(PlainType::String)
    };
    let says = |item: NodeId, group: &String| is_text(item) && tree.scalar(item) == group;
    let stays: Vec<bool> = items
        .iter()
        .map(|&item| wanted.iter().any(|group| says(item, group)))
        .collect();
    let added: Vec<&String> = wanted
        .iter()
        .filter(|group| !items.iter().any(|&item| says(item, group)))
        .collect();
    let simple = items.iter().all(|&item| {
        matches!(tree.kind(item), Kind::Scalar(_))
            && tree.tag(item).is_none()
            && tree.anchor(item).is_none()
    });
    let groups = Groups {
        editor,
        value,
        items,
        stays,
        added,
    };
    let any_stays = groups.stays.contains(&true);
    match tree.kind(value) {
        Kind::Sequence(Style::Block) if simple && !wanted.is_empty() && groups.owns_its_lines() => {
            groups.change_lines(splices);
        }
        Kind::Sequence(Style::Flow) if simple && any_stays => groups.change_in_brackets(splices),
        Kind::Sequence(Style::Block) => groups.replace_lines(splices),
        Kind::Mapping(Style::Block) => {
            return Err(editor.cannot("its groups are a mapping over several lines"));
        }
        Kind::Sequence(Style::Flow)
        | Kind::Mapping(Style::Flow)
        | Kind::Scalar(_)
        | Kind::Alias => editor.replace(value, groups.in_brackets(), splices),
    }
    Ok(())
}

impl Groups<'_> {
    /// How the elements are quoted, or what stands in their place.
    fn quotes(&self) -> ScalarStyle {
        let first = *self.items.first().unwrap_or(&self.value);
        match self.editor.list.tree.kind(first) {
            Kind::Scalar(style @ (ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted)) => style,
            _ => ScalarStyle::Plain,
        }
    }

    /// All the groups wanted, in brackets.
    fn in_brackets(&self) -> String {
        let wanted = &self.editor.wanted.identity.groups;
        flow_list(wanted, self.quotes(), &FlowStyle::spaced())
    }

    /// What stands before the first dash in its line.
    fn indent(&self) -> &str {
        let text = self.editor.list.text;
        let start = self.editor.list.tree.range(self.value).start as usize;
        text.get(lines::start(text, start)..start)
            .unwrap_or_default()
    }

    /// Whether nothing else stands in the lines of a block list.
    fn owns_its_lines(&self) -> bool {
        self.indent().chars().all(|c| c == ' ')
    }

    /// Takes out the lines of groups that go, and puts new ones behind the last.
    fn change_lines(&self, splices: &mut Splices) {
        let (tree, text) = (self.editor.list.tree, self.editor.list.text);
        let start = tree.range(self.value).start as usize;
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
        for (&item, &stays) in self.items.iter().zip(&self.stays) {
            let end = end_of(item);
            if !stays {
                splices.delete(self.dash_line(from, item)..end);
            }
            from = end;
        }
        let quotes = self.quotes();
        let dashes: Vec<String> = self
            .added
            .iter()
            .map(|g| {
                let group = scalar::write(g, quotes, Around::Block);
                format!("{}- {group}", self.indent())
            })
            .collect();
        if !dashes.is_empty() {
            splices.insert(from, lines::whole(&dashes, lines::line_break(text)));
        }
    }

    /// The start of the line with an item's dash: the first line from `from` on that is no comment and not blank.
    fn dash_line(&self, from: usize, item: NodeId) -> usize {
        let text = self.editor.list.text;
        let limit = self.editor.list.tree.full_range(item).start as usize;
        let mut line = from;
        while line < limit && lines::what(text, line) != Line::Other {
            line = lines::next_start(text, line);
        }
        line
    }

    /// Writes new groups in the places of those that go, takes out what is left of these, and puts what is left of
    /// the new ones behind the last.
    fn change_in_brackets(&self, splices: &mut Splices) {
        let tree = self.editor.list.tree;
        let quotes = self.quotes();
        let mut added = self
            .added
            .iter()
            .map(|g| scalar::write(g, quotes, Around::Flow))
            .peekable();
        let mut gone = Vec::new();
        for (index, (&item, &stays)) in self.items.iter().zip(&self.stays).enumerate() {
            match (stays, added.next_if(|_| !stays)) {
                (false, Some(new)) => splices.replace(tree.range(item).bytes(), new),
                (false, None) => gone.push(index),
                (true, _) => {}
            }
        }
        flow::remove(tree, &self.items, |index| gone.contains(&index), splices);
        let comma = FlowStyle::of_list(tree, self.value, Some(self.editor.item))
            .unwrap_or_else(FlowStyle::spaced)
            .comma;
        let rest: String = added.map(|text| format!("{comma}{text}")).collect();
        let last = (0..self.items.len()).rev().find(|i| !gone.contains(i));
        if let Some(last) = last.and_then(|i| self.items.get(i)) {
            splices.insert(tree.range(*last).end as usize, rest);
        }
    }

    /// Replaces a list over several lines by one in brackets.
    fn replace_lines(&self, splices: &mut Splices) {
        let text = self.editor.list.text;
        let range = self.editor.list.tree.full_range(self.value).bytes();
        let before = text.get(..range.start).unwrap_or_default();
        let key_end = before.trim_end().len();
        // A comment behind the key keeps the list on the line below it.
        if before.get(..key_end).is_some_and(|t| t.ends_with(':')) {
            splices.replace(key_end..range.end, format!(" {}", self.in_brackets()));
        } else {
            splices.replace(range, self.in_brackets());
        }
    }
}
