//! Who uses which role: node groups, Fargate profiles and nodes, what they need of the map, and how far that is known.
//!
//! Roles are compared as the authenticator sees them: by account and name, without path and letter case. Sources: the
//! EKS user guide on node roles, Windows nodes and pod execution roles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use accord_model::arn;
use accord_model::facts::{ComputeFacts, Node};
use accord_model::mapping::Identity;

/// The group in which a kubelet asks for its first certificate.
pub const BOOTSTRAPPERS: &str = "system:bootstrappers";
/// The group of nodes.
pub const NODES: &str = "system:nodes";
/// The group in which a Fargate pod's proxy works.
pub const NODE_PROXIER: &str = "system:node-proxier";
/// The group in which kube-proxy works on Windows.
pub const KUBE_PROXY_WINDOWS: &str = "eks:kube-proxy-windows";

/// What a role is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Use {
    /// EC2 nodes with Linux.
    LinuxNodes,
    /// EC2 nodes with Windows.
    WindowsNodes,
    /// Fargate pods.
    FargatePods,
}

impl Use {
    /// The username that the entry must have.
    pub const fn username(self) -> &'static str {
        match self {
            Self::LinuxNodes | Self::WindowsNodes => "system:node:{{EC2PrivateDNSName}}",
            Self::FargatePods => "system:node:{{SessionName}}",
        }
    }

    /// The groups that the entry must have, in the order in which EKS writes them.
    pub const fn groups(self) -> &'static [&'static str] {
        match self {
            Self::LinuxNodes => &[BOOTSTRAPPERS, NODES],
            Self::WindowsNodes => &[BOOTSTRAPPERS, NODES, KUBE_PROXY_WINDOWS],
            Self::FargatePods => &[BOOTSTRAPPERS, NODES, NODE_PROXIER],
        }
    }

    /// Whether an access entry of this type serves it. An entry that was only listed, of whose type nothing is known, is
    /// taken to.
    pub fn is_served_by_entry(self, kind: &str) -> bool {
        kind.is_empty()
            || match self {
                Self::LinuxNodes => matches!(kind, "EC2_LINUX" | "EC2_WINDOWS" | "EC2"),
                Self::WindowsNodes => kind == "EC2_WINDOWS",
                Self::FargatePods => kind == "FARGATE_LINUX",
            }
    }

    /// The groups that are needed and not there.
    pub fn missing_groups(self, groups: &[String]) -> Vec<&'static str> {
        let there = |needed: &&'static str| groups.iter().any(|g| g == *needed);
        self.groups()
            .iter()
            .copied()
            .filter(|g| !there(g))
            .collect()
    }

    /// Whether an entry with this identity serves it.
    pub fn is_served_by(self, username: &str, groups: &[String]) -> bool {
        username == self.username() && self.missing_groups(groups).is_empty()
    }
}

/// A node group or a Fargate profile that uses a role.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoleUser {
    /// For what.
    pub used_for: Use,
    /// Its name.
    pub name: String,
}

impl fmt::Display for RoleUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.used_for {
            Use::LinuxNodes => write!(f, "node group {}", self.name),
            Use::WindowsNodes => write!(f, "Windows node group {}", self.name),
            Use::FargatePods => write!(f, "Fargate profile {}", self.name),
        }
    }
}

/// A role in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedRole {
    /// Its ARN as STS shows it, without the path.
    pub arn: String,
    /// Who uses it, never empty.
    pub users: Vec<RoleUser>,
}

impl UsedRole {
    /// What it is used for, each once.
    pub fn uses(&self) -> BTreeSet<Use> {
        self.users.iter().map(|u| u.used_for).collect()
    }

    /// Whether EC2 nodes and Fargate pods share it.
    pub fn is_shared(&self) -> bool {
        let uses = self.uses();
        uses.contains(&Use::FargatePods) && uses.len() > 1
    }

    /// Its users, as a list in words: `node group a, Fargate profile b`.
    pub fn told(&self) -> String {
        let users: Vec<String> = self.users.iter().map(RoleUser::to_string).collect();
        users.join(", ")
    }

    /// The username and groups that serve everything it is used for; where EC2 and Fargate share it, those of EC2.
    pub fn needed(&self) -> Identity {
        let mut groups: Vec<String> = Vec::new();
        for used_for in self.uses() {
            groups.extend(
                used_for
                    .missing_groups(&groups)
                    .iter()
                    .map(|g| (*g).to_owned()),
            );
        }
        let username = self.uses().first().map_or("", |u| u.username()).to_owned();
        Identity { username, groups }
    }
}

/// The shape of an entry that is made for compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryShape {
    /// For EC2 nodes.
    Nodes,
    /// For Fargate pods.
    Fargate,
}

