//! How the entries of a list are written, so that a new one looks like its neighbours.

use accord_model::fold::equal_fold;
use accord_model::mapping::SectionName;

use super::List;
use super::lines;
use crate::yaml::{Kind, NodeId, ScalarStyle, Style, Tree};

/// The parts of an entry that Accord writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Arn,
    Username,
    Groups,
}

impl Part {
    const ALL: [Self; 3] = [Self::Arn, Self::Username, Self::Groups];

    /// The field's name, as the authenticator's own documentation spells it.
    pub(super) const fn field(self, section: SectionName) -> &'static str {
        match self {
            Self::Arn => match section.arn_field() {
                Some(field) => field,
                None => "",
            },
            Self::Username => "username",
            Self::Groups => "groups",
        }
    }
}

/// How one field is written.
#[derive(Clone, Debug)]
pub(super) struct FieldStyle {
    pub(super) part: Part,
    /// The key in the source's spelling, with its quotes.
    pub(super) key: String,
    /// How its value, or each element of it, is quoted.
    pub(super) quotes: ScalarStyle,
}

/// The text around the items of a flow collection.
#[derive(Clone, Debug)]
pub(super) struct FlowStyle {
    /// Between the opening bracket and the first item.
    pub(super) open: String,
    /// Between two items, with the comma.
    pub(super) comma: String,
    /// Between the last item and the closing bracket.
    pub(super) close: String,
}

impl FlowStyle {
    /// `[a, b]`
    pub(super) fn spaced() -> Self {
        Self {
            open: String::new(),
            comma: ", ".into(),
            close: String::new(),
        }
    }

    /// The style of a flow list, told by the gaps between its items; `None` if a comment stands in one. Where there is
    /// only one item, the commas of a mapping beside it tell.
    pub(super) fn of_list(tree: &Tree<'_>, list: NodeId, beside: Option<NodeId>) -> Option<Self> {
        Self::of(tree, list, 1, beside)
    }

    /// The style of a flow mapping.
    pub(super) fn of_mapping(tree: &Tree<'_>, mapping: NodeId) -> Option<Self> {
        Self::of(tree, mapping, 2, None)
    }

    fn of(
        tree: &Tree<'_>,
        collection: NodeId,
        step: usize,
        beside: Option<NodeId>,
    ) -> Option<Self> {
        let children: Vec<NodeId> = tree.children(collection).collect();
        let whole = tree.range(collection).bytes();
        let (first, last) = (*children.first()?, *children.last()?);
        let text = |range: std::ops::Range<usize>| tree.text().get(range);
        let open = text(whole.start + 1..tree.full_range(first).start as usize)?.to_owned();
        let close =
            text(tree.range(last).end as usize..whole.end.checked_sub(1)?)?.replace(',', "");
        let comma = match (children.get(step - 1), children.get(step)) {
            (Some(&before), Some(&after)) => {
                text(tree.range(before).end as usize..tree.full_range(after).start as usize)?
                    .to_owned()
            }
            _ if open.contains(['\n', '\r']) => format!(",{open}"),
            _ => beside
                .and_then(|mapping| Self::of_mapping(tree, mapping))
                .filter(|style| !style.comma.contains(['\n', '\r']))
                .map_or_else(|| Self::spaced().comma, |style| style.comma),
        };
        let plain = |gap: &str| gap.chars().all(|c| c == ',' || c.is_whitespace());
        (plain(&open) && plain(&comma) && plain(&close)).then_some(Self { open, comma, close })
    }
}

/// How a list of groups is written.
#[derive(Clone, Debug)]
pub(super) enum GroupsStyle {
    /// One dash a line, so many columns to the right of the key.
    Block { indent: usize },
    /// In brackets.
    Flow(FlowStyle),
}

/// How an entry is written.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// One field a line.
    Block,
    /// In braces, with what stands between a key and its value.
    Flow { style: FlowStyle, colon: String },
}

impl Form {
    /// `{a: b, c: d}`
    pub(super) fn spaced() -> Self {
        Self::Flow {
            style: FlowStyle::spaced(),
            colon: ": ".into(),
        }
    }
}

/// How the entries of a list are written.
#[derive(Clone, Debug)]
pub(super) struct EntryStyle {
    pub(super) form: Form,
    /// The column of the dash, in a block list.
    pub(super) column: usize,
    /// Spaces between the dash and the entry.
    pub(super) gap: usize,
    /// The fields, in their order.
    pub(super) fields: Vec<FieldStyle>,
    pub(super) groups: GroupsStyle,
    /// How an account is quoted.
    pub(super) account: ScalarStyle,
    pub(super) line_break: String,
}

impl EntryStyle {
    /// The style of a list without entries: what kubectl prints, with the ARN first.
    pub(super) fn plain(section: SectionName, text: &str) -> Self {
        let field = |part: Part| FieldStyle {
            part,
            key: part.field(section).into(),
            quotes: ScalarStyle::Plain,
        };
        Self {
            form: Form::Block,
            column: 0,
            gap: 1,
            fields: Part::ALL.into_iter().map(field).collect(),
            groups: GroupsStyle::Block { indent: 0 },
            account: ScalarStyle::SingleQuoted,
            line_break: lines::line_break(text).into(),
        }
    }

