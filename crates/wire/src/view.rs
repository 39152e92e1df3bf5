//! A look into a document: fields by name, with the types that a rule needs.
//!
//! Null is the same as a field that is not there, as it is to Go. A scalar that is asked for as text is taken as it is
//! written, so that account ids keep their zeros. What has another type than asked for is a [`Fault`].

use accord_model::span::Range;

use crate::yaml::resolve::{self, PlainType};
use crate::yaml::{Kind, NodeId, ScalarStyle, Tree};

/// A value of another type than the one needed, or none at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What is wrong and what was expected.
    pub(crate) message: String,
    /// Where, in the tree's text.
    pub(crate) range: Range,
}

/// A node that is not null, and the way to it.
#[derive(Clone, Debug)]
pub(crate) struct View<'a> {
    pub(crate) tree: &'a Tree<'a>,
    /// Never an alias.
    pub(crate) node: NodeId,
    /// `metadata.labels`; empty for the root.
    pub(crate) path: String,
}

/// What a scalar is, tags heeded; `None` for what is no scalar, and where a tag does not fit its text.
pub(crate) fn scalar_type(tree: &Tree<'_>, node: NodeId) -> Option<PlainType> {
    let Kind::Scalar(style) = tree.kind(node) else {
        return None;
    };
    let is_plain = style == ScalarStyle::Plain;
    resolve::typed(tree.tag(node), tree.scalar(node), is_plain).ok()
}

impl<'a> View<'a> {
    /// The document's root, unless it is null.
    pub(crate) fn root(tree: &'a Tree<'a>) -> Option<Self> {
        Self::of(tree, tree.root()?, String::new())
    }

    /// `node`, unless it is null.
    pub(crate) fn of(tree: &'a Tree<'a>, node: NodeId, path: String) -> Option<Self> {
        let node = tree.target(node);
        let is_null = scalar_type(tree, node) == Some(PlainType::Null);
        (!is_null).then_some(Self { tree, node, path })
    }

    /// Its bytes.
    pub(crate) fn range(&self) -> Range {
        self.tree.range(self.node)
    }

    /// Something wrong here.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault {
            message: message.into(),
            range: self.range(),
        }
    }

    /// The type found is not the type needed.
    fn expected(&self, what: &str) -> Fault {
        let found = match self.tree.kind(self.node) {
            Kind::Sequence(_) => "a list",
            Kind::Mapping(_) => "a mapping",
            Kind::Scalar(_) | Kind::Alias => "text",
        };
        let name = if self.path.is_empty() {
            "the document"
        } else {
            &format!("`{}`", self.path)
        };
        self.fault(format!("{name} is {found}; {what} was expected"))
    }

    pub(crate) fn is_mapping(&self) -> bool {
        matches!(self.tree.kind(self.node), Kind::Mapping(_))
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self.tree.kind(self.node), Kind::Sequence(_))
    }

    /// Whether there is a field of this name, null or not.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.tree.get(self.node, key).is_some()
    }

    /// The field, if it is there and not null.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let node = self.tree.get(self.node, key)?;
        Self::of(self.tree, node, self.below(key))
    }

    fn below(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// The field, which must be a mapping if it is there.
    pub(crate) fn mapping(&self, key: &str) -> Result<Option<Self>, Fault> {
        match self.get(key) {
            Some(view) if !view.is_mapping() => Err(view.expected("a mapping")),
            other => Ok(other),
        }
    }

    /// The field's text, if it is there.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, Fault> {
        self.get(key).map(|view| view.as_text()).transpose()
    }

    /// The field's text, which must be there.
    pub(crate) fn need_text(&self, key: &str) -> Result<String, Fault> {
        self.text(key)?
            .ok_or_else(|| self.fault(format!("`{}` is missing", self.below(key))))
    }

    /// The field's truth; false if it is not there.
    pub(crate) fn flag(&self, key: &str) -> Result<bool, Fault> {
        let Some(view) = self.get(key) else {
            return Ok(false);
        };
        match scalar_type(self.tree, view.node) {
            Some(PlainType::Bool(value)) => Ok(value),
            _ => Err(view.expected("true or false")),
        }
    }

    /// The items of the list in this field that are not null; none if it is not there.
    pub(crate) fn list(&self, key: &str) -> Result<Vec<Self>, Fault> {
        self.get(key).map_or(Ok(Vec::new()), |view| view.as_list())
    }

    /// The texts of the list in this field; none if it is not there.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<String>, Fault> {
        self.list(key)?.iter().map(Self::as_text).collect()
    }

    /// A scalar as it is written.
    pub(crate) fn as_text(&self) -> Result<String, Fault> {
        match self.tree.kind(self.node) {
            Kind::Scalar(_) => Ok(self.tree.scalar(self.node).to_owned()),
            Kind::Sequence(_) | Kind::Mapping(_) | Kind::Alias => Err(self.expected("text")),
        }
    }

    /// The items that are not null.
    pub(crate) fn as_list(&self) -> Result<Vec<Self>, Fault> {
        if !self.is_list() {
            return Err(self.expected("a list"));
        }
        let items = self.tree.items(self.node).enumerate();
        Ok(items
            .filter_map(|(i, item)| Self::of(self.tree, item, format!("{}[{i}]", self.path)))
            .collect())
    }

    /// The entries of the field's mapping with the texts of their keys, values that are null left out.
    pub(crate) fn pairs(&self, key: &str) -> Result<Vec<(String, Self)>, Fault> {
        let Some(mapping) = self.mapping(key)? else {
            return Ok(Vec::new());
        };
        let entries = mapping.tree.entries(mapping.node);
        Ok(entries
            .filter_map(|(key, value)| {
                let name = mapping.tree.scalar(mapping.tree.target(key)).to_owned();
                let path = mapping.below(&name);
                Some((name, Self::of(mapping.tree, value, path)?))
            })
            .collect())
    }
}
