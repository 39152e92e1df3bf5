//! CloudFormation templates, in JSON and in YAML with short forms (`!Ref`, `!GetAtt`, `!Sub`, …), and what the CDK
//! synthesizes.
//!
//! ```text
//! cdk.out ── assembly ──┐
//! text ── yaml ── Template ── functions ── resource ── accord_model::deploy
//! ```
//!
//! - [`functions`], [`texts`], [`conditions`]: intrinsic functions, evaluated as far as they can be before a deploy. A value that they cannot give
//!   is unknown: never a default, never a guess.
//! - [`resource`]: the resources that concern access. [`kubernetes`], [`iam`]: manifests inside templates, and ARNs of
//!   roles that are not made yet.
//! - [`nested`]: stacks inside stacks, and what they hand to each other.
//! - [`assembly`]: the folder `cdk.out`, and from where in a program a resource comes.

pub mod assembly;
mod conditions;
mod functions;
mod iam;
mod kubernetes;
mod nested;
mod resource;
#[cfg(test)]
mod tests;
mod texts;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use accord_model::deploy::{Deploy, Tool};
use accord_model::finding::Origin;
use accord_model::span::{Range, TextId};

use crate::deploy::{Kind, Node};
use crate::sources::{Misread, Sources};
use crate::state;
use crate::view::View;
use crate::yaml::{self, Dialect, NodeId, Tree};

/// Where a template is deployed to, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// `aws`, `aws-cn`, …
    pub partition: Option<String>,
    /// `eu-west-1`
    pub region: Option<String>,
    /// Twelve digits.
    pub account: Option<String>,
    /// The stack's name.
    pub stack: Option<String>,
}

impl Target {
    /// The place of a resource: of the cluster, which is in the account and region of all that belongs to it.
    pub fn of_arn(arn: &str) -> Self {
        let Some(arn) = accord_model::arn::Arn::parse(arn) else {
            return Self::default();
        };
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Self {
            partition: given(arn.partition),
            region: given(arn.region),
            account: given(arn.account),
            stack: None,
        }
    }
}

/// A file that lies beside a template: its name for people, and its text.
pub type Beside<'a> = &'a dyn Fn(&str) -> Option<(String, Arc<str>)>;

/// Reads a template; `None` if the text is something else. `beside` finds the templates of nested stacks.
///
/// # Errors
/// If it is a template and cannot be read.
pub fn read(
    name: &str,
    bytes: &[u8],
    target: &Target,
    beside: Beside<'_>,
    sources: &mut Sources,
) -> Result<Option<Deploy>, Misread> {
    let text = state::text(name, bytes)?;
    if !text.contains("Resources") && !text.contains("AWSTemplateFormatVersion") {
        return Ok(None);
    }
    let tree = match yaml::first_document(text, Dialect::Json) {
        Ok(tree) => tree,
        Err(error) if looks_like_one(text) => {
            let id = sources.add_file(name, text);
            let fault = state::unreadable(error);
            return Err(sources.misread(fault.range.of(id), fault.message));
        }
        Err(_) => return Ok(None),
    };
    let Some(root) = View::root(&tree).filter(is_template) else {
        return Ok(None);
    };
    let id = sources.add_file(name, text);
    let ground = Ground {
        target,
        beside,
        ..Ground::default()
    };
    let template = Template::of(&tree, root.node, id, &ground);
    let mut deploy = empty(name, target);
    template.resources(&mut deploy, sources);
    Ok(Some(deploy))
}

/// A deploy of nothing.
fn empty(name: &str, target: &Target) -> Deploy {
    Deploy {
        tool: Tool::CloudFormation,
        name: name.to_owned(),
        stack: target.stack.clone(),
        resources: Vec::new(),
        ignored: Vec::new(),
        incomplete: false,
        unread: Vec::new(),
        account: target.account.clone(),
        region: target.region.clone(),
    }
}

/// Whether a text that cannot be read was meant to be a template.
fn looks_like_one(text: &str) -> bool {
    let head: String = text.chars().take(4096).collect();
    ["AWSTemplateFormatVersion", "\"Resources\"", "\nResources:"]
        .iter()
        .any(|word| head.contains(word))
}

/// What begins the key of a loop over resources.
const LOOP: &str = "Fn::ForEach::";

/// A template has resources, each of a type.
fn is_template(root: &View<'_>) -> bool {
    if root.has("AWSTemplateFormatVersion") {
        return true;
    }
    let Ok(Some(resources)) = root.mapping("Resources") else {
        return false;
    };
    let mut all = resources.tree.entries(resources.node);
    all.all(|(id, resource)| {
        let id = resources.tree.scalar(resources.tree.target(id));
        if id.starts_with(LOOP) {
            return true;
        }
        resources
            .tree
            .get(resources.tree.target(resource), "Type")
            .is_some()
    })
}