impl EntryShape {
    /// The shape of an entry, if it has one: told by the username's template, and where that is none of either, by a
    /// group that only nodes need.
    pub fn of(identity: &Identity) -> Option<Self> {
        let username = identity.username.as_str();
        let in_group = |name: &str| identity.groups.iter().any(|g| g == name);
        let named_by_session =
            username.starts_with("system:node:") && username.contains("{{SessionName");
        if username.contains("{{EC2PrivateDNSName}}") {
            Some(Self::Nodes)
        } else if named_by_session || in_group(NODE_PROXIER) {
            Some(Self::Fargate)
        } else if in_group(NODES) || in_group(BOOTSTRAPPERS) || in_group(KUBE_PROXY_WINDOWS) {
            Some(Self::Nodes)
        } else {
            None
        }
    }
}

/// Who uses which role, and how completely that is known.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    roles: BTreeMap<String, UsedRole>,
    node_roles_known: bool,
    pod_roles_known: bool,
    strays: Vec<String>,
}

impl Usage {
    /// What the facts tell.
    pub fn of(facts: &ComputeFacts) -> Self {
        let mut usage = Self::default();
        for group in &facts.node_groups.items {
            let used_for = match group.windows {
                true => Use::WindowsNodes,
                false => Use::LinuxNodes,
            };
            usage.add(group.role.as_deref(), used_for, &group.name);
        }
        for profile in &facts.fargate_profiles.items {
            usage.add(profile.role.as_deref(), Use::FargatePods, &profile.name);
        }
        let has_role = |node: &&Node| {
            node.fargate
                || facts.node_groups.items.iter().any(|group| {
                    Some(&group.name) == node.node_group.as_ref() && group.role.is_some()
                })
        };
        let strays = facts.nodes.items.iter().filter(|node| !has_role(node));
        usage.strays = strays.map(|node| node.name.clone()).collect();
        usage.node_roles_known = facts.node_groups.complete
            && facts.nodes.complete
            && usage.strays.is_empty()
            && facts.node_groups.items.iter().all(|g| g.role.is_some());
        usage.pod_roles_known = facts.fargate_profiles.complete
            && facts
                .fargate_profiles
                .items
                .iter()
                .all(|p| p.role.is_some());
        usage
    }

    fn add(&mut self, role: Option<&str>, used_for: Use, name: &str) {
        let Some((role, key)) = role.and_then(|r| Some((r, arn::identity_key(r)?))) else {
            return;
        };
        let used = self.roles.entry(key).or_insert_with(|| UsedRole {
            arn: arn::without_role_path(role).into_owned(),
            users: Vec::new(),
        });
        used.users.push(RoleUser {
            used_for,
            name: name.to_owned(),
        });
    }

    /// The roles in use, by account and name.
    pub fn roles(&self) -> impl Iterator<Item = &UsedRole> {
        self.roles.values()
    }

    /// The role in use that `principal` is, whatever its path.
    pub fn of_role(&self, principal: &str) -> Option<&UsedRole> {
        self.roles.get(&arn::identity_key(principal)?)
    }

    /// Nodes that belong to no node group whose role is known: some role is in use, and it cannot be told which.
    pub fn stray_nodes(&self) -> &[String] {
        &self.strays
    }

    /// Whether everything is known that uses roles in entries of this shape. Only then may an entry that nothing known
    /// uses be taken for unused.
    pub fn is_complete_for(&self, shape: EntryShape) -> bool {
        match shape {
            EntryShape::Nodes => self.node_roles_known,
            EntryShape::Fargate => self.pod_roles_known,
        }
    }

    /// Why it is not known who uses roles in entries of this shape, in a clause; `None` if it is.
    pub fn why_incomplete(&self, shape: EntryShape) -> Option<String> {
        if self.is_complete_for(shape) {
            return None;
        }
        Some(match (shape, self.strays.as_slice()) {
            (EntryShape::Nodes, [first, ..]) => {
                format!(
                    "node {first} belongs to no known node group, so some role is in use and not known which"
                )
            }
            (EntryShape::Nodes, []) => "not all node groups and nodes are known".into(),
            (EntryShape::Fargate, _) => "not all Fargate profiles are known".into(),
        })
    }

