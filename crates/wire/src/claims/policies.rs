//! The access policies of a mapping, which only an access entry can hold.

use accord_model::claim::{Claim, PolicyGrant};
use accord_model::finding::FindingKind;

use super::Claims;
use super::entry::{Entry, in_quotes, text};
use crate::view::View;
use crate::yaml::NodeId;

impl Claims {
    pub(super) fn read_policies(&mut self, claim: &mut Claim, entry: &Entry<'_>, list: &View<'_>) {
        let tree = entry.tree;
        for (index, node) in tree.items(list.node).enumerate() {
            let at = format!(".policies[{index}]");
            let node = tree.target(node);
            match self.read_policy(entry, &at, node) {
                Some(grant) if claim.policies.iter().any(|p| p.policy == grant.policy) => {
                    let message = format!("`{}` is here for the second time.", grant.policy);
                    self.of_entry(FindingKind::DuplicatePolicy, &message, entry, &at, node);
                }
                Some(grant) => claim.policies.push(grant),
                None => {}
            }
        }
    }

    fn read_policy(&mut self, entry: &Entry<'_>, at: &str, node: NodeId) -> Option<PolicyGrant> {
        let tree = entry.tree;
        let (mut policy, mut namespaces) = (None, None);
        for (key, value) in tree.entries(node) {
            let (key, value) = (tree.target(key), tree.target(value));
            match tree.scalar(key) {
                "policy" if policy.is_none() => policy = text(tree, value),
                "namespaces" if namespaces.is_none() => {
                    namespaces = Some(self.read_namespaces(entry, at, value)?);
                }
                "policy" | "namespaces" => {
                    let message = format!("`{}` is here for the second time.", tree.scalar(key));
                    self.of_entry(FindingKind::DuplicateKey, &message, entry, at, key);
                    return None;
                }
                other => {
                    let message = format!(
                        "`{other}` is no field of a policy; it has `policy` and `namespaces`."
                    );
                    let at = format!("{at}.{other}");
                    self.of_entry(FindingKind::UnknownField, &message, entry, &at, key);
                    return None;
                }
            }
        }
        // The name alone, also where the whole ARN is given.
        let name = policy
            .and_then(|p| p.rsplit('/').next())
            .filter(|p| !p.is_empty());
        if name.is_none() {
            let message = "A policy must be named: `policy: AmazonEKSViewPolicy`.";
            self.of_entry(FindingKind::EntryInvalid, message, entry, at, node);
        }
        Some(PolicyGrant {
            policy: name?.to_owned(),
            namespaces,
        })
    }

    fn read_namespaces(
        &mut self,
        entry: &Entry<'_>,
        at: &str,
        list: NodeId,
    ) -> Option<Vec<String>> {
        let tree = entry.tree;
        let at = format!("{at}.namespaces");
        if tree.items(list).next().is_none() {
            let message = "`namespaces` must name at least one namespace; without the field the policy is for the \
                           whole cluster.";
            self.of_entry(FindingKind::AccessScopeInvalid, message, entry, &at, list);
            return None;
        }
        let mut names = Vec::new();
        for node in tree.items(list) {
            let node = tree.target(node);
            match text(tree, node).filter(|name| !name.is_empty()) {
                Some(name) => names.push(name.to_owned()),
                None => {
                    let message = in_quotes("A namespace", tree.scalar(node));
                    self.of_entry(FindingKind::AccessScopeInvalid, &message, entry, &at, node);
                    return None;
                }
            }
        }
        Some(names)
    }
}
