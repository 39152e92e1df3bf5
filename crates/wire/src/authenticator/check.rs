//! What go-yaml rejects when it makes values of a document, and what its values cannot become JSON for.
//!
//! Either loses the whole section, wherever in it the fault is, in fields that nobody reads too. Nothing here recurses,
//! and how far aliases are expanded is limited as go-yaml limits it.

use std::collections::BTreeSet;

use accord_model::reading::{Loss, LossCause};
use accord_model::span::Range;

use super::fields::{self, Key};
use super::loss;
use super::value::{binary, is_binary, scalar_type};
use crate::teeth::{Rule, holds};
use crate::yaml::resolve::PlainType;
use crate::yaml::{Kind, NodeId, Tree};

/// The JSON decoder takes no deeper nesting (`maxNestingDepth` in Go's `encoding/json`).
const MAX_JSON_DEPTH: usize = 10_000;

/// Texts that aliases repeat may have so many bytes in all. go-yaml has no such limit: it would fill the memory.
pub(super) const MAX_REPEATED: usize = 64 << 20;

/// Whether the authenticator can make JSON of the document.
///
/// # Errors
/// The loss of the section: a tag that does not fit, a list or mapping as a key, a merge key without a mapping, an
/// alias inside what it stands for, too much expansion of aliases; infinities and NaN as values, null and numbers from
/// 2⁶³ on as keys; nesting beyond 10,000 levels once aliases are expanded.
pub(super) fn check(tree: &Tree<'_>, root: NodeId) -> Result<(), Loss> {
    let mut decoder = Decoder {
        tree,
        walks: Vec::new(),
        expanding: BTreeSet::new(),
        decoded: 1,
        from_aliases: 0,
        repeated: 0,
        suspect: false,
    };
    decoder.run(root)?;
    if decoder.suspect {
        check_printable(tree, root)?;
    }
    Ok(())
}

fn fail<T>(tree: &Tree<'_>, node: NodeId, message: impl Into<String>) -> Result<T, Loss> {
    Err(lost(tree.full_range(node), message))
}

/// Aliases repeat too much.
pub(super) fn too_much(tree: &Tree<'_>, node: NodeId) -> Loss {
    lost(
        tree.full_range(node),
        "aliases expand to far more than is written",
    )
}

fn lost(range: Range, message: impl Into<String>) -> Loss {
    Loss {
        cause: LossCause::Unparseable,
        message: message.into(),
        range,
    }
}

/// Walks through a document as go-yaml's decoder does (`decode.go`).
struct Decoder<'a> {
    tree: &'a Tree<'a>,
    /// Open collections, innermost last.
    walks: Vec<Walk>,
    /// Aliases that are being expanded.
    expanding: BTreeSet<NodeId>,
    /// Nodes made into values; one more for the document.
    decoded: usize,
    /// Those of them inside aliases.
    from_aliases: usize,
    /// The bytes of texts among those.
    repeated: usize,
    /// There is something that might not be printable as JSON.
    suspect: bool,
}

/// A collection being walked through.
struct Walk {
    left: Left,
    /// The level of nesting, the root's being 1. A merged mapping is on the level of the one it is merged into.
    depth: usize,
    /// The alias that led here.
    alias: Option<NodeId>,
}

/// What is left of a collection.
enum Left {
    Items(Option<NodeId>),
    Keys(Option<NodeId>),
    /// The value of a key, and the keys after it.
    Value(NodeId),
    /// Mappings to be merged, the next one last.
    Merges(Vec<NodeId>),
}

