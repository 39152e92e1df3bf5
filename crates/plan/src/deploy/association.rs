//! What EKS refuses in Pod Identity associations.

use accord_model::arn;
use accord_model::deploy::{Association, Resource};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::unknown;

use super::place::{at, whole};

/// An association that EKS would refuse because something is missing, or is no role.
pub(super) fn incomplete(resource: &Resource, association: &Association) -> Vec<Finding> {
    let parts = [
        ("namespace", &association.namespace),
        ("service account", &association.service_account),
        ("role", &association.role),
    ];
    let mut findings: Vec<Finding> = parts
        .into_iter()
        .filter(|(_, given)| given.as_ref().is_none_or(|g| g.value.is_empty()))
        .map(|(what, given)| {
            let message = format!("The association names no {what}.");
            match given {
                Some(given) => at(
                    resource,
                    given,
                    FindingKind::EntryInvalid,
                    Severity::BreaksWorkload,
                    message,
                ),
                None => whole(
                    resource,
                    FindingKind::EntryInvalid,
                    Severity::BreaksWorkload,
                    message,
                ),
            }
        })
        .collect();
    let role = association
        .role
        .as_ref()
        .filter(|r| !r.value.is_empty() && unknown::is_known(&r.value));
    let is_role = |text: &str| {
        arn::Arn::parse(text).is_some_and(|a| a.service == "iam" && a.resource_type() == "role")
    };
    findings.extend(role.filter(|r| !is_role(&r.value)).map(|role| {
        let message = format!(
            "`{}` is not the ARN of a role, which an association needs.",
            role.value
        );
        at(
            resource,
            role,
            FindingKind::EntryInvalid,
            Severity::BreaksWorkload,
            message,
        )
    }));
    findings
}