    /// The style of the last entry that has all fields, or of the last entry at all.
    pub(super) fn of(list: &List<'_>) -> Self {
        let mut style = Self::plain(list.name, list.text);
        let tree = list.tree;
        if list.style == Style::Block {
            let start = tree.range(list.root).start as usize;
            style.column = start - lines::start(list.text, start);
        } else {
            // Inside brackets nothing is told by indentation.
            style.form = Form::spaced();
            style.groups = GroupsStyle::Flow(FlowStyle::spaced());
        }
        style.account = list
            .items
            .iter()
            .rev()
            .find_map(|&id| match tree.kind(id) {
                Kind::Scalar(ScalarStyle::DoubleQuoted) => Some(ScalarStyle::DoubleQuoted),
                Kind::Scalar(ScalarStyle::SingleQuoted) => Some(ScalarStyle::SingleQuoted),
                _ => None,
            })
            .unwrap_or(style.account);
        let entries = || {
            list.items
                .iter()
                .rev()
                .copied()
                .filter(|&id| matches!(tree.kind(id), Kind::Mapping(_)))
        };
        let parts = |id: NodeId| {
            tree.entries(id)
                .filter(|&(key, _)| part_of(list.name, tree.scalar(key)).is_some())
                .count()
        };
        let complete = entries().find(|&id| parts(id) >= 3);
        if let Some(neighbour) = complete.or_else(|| entries().next()) {
            style.follow(list, neighbour);
        }
        style
    }

    fn follow(&mut self, list: &List<'_>, entry: NodeId) {
        let tree = list.tree;
        if list.style == Style::Block {
            self.gap = gap(list, entry).unwrap_or(self.gap);
        }
        match tree.kind(entry) {
            Kind::Mapping(Style::Flow) => {
                let colon = tree.entries(entry).next().and_then(|(key, value)| {
                    tree.text()
                        .get(tree.range(key).end as usize..tree.full_range(value).start as usize)
                });
                if let (Some(style), Some(colon)) = (FlowStyle::of_mapping(tree, entry), colon)
                    && colon.trim() == ":"
                {
                    self.form = Form::Flow {
                        style,
                        colon: colon.into(),
                    };
                } else {
                    self.form = Form::spaced();
                }
                self.groups = GroupsStyle::Flow(FlowStyle::spaced());
            }
            _ if list.style == Style::Flow => return,
            _ => self.form = Form::Block,
        }
        let mut fields: Vec<FieldStyle> = Vec::new();
        for (key, value) in tree.entries(entry) {
            let Some(part) = part_of(list.name, tree.scalar(key)) else {
                continue;
            };
            if fields.iter().any(|f| f.part == part) || !matches!(tree.kind(key), Kind::Scalar(_)) {
                continue;
            }
            if part == Part::Groups {
                self.follow_groups(tree, entry, key, value);
            }
            let key = tree
                .text()
                .get(tree.range(key).bytes())
                .unwrap_or_default()
                .to_owned();
            fields.push(FieldStyle {
                part,
                key,
                quotes: quotes(tree, value),
            });
        }
        // A field that the neighbour lacks is spelled like those that it has.
        let quoted = fields
            .first()
            .and_then(|f| f.key.chars().next())
            .filter(|c| matches!(c, '"' | '\''));
        let values = fields.first().map_or(ScalarStyle::Plain, |f| f.quotes);
        for part in Part::ALL {
            if fields.iter().all(|f| f.part != part) {
                let name = part.field(list.name);
                let key = quoted.map_or_else(|| name.to_owned(), |q| format!("{q}{name}{q}"));
                fields.push(FieldStyle {
                    part,
                    key,
                    quotes: values,
                });
            }
        }
        self.fields = fields;
    }

    fn follow_groups(&mut self, tree: &Tree<'_>, entry: NodeId, key: NodeId, value: NodeId) {
        match tree.kind(value) {
            Kind::Sequence(Style::Block) => {
                let column = |at: u32| at as usize - lines::start(tree.text(), at as usize);
                let indent =
                    column(tree.range(value).start).saturating_sub(column(tree.range(key).start));
                self.groups = GroupsStyle::Block { indent };
            }
            Kind::Sequence(Style::Flow) => {
                let beside = Some(entry).filter(|&e| tree.kind(e) == Kind::Mapping(Style::Flow));
                let style = FlowStyle::of_list(tree, value, beside);
                self.groups = GroupsStyle::Flow(style.unwrap_or_else(FlowStyle::spaced));
            }
            _ => {}
        }
    }

    /// How the field of a part is written.
    pub(super) fn field(&self, part: Part) -> Option<&FieldStyle> {
        self.fields.iter().find(|f| f.part == part)
    }
}

/// Which part a key stands for, in any case, as the authenticator's JSON decoder matches it.
pub(super) fn part_of(section: SectionName, key: &str) -> Option<Part> {
    Part::ALL
        .into_iter()
        .find(|part| equal_fold(key, part.field(section)))
}

/// How a value is quoted; of a list, how its first element is.
fn quotes(tree: &Tree<'_>, value: NodeId) -> ScalarStyle {
    match tree.kind(value) {
        Kind::Scalar(style @ (ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted)) => style,
        Kind::Sequence(_) => tree
            .items(value)
            .next()
            .map_or(ScalarStyle::Plain, |item| match tree.kind(item) {
                Kind::Scalar(_) => quotes(tree, item),
                _ => ScalarStyle::Plain,
            }),
        _ => ScalarStyle::Plain,
    }
}

/// The spaces between an entry's dash and its first byte, if both are on one line.
fn gap(list: &List<'_>, entry: NodeId) -> Option<usize> {
    let start = list.tree.range(entry).start as usize;
    let before = list.text.get(lines::start(list.text, start)..start)?;
    let after_dash = before.trim_start_matches(' ').strip_prefix('-')?;
    after_dash
        .chars()
        .all(|c| c == ' ')
        .then_some(after_dash.len())
}
