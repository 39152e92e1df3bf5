//! The resource changes of a plan that concern access.

use std::collections::BTreeMap;

use accord_model::deploy::{Action, Declared, Resource};
use accord_model::span::{Range, TextId};

use super::config::Config;
use super::values::Values;
use crate::deploy::{Kind, Node};
use crate::sources::Sources;
use crate::template::Target;
use crate::view::{Fault, View};
use crate::yaml::Tree;

/// A plan, its parts found.
pub(super) struct Plan<'a> {
    pub(super) tree: &'a Tree<'a>,
    pub(super) file: TextId,
    pub(super) target: &'a Target,
    pub(super) config: &'a Config<'a>,
}

/// Which side of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// One change, as it is read of the plan.
pub(super) struct Change<'a> {
    pub(super) address: String,
    pub(super) kind: String,
    pub(super) action: Action,
    pub(super) view: View<'a>,
    pub(super) span: Range,
}

impl<'a> Plan<'a> {
    /// The resources that concern access, in the order of the plan.
    pub(super) fn resources(
        &self,
        root: &View<'a>,
        sources: &mut Sources,
    ) -> Result<Vec<Resource>, Fault> {
        let mut changes = Vec::new();
        for change in root.list("resource_changes")? {
            changes.extend(self.change(&change)?.map(|c| (c, false)));
        }
        for deferred in root.list("deferred_changes")? {
            if let Some(change) = deferred.get("resource_change") {
                changes.extend(self.change(&change)?.map(|c| (c, true)));
            }
        }
        let roles = self.roles(changes.iter().map(|(c, _)| c));
        let mut resources = Vec::new();
        for (change, is_deferred) in &changes {
            let before = self.declared(change, Side::Before, &roles, sources);
            let after = self.declared(change, Side::After, &roles, sources);
            let count = before.len().max(after.len());
            let (mut before, mut after) = (before.into_iter(), after.into_iter());
            for _ in 0..count {
                resources.push(Resource {
                    address: change.address.clone(),
                    span: Some(change.span.of(self.file)),
                    source: None,
                    action: change.action,
                    conditional: *is_deferred,
                    before: before.next(),
                    after: after.next(),
                    previous_address: change.view.text("previous_address")?,
                    depends_on: Vec::new(),
                });
            }
        }
        Ok(resources)
    }

    fn change(&self, view: &View<'a>) -> Result<Option<Change<'a>>, Fault> {
        let is_managed = view.text("mode")?.is_none_or(|mode| mode == "managed");
        let kind = view.text("type")?.unwrap_or_default();
        if !is_managed || !concerns_access(&kind) {
            return Ok(None);
        }
        let address = view.need_text("address")?;
        let span = view
            .get("address")
            .map_or_else(|| view.range(), |a| a.range());
        let change = view
            .mapping("change")?
            .ok_or_else(|| view.fault(format!("`change` is missing in the change of {address}")))?;
        let actions = change.texts("actions")?;
        let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
        let action = match actions.as_slice() {
            ["no-op"] | ["read"] | [] => Action::Keep,
            ["create"] => Action::Create,
            ["update"] => Action::Update,
            ["delete"] => Action::Delete,
            ["delete", "create"] => Action::DeleteThenCreate,
            ["create", "delete"] | ["create", "forget"] => Action::CreateThenDelete,
            ["forget"] => Action::Forget,
            other => {
                let at = change
                    .get("actions")
                    .map_or_else(|| change.range(), |a| a.range());
                return Err(Fault {
                    message: format!(
                        "the actions {} of {address} are not known",
                        other.join(", ")
                    ),
                    range: at,
                });
            }
        };
        Ok(Some(Change {
            address,
            kind,
            action,
            view: view.clone(),
            span,
        }))
    }

    /// One side of a change, evaluated; `None` if there is none.
    pub(super) fn node(
        &self,
        change: &Change<'a>,
        side: Side,
        roles: &BTreeMap<String, String>,
    ) -> Option<Node> {
        let parts = change.view.get("change")?;
        let (value, unknown) = match side {
            Side::Before => (parts.get("before")?.node, None),
            Side::After => (
                parts.get("after")?.node,
                parts.get("after_unknown").map(|u| u.node),
            ),
        };
        let name = |at: &str, range: Range| self.named(&change.address, at, range, roles);
        let values = Values {
            tree: self.tree,
            unknown: &name,
        };
        Some(values.node(Some(value), unknown, "", self.tree.range(value)))
    }

    fn declared(
        &self,
        change: &Change<'a>,
        side: Side,
        roles: &BTreeMap<String, String>,
        sources: &mut Sources,
    ) -> Vec<Declared> {
        let Some(node) = self.node(change, side, roles) else {
            return Vec::new();
        };
        match change.kind.starts_with("aws_") {
            true => self.aws(change, &node).into_iter().collect(),
            false => self.kubernetes(&change.kind, &node, sources),
        }
    }
}

/// The types of resources that are read.
fn concerns_access(kind: &str) -> bool {
    matches!(
        kind,
        "aws_eks_cluster"
            | "aws_eks_node_group"
            | "aws_eks_fargate_profile"
            | "aws_eks_access_entry"
            | "aws_eks_access_policy_association"
            | "aws_eks_pod_identity_association"
            | "aws_eks_addon"
            | "aws_iam_role"
            | "kubectl_manifest"
            | "kubernetes_manifest"
            | "kubernetes_config_map"
            | "kubernetes_config_map_v1"
            | "kubernetes_config_map_v1_data"
            | "kubernetes_service_account"
            | "kubernetes_service_account_v1"
    )
}

/// The first element of a block.
pub(super) fn first(block: Option<&Node>) -> Option<&Node> {
    match &block?.kind {
        Kind::List(items) => items.first(),
        _ => block,
    }
}
