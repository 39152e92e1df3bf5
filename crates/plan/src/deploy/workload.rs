//! Roles of workloads: what lets a deploy fail, or leaves pods without credentials.

use accord_model::arn;
use accord_model::deploy::{Addon, Association, Declared, Deploy, Given, Resource, Role};
use accord_model::finding::{Finding, FindingKind, Severity};

use super::after::States;
use super::group::Group;
use super::place::at;

pub(super) fn look(group: &Group<'_>, deploy: &Deploy, _states: &States) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (resource, declared) in group.after() {
        match declared {
            Declared::Association(association) => {
                findings.extend(trust(resource, association, deploy));
            }
            Declared::Addon(addon) => findings.extend(of_addon(resource, addon, deploy)),
            _ => {}
        }
    }
    findings
}

fn of_addon(resource: &Resource, addon: &Addon, deploy: &Deploy) -> Vec<Finding> {
    let associations = addon.associations.iter();
    associations
        .filter_map(|a| trust(resource, a, deploy))
        .collect()
}

/// A role of this deploy that a Pod Identity association needs, and that does not trust Pod Identity.
fn trust(resource: &Resource, association: &Association, deploy: &Deploy) -> Option<Finding> {
    let given = association.role.as_ref()?;
    let role = role(given, deploy)?;
    let missing: Vec<&str> = [
        ("sts:AssumeRole", role.trust.pods_assume),
        ("sts:TagSession", role.trust.pods_tag),
    ]
    .into_iter()
    .filter(|(_, there)| !there)
    .map(|(call, _)| call)
    .collect();
    if !role.trust.known || missing.is_empty() {
        return None;
    }
    Some(at(
        resource,
        given,
        FindingKind::TrustMissingPodIdentity,
        Severity::BreaksWorkload,
        format!(
            "The role's trust policy does not let `pods.eks.amazonaws.com` call {}: EKS refuses the association. Allow both \
             sts:AssumeRole and sts:TagSession.",
            missing.join(" and ")
        ),
    ))
}

fn role<'d>(given: &Given<String>, deploy: &'d Deploy) -> Option<&'d Role> {
    deploy
        .resources
        .iter()
        .find_map(|r| match r.after.as_ref()? {
            Declared::Role(role) => (role.arn == given.value
                || arn::same_identity(&role.arn, &given.value))
            .then_some(role),
            _ => None,
        })
}
