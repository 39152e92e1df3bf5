//! What another tool's output is about to do: the resources of a template or a plan that concern access.
//!
//! Texts in here may hold parts that are known only after the deploy: see [`crate::unknown`].

use crate::finding::Origin;
use crate::observed::AwsAuth;
use crate::span::Span;

/// A template or a plan, as far as it concerns access.
#[derive(Clone, Debug)]
pub struct Deploy {
    /// Whose it is.
    pub tool: Tool,
    /// The file's name, or the stack's.
    pub name: String,
    /// The stack's name, where it is known.
    pub stack: Option<String>,
    /// The resources that concern access, in the order of the text.
    pub resources: Vec<Resource>,
    /// Attributes that their reader ignores, as they are written.
    pub ignored: Vec<Ignored>,
    /// The tool says that more may be done than is in it.
    pub incomplete: bool,
    /// Nested stacks whose templates are not at hand, each with its place.
    pub unread: Vec<Given<String>>,
    /// The account and region that it is for, where they are known.
    pub account: Option<String>,
    /// See `account`.
    pub region: Option<String>,
}

/// Which tool performs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// CloudFormation, the CDK included: the whole of what shall be, without what was.
    CloudFormation,
    /// Terraform: what was and what shall be, resource by resource.
    Terraform,
}

/// One resource.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its logical id (`Admins`; in a nested stack `Nested/Admins`), or its address (`module.eks.aws_eks_cluster.this[0]`).
    pub address: String,
    /// Where it stands.
    pub span: Option<Span>,
    /// From where in a program it comes, where the CDK says so.
    pub source: Option<Origin>,
    /// What happens to it.
    pub action: Action,
    /// It is made only under a condition that is not known.
    pub conditional: bool,
    /// What there is, where the tool says so.
    pub before: Option<Declared>,
    /// What shall be; `None` if it goes.
    pub after: Option<Declared>,
    /// The address that it had before: a move that Terraform knows of.
    pub previous_address: Option<String>,
    /// Addresses of what has to be there first.
    pub depends_on: Vec<String>,
}

impl Resource {
    /// What shall be, else what there is.
    pub fn declared(&self) -> Option<&Declared> {
        self.after.as_ref().or(self.before.as_ref())
    }
}

/// What happens to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It shall be so; whether it is there is not said.
    Declare,
    /// It is made.
    Create,
    /// It is changed in place.
    Update,
    /// It goes.
    Delete,
    /// It goes, then it is made anew.
    DeleteThenCreate,
    /// It is made anew, then the old one goes.
    CreateThenDelete,
    /// The tool forgets it, and leaves it as it is.
    Forget,
    /// Nothing.
    Keep,
}

impl Action {
    /// Whether it is replaced by another one.
    pub const fn is_replacement(self) -> bool {
        matches!(self, Self::DeleteThenCreate | Self::CreateThenDelete)
    }
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given<T> {
    /// The value.
    pub value: T,
    /// The path inside the resource: `KubernetesGroups[0]`, `access_scope[0].namespaces`.
    pub at: String,
    /// Where it stands.
    pub span: Option<Span>,
}

/// A list with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List<T> {
    /// The items that are known.
    pub items: Vec<T>,
    /// Some of it is known only after the deploy.
    pub open: bool,
    /// The path inside the resource.
    pub at: String,
    /// Where it stands.
    pub span: Option<Span>,
}

/// What a resource declares.
#[derive(Clone, Debug)]
pub enum Declared {
    /// A cluster.
    Cluster(Cluster),
    /// A managed node group.
    NodeGroup(Compute),
    /// A Fargate profile.
    FargateProfile(Compute),
    /// An access entry.
    Entry(Entry),
    /// An access policy of an entry that is a resource of its own.
    EntryPolicy(EntryPolicy),
    /// A Pod Identity association.
    Association(Association),
    /// An add-on.
    Addon(Addon),
    /// The map `aws-auth`, or some of its keys.
    Map(Box<MapWrite>),
    /// An IAM role.
    Role(Role),
    /// A Kubernetes service account.
    ServiceAccount(ServiceAccount),
}

impl Declared {
    /// The name of the cluster that it belongs to; `None` where it belongs to none, or does not say.
    pub fn cluster(&self) -> Option<&Given<String>> {
        match self {
            Self::Cluster(c) => c.name.as_ref(),
            Self::NodeGroup(c) | Self::FargateProfile(c) => c.cluster.as_ref(),
            Self::Entry(e) => e.cluster.as_ref(),
            Self::EntryPolicy(p) => p.cluster.as_ref(),
            Self::Association(a) => a.cluster.as_ref(),
            Self::Addon(a) => a.cluster.as_ref(),
            Self::Map(m) => m.cluster.as_ref(),
            Self::ServiceAccount(s) => s.cluster.as_ref(),
            Self::Role(_) => None,
        }
    }
}

