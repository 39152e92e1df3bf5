//! Intrinsic functions, in long form (`{"Ref": "X"}`) and in short form (`!Ref X`).
//!
//! What they give is text, a list, a mapping, nothing (`AWS::NoValue`), or unknown. Parameters are unknown even where
//! they have a default, since whoever deploys may give another value. Source: the CloudFormation user guide, "Intrinsic
//! function reference".

use accord_model::span::Range;
use accord_model::unknown;

use super::Template;
use crate::deploy::{Kind, Node, Text};
use crate::view::scalar_type;
use crate::yaml::{self, NodeId, PlainType};

/// Deeper nesting is not evaluated: CloudFormation itself takes far less.
pub(super) const MAX_DEPTH: u32 = 100;

impl<'t> Template<'t> {
    /// The value of a node, with `at` as the path to it.
    pub(crate) fn value(&self, node: NodeId, at: &str) -> Node {
        self.eval(node, at, 0)
    }

    pub(super) fn eval(&self, node: NodeId, at: &str, depth: u32) -> Node {
        let range = self.tree.full_range(node);
        let Some(left) = self
            .budget
            .get()
            .checked_sub(1)
            .filter(|_| depth < MAX_DEPTH)
        else {
            return self.unknown_node(node, at);
        };
        self.budget.set(left);
        let node = self.tree.target(node);
        let depth = depth + 1;
        let kind = match self.function(node) {
            Some((name, argument)) => {
                return match self.apply(name, argument, at, depth) {
                    Some(kind) => Node {
                        kind,
                        range,
                        at: at.to_owned(),
                    },
                    None => self.unknown_node(node, at),
                };
            }
            None => match self.tree.kind(node) {
                yaml::Kind::Sequence(_) => Kind::List(
                    self.tree
                        .items(node)
                        .enumerate()
                        .map(|(i, item)| self.eval(item, &format!("{at}[{i}]"), depth))
                        .filter(|item| !matches!(item.kind, Kind::Null))
                        .collect(),
                ),
                yaml::Kind::Mapping(_) => Kind::Map(self.fields(node, at, depth)),
                yaml::Kind::Scalar(_) => self.scalar(node),
                yaml::Kind::Alias => Kind::Null,
            },
        };
        Node {
            kind,
            range,
            at: at.to_owned(),
        }
    }

    fn fields(&self, node: NodeId, at: &str, depth: u32) -> Vec<(String, Node)> {
        self.tree
            .entries(node)
            .map(|(key, value)| {
                let key = self.tree.scalar(self.tree.target(key)).to_owned();
                let at = if at.is_empty() {
                    key.clone()
                } else {
                    format!("{at}.{key}")
                };
                let value = self.eval(value, &at, depth);
                (key, value)
            })
            .collect()
    }

    fn scalar(&self, node: NodeId) -> Kind {
        match scalar_type(self.tree, node) {
            Some(PlainType::Null) => Kind::Null,
            Some(PlainType::Bool(flag)) => Kind::Flag(flag),
            _ => Kind::Text(self.text_of(node)),
        }
    }

    pub(super) fn text_of(&self, node: NodeId) -> Text {
        Text {
            text: self.tree.scalar(node).to_owned(),
            map: self.tree.offset_map(node),
        }
    }

    /// What a node is if nothing is known of it: named by what is written there.
    fn unknown_node(&self, node: NodeId, at: &str) -> Node {
        Node {
            kind: Kind::Unknown(self.mark(&self.written(node))),
            range: self.tree.full_range(node),
            at: at.to_owned(),
        }
    }

    /// What is written at a node, in one line; of long texts the beginning and something that tells them apart.
    fn written(&self, node: NodeId) -> String {
        const LONGEST: usize = 100;
        let range = self.tree.full_range(node);
        let source = self.tree.text().get(range.bytes()).unwrap_or_default();
        let line = source.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() <= LONGEST {
            return line;
        }
        let sum = line.bytes().fold(0u32, |sum, b| {
            sum.wrapping_mul(31).wrapping_add(u32::from(b))
        });
        let head: String = line.chars().take(LONGEST).collect();
        format!("{head}…{sum:x}")
    }

    /// The function that a node calls, by its name without `Fn::`, and its argument.
    pub(super) fn function(&self, node: NodeId) -> Option<(&str, NodeId)> {
        let node = self.tree.target(node);
        if let Some(name) = self.tree.tag(node).and_then(|tag| tag.strip_prefix('!')) {
            return is_function(name).then_some((name, node));
        }
        if self.tree.count(node) != 1 || !matches!(self.tree.kind(node), yaml::Kind::Mapping(_)) {
            return None;
        }
        let (key, argument) = self.tree.entries(node).next()?;
        let key = self.tree.scalar(self.tree.target(key));
        let name = key.strip_prefix("Fn::").unwrap_or(key);
        let long = key == "Ref" || (key != name && is_function(name));
        long.then_some((name, argument))
    }

