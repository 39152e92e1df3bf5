//! Entries that are not in effect, told from the text as far as they can be.
//!
//! Nothing here is how anybody reads the text: it serves to tell people who is lost.

use accord_model::mapping::{Identity, Mapping, SectionName};
use accord_model::reading::{Element, Field, Item, Kept, Salvaged, Shape};
use accord_model::span::Range;

use super::entry::known_fields;
use super::near::near;
use super::value::raw_text;
use super::written;
use crate::yaml::{
    Dialect, Kind, NodeId, PlainType, ScalarStyle, Tree, first_document, plain_type,
};

/// The items of a section that is lost: from its tree if it has one, else line by line.
pub(super) fn items(section: SectionName, text: &str) -> Vec<Item> {
    // JSON's escapes lose a section, but its entries can be told all the same.
    if let Ok(tree) = first_document(text, Dialect::Json)
        && let Some(root) = tree.root()
    {
        match tree.kind(root) {
            Kind::Sequence(_) => {
                return tree
                    .items(root)
                    .map(|item| from_node(section, &tree, item))
                    .collect();
            }
            Kind::Mapping(_) => {
                // One entry without its dash, if it has the fields of one.
                let meant = written::meant(section, &tree, root);
                let is_entry = meant != Salvaged::default();
                return is_entry
                    .then(|| from_node(section, &tree, root))
                    .into_iter()
                    .collect();
            }
            Kind::Scalar(ScalarStyle::Plain) if section == SectionName::Accounts => {
                let range = tree.range(root);
                return accounts_in(text, range);
            }
            Kind::Scalar(_) if tree.scalar(root).contains('-') => {
                let inner = from_inner(section, &tree, root);
                if !inner.is_empty() {
                    return inner;
                }
            }
            Kind::Scalar(_) | Kind::Alias => {}
        }
    }
    lines(section, text)
}

/// The entries in a text that is not read, such as what stands behind the end of the list.
pub(super) fn entries(section: SectionName, rest: &str) -> Vec<Salvaged> {
    items(section, without_markers(rest))
        .into_iter()
        .filter_map(|item| item.kept)
        .map(|kept| match kept {
            Kept::Account(arn) => Salvaged {
                arn,
                ..Salvaged::default()
            },
            Kept::Mapping(mapping) => Salvaged {
                arn: mapping.arn,
                groups: mapping.identity.groups,
                username: mapping.identity.username,
            },
        })
        .filter(|entry| !entry.arn.is_empty())
        .collect()
}

/// Whether there are only document markers, comments and blanks.
pub(super) fn is_blank(rest: &str) -> bool {
    rest.lines()
        .map(|line| line.trim().trim_start_matches(['-', '.']).trim_start())
        .all(|line| line.is_empty() || line.starts_with('#'))
}

/// Without the document markers and directives at the beginning.
fn without_markers(rest: &str) -> &str {
    let mut rest = rest.trim_start();
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.starts_with("---") && !line.starts_with("...") && !line.starts_with('%') {
            break;
        }
        let behind = line.trim_start_matches(['-', '.']).trim();
        if !behind.is_empty() && !behind.starts_with('#') && !line.starts_with('%') {
            break;
        }
        rest = after;
    }
    rest
}

fn from_node(section: SectionName, tree: &Tree<'_>, node: NodeId) -> Item {
    Item {
        range: tree.full_range(node),
        written: written::fields(tree, node),
        kept: Some(kept(section, written::meant(section, tree, node))),
        meant: None,
        remarks: Vec::new(),
    }
}

/// The items of the list that a scalar's text holds once more.
fn from_inner(section: SectionName, tree: &Tree<'_>, scalar: NodeId) -> Vec<Item> {
    let text = raw_text(tree, scalar);
    let Ok(inner) = first_document(&text, Dialect::Json) else {
        return Vec::new();
    };
    let map = tree.offset_map(scalar);
    inner
        .root()
        .into_iter()
        .flat_map(|root| inner.items(root))
        .map(|node| Item {
            range: map.source_range(inner.full_range(node)),
            written: Vec::new(),
            ..from_node(section, &inner, node)
        })
        .collect()
}