/// A cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Its name; a mark where CloudFormation makes one up.
    pub name: Option<Given<String>>,
    /// The authentication mode, as it is written.
    pub mode: Option<Given<String>>,
    /// EKS runs its nodes (Auto Mode), as far as that is written.
    pub auto_mode: bool,
    /// `bootstrapClusterCreatorAdminPermissions`, if it is written.
    pub creator_is_admin: Option<Given<bool>>,
}

/// What runs pods under a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compute {
    /// The cluster's name.
    pub cluster: Option<Given<String>>,
    /// Its own name, if it is written.
    pub name: Option<Given<String>>,
    /// The node role or pod execution role.
    pub role: Option<Given<String>>,
    /// It is of Windows nodes.
    pub windows: bool,
}

/// An access entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The cluster's name.
    pub cluster: Option<Given<String>>,
    /// The principal's ARN.
    pub principal: Option<Given<String>>,
    /// Its type, if it is written.
    pub kind: Option<Given<String>>,
    /// The username, if it is written.
    pub username: Option<Given<String>>,
    /// The groups, if they are written.
    pub groups: Option<List<Given<String>>>,
    /// The policies, if they are written in the entry itself.
    pub policies: Option<List<Policy>>,
    /// The tags, if they are written.
    pub tags: Option<List<(String, String)>>,
    /// The principal is whoever runs the tool.
    pub of_caller: bool,
}

/// An access policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Its ARN.
    pub arn: Option<Given<String>>,
    /// The scope's type: `cluster` or `namespace`.
    pub scope: Option<Given<String>>,
    /// The scope's namespaces, if they are written.
    pub namespaces: Option<List<Given<String>>>,
    /// The path inside the resource.
    pub at: String,
    /// Where it stands.
    pub span: Option<Span>,
}

/// An access policy that is a resource of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPolicy {
    /// The cluster's name.
    pub cluster: Option<Given<String>>,
    /// The principal's ARN.
    pub principal: Option<Given<String>>,
    /// The policy.
    pub policy: Policy,
}

/// A Pod Identity association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Association {
    /// The cluster's name.
    pub cluster: Option<Given<String>>,
    /// The namespace.
    pub namespace: Option<Given<String>>,
    /// The service account.
    pub service_account: Option<Given<String>>,
    /// The role.
    pub role: Option<Given<String>>,
}

/// An add-on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addon {
    /// The cluster's name.
    pub cluster: Option<Given<String>>,
    /// Its name.
    pub name: Option<Given<String>>,
    /// The role for its service account, by IRSA.
    pub service_account_role: Option<Given<String>>,
    /// What happens to objects that are there already, if it is written.
    pub resolve_conflicts: Option<Given<String>>,
    /// The associations that the add-on is to own.
    pub associations: Vec<Association>,
}

/// Writes to `aws-auth`.
#[derive(Clone, Debug)]
pub struct MapWrite {
    /// The cluster's name.
    pub cluster: Option<Given<String>>,
    /// How it is written.
    pub how: MapWriter,
    /// What is written, as the authenticator would read it; `None` if nothing of it is known.
    pub map: Option<AwsAuth>,
    /// The paths of what is known only after the deploy.
    pub unknown: Vec<Given<String>>,
    /// The path of the object inside the resource, with a dot behind it, to stand before a section's name.
    pub prefix: String,
    /// Where the object stands.
    pub span: Option<Span>,
}

/// How a tool writes `aws-auth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapWriter {
    /// The whole object, by `kubectl apply` from the first time on.
    Apply,
    /// The whole object, by `kubectl create` the first time, which fails if the object is there.
    Create,
    /// Only the keys that it names.
    Keys {
        /// It takes keys that another manager owns.
        force: bool,
    },
}

/// An IAM role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Its ARN, as far as it is known.
    pub arn: String,
    /// Who may assume it, as far as it is known.
    pub trust: Trust,
}

/// What a trust policy says, as far as workloads need it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// The policy was read, and all of it is known.
    pub known: bool,
    /// `pods.eks.amazonaws.com` may call `sts:AssumeRole`.
    pub pods_assume: bool,
    /// `pods.eks.amazonaws.com` may call `sts:TagSession`.
    pub pods_tag: bool,
    /// An OpenID Connect provider may call `sts:AssumeRoleWithWebIdentity`.
    pub web_identity: bool,
    /// Where the policy stands.
    pub span: Option<Span>,
}

/// A Kubernetes service account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAccount {
    /// The cluster's name.
    pub cluster: Option<Given<String>>,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The annotation `eks.amazonaws.com/role-arn`.
    pub role: Option<Given<String>>,
}

/// An attribute that its reader ignores, and the one that seems to be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The address of what it was written for.
    pub address: String,
    /// The attribute, with its place.
    pub attribute: Given<String>,
    /// The one that seems to be meant.
    pub meant: Option<String>,
}