    /// Whether EKS wrote an entry: its role is in use, and it has the username for such a use, the groups of every
    /// node, and no group that EKS never writes.
    pub fn is_eks_written(&self, principal: &str, identity: &Identity) -> bool {
        const OF_NODES: [&str; 4] = [BOOTSTRAPPERS, NODES, NODE_PROXIER, KUBE_PROXY_WINDOWS];
        let groups = &identity.groups;
        Use::LinuxNodes.missing_groups(groups).is_empty()
            && groups.iter().all(|g| OF_NODES.contains(&g.as_str()))
            && arn::is_presentable(principal)
            && self.of_role(principal).is_some_and(|role| {
                let uses = role.uses();
                uses.iter().any(|u| u.username() == identity.username)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use accord_model::facts::{FargateProfile, Listing, NodeGroup};

    fn complete<T>(items: Vec<T>) -> Listing<T> {
        Listing {
            items,
            complete: true,
        }
    }

    fn group(name: &str, role: Option<&str>, windows: bool) -> NodeGroup {
        NodeGroup {
            name: name.into(),
            role: role.map(|r| format!("arn:aws:iam::111122223333:role/{r}")),
            windows,
            instance_profile: None,
        }
    }

    fn node(name: &str, node_group: Option<&str>, fargate: bool) -> Node {
        Node {
            name: name.into(),
            node_group: node_group.map(str::to_owned),
            windows: false,
            fargate,
            instance: None,
        }
    }

    fn facts() -> ComputeFacts {
        ComputeFacts {
            node_groups: complete(vec![
                group("one", Some("eks/Nodes"), false),
                group("win", Some("nodes"), true),
            ]),
            fargate_profiles: complete(vec![FargateProfile {
                name: "jobs".into(),
                arn: None,
                role: Some("arn:aws:iam::111122223333:role/pods".into()),
            }]),
            nodes: complete(vec![node("a", Some("one"), false), node("f", None, true)]),
        }
    }

    fn identity(username: &str, groups: &[&str]) -> Identity {
        Identity {
            username: username.into(),
            groups: groups.iter().map(|g| (*g).to_owned()).collect(),
        }
    }

    #[test]
    fn users_of_a_role_are_found_by_its_name() {
        let usage = Usage::of(&facts());
        let nodes = usage
            .of_role("arn:aws:iam::111122223333:role/other/NODES")
            .unwrap();
        assert_eq!(nodes.told(), "node group one, Windows node group win");
        assert_eq!(nodes.arn, "arn:aws:iam::111122223333:role/Nodes");
        assert_eq!(
            nodes.needed(),
            identity(
                "system:node:{{EC2PrivateDNSName}}",
                &[BOOTSTRAPPERS, NODES, KUBE_PROXY_WINDOWS]
            )
        );
        assert!(!nodes.is_shared());
        assert!(
            usage
                .of_role("arn:aws:iam::444455556666:role/nodes")
                .is_none()
        );
    }

    #[test]
    fn what_is_not_listed_may_be_in_use() {
        use EntryShape::{Fargate, Nodes};
        let known = |facts: &ComputeFacts| {
            let usage = Usage::of(facts);
            (usage.is_complete_for(Nodes), usage.is_complete_for(Fargate))
        };
        assert_eq!(known(&facts()), (true, true));
        assert_eq!(known(&ComputeFacts::default()), (false, false));

        let mut stray = facts();
        stray.nodes.items.push(node("self-managed", None, false));
        assert_eq!(known(&stray), (false, true));
        assert_eq!(Usage::of(&stray).stray_nodes(), ["self-managed"]);

        let mut named_only = facts();
        named_only.node_groups.items.push(group("new", None, false));
        named_only.fargate_profiles.items[0].role = None;
        assert_eq!(known(&named_only), (false, false));

        let mut more_nodes = facts();
        more_nodes.nodes.complete = false;
        assert_eq!(known(&more_nodes), (false, true));
    }

    #[test]
    fn an_entry_is_eks_written_by_its_shape_and_use() {
        let usage = Usage::of(&facts());
        let nodes = "arn:aws:iam::111122223333:role/nodes";
        let written = identity("system:node:{{EC2PrivateDNSName}}", &[NODES, BOOTSTRAPPERS]);
        assert!(usage.is_eks_written(nodes, &written));
        for (principal, other) in [
            ("arn:aws:iam::111122223333:role/other", written.clone()),
            ("arn:aws:iam::111122223333:role/eks/nodes", written.clone()),
            (
                nodes,
                identity("system:node:{{SessionName}}", &[NODES, BOOTSTRAPPERS]),
            ),
            (nodes, identity(&written.username, &[NODES])),
            (
                nodes,
                identity(&written.username, &[NODES, BOOTSTRAPPERS, "system:masters"]),
            ),
        ] {
            assert!(
                !usage.is_eks_written(principal, &other),
                "{principal} {other:?}"
            );
        }
    }

    #[test]
    fn shapes_are_told_by_the_template_first() {
        for (entry, shape) in [
            (
                identity("system:node:{{EC2PrivateDNSName}}", &[]),
                Some(EntryShape::Nodes),
            ),
            (
                identity("system:node:{{SessionName}}", &[NODES]),
                Some(EntryShape::Fargate),
            ),
            (
                identity("system:node:{{SessionNameRaw}}", &[]),
                Some(EntryShape::Fargate),
            ),
            (identity("x", &[NODES]), Some(EntryShape::Nodes)),
            (
                identity("x", &[NODES, NODE_PROXIER]),
                Some(EntryShape::Fargate),
            ),
            (identity("ci:{{SessionName}}", &["system:masters"]), None),
        ] {
            assert_eq!(EntryShape::of(&entry), shape, "{entry:?}");
        }
    }
}
