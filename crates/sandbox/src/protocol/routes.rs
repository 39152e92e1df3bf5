//! The paths of the EKS API, version 2017-11-01: one line for each operation that is served.

use serde_json::{Map, Value};

use super::scope::decoded;
use crate::world::AwsError;

/// Method, path and operation. A part in braces is a parameter, by its name in the service's model.
const ROUTES: &[(&str, &str, &str)] = &[
    ("GET", "/clusters", "ListClusters"),
    ("POST", "/clusters", "CreateCluster"),
    ("GET", "/clusters/{name}", "DescribeCluster"),
    ("DELETE", "/clusters/{name}", "DeleteCluster"),
    (
        "POST",
        "/clusters/{name}/update-config",
        "UpdateClusterConfig",
    ),
    ("POST", "/clusters/{name}/updates", "UpdateClusterVersion"),
    ("GET", "/clusters/{name}/updates", "ListUpdates"),
    (
        "GET",
        "/clusters/{name}/updates/{updateId}",
        "DescribeUpdate",
    ),
    ("GET", "/cluster-versions", "DescribeClusterVersions"),
    (
        "GET",
        "/clusters/{clusterName}/node-groups",
        "ListNodegroups",
    ),
    (
        "POST",
        "/clusters/{clusterName}/node-groups",
        "CreateNodegroup",
    ),
    (
        "GET",
        "/clusters/{clusterName}/node-groups/{nodegroupName}",
        "DescribeNodegroup",
    ),
    (
        "DELETE",
        "/clusters/{clusterName}/node-groups/{nodegroupName}",
        "DeleteNodegroup",
    ),
    (
        "POST",
        "/clusters/{clusterName}/node-groups/{nodegroupName}/update-config",
        "UpdateNodegroupConfig",
    ),
    (
        "POST",
        "/clusters/{clusterName}/node-groups/{nodegroupName}/update-version",
        "UpdateNodegroupVersion",
    ),
    (
        "GET",
        "/clusters/{clusterName}/fargate-profiles",
        "ListFargateProfiles",
    ),
    (
        "POST",
        "/clusters/{clusterName}/fargate-profiles",
        "CreateFargateProfile",
    ),
    (
        "GET",
        "/clusters/{clusterName}/fargate-profiles/{fargateProfileName}",
        "DescribeFargateProfile",
    ),
    (
        "DELETE",
        "/clusters/{clusterName}/fargate-profiles/{fargateProfileName}",
        "DeleteFargateProfile",
    ),
    (
        "GET",
        "/clusters/{clusterName}/access-entries",
        "ListAccessEntries",
    ),
    (
        "POST",
        "/clusters/{clusterName}/access-entries",
        "CreateAccessEntry",
    ),
    (
        "GET",
        "/clusters/{clusterName}/access-entries/{principalArn}",
        "DescribeAccessEntry",
    ),
    (
        "POST",
        "/clusters/{clusterName}/access-entries/{principalArn}",
        "UpdateAccessEntry",
    ),
    (
        "DELETE",
        "/clusters/{clusterName}/access-entries/{principalArn}",
        "DeleteAccessEntry",
    ),
    (
        "GET",
        "/clusters/{clusterName}/access-entries/{principalArn}/access-policies",
        "ListAssociatedAccessPolicies",
    ),
    (
        "POST",
        "/clusters/{clusterName}/access-entries/{principalArn}/access-policies",
        "AssociateAccessPolicy",
    ),
    (
        "DELETE",
        "/clusters/{clusterName}/access-entries/{principalArn}/access-policies/{policyArn}",
        "DisassociateAccessPolicy",
    ),
    ("GET", "/access-policies", "ListAccessPolicies"),
    ("GET", "/clusters/{clusterName}/addons", "ListAddons"),
    ("POST", "/clusters/{clusterName}/addons", "CreateAddon"),
    (
        "GET",
        "/clusters/{clusterName}/addons/{addonName}",
        "DescribeAddon",
    ),
    (
        "DELETE",
        "/clusters/{clusterName}/addons/{addonName}",
        "DeleteAddon",
    ),
    (
        "POST",
        "/clusters/{clusterName}/addons/{addonName}/update",
        "UpdateAddon",
    ),
    ("GET", "/addons/supported-versions", "DescribeAddonVersions"),
    (
        "GET",
        "/addons/configuration-schemas",
        "DescribeAddonConfiguration",
    ),
    (
        "GET",
        "/clusters/{clusterName}/pod-identity-associations",
        "ListPodIdentityAssociations",
    ),
    (
        "POST",
        "/clusters/{clusterName}/pod-identity-associations",
        "CreatePodIdentityAssociation",
    ),
    (
        "GET",
        "/clusters/{clusterName}/pod-identity-associations/{associationId}",
        "DescribePodIdentityAssociation",
    ),
    (
        "POST",
        "/clusters/{clusterName}/pod-identity-associations/{associationId}",
        "UpdatePodIdentityAssociation",
    ),
    (
        "DELETE",
        "/clusters/{clusterName}/pod-identity-associations/{associationId}",
        "DeletePodIdentityAssociation",
    ),
    ("GET", "/tags/{resourceArn}", "ListTagsForResource"),
    ("POST", "/tags/{resourceArn}", "TagResource"),
    ("DELETE", "/tags/{resourceArn}", "UntagResource"),
];

