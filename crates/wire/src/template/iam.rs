//! What resources are called and which ARN they have, as far as that is known before they are made.

use accord_model::deploy::{Role, Trust};
use accord_model::span::Range;

use super::Template;
use super::functions::handed;
use crate::deploy::{Kind, Node, Text};
use crate::yaml::NodeId;

impl<'t> Template<'t> {
    /// The type of a resource.
    pub(super) fn type_of(&self, resource: NodeId) -> &'t str {
        let node = self.tree.get(resource, "Type");
        node.and_then(|node| self.plain(node)).unwrap_or_default()
    }

    /// One property, evaluated.
    pub(super) fn property(&self, resource: NodeId, path: &[&str], depth: u32) -> Option<Node> {
        let mut node = self.tree.target(self.tree.get(resource, "Properties")?);
        for key in path {
            node = self.tree.target(self.tree.get(node, key)?);
        }
        Some(self.eval(node, path.last().copied().unwrap_or_default(), depth))
    }

    /// What `Ref` gives for a resource whose name stands in the template; `None` if it is made up at the deploy.
    pub(super) fn name_of(&self, id: &str, depth: u32) -> Option<String> {
        let resource = *self.by_id.get(id)?;
        let path: &[&str] = match self.type_of(resource) {
            "AWS::EKS::Cluster" => &["Name"],
            "Custom::AWSCDK-EKS-Cluster" => &["Config", "name"],
            "AWS::IAM::Role" => &["RoleName"],
            "AWS::IAM::User" => &["UserName"],
            _ => return None,
        };
        self.property(resource, path, depth)?.text()
    }

    /// What `Fn::GetAtt` gives.
    pub(super) fn attribute_of(&self, id: &str, attribute: &str, range: Range, depth: u32) -> Kind {
        let unknown = || Kind::Unknown(self.mark(&format!("{id}.{attribute}")));
        let Some(resource) = self.by_id.get(id) else {
            return unknown();
        };
        let kind = match self.type_of(*resource) {
            "AWS::IAM::Role" => "role",
            "AWS::IAM::User" => "user",
            "AWS::CloudFormation::Stack" => {
                let output = attribute.strip_prefix("Outputs.").unwrap_or_default();
                let value = self.handed_by(id, *resource, output);
                return value.map_or_else(unknown, |kind| handed(&kind, range));
            }
            _ => return unknown(),
        };
        if attribute != "Arn" {
            return unknown();
        }
        Kind::Text(Text::made(self.iam_arn(kind, id, *resource, depth), range))
    }

    /// The ARN of a role or user. A name that CloudFormation makes up is a mark; so are partition and account where they
    /// are not known.
    fn iam_arn(&self, kind: &str, id: &str, resource: NodeId, depth: u32) -> String {
        let pseudo = |known: &Option<String>, name: &str| {
            known
                .clone()
                .unwrap_or_else(|| accord_model::unknown::mark(name))
        };
        let path = self
            .property(resource, &["Path"], depth)
            .and_then(|p| p.text());
        let path = path.unwrap_or_else(|| "/".to_owned());
        let name = self.name_of(id, depth).unwrap_or_else(|| self.mark(id));
        format!(
            "arn:{}:iam::{}:{kind}{path}{name}",
            pseudo(&self.ground.target.partition, "AWS::Partition"),
            pseudo(&self.ground.target.account, "AWS::AccountId"),
        )
    }

    /// A role, and whom it trusts.
    pub(super) fn role(&self, id: &str, resource: NodeId) -> Role {
        let policy = self.property(resource, &["AssumeRolePolicyDocument"], 0);
        Role {
            arn: self.iam_arn("role", id, resource, 0),
            trust: policy.map_or_else(Trust::default, |p| crate::deploy::trust(&p, self.file)),
        }
    }
}
