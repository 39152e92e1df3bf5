//! The access policies of an entry, as a list.

use accord_model::deploy::{List, Policy, Resource};
use accord_model::finding::{Finding, FindingKind, Severity};

use super::place::{at, at_list};

/// CloudFormation takes 20 policies in an entry.
pub(super) fn too_many(
    resource: &Resource,
    policies: &List<Policy>,
    severity: Severity,
) -> Option<Finding> {
    const MOST: usize = 20;
    let count = policies.items.len();
    (count > MOST).then(|| {
        let message = format!("There are {count} access policies, and an entry takes {MOST}.");
        at_list(
            resource,
            policies,
            FindingKind::EntryInvalid,
            severity,
            message,
        )
    })
}

/// The same policy twice in one entry: the last scope wins, or the deploy fails.
pub(super) fn twice(resource: &Resource, policies: &[Policy]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (i, policy) in policies.iter().enumerate() {
        let Some(arn) = &policy.arn else {
            continue;
        };
        let first = policies
            .iter()
            .take(i)
            .find(|p| p.arn.as_ref().is_some_and(|a| a.value == arn.value));
        if let Some(first) = first {
            findings.push(at(
                resource,
                arn,
                FindingKind::DuplicatePolicy,
                Severity::SilentWrong,
                format!(
                    "This access policy is at {} too; each can be there once. Join the scopes.",
                    first.at
                ),
            ));
        }
    }
    findings
}
