//! AWS's resources in a plan.

use accord_model::deploy::{
    Addon, Association, Cluster, Compute, Declared, Entry, EntryPolicy, Policy, Role, Trust,
};
use accord_model::span::{Range, TextId};

use super::config::Said;
use super::resource::{Change, Plan, first};
use super::values::Values;
use crate::deploy::{Kind, Node, trust};
use crate::yaml::{self, Dialect};

impl Plan<'_> {
    pub(super) fn aws(&self, change: &Change<'_>, n: &Node) -> Option<Declared> {
        let file = self.file;
        let cluster = n.given("cluster_name", file);
        Some(match change.kind.as_str() {
            "aws_eks_cluster" => {
                let access = first(n.get("access_config"));
                Declared::Cluster(Cluster {
                    name: n.given("name", file),
                    mode: access.and_then(|a| a.given("authentication_mode", file)),
                    auto_mode: first(n.get("compute_config"))
                        .is_some_and(|c| c.flag("enabled", file).is_some_and(|f| f.value)),
                    creator_is_admin: access
                        .and_then(|a| a.flag("bootstrap_cluster_creator_admin_permissions", file)),
                })
            }
            "aws_eks_node_group" => Declared::NodeGroup(Compute {
                cluster,
                name: n.given("node_group_name", file),
                role: n.given("node_role_arn", file),
                windows: n
                    .get("ami_type")
                    .and_then(Node::text)
                    .is_some_and(|ami| ami.starts_with("WINDOWS")),
            }),
            "aws_eks_fargate_profile" => Declared::FargateProfile(Compute {
                cluster,
                name: n.given("fargate_profile_name", file),
                role: n.given("pod_execution_role_arn", file),
                windows: false,
            }),
            "aws_eks_access_entry" => Declared::Entry(self.entry(&change.address, n)),
            "aws_eks_access_policy_association" => {
                let scope = first(n.get("access_scope"));
                Declared::EntryPolicy(EntryPolicy {
                    cluster,
                    principal: n.given("principal_arn", file),
                    policy: Policy {
                        arn: n.given("policy_arn", file),
                        scope: scope.and_then(|s| s.given("type", file)),
                        namespaces: scope.and_then(|s| s.texts("namespaces", file)),
                        at: "access_scope".to_owned(),
                        span: Some(n.range.of(file)),
                    },
                })
            }
            "aws_eks_pod_identity_association" => Declared::Association(Association {
                cluster,
                namespace: n.given("namespace", file),
                service_account: n.given("service_account", file),
                role: n.given("role_arn", file),
            }),
            "aws_eks_addon" => {
                let associations = n.list("pod_identity_association", file, |a| {
                    Some(Association {
                        cluster: cluster.clone(),
                        namespace: None,
                        service_account: a.given("service_account", file),
                        role: a.given("role_arn", file),
                    })
                });
                Declared::Addon(Addon {
                    name: n.given("addon_name", file),
                    service_account_role: n.given("service_account_role_arn", file),
                    resolve_conflicts: n.given("resolve_conflicts_on_create", file),
                    associations: associations.map(|l| l.items).unwrap_or_default(),
                    cluster,
                })
            }
            "aws_iam_role" => Declared::Role(Role {
                arn: self.role_arn(&change.address, n),
                trust: n
                    .get("assume_role_policy")
                    .map_or_else(Trust::default, |p| policy_of(p, file)),
            }),
            _ => return None,
        })
    }

    fn entry(&self, address: &str, n: &Node) -> Entry {
        let file = self.file;
        // What is computed and not set is filled in by EKS: nothing of it is unknown.
        let is_default = |key: &str| {
            n.get(key).is_some_and(Node::is_unknown)
                && matches!(self.config.said(address, key), Said::NotSet)
        };
        let tags = n.get("tags").map(|tags| accord_model::deploy::List {
            items: match &tags.kind {
                Kind::Map(fields) => fields
                    .iter()
                    .filter_map(|(k, v)| Some((k.clone(), v.text()?)))
                    .collect(),
                _ => Vec::new(),
            },
            open: tags.is_unknown(),
            at: tags.at.clone(),
            span: Some(tags.range.of(file)),
        });
        Entry {
            cluster: n.given("cluster_name", file),
            principal: n.given("principal_arn", file),
            kind: n.given("type", file),
            username: n
                .given("user_name", file)
                .filter(|_| !is_default("user_name")),
            groups: n
                .texts("kubernetes_groups", file)
                .filter(|_| !is_default("kubernetes_groups")),
            policies: None,
            tags,
            of_caller: is_creators(address) || self.config.is_of_caller(address, "principal_arn"),
        }
    }
}

/// The key under which terraform-aws-modules/eks/aws keeps the entry of whoever runs it.
fn is_creators(address: &str) -> bool {
    address.contains("cluster_creator")
}

/// A trust policy that stands as JSON in a text.
fn policy_of(node: &Node, file: TextId) -> Trust {
    let Kind::Text(text) = &node.kind else {
        return Trust::default();
    };
    let Ok(tree) = yaml::first_document(&text.text, Dialect::Json) else {
        return Trust::default();
    };
    let Some(root) = tree.root() else {
        return Trust::default();
    };
    let none = |_: &str, _: Range| Kind::Null;
    let values = Values {
        tree: &tree,
        unknown: &none,
    };
    let policy = values.node(Some(root), None, "", node.range);
    let mut trust = trust(&policy, file);
    trust.span = Some(node.range.of(file));
    trust
}