    /// The function's value; `None` if it is not known.
    fn apply(&self, name: &str, argument: NodeId, at: &str, depth: u32) -> Option<Kind> {
        let range = self.tree.full_range(argument);
        match name {
            "Ref" => {
                let name = self.plain(argument)?;
                Some(self.reference(name, range, depth))
            }
            "GetAtt" => {
                let (id, attribute) = self.attribute(argument)?;
                Some(self.attribute_of(&id, &attribute, range, depth))
            }
            "Sub" => self.substitute(argument, at, depth),
            "Join" => self.join(argument, at, depth),
            "Select" => {
                let [index, list] = self.pair(argument)?;
                let index: usize = self.eval(index, at, depth).text()?.parse().ok()?;
                match self.eval(list, at, depth).kind {
                    Kind::List(items) => Some(items.into_iter().nth(index)?.kind),
                    _ => None,
                }
            }
            "Split" => {
                let [separator, text] = self.pair(argument)?;
                let separator = self.eval(separator, at, depth).text()?;
                let text = self.eval(text, at, depth);
                let Kind::Text(text) = text.kind else {
                    return None;
                };
                Some(self.split(&separator, &text, range, at))
            }
            "If" => {
                let [condition, yes, no] = self.three(argument)?;
                let name = self.plain(condition)?;
                match self.condition(name, depth) {
                    Some(true) => Some(self.eval(yes, at, depth).kind),
                    Some(false) => Some(self.eval(no, at, depth).kind),
                    None => {
                        let (yes, no) = (self.eval(yes, at, depth), self.eval(no, at, depth));
                        (yes.text().is_some() && yes.text() == no.text()).then_some(yes.kind)
                    }
                }
            }
            "FindInMap" => {
                let mut keys = Vec::new();
                for key in self.tree.items(argument).take(3) {
                    keys.push(self.eval(key, at, depth).text()?);
                }
                let mut node = self.mappings?;
                for key in &keys {
                    node = self.tree.target(self.tree.get(node, key)?);
                }
                (keys.len() == 3).then(|| self.eval(node, at, depth).kind)
            }
            "ImportValue" => {
                // In the short form the argument is the node itself.
                let is_short = self.tree.tag(argument) == Some("!ImportValue");
                let name = match self.plain(argument).filter(|_| is_short) {
                    Some(name) => name.to_owned(),
                    None => self.eval(argument, at, depth).text()?,
                };
                let exported = self.ground.exports.get(&name)?;
                Some(handed(exported, range))
            }
            // `ToJsonString`, `Base64`, `Cidr`, `GetAZs`, `Transform`, `Length`, …
            _ => None,
        }
    }

    /// A plain scalar, as names are written.
    pub(super) fn plain(&self, node: NodeId) -> Option<&'t str> {
        let tree: &'t yaml::Tree<'t> = self.tree;
        let node = tree.target(node);
        matches!(tree.kind(node), yaml::Kind::Scalar(_)).then(|| tree.scalar(node))
    }

    pub(super) fn pair(&self, node: NodeId) -> Option<[NodeId; 2]> {
        let items: Vec<NodeId> = self.tree.items(self.tree.target(node)).collect();
        items.try_into().ok()
    }

    fn three(&self, node: NodeId) -> Option<[NodeId; 3]> {
        let items: Vec<NodeId> = self.tree.items(self.tree.target(node)).collect();
        items.try_into().ok()
    }

    /// `A.B`, `[A, B]`; an attribute may have dots in it.
    fn attribute(&self, node: NodeId) -> Option<(String, String)> {
        if let Some(text) = self.plain(node) {
            let (id, attribute) = text.split_once('.')?;
            return Some((id.to_owned(), attribute.to_owned()));
        }
        let [id, attribute] = self.pair(node)?;
        Some((
            self.plain(id)?.to_owned(),
            self.plain(attribute)?.to_owned(),
        ))
    }

    /// `Ref`: a pseudo parameter, a parameter, or what a resource is called.
    pub(super) fn reference(&self, name: &str, range: Range, depth: u32) -> Kind {
        let known = |text: Option<&String>| match text {
            Some(text) => Kind::Text(Text::made(text.clone(), range)),
            None => Kind::Unknown(unknown::mark(name)),
        };
        let own = |name: &str| Kind::Unknown(self.mark(name));
        match name {
            "AWS::NoValue" => return Kind::Null,
            "AWS::Partition" => return known(self.ground.target.partition.as_ref()),
            "AWS::Region" => return known(self.ground.target.region.as_ref()),
            "AWS::AccountId" => return known(self.ground.target.account.as_ref()),
            "AWS::StackName" => return known(self.ground.target.stack.as_ref()),
            _ => {}
        }
        if let Some((_, item)) = self
            .loops
            .borrow()
            .iter()
            .rfind(|(variable, _)| variable == name)
        {
            return Kind::Text(Text::made(item.clone(), range));
        }
        if let Some(passed) = self.passed.get(name) {
            return handed(&passed.kind, range);
        }
        match self.name_of(name, depth) {
            Some(text) => Kind::Text(Text::made(text, range)),
            None => own(name),
        }
    }

    /// The mark of something in this template; in a nested stack the way to it stands before the name.
    pub(super) fn mark(&self, name: &str) -> String {
        unknown::mark(&format!("{}{}{name}", self.ground.space, self.prefix))
    }
}

/// A value of another template: what is text there stands nowhere in this one.
pub(super) fn handed(kind: &Kind, range: Range) -> Kind {
    match kind {
        Kind::Text(text) => Kind::Text(Text::made(text.text.clone(), range)),
        other => other.clone(),
    }
}

/// The node as text: unknown parts are marks.
pub(super) fn as_text(node: Node) -> Option<Text> {
    match node.kind {
        Kind::Text(text) => Some(text),
        Kind::Unknown(mark) => Some(Text::made(mark, node.range)),
        Kind::Flag(flag) => Some(Text::made(flag.to_string(), node.range)),
        Kind::Null | Kind::List(_) | Kind::Map(_) => None,
    }
}

fn is_function(name: &str) -> bool {
    matches!(
        name,
        "Ref"
            | "GetAtt"
            | "Sub"
            | "Join"
            | "Select"
            | "Split"
            | "If"
            | "FindInMap"
            | "ImportValue"
            | "Base64"
            | "Cidr"
            | "GetAZs"
            | "Transform"
            | "ToJsonString"
            | "Length"
            | "Equals"
            | "Not"
            | "And"
            | "Or"
            | "Condition"
            | "GetStackOutput"
    )
}
