//! What values are called that are known only after apply.

use std::collections::BTreeMap;

use accord_model::span::Range;
use accord_model::unknown;

use super::config::Said;
use super::resource::{Change, Plan, Side};
use crate::deploy::{Kind, Node, Text};

impl<'a> Plan<'a> {
    /// The ARNs of roles, by address, as far as they are known.
    pub(super) fn roles<'c>(
        &self,
        changes: impl Iterator<Item = &'c Change<'a>>,
    ) -> BTreeMap<String, String>
    where
        'a: 'c,
    {
        let none = BTreeMap::new();
        changes
            .filter(|c| c.kind == "aws_iam_role")
            .filter_map(|change| {
                let node = self.node(change, Side::After, &none)?;
                Some((
                    change.address.clone(),
                    self.role_arn(&change.address, &node),
                ))
            })
            .collect()
    }

    pub(super) fn role_arn(&self, address: &str, role: &Node) -> String {
        let known = |key: &str| match role.get(key).map(|n| &n.kind) {
            Some(Kind::Text(text)) => Some(text.text.clone()),
            _ => None,
        };
        if let Some(arn) = known("arn") {
            return arn;
        }
        let Some(name) = known("name") else {
            return unknown::mark(&format!("{address}.arn"));
        };
        let pseudo = |known: &Option<String>, what: &str| {
            known.clone().unwrap_or_else(|| unknown::mark(what))
        };
        format!(
            "arn:{}:iam::{}:role{}{name}",
            pseudo(&self.target.partition, "partition"),
            pseudo(&self.target.account, "account"),
            known("path").unwrap_or_else(|| "/".to_owned()),
        )
    }

    /// What stands for a value that is known only after apply: what the configuration refers to, else its own address.
    pub(super) fn named(
        &self,
        address: &str,
        at: &str,
        range: Range,
        roles: &BTreeMap<String, String>,
    ) -> Kind {
        let own = || Kind::Unknown(unknown::mark(&format!("{address}.{at}")));
        let attribute = at.split(['.', '[']).next().unwrap_or_default();
        let Said::From(references) = self.config.said(address, attribute) else {
            return own();
        };
        let Some(first) = references.first().filter(|_| attribute == at) else {
            return own();
        };
        let module = module_of(address);
        let is_local = [
            "each.",
            "var.",
            "local.",
            "count.",
            "path.",
            "terraform.",
            "self.",
        ]
        .iter()
        .any(|prefix| first.starts_with(prefix));
        if is_local {
            return own();
        }
        let full = format!("{module}{first}");
        let role = full.strip_suffix(".arn").and_then(|role| roles.get(role));
        match role {
            Some(arn) if unknown::is_whole(arn) => Kind::Unknown(arn.clone()),
            Some(arn) => Kind::Text(Text::made(arn.clone(), range)),
            None => Kind::Unknown(unknown::mark(&full)),
        }
    }
}

/// The part of an address before its resource: `module.eks.`, empty in the root module.
fn module_of(address: &str) -> &str {
    let mut end = 0;
    let mut rest = address;
    while let Some(behind) = rest.strip_prefix("module.") {
        let Some(next) = end_of_step(behind) else {
            break;
        };
        end += "module.".len() + next;
        rest = address.get(end..).unwrap_or_default();
    }
    address.get(..end).unwrap_or_default()
}

/// Where a module's name and index end, with the dot behind it.
fn end_of_step(text: &str) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '.' if !quoted => return Some(at + 1),
            _ => {}
        }
    }
    None
}
