//! CloudFormation templates, in JSON and in YAML with short forms (`!Ref`, `!GetAtt`, `!Sub`, …), and what the CDK
//! synthesizes.
//!
//! ```text
//! text ── yaml ── Template ── functions ── resource ── accord_model::deploy
//! ```
//!
//! - [`functions`]: intrinsic functions, evaluated as far as they can be before a deploy. A value that they cannot give
//!   is unknown: never a default, never a guess.
//! - [`resource`]: the resources that concern access.
//! - [`kubernetes`], [`iam`]: manifests inside templates, and ARNs of roles that are not made yet.

mod functions;
mod iam;
mod kubernetes;
mod resource;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use accord_model::deploy::{Deploy, Tool};
use accord_model::span::{Range, TextId};

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

/// Reads a template; `None` if the text is something else.
///
/// # Errors
/// If it is a template and cannot be read.
pub fn read(
    name: &str,
    bytes: &[u8],
    target: &Target,
    sources: &mut Sources,
) -> Result<Option<Deploy>, Misread> {
    let text = state::text(name, bytes)?;
    if !text.contains("Resources") && !text.contains("AWSTemplateFormatVersion") {
        return Ok(None);
    }
    let looks = looks_like_one(text);
    let tree = match yaml::first_document(text, Dialect::Json) {
        Ok(tree) => tree,
        Err(error) if looks => {
            let id = sources.add_file(name, text);
            let fault = state::unreadable(error);
            return Err(sources.misread(fault.range.of(id), fault.message));
        }
        Err(_) => return Ok(None),
    };
    let Some(root) = View::root(&tree).filter(|root| is_template(root)) else {
        return Ok(None);
    };
    let id = sources.add_file(name, text);
    let template = Template::of(&tree, root.node, id, target, BTreeMap::new());
    Ok(Some(Deploy {
        tool: Tool::CloudFormation,
        name: name.to_owned(),
        stack: target.stack.clone(),
        resources: template.resources(sources),
        ignored: Vec::new(),
        incomplete: false,
    }))
}

/// Whether a text that cannot be read was meant to be a template.
fn looks_like_one(text: &str) -> bool {
    let head: String = text.chars().take(4096).collect();
    ["AWSTemplateFormatVersion", "\"Resources\"", "\nResources:"]
        .iter()
        .any(|word| head.contains(word))
}

/// A template has resources, each of a type.
fn is_template(root: &View<'_>) -> bool {
    if root.has("AWSTemplateFormatVersion") {
        return true;
    }
    let Ok(Some(resources)) = root.mapping("Resources") else {
        return false;
    };
    let mut all = resources.tree.entries(resources.node);
    all.all(|(_, resource)| {
        resources
            .tree
            .get(resources.tree.target(resource), "Type")
            .is_some()
    })
}

/// A template, its parts found.
pub(crate) struct Template<'t> {
    pub(crate) tree: &'t Tree<'t>,
    pub(crate) file: TextId,
    pub(crate) target: &'t Target,
    /// Resources by logical id, in the order of their ids.
    pub(crate) by_id: BTreeMap<&'t str, NodeId>,
    /// Logical ids and keys' places, in the order of the text.
    pub(crate) order: Vec<(&'t str, Range)>,
    pub(crate) conditions: BTreeMap<&'t str, NodeId>,
    pub(crate) mappings: Option<NodeId>,
    /// The way to a nested stack, with a slash behind it; empty for the template itself.
    pub(crate) prefix: String,
    /// What the parent stack passes, for a nested one.
    pub(crate) passed: BTreeMap<String, crate::deploy::Node>,
    /// How many more nodes may be looked at: aliases can make a small text endless.
    pub(crate) budget: std::cell::Cell<u32>,
}

/// More nodes than the largest template that CloudFormation takes (1 MB) can have, many times over.
const BUDGET: u32 = 4_000_000;

impl<'t> Template<'t> {
    fn of(
        tree: &'t Tree<'t>,
        root: NodeId,
        file: TextId,
        target: &'t Target,
        passed: BTreeMap<String, crate::deploy::Node>,
    ) -> Self {
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
        Self {
            tree,
            file,
            target,
            by_id: resources.iter().map(|(id, _, node)| (*id, *node)).collect(),
            order: resources
                .iter()
                .map(|(id, range, _)| (*id, *range))
                .collect(),
            conditions: named("Conditions")
                .into_iter()
                .map(|(id, _, node)| (id, node))
                .collect(),
            mappings: part("Mappings"),
            prefix: String::new(),
            passed,
            budget: std::cell::Cell::new(BUDGET),
        }
    }
}
