//! The resources of a template that concern access.

use accord_model::deploy::{
    Action, Addon, Association, Cluster, Compute, Declared, Deploy, Entry, Policy, Resource,
};
use accord_model::finding::Origin;
use accord_model::span::{Range, TextId};

use super::{LOOP, Template};
use crate::deploy::{Kind, Node};
use crate::sources::Sources;
use crate::yaml::NodeId;

/// No loop goes on beyond this many resources: CloudFormation takes 500 in a template.
const MOST_REPEATED: usize = 10_000;

impl Template<'_> {
    /// Adds the resources that concern access, in the order of the text. A resource whose condition does not hold is none.
    pub(super) fn resources(&self, deploy: &mut Deploy, sources: &mut Sources) {
        for &(id, range) in &self.order {
            let Some(&node) = self.by_id.get(id) else {
                continue;
            };
            match id.starts_with(LOOP) {
                true => self.repeat(node, range, 0, deploy, sources),
                false => self.resource(id, node, range, deploy, sources),
            }
        }
    }

    fn resource(
        &self,
        id: &str,
        node: NodeId,
        range: Range,
        deploy: &mut Deploy,
        sources: &mut Sources,
    ) {
        let condition = self.tree.get(node, "Condition").and_then(|c| self.plain(c));
        let holds = condition.map_or(Some(true), |name| self.condition(name, 0));
        if holds == Some(false) {
            return;
        }
        if self.type_of(node) == "AWS::CloudFormation::Stack" {
            self.nested(id, node, deploy, sources);
            return;
        }
        for declared in self.declared(id, node, sources) {
            deploy.resources.push(Resource {
                address: format!("{}{id}", self.prefix),
                span: Some(range.of(self.file)),
                source: self.origin(id, node),
                action: Action::Declare,
                conditional: holds.is_none(),
                before: None,
                after: Some(declared),
                previous_address: None,
                depends_on: self.depends_on(node),
            });
        }
    }

    /// A loop over resources: `[Variable, [items], {"Id${Variable}": resource}]`. One whose items are not known is passed
    /// over, and told as unread.
    fn repeat(
        &self,
        node: NodeId,
        range: Range,
        depth: usize,
        deploy: &mut Deploy,
        sources: &mut Sources,
    ) {
        /// CloudFormation itself nests loops five deep.
        const DEEPEST: usize = 5;
        let parts: Vec<NodeId> = self.tree.items(node).collect();
        let [variable, items, body] = parts.as_slice() else {
            return;
        };
        let Some(variable) = self.plain(*variable).filter(|_| depth < DEEPEST) else {
            return;
        };
        let Kind::List(items) = self.value(*items, "").kind else {
            deploy.unread.push(accord_model::deploy::Given {
                value: format!("{}Fn::ForEach", self.prefix),
                at: variable.to_owned(),
                span: Some(range.of(self.file)),
            });
            return;
        };
        for item in items {
            let Some(item) = item.text() else {
                continue;
            };
            if deploy.resources.len() > MOST_REPEATED || self.budget.get() == 0 {
                break;
            }
            // Loops inside loops are many: each turn costs.
            self.budget.set(self.budget.get() - 1);
            self.loops
                .borrow_mut()
                .push((variable.to_owned(), item.clone()));
            for (key, resource) in self.tree.entries(self.tree.target(*body)) {
                let key = self.tree.target(key);
                let (name, resource) = (self.tree.scalar(key), self.tree.target(resource));
                if name.starts_with(LOOP) {
                    self.repeat(resource, range, depth + 1, deploy, sources);
                    continue;
                }
                let mut id = name.to_owned();
                for (variable, item) in self.loops.borrow().iter() {
                    id = id.replace(&format!("${{{variable}}}"), item);
                    let letters: String =
                        item.chars().filter(char::is_ascii_alphanumeric).collect();
                    id = id.replace(&format!("&{{{variable}}}"), &letters);
                }
                self.resource(&id, resource, self.tree.range(key), deploy, sources);
            }
            self.loops.borrow_mut().pop();
        }
    }

    /// From where in a program a resource comes: as the CDK's metadata say, else by its path among constructs.
    fn origin(&self, id: &str, resource: NodeId) -> Option<Origin> {
        if let Some(origin) = self
            .ground
            .origins
            .get(id)
            .filter(|_| self.prefix.is_empty())
        {
            return Some(origin.clone());
        }
        let metadata = self.tree.target(self.tree.get(resource, "Metadata")?);
        let path = self.plain(self.tree.get(metadata, "aws:cdk:path")?)?;
        Some(Origin {
            construct: path.to_owned(),
            place: None,
        })
    }

    fn depends_on(&self, resource: NodeId) -> Vec<String> {
        let Some(node) = self.tree.get(resource, "DependsOn") else {
            return Vec::new();
        };
        let one = self.plain(node).map(str::to_owned);
        let all = self.tree.items(self.tree.target(node));
        let all = all.filter_map(|item| self.plain(item)).map(str::to_owned);
        one.into_iter()
            .chain(all)
            .map(|id| format!("{}{id}", self.prefix))
            .collect()
    }

    fn declared(&self, id: &str, node: NodeId, sources: &mut Sources) -> Vec<Declared> {
        let file = self.file;
        let properties = || match self.tree.get(node, "Properties") {
            Some(properties) => self.value(properties, ""),
            None => Node::null(self.tree.range(node), ""),
        };
        let one = match self.type_of(node) {
            "AWS::EKS::Cluster" => Declared::Cluster(self.cluster(id, &properties())),
            "Custom::AWSCDK-EKS-Cluster" => {
                let properties = properties();
                match properties.get("Config") {
                    Some(config) => Declared::Cluster(self.cdk_cluster(id, config)),
                    None => Declared::Cluster(self.cdk_cluster(id, &properties)),
                }
            }
            "AWS::EKS::Nodegroup" => Declared::NodeGroup(node_group(&properties(), file)),
            "AWS::EKS::FargateProfile" => {
                let p = properties();
                Declared::FargateProfile(Compute {
                    cluster: p.given("ClusterName", file),
                    name: p.given("FargateProfileName", file),
                    role: p.given("PodExecutionRoleArn", file),
                    windows: false,
                })
            }
            "Custom::AWSCDK-EKS-FargateProfile" => {
                let p = properties();
                let p = p.get("Config").unwrap_or(&p);
                Declared::FargateProfile(Compute {
                    cluster: p.given("clusterName", file),
                    name: p.given("fargateProfileName", file),
                    role: p.given("podExecutionRoleArn", file),
                    windows: false,
                })
            }
            "AWS::EKS::AccessEntry" => Declared::Entry(entry(&properties(), file)),
            "AWS::EKS::PodIdentityAssociation" => {
                let p = properties();
                Declared::Association(Association {
                    cluster: p.given("ClusterName", file),
                    namespace: p.given("Namespace", file),
                    service_account: p.given("ServiceAccount", file),
                    role: p.given("RoleArn", file),
                })
            }
            "AWS::EKS::Addon" => Declared::Addon(addon(&properties(), file)),
            "AWS::IAM::Role" => Declared::Role(self.role(id, node)),
            "Custom::AWSCDK-EKS-KubernetesResource" => {
                return self.kubernetes_resource(&properties(), sources);
            }
            "Custom::AWSCDK-EKS-KubernetesPatch" => {
                return self.kubernetes_patch(&properties(), sources);
            }
            "AWSQS::Kubernetes::Resource" => {
                return self.quickstart_resource(&properties(), sources);
            }
            _ => return Vec::new(),
        };
        vec![one]
    }

    fn cluster(&self, id: &str, p: &Node) -> Cluster {
        let file = self.file;
        let config = p.get("AccessConfig");
        let name = p
            .given("Name", file)
            .unwrap_or_else(|| p.place(self.mark(id), file));
        let auto = |part| {
            p.find(&[part, "Enabled"])
                .is_some_and(|e| !matches!(e.kind, Kind::Flag(false)))
        };
        Cluster {
            name: Some(name),
            mode: config.and_then(|c| c.given("AuthenticationMode", file)),
            auto_mode: auto("ComputeConfig"),
            creator_is_admin: config
                .and_then(|c| c.flag("BootstrapClusterCreatorAdminPermissions", file)),
        }
    }

    fn cdk_cluster(&self, id: &str, config: &Node) -> Cluster {
        let file = self.file;
        let access = config.get("accessConfig");
        let name = config
            .given("name", file)
            .unwrap_or_else(|| config.place(self.mark(id), file));
        Cluster {
            name: Some(name),
            mode: access.and_then(|c| c.given("authenticationMode", file)),
            auto_mode: false,
            creator_is_admin: access
                .and_then(|c| c.flag("bootstrapClusterCreatorAdminPermissions", file)),
        }
    }
}

