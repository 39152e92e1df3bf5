//! EKS itself: one file for each noun, one function for each operation.

pub(crate) mod access_entry;
pub(crate) mod access_policy;
pub(crate) mod addon;
mod addon_catalog;
mod arn;
mod aws_auth;
pub(crate) mod cluster;
mod cluster_version;
pub(crate) mod fargate_profile;
mod input;
mod mode;
pub(crate) mod nodegroup;
mod page;
pub(crate) mod pod_identity;
mod tag;
pub(crate) mod update;

use crate::protocol::Operation;

pub(crate) use tag::Tags;

/// The implementation of an operation.
pub(crate) fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "CreateCluster" => cluster::create,
        "DescribeCluster" => cluster::describe,
        "ListClusters" => cluster::list,
        "DeleteCluster" => cluster::delete,
        "UpdateClusterConfig" => cluster::update_config,
        "UpdateClusterVersion" => cluster_version::update,
        "DescribeClusterVersions" => cluster_version::describe,
        "CreateNodegroup" => nodegroup::create,
        "DescribeNodegroup" => nodegroup::describe,
        "ListNodegroups" => nodegroup::list,
        "DeleteNodegroup" => nodegroup::delete,
        "UpdateNodegroupConfig" => nodegroup::update_config,
        "UpdateNodegroupVersion" => nodegroup::update_version,
        "CreateFargateProfile" => fargate_profile::create,
        "DescribeFargateProfile" => fargate_profile::describe,
        "ListFargateProfiles" => fargate_profile::list,
        "DeleteFargateProfile" => fargate_profile::delete,
        "CreateAccessEntry" => access_entry::create,
        "DescribeAccessEntry" => access_entry::describe,
        "ListAccessEntries" => access_entry::list,
        "UpdateAccessEntry" => access_entry::update,
        "DeleteAccessEntry" => access_entry::delete,
        "ListAccessPolicies" => access_policy::list,
        "AssociateAccessPolicy" => access_policy::associate,
        "DisassociateAccessPolicy" => access_policy::disassociate,
        "ListAssociatedAccessPolicies" => access_policy::list_associated,
        "CreateAddon" => addon::create,
        "DescribeAddon" => addon::describe,
        "ListAddons" => addon::list,
        "UpdateAddon" => addon::update,
        "DeleteAddon" => addon::delete,
        "DescribeAddonVersions" => addon_catalog::describe_versions,
        "DescribeAddonConfiguration" => addon_catalog::describe_configuration,
        "CreatePodIdentityAssociation" => pod_identity::create,
        "DescribePodIdentityAssociation" => pod_identity::describe,
        "ListPodIdentityAssociations" => pod_identity::list,
        "UpdatePodIdentityAssociation" => pod_identity::update,
        "DeletePodIdentityAssociation" => pod_identity::delete,
        "DescribeUpdate" => update::describe,
        "ListUpdates" => update::list,
        "TagResource" => tag::tag,
        "UntagResource" => tag::untag,
        "ListTagsForResource" => tag::list,
        _ => return None,
    })
}