/// What surrounds a template.
struct Ground<'t> {
    target: &'t Target,
    beside: Beside<'t>,
    /// The files of assets, by their hash.
    assets: BTreeMap<String, String>,
    /// What other stacks export.
    exports: BTreeMap<String, Kind>,
    /// From where resources come, by logical id.
    origins: BTreeMap<String, Origin>,
    /// What stands before the names of marks, where several stacks are read together.
    space: String,
}

impl Default for Ground<'_> {
    fn default() -> Self {
        static NOWHERE: Target = Target {
            partition: None,
            region: None,
            account: None,
            stack: None,
        };
        Self {
            target: &NOWHERE,
            beside: &|_| None,
            assets: BTreeMap::new(),
            exports: BTreeMap::new(),
            origins: BTreeMap::new(),
            space: String::new(),
        }
    }
}

/// A template, its parts found.
struct Template<'t> {
    tree: &'t Tree<'t>,
    file: TextId,
    ground: &'t Ground<'t>,
    /// Resources by logical id, in the order of their ids.
    by_id: BTreeMap<&'t str, NodeId>,
    /// Logical ids and keys' places, in the order of the text.
    order: Vec<(&'t str, Range)>,
    conditions: BTreeMap<&'t str, NodeId>,
    mappings: Option<NodeId>,
    outputs: Option<NodeId>,
    /// The way to a nested stack, with a slash behind it; empty for the template itself.
    prefix: String,
    /// What the parent stack passes, for a nested one.
    passed: BTreeMap<String, Node>,
    /// What the variables of loops around a resource stand for, the innermost last.
    loops: RefCell<Vec<(String, String)>>,
    /// Outputs of nested stacks, evaluated once.
    handed: RefCell<BTreeMap<String, BTreeMap<String, Kind>>>,
    /// How deep it is nested.
    level: u32,
    /// How many more nodes may be looked at: aliases can make a small text endless.
    budget: Cell<u32>,
}

/// More nodes than the largest template that CloudFormation takes (1 MB) can have, many times over.
const BUDGET: u32 = 4_000_000;

impl<'t> Template<'t> {
    fn of(tree: &'t Tree<'t>, root: NodeId, file: TextId, ground: &'t Ground<'t>) -> Self {
        let part = |name: &str| {
            let node = tree.target(tree.get(root, name)?);
            matches!(tree.kind(node), yaml::Kind::Mapping(_)).then_some(node)
        };
        let named = |name: &str| -> Vec<(&'t str, Range, NodeId)> {
            let Some(node) = part(name) else {
                return Vec::new();
            };
            let entries = tree.entries(node);
            entries
                .map(|(key, value)| {
                    let key = tree.target(key);
                    (tree.scalar(key), tree.range(key), tree.target(value))
                })
                .collect()
        };
        let resources = named("Resources");
        let conditions = named("Conditions").into_iter();
        Self {
            tree,
            file,
            ground,
            by_id: resources.iter().map(|(id, _, node)| (*id, *node)).collect(),
            order: resources
                .iter()
                .map(|(id, range, _)| (*id, *range))
                .collect(),
            conditions: conditions.map(|(id, _, node)| (id, node)).collect(),
            mappings: part("Mappings"),
            outputs: part("Outputs"),
            prefix: String::new(),
            passed: BTreeMap::new(),
            loops: RefCell::default(),
            handed: RefCell::default(),
            level: 0,
            budget: Cell::new(BUDGET),
        }
    }

    /// Outputs by name, and by the name that they are exported under.
    fn outputs(&self) -> (BTreeMap<String, Kind>, BTreeMap<String, Kind>) {
        let (mut named, mut exported) = (BTreeMap::new(), BTreeMap::new());
        let entries = self
            .outputs
            .into_iter()
            .flat_map(|node| self.tree.entries(node));
        for (key, output) in entries {
            let output = self.tree.target(output);
            let Some(value) = self.tree.get(output, "Value") else {
                continue;
            };
            let value = self.value(value, "").kind;
            let export = self.tree.get(output, "Export").map(|e| self.value(e, ""));
            let export = export.and_then(|e| e.get("Name")?.text());
            if let Some(name) = export {
                exported.insert(name, value.clone());
            }
            named.insert(self.tree.scalar(self.tree.target(key)).to_owned(), value);
        }
        (named, exported)
    }
}
