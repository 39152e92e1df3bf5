//! The plan's configuration: what values refer to, and attributes that a module ignores.

use std::collections::BTreeMap;

use accord_model::deploy::{Given, Ignored};
use accord_model::span::TextId;

use crate::view::View;
use crate::yaml::NodeId;

/// What the configuration says of resources and modules.
pub(super) struct Config<'a> {
    root: View<'a>,
    /// The expressions of each resource, by its address without any index.
    resources: BTreeMap<String, NodeId>,
    /// Calls of modules, by address without any index.
    calls: Vec<(String, NodeId)>,
}

/// How deep modules are followed.
const MAX_DEPTH: u32 = 32;

/// Data sources that say who runs Terraform.
const OF_CALLER: [&str; 2] = ["data.aws_caller_identity.", "data.aws_iam_session_context."];

/// What terraform-aws-modules/eks/aws reads in an element of `access_entries`, and below it. Source: its `main.tf` and
/// `variables.tf`, versions 20 and 21.
const ENTRY: &[&str] = &[
    "principal_arn",
    "kubernetes_groups",
    "type",
    "user_name",
    "tags",
    "policy_associations",
];
const POLICY: &[&str] = &["policy_arn", "access_scope"];
const SCOPE: &[&str] = &["type", "namespaces"];

/// What the configuration says of an attribute.
pub(super) enum Said {
    /// There is no such resource in the configuration, or no configuration.
    Nothing,
    /// It is not set.
    NotSet,
    /// It is set from these references, the nearest first; none if it is a constant.
    From(Vec<String>),
}

impl<'a> Config<'a> {
    pub(super) fn of(root: &View<'a>) -> Self {
        let mut config = Self {
            root: root.clone(),
            resources: BTreeMap::new(),
            calls: Vec::new(),
        };
        let module = root.get("configuration").and_then(|c| c.get("root_module"));
        if let Some(module) = module {
            config.add(&module, "", 0);
        }
        config
    }

    fn add(&mut self, module: &View<'a>, prefix: &str, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        for resource in module.list("resources").unwrap_or_default() {
            let address = resource.text("address").ok().flatten();
            if let Some((address, expressions)) = address.zip(resource.get("expressions")) {
                self.resources
                    .insert(format!("{prefix}{address}"), expressions.node);
            }
        }
        for (name, call) in module.pairs("module_calls").unwrap_or_default() {
            let address = format!("{prefix}module.{name}");
            self.calls.push((address.clone(), call.node));
            if let Some(inner) = call.get("module") {
                self.add(&inner, &format!("{address}."), depth + 1);
            }
        }
    }

    /// What is said of an attribute of a resource; the address may have indices.
    pub(super) fn said(&self, address: &str, attribute: &str) -> Said {
        let Some(node) = self.resources.get(&without_indices(address)) else {
            return Said::Nothing;
        };
        let Some(expressions) = View::of(self.root.tree, *node, String::new()) else {
            return Said::Nothing;
        };
        match expressions.get(attribute) {
            None => Said::NotSet,
            Some(expression) => Said::From(expression.texts("references").unwrap_or_default()),
        }
    }

    /// Whether an attribute is whoever runs Terraform.
    pub(super) fn is_of_caller(&self, address: &str, attribute: &str) -> bool {
        match self.said(address, attribute) {
            Said::From(references) => references
                .iter()
                .any(|r| OF_CALLER.iter().any(|of| r.starts_with(of))),
            Said::Nothing | Said::NotSet => false,
        }
    }

    /// What an expression in the call of a module is, if it is a constant, or one of the root module's variables.
    fn value(&self, expression: &View<'a>, call: &str) -> Option<View<'a>> {
        if let Some(constant) = expression.get("constant_value") {
            return Some(constant);
        }
        let is_in_root = call.matches("module.").count() == 1;
        let references = expression.texts("references").ok().filter(|_| is_in_root)?;
        let [reference] = references.as_slice() else {
            return None;
        };
        let variable = reference.strip_prefix("var.")?;
        self.root.get("variables")?.get(variable)?.get("value")
    }

    /// Attributes of access entries that the EKS module ignores.
    pub(super) fn ignored(&self, file: TextId) -> Vec<Ignored> {
        let mut found = Vec::new();
        for (address, node) in &self.calls {
            let Some(call) = View::of(self.root.tree, *node, String::new()) else {
                continue;
            };
            let source = call.text("source").ok().flatten().unwrap_or_default();
            if !is_eks_module(&source) {
                continue;
            }
            let entries = call
                .get("expressions")
                .and_then(|e| e.get("access_entries"));
            let Some(entries) = entries.and_then(|e| self.value(&e, address)) else {
                continue;
            };
            let mut look = Look {
                address,
                file,
                found: &mut found,
            };
            for (key, entry) in fields(&entries) {
                let at = format!("access_entries.{key}");
                look.unread(&entry, &at, ENTRY);
                for (name, policy) in entry.pairs("policy_associations").unwrap_or_default() {
                    let at = format!("{at}.policy_associations.{name}");
                    look.unread(&policy, &at, POLICY);
                    if let Some(scope) = policy.get("access_scope") {
                        look.unread(&scope, &format!("{at}.access_scope"), SCOPE);
                    }
                }
            }
        }
        found
    }
}