/// The operation at a path, with the parameters that stand in it.
pub(super) fn find(
    method: &str,
    path: &str,
) -> Result<(&'static str, Map<String, Value>), AwsError> {
    ROUTES
        .iter()
        .filter(|(verb, _, _)| *verb == method)
        .find_map(|(_, template, operation)| Some((*operation, labels(template, path)?)))
        .ok_or_else(|| {
            let message = format!("The sandbox has no EKS operation at {method} {path}");
            AwsError::new("UnknownOperationException", 404, message)
        })
}

/// The parameters in `path`, if it has the template's form. An ARN's slashes come percent-encoded; clients that leave
/// them as they are are understood in the last place.
fn labels(template: &str, path: &str) -> Option<Map<String, Value>> {
    let mut found = Map::new();
    let mut parts = path.trim_end_matches('/').split('/');
    let mut wanted = template.split('/').peekable();
    while let Some(part) = wanted.next() {
        let mut given = parts.next()?.to_owned();
        match part.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
            Some(name) => {
                if name == "resourceArn" && wanted.peek().is_none() {
                    for rest in parts.by_ref() {
                        given = format!("{given}/{rest}");
                    }
                }
                if given.is_empty() {
                    return None;
                }
                found.insert(name.to_owned(), decoded(&given).into());
            }
            None if part == given => {}
            None => return None,
        }
    }
    parts.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoded_arn_is_one_part() {
        let (operation, labels) = find(
            "DELETE",
            "/clusters/demo/access-entries/arn%3Aaws%3Aiam%3A%3A111122223333%3Arole%2Fa%2Fb",
        )
        .unwrap();
        assert_eq!(operation, "DeleteAccessEntry");
        assert_eq!(labels["principalArn"], "arn:aws:iam::111122223333:role/a/b");
        let (_, labels) = find(
            "GET",
            "/tags/arn:aws:eks:eu-west-1:111122223333:cluster/demo",
        )
        .unwrap();
        assert_eq!(
            labels["resourceArn"],
            "arn:aws:eks:eu-west-1:111122223333:cluster/demo"
        );
    }

    #[test]
    fn what_is_served_has_an_implementation() {
        for (_, path, operation) in ROUTES {
            assert!(
                crate::eks::operation(operation).is_some(),
                "{operation} at {path}"
            );
        }
    }

    #[test]
    fn other_paths_are_unknown_operations() {
        for (method, path) in [
            ("GET", "/"),
            ("PUT", "/clusters"),
            ("GET", "/clusters/a/b"),
            ("GET", "/clusters//addons"),
        ] {
            assert_eq!(
                find(method, path).unwrap_err().code,
                "UnknownOperationException"
            );
        }
    }
}
