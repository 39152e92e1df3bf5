//! The resource changes of a plan that concern access.

use std::collections::BTreeMap;

use accord_model::deploy::{
    Action, Addon, Association, Cluster, Compute, Declared, Entry, EntryPolicy, MapWriter, Policy,
    Resource, Role, ServiceAccount, Trust,
};
use accord_model::span::{Range, TextId};
use accord_model::unknown;

use super::config::{Config, Said};
use super::values::Values;
use crate::config_map::ObjectName;
use crate::deploy::{Kind, Manifests, Node, Text, in_manifests, map_of_data, trust};
use crate::sources::Sources;
use crate::template::Target;
use crate::view::{Fault, View};
use crate::yaml::{self, Dialect, Tree};

/// A plan, its parts found.
pub(super) struct Plan<'a> {
    pub(super) tree: &'a Tree<'a>,
    pub(super) file: TextId,
    pub(super) target: &'a Target,
    pub(super) config: &'a Config<'a>,
}

/// Which side of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// One change, as it is read of the plan.
struct Change<'a> {
    address: String,
    kind: String,
    action: Action,
    view: View<'a>,
    span: Range,
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

    /// The ARNs of roles, by address, as far as they are known.
    fn roles<'c>(&self, changes: impl Iterator<Item = &'c Change<'a>>) -> BTreeMap<String, String>
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

    fn role_arn(&self, address: &str, role: &Node) -> String {
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

    /// One side of a change, evaluated; `None` if there is none.
    fn node(
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

    /// What stands for a value that is known only after apply: what the configuration refers to, else its own address.
    fn named(
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

    fn declared(
        &self,
        change: &Change<'a>,
        side: Side,
        roles: &BTreeMap<String, String>,
        sources: &mut Sources,
    ) -> Vec<Declared> {
        let file = self.file;
        let Some(n) = self.node(change, side, roles) else {
            return Vec::new();
        };
        let cluster = n.given("cluster_name", file);
        let one = match change.kind.as_str() {
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
            "aws_eks_access_entry" => Declared::Entry(self.entry(&change.address, &n)),
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
                arn: self.role_arn(&change.address, &n),
                trust: n
                    .get("assume_role_policy")
                    .map_or_else(Trust::default, |p| policy_of(p, file)),
            }),
            "kubectl_manifest" => {
                let Some(Kind::Text(text)) = n.get("yaml_body").map(|b| &b.kind) else {
                    return Vec::new();
                };
                let manifests = Manifests {
                    text,
                    at: "yaml_body",
                    cluster: None,
                    how: MapWriter::Apply,
                };
                return in_manifests(&manifests, file, sources);
            }
            "kubernetes_manifest" => {
                let manifest = n.get("manifest").or_else(|| n.get("object"));
                let Some(manifest) = manifest.filter(|m| is_kind(m, "ConfigMap")) else {
                    return Vec::new();
                };
                return self.map(
                    manifest,
                    manifest.get("metadata"),
                    MapWriter::Apply,
                    sources,
                );
            }
            "kubernetes_config_map" | "kubernetes_config_map_v1" => {
                return self.map(&n, first(n.get("metadata")), MapWriter::Create, sources);
            }
            "kubernetes_config_map_v1_data" => {
                let force = n.flag("force", file).is_some_and(|f| f.value);
                return self.map(
                    &n,
                    first(n.get("metadata")),
                    MapWriter::Keys { force },
                    sources,
                );
            }
            "kubernetes_service_account" | "kubernetes_service_account_v1" => {
                let metadata = first(n.get("metadata"));
                let name = metadata.and_then(|m| m.get("name")?.text());
                let (Some(metadata), Some(name)) = (metadata, name) else {
                    return Vec::new();
                };
                Declared::ServiceAccount(ServiceAccount {
                    cluster: None,
                    namespace: metadata
                        .get("namespace")
                        .and_then(Node::text)
                        .unwrap_or_else(|| "default".into()),
                    name,
                    role: metadata
                        .get("annotations")
                        .and_then(|a| a.given("eks.amazonaws.com/role-arn", file)),
                })
            }
            _ => return Vec::new(),
        };
        vec![one]
    }

    /// `aws-auth`, if it is that ConfigMap.
    fn map(
        &self,
        object: &Node,
        metadata: Option<&Node>,
        how: MapWriter,
        sources: &mut Sources,
    ) -> Vec<Declared> {
        let text = |key: &str| metadata.and_then(|m| m.get(key)?.text());
        let wanted = ObjectName::aws_auth();
        let is_it = text("name").as_deref() == Some(&wanted.name)
            && text("namespace").is_none_or(|n| n == wanted.namespace || !unknown::is_known(&n));
        if !is_it {
            return Vec::new();
        }
        let empty = Node {
            kind: Kind::Map(Vec::new()),
            range: object.range,
            at: "data".to_owned(),
        };
        let data = object.get("data").unwrap_or(&empty);
        let write = map_of_data(data, None, how, self.file, sources);
        vec![Declared::Map(Box::new(write))]
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

/// The key under which terraform-aws-modules/eks/aws keeps the entry of whoever runs it.
fn is_creators(address: &str) -> bool {
    address.contains("cluster_creator")
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

/// The first element of a block.
fn first(block: Option<&Node>) -> Option<&Node> {
    match &block?.kind {
        Kind::List(items) => items.first(),
        _ => block,
    }
}

fn is_kind(object: &Node, kind: &str) -> bool {
    object.get("kind").and_then(Node::text).as_deref() == Some(kind)
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
