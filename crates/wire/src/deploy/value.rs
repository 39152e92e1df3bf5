//! A value of a resource, evaluated as far as it can be before the deploy.

use accord_model::deploy::{Given, List};
use accord_model::span::{Range, TextId};

use crate::yaml::OffsetMap;

/// A value, its place in the file, and the path to it inside its resource.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) range: Range,
    pub(crate) at: String,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Nothing: null, or a property that is taken out.
    Null,
    /// Known only after the deploy; the mark that stands for it.
    Unknown(String),
    /// Text or a number.
    Text(Text),
    /// True or false.
    Flag(bool),
    /// A list.
    List(Vec<Node>),
    /// Keys and values.
    Map(Vec<(String, Node)>),
}

/// A text, and where each of its bytes stands in the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) map: OffsetMap,
}

impl Text {
    /// Puts another text behind this one.
    pub(crate) fn push(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.map.append(&other.map);
    }

    /// A text that stands nowhere as it is, but comes from what stands in `range`.
    pub(crate) fn made(text: impl Into<String>, range: Range) -> Self {
        let text = text.into();
        Self {
            map: OffsetMap::made_from(range, text.len() as u32),
            text,
        }
    }
}

impl Node {
    /// Nothing at all.
    pub(crate) fn null(range: Range, at: impl Into<String>) -> Self {
        Self {
            kind: Kind::Null,
            range,
            at: at.into(),
        }
    }

    /// The field, unless it is null.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let Kind::Map(fields) = &self.kind else {
            return None;
        };
        let (_, value) = fields.iter().rfind(|(k, _)| k == key)?;
        (!matches!(value.kind, Kind::Null)).then_some(value)
    }

    /// The value under a path of keys.
    pub(crate) fn find(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Whether it is known only after the deploy.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.kind, Kind::Unknown(_))
    }

    /// The text, or the mark of what is not known; `None` for lists, mappings and null.
    pub(crate) fn text(&self) -> Option<String> {
        match &self.kind {
            Kind::Text(text) => Some(text.text.clone()),
            Kind::Unknown(mark) => Some(mark.clone()),
            Kind::Flag(flag) => Some(flag.to_string()),
            Kind::Null | Kind::List(_) | Kind::Map(_) => None,
        }
    }

    /// The field's text with its place.
    pub(crate) fn given(&self, key: &str, file: TextId) -> Option<Given<String>> {
        let node = self.get(key)?;
        Some(node.place(node.text()?, file))
    }

    /// The field's truth with its place, if it is known. `"true"` is truth, as CloudFormation and Terraform take it.
    pub(crate) fn flag(&self, key: &str, file: TextId) -> Option<Given<bool>> {
        let node = self.get(key)?;
        let flag = match &node.kind {
            Kind::Flag(flag) => *flag,
            Kind::Text(text) => match text.text.to_ascii_lowercase().as_str() {
                "true" => true,
                "false" => false,
                _ => return None,
            },
            _ => return None,
        };
        Some(node.place(flag, file))
    }

    /// A value that stands here.
    pub(crate) fn place<T>(&self, value: T, file: TextId) -> Given<T> {
        Given {
            value,
            at: self.at.clone(),
            span: Some(self.range.of(file)),
        }
    }

    /// The field's list; what is no item is left out. A single value stands for a list of it.
    pub(crate) fn list<T>(
        &self,
        key: &str,
        file: TextId,
        item: impl Fn(&Self) -> Option<T>,
    ) -> Option<List<T>> {
        let node = self.get(key)?;
        let mut list = List {
            items: Vec::new(),
            open: false,
            at: node.at.clone(),
            span: Some(node.range.of(file)),
        };
        match &node.kind {
            Kind::Unknown(_) => list.open = true,
            Kind::List(items) => {
                // An item that is no text yet may still become several, or none.
                list.open = items.iter().any(Self::is_unknown);
                list.items = items.iter().filter_map(&item).collect();
            }
            Kind::Null => return None,
            Kind::Text(_) | Kind::Flag(_) | Kind::Map(_) => list.items.extend(item(node)),
        }
        Some(list)
    }

    /// The field's list of texts; of a list that is not known, the mark that stands for it.
    pub(crate) fn texts(&self, key: &str, file: TextId) -> Option<List<Given<String>>> {
        let mut list = self.list(key, file, |node| Some(node.place(node.text()?, file)))?;
        let whole = self.get(key).filter(|node| node.is_unknown());
        list.items
            .extend(whole.and_then(|node| Some(node.place(node.text()?, file))));
        Some(list)
    }
}