/// The accounts in `1111, 2222`, which is one account to the authenticator.
fn accounts_in(text: &str, range: Range) -> Vec<Item> {
    elements_of(&text[range.bytes()], range.start)
        .into_iter()
        .map(|element| Item {
            range: element.range,
            written: Vec::new(),
            kept: Some(Kept::Account(text[element.range.bytes()].into())),
            meant: None,
            remarks: Vec::new(),
        })
        .collect()
}

fn kept(section: SectionName, meant: Salvaged) -> Kept {
    match section {
        SectionName::Accounts => Kept::Account(meant.arn),
        SectionName::Roles | SectionName::Users => Kept::Mapping(Mapping {
            arn: meant.arn,
            identity: Identity {
                username: meant.username,
                groups: meant.groups,
            },
            ..Mapping::default()
        }),
    }
}

/// Reads a text in block style line by line, taking no offence at indentation.
fn lines(section: SectionName, text: &str) -> Vec<Item> {
    let mut reader = Lines {
        section,
        text,
        found: Vec::new(),
    };
    let mut start = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        reader.line(start, line.trim_end());
        start += line.len();
    }
    reader
        .found
        .into_iter()
        .map(|entry| entry.finish(section))
        .collect()
}

struct Lines<'t> {
    section: SectionName,
    text: &'t str,
    found: Vec<Found>,
}

/// An entry as far as it was found.
struct Found {
    /// The column of its dash.
    column: usize,
    range: Range,
    fields: Vec<Field>,
    meant: Salvaged,
    /// The last key was `groups`, and had nothing behind it.
    in_groups: bool,
}

impl Found {
    fn finish(self, section: SectionName) -> Item {
        Item {
            range: self.range,
            written: self.fields,
            kept: Some(kept(section, self.meant)),
            meant: None,
            remarks: Vec::new(),
        }
    }
}