impl Decoder<'_> {
    fn run(&mut self, root: NodeId) -> Result<(), Loss> {
        self.visit(root, 0)?;
        while let Some(walk) = self.walks.last_mut() {
            let depth = walk.depth;
            match &mut walk.left {
                Left::Items(Some(item)) => {
                    let item = *item;
                    walk.left = Left::Items(self.tree.next(item));
                    self.visit(item, depth)?;
                }
                Left::Keys(Some(key)) => {
                    let key = *key;
                    // A mapping has a value for each key.
                    let value = self.tree.next(key).unwrap_or(key);
                    if fields::is_merge(self.tree, key) {
                        walk.left = Left::Keys(self.tree.next(value));
                        self.merge(value, depth)?;
                    } else {
                        walk.left = Left::Value(value);
                        self.check_key(key)?;
                        self.visit(key, depth)?;
                    }
                }
                Left::Value(value) => {
                    let value = *value;
                    walk.left = Left::Keys(self.tree.next(value));
                    self.visit(value, depth)?;
                }
                Left::Merges(mappings) => match mappings.pop() {
                    Some(mapping) => self.visit(mapping, depth - 1)?,
                    None => {
                        self.walks.pop();
                    }
                },
                Left::Items(None) | Left::Keys(None) => {
                    if let Some(alias) = walk.alias {
                        self.expanding.remove(&alias);
                    }
                    self.walks.pop();
                }
            }
        }
        Ok(())
    }

    /// Begins with a node inside a collection on level `depth`.
    fn visit(&mut self, node: NodeId, depth: usize) -> Result<(), Loss> {
        self.count(node)?;
        let alias = (self.tree.kind(node) == Kind::Alias).then_some(node);
        if let Some(alias) = alias {
            if !self.expanding.insert(alias) {
                let name = self.tree.scalar(alias);
                return fail(
                    self.tree,
                    alias,
                    format!("the alias `*{name}` stands inside what it stands for"),
                );
            }
            self.count(node)?;
        }
        let target = self.tree.target(node);
        let first = self.tree.children(target).next();
        let left = match self.tree.kind(target) {
            Kind::Sequence(_) => Left::Items(first),
            Kind::Mapping(_) => Left::Keys(first),
            Kind::Scalar(_) | Kind::Alias => {
                self.check_scalar(target)?;
                if let Some(alias) = alias {
                    self.expanding.remove(&alias);
                }
                return Ok(());
            }
        };
        let depth = depth + 1;
        self.suspect |= depth > MAX_JSON_DEPTH;
        self.walks.push(Walk { left, depth, alias });
        Ok(())
    }

    /// Counts a node, and limits what comes from aliases: to 99 % of up to 400,000 nodes, falling to 10 % of 4,000,000.
    fn count(&mut self, node: NodeId) -> Result<(), Loss> {
        self.decoded += 1;
        if !self.expanding.is_empty() {
            self.from_aliases += 1;
            self.repeated += self.tree.scalar(self.tree.target(node)).len();
        }
        if self.repeated > MAX_REPEATED {
            return Err(too_much(self.tree, node));
        }
        if self.from_aliases <= 100 || self.decoded <= 1000 {
            return Ok(());
        }
        let (low, high) = (400_000.0, 4_000_000.0);
        let decoded = self.decoded as f64;
        let allowed = if decoded <= low {
            0.99
        } else if decoded >= high {
            0.10
        } else {
            0.99 - 0.89 * ((decoded - low) / (high - low))
        };
        if self.from_aliases as f64 / decoded > allowed {
            return Err(too_much(self.tree, node));
        }
        Ok(())
    }

    fn check_scalar(&mut self, scalar: NodeId) -> Result<(), Loss> {
        if is_binary(self.tree, scalar) && binary(self.tree.scalar(scalar)).is_none() {
            return fail(self.tree, scalar, "a `!!binary` value is no base64");
        }
        match scalar_type(self.tree, scalar) {
            Ok(PlainType::Float(value)) => self.suspect |= !value.is_finite(),
            Ok(_) => {}
            Err(_) => {
                return fail(
                    self.tree,
                    scalar,
                    "a value does not fit the tag before it (`!!int`, `!!bool`, …)",
                );
            }
        }
        Ok(())
    }

    fn check_key(&mut self, key: NodeId) -> Result<(), Loss> {
        let target = self.tree.target(key);
        match self.tree.kind(target) {
            Kind::Scalar(_) | Kind::Alias => {
                // As keys these cannot be printed; as values they can.
                let unprintable = matches!(
                    scalar_type(self.tree, target),
                    Ok(PlainType::Null | PlainType::Uint(_))
                );
                self.suspect |= unprintable;
                Ok(())
            }
            Kind::Sequence(_) | Kind::Mapping(_) => Err(loss::of_collection_as_key(self.tree, key)),
        }
    }

    /// Begins with the value of a merge key: a mapping, an alias of one, or a list of those.
    fn merge(&mut self, value: NodeId, depth: usize) -> Result<(), Loss> {
        let is_mapping =
            |tree: &Tree<'_>, node| matches!(tree.kind(tree.target(node)), Kind::Mapping(_));
        let mappings = match self.tree.kind(value) {
            Kind::Sequence(_) => self.tree.items(value).collect(),
            Kind::Mapping(_) | Kind::Alias | Kind::Scalar(_) => vec![value],
        };
        // go-yaml looks at each only when its turn comes; but wherever the fault is, the section is lost.
        match mappings.iter().find(|&&m| !is_mapping(self.tree, m)) {
            Some(&other) => fail(
                self.tree,
                other,
                "a merge key (`<<`) needs a mapping or a list of mappings",
            ),
            None => {
                self.walks.push(Walk {
                    left: Left::Merges(mappings),
                    depth,
                    alias: None,
                });
                Ok(())
            }
        }
    }
}

/// Whether what is left of a document after equal keys and merges can be printed as JSON, and read again.
fn check_printable(tree: &Tree<'_>, root: NodeId) -> Result<(), Loss> {
    let mut nodes = vec![(root, 0)];
    while let Some((node, depth)) = nodes.pop() {
        let target = tree.target(node);
        let depth = depth + 1;
        match tree.kind(target) {
            Kind::Sequence(_) => nodes.extend(tree.items(target).map(|item| (item, depth))),
            Kind::Mapping(_) => {
                for (key, assignment) in fields::survivors(tree, target) {
                    check_printable_key(tree, &key, assignment.key)?;
                    nodes.push((assignment.value, depth));
                }
            }
            Kind::Scalar(_) | Kind::Alias => {
                let unprintable = matches!(scalar_type(tree, target),
                    Ok(PlainType::Float(value)) if !value.is_finite());
                if unprintable && holds(Rule::FloatLoss) {
                    return fail(
                        tree,
                        node,
                        "an infinity or NaN, which JSON does not know, stands in it",
                    );
                }
                continue;
            }
        }
        if depth > MAX_JSON_DEPTH {
            return fail(
                tree,
                node,
                "lists and mappings are nested more than 10,000 deep",
            );
        }
    }
    Ok(())
}

fn check_printable_key(tree: &Tree<'_>, key: &Key<'_>, node: NodeId) -> Result<(), Loss> {
    match key {
        Key::Null if holds(Rule::NullKeyLoss) => fail(tree, node, "a key is null"),
        Key::Uint(_) => fail(tree, node, "a key is a number larger than 2⁶³"),
        _ => Ok(()),
    }
}