/// The registry's module, a fork of it, or a copy in the repository that kept the name.
fn is_eks_module(source: &str) -> bool {
    let source = source.split('?').next().unwrap_or_default();
    source.ends_with("/eks/aws") || source.contains("terraform-aws-eks")
}

struct Look<'a> {
    address: &'a str,
    file: TextId,
    found: &'a mut Vec<Ignored>,
}

impl Look<'_> {
    fn unread(&mut self, object: &View<'_>, at: &str, read: &[&str]) {
        let tree = object.tree;
        for (key, _) in tree.entries(object.node) {
            let key = tree.target(key);
            let name = tree.scalar(key);
            if read.contains(&name) {
                continue;
            }
            self.found.push(Ignored {
                address: self.address.to_owned(),
                attribute: Given {
                    value: name.to_owned(),
                    at: format!("{at}.{name}"),
                    span: Some(tree.range(key).of(self.file)),
                },
                meant: nearest(name, read).map(str::to_owned),
            });
        }
    }
}

fn fields<'a>(object: &View<'a>) -> Vec<(String, View<'a>)> {
    let tree = object.tree;
    let entries = tree.entries(object.node);
    entries
        .filter_map(|(key, value)| {
            let name = tree.scalar(tree.target(key)).to_owned();
            Some((name, View::of(tree, value, String::new())?))
        })
        .collect()
}

/// The name that shares most words with `name`, if it shares any.
fn nearest<'r>(name: &str, read: &[&'r str]) -> Option<&'r str> {
    let words = |text: &str| -> Vec<String> {
        let text = text.to_ascii_lowercase();
        let words = text
            .split(['_', '-'])
            .map(|w| w.strip_suffix('s').unwrap_or(w).to_owned());
        words.collect()
    };
    let wanted = words(name);
    let score = |candidate: &str| {
        let other = words(candidate);
        let shared = other.iter().filter(|w| wanted.contains(w)).count();
        // In hundredths of all words of both.
        shared * 200 / (wanted.len() + other.len()).max(1)
    };
    let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
    let best =
        read.iter()
            .copied()
            .max_by_key(|candidate| match plain(candidate) == plain(name) {
                true => usize::MAX,
                false => score(candidate),
            })?;
    (plain(best) == plain(name) || score(best) > 0).then_some(best)
}

/// `module.a["x"].aws_iam_role.r[0]` without the indices.
fn without_indices(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    let mut depth = 0u32;
    let mut quoted = false;
    let mut escaped = false;
    for c in address.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' if depth > 0 => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted && depth > 0 => depth -= 1,
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}