impl Lines<'_> {
    /// Takes in the line that begins at `start`.
    fn line(&mut self, start: usize, line: &str) {
        let mut content = line.trim_start();
        let mut column = line.len() - content.len();
        if content.is_empty() || content.starts_with('#') || content.starts_with("---") {
            return;
        }
        let dash = column;
        let mut is_item = false;
        while let Some(behind) = content.strip_prefix('-')
            && (behind.is_empty() || behind.starts_with([' ', '\t']))
        {
            is_item = true;
            column += content.len() - behind.trim_start().len();
            content = behind.trim_start();
        }
        let content = without_comment(content);
        let pair = key_and_value(content);
        let field = pair.and_then(|(key, value)| self.field_of(key, unquoted(value)));
        let at = Range::new(
            (start + column) as u32,
            (start + column + content.len()) as u32,
        );
        if is_item && !self.is_group(dash, field) {
            self.found.push(Found {
                column: dash,
                range: at,
                fields: Vec::new(),
                meant: Salvaged::default(),
                in_groups: false,
            });
        }
        let Some(entry) = self.found.last_mut() else {
            if field.is_some() {
                // A mapping without a dash.
                self.found.push(Found {
                    column: dash,
                    range: at,
                    fields: Vec::new(),
                    meant: Salvaged::default(),
                    in_groups: false,
                });
                self.line(start, line);
            }
            return;
        };
        entry.range.end = at.end;
        match pair {
            Some((key, value)) if !(is_item && entry.in_groups) => {
                let value_start = at.end - value.len() as u32;
                let value_range = Range::new(value_start, at.end);
                let mut elements = elements_of(value, value_start);
                match field {
                    Some("username") => entry.meant.username = unquoted(value).into(),
                    Some("rolearn" | "userarn") => entry.meant.arn = unquoted(value).into(),
                    Some("groups") => {
                        let texts = elements.iter().map(|e| &self.text[e.range.bytes()]);
                        entry.meant.groups = texts.map(|t| unquoted(t).into()).collect();
                    }
                    _ => {}
                }
                let shape = shape_of(value);
                if shape != Shape::List {
                    elements.clear();
                }
                entry.in_groups = field == Some("groups") && value.is_empty();
                entry.fields.push(Field {
                    key: unquoted(key).into(),
                    key_range: Range::new(at.start, at.start + key.len() as u32),
                    value_range,
                    shape,
                    elements,
                    fields: Vec::new(),
                });
            }
            _ if is_item && entry.in_groups => {
                entry.meant.groups.push(unquoted(content).into());
                if let Some(groups) = entry.fields.last_mut() {
                    groups.shape = Shape::List;
                    if groups.elements.is_empty() {
                        groups.value_range.start = at.start;
                    }
                    groups.value_range.end = at.end;
                    groups.elements.push(Element {
                        range: at,
                        shape: shape_of(content),
                    });
                }
            }
            _ if is_item => entry.meant.arn = unquoted(content).into(),
            _ => {}
        }
    }

    /// Whether an item is a group of the entry before it rather than an entry.
    fn is_group(&self, dash: usize, field: Option<&str>) -> bool {
        self.found
            .last()
            .is_some_and(|entry| entry.in_groups && field.is_none() && dash >= entry.column)
    }

    fn field_of(&self, key: &str, value: &str) -> Option<&'static str> {
        let known = known_fields(self.section);
        let key = unquoted(key);
        known
            .iter()
            .find(|name| name.eq_ignore_ascii_case(key))
            .copied()
            .or_else(|| near(key, Some(value), known))
    }
}

/// Splits `key: value`.
fn key_and_value(content: &str) -> Option<(&str, &str)> {
    let colon = content.match_indices(':').map(|(at, _)| at).find(|&at| {
        let behind = &content[at + 1..];
        behind.is_empty() || behind.starts_with([' ', '\t'])
    })?;
    Some((
        content[..colon].trim_end(),
        content[colon + 1..].trim_start(),
    ))
}

/// Cuts off a comment, unless it is inside quotes.
fn without_comment(content: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in content.char_indices() {
        match (quote, c) {
            (None, '#') if before == ' ' || before == '\t' => return content[..at].trim_end(),
            (None, '"' | '\'') if !before.is_alphanumeric() => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        before = c;
    }
    content
}

fn unquoted(text: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|q| text.strip_prefix(q)?.strip_suffix(q))
        .unwrap_or(text)
}

/// The elements of `[a, b]`, or the value itself as the only one.
fn elements_of(value: &str, start: u32) -> Vec<Element> {
    let mut elements = Vec::new();
    let list = value.strip_prefix('[').map(|l| l.trim_end_matches(']'));
    let mut offset = start + u32::from(list.is_some());
    for part in list.unwrap_or(value).split(',') {
        let text = part.trim();
        let lead = (part.len() - part.trim_start().len()) as u32;
        if !text.is_empty() {
            let range = Range::new(offset + lead, offset + lead + text.len() as u32);
            elements.push(Element {
                range,
                shape: shape_of(text),
            });
        }
        offset += part.len() as u32 + 1;
    }
    elements
}

fn shape_of(value: &str) -> Shape {
    match value.as_bytes().first() {
        Some(b'[') => Shape::List,
        Some(b'{') => Shape::Map,
        _ => match plain_type(value) {
            PlainType::Null => Shape::Null,
            PlainType::Bool(_) => Shape::Bool,
            PlainType::Int(_) | PlainType::Uint(_) | PlainType::Float(_) => Shape::Number,
            PlainType::Timestamp | PlainType::String => Shape::String,
        },
    }
}