fn node_group(p: &Node, file: TextId) -> Compute {
    let ami = p.get("AmiType").and_then(Node::text);
    Compute {
        cluster: p.given("ClusterName", file),
        name: p.given("NodegroupName", file),
        role: p.given("NodeRole", file),
        windows: ami.is_some_and(|ami| ami.starts_with("WINDOWS")),
    }
}

fn entry(p: &Node, file: TextId) -> Entry {
    Entry {
        cluster: p.given("ClusterName", file),
        principal: p.given("PrincipalArn", file),
        kind: p.given("Type", file),
        username: p.given("Username", file),
        groups: p.texts("KubernetesGroups", file),
        policies: p.list("AccessPolicies", file, |policy| {
            let scope = policy.get("AccessScope");
            Some(Policy {
                arn: policy.given("PolicyArn", file),
                scope: scope.and_then(|s| s.given("Type", file)),
                namespaces: scope.and_then(|s| s.texts("Namespaces", file)),
                at: policy.at.clone(),
                span: Some(policy.range.of(file)),
            })
        }),
        tags: p.list("Tags", file, |tag| {
            Some((
                tag.get("Key")?.text()?,
                tag.get("Value").and_then(Node::text).unwrap_or_default(),
            ))
        }),
        of_caller: false,
    }
}

fn addon(p: &Node, file: TextId) -> Addon {
    let associations = p.list("PodIdentityAssociations", file, |a| {
        Some(Association {
            cluster: p.given("ClusterName", file),
            namespace: None,
            service_account: a.given("ServiceAccount", file),
            role: a.given("RoleArn", file),
        })
    });
    Addon {
        cluster: p.given("ClusterName", file),
        name: p.given("AddonName", file),
        service_account_role: p.given("ServiceAccountRoleArn", file),
        resolve_conflicts: p.given("ResolveConflicts", file),
        associations: associations.map(|l| l.items).unwrap_or_default(),
    }
}
