//! Roles of compute, and other principals, that a map which a deploy writes does or does not serve.

use std::collections::BTreeSet;

use accord_model::arn;
use accord_model::deploy::{Action, Declared, MapWriter};
use accord_model::finding::{Finding, FindingKind, Severity};

use super::after::States;
use super::group::Group;
use super::perhaps::may_be;
use super::place::{at, in_write};
use crate::access::Access;
use crate::lint::{self, World};
use crate::usage::EntryShape;

/// Mappings that the deploy writes, and that an access entry decides for instead.
pub(super) fn shadowed(group: &Group<'_>, states: &States, world: &World<'_>) -> Vec<Finding> {
    let Some((resource, write)) = group
        .writes()
        .find(|(r, w)| r.action != Action::Keep && w.map.is_some())
    else {
        return Vec::new();
    };
    let access = Access::of(&states.after);
    let found = lint::shadowed(&states.after, world, &access).into_iter();
    found
        .map(|finding| in_write(finding, resource, write))
        .collect()
}

/// New compute, for which EKS adds an entry to a map that Terraform holds as a whole: the next plan takes it out again.
pub(super) fn taken_out_again(group: &Group<'_>, states: &States) -> Vec<Finding> {
    let access = Access::of(&states.after);
    let mut writes = group.writes();
    let kept =
        writes.find(|(r, w)| r.action == Action::Keep && !matches!(w.how, MapWriter::Keys { .. }));
    let Some((writer, _)) = kept.filter(|_| !access.reads_entries()) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for (resource, declared) in group.after().filter(|(r, _)| r.action == Action::Create) {
        let (Declared::NodeGroup(compute) | Declared::FargateProfile(compute)) = declared else {
            continue;
        };
        let Some(role) = &compute.role else {
            continue;
        };
        let principal = arn::without_role_path(&role.value).into_owned();
        if access
            .rules()
            .mappings()
            .any(|(_, m)| arn::same_identity(&m.arn, &principal))
        {
            continue;
        }
        let finding = at(
            resource,
            role,
            FindingKind::WholeMapWriter,
            Severity::Warning,
            format!(
                "EKS adds an entry for {principal} to aws-auth, all of which `{}` holds: the next plan takes it out again, and \
                 {}. Write the entry there too.",
                writer.address,
                match declared {
                    Declared::NodeGroup(_) => "the nodes lose their access",
                    _ => "its pods stay pending",
                }
            ),
        );
        findings.push(finding.about(principal));
    }
    findings
}

/// Roles of node groups and Fargate profiles that the deploy declares, and that the map it writes does not serve. Without
/// such a write EKS adds them by itself.
pub(super) fn compute(group: &Group<'_>, states: &States, world: &World<'_>) -> Vec<Finding> {
    let access = Access::of(&states.after);
    let written = group
        .writes()
        .find(|(r, w)| r.action != Action::Keep && w.map.is_some());
    let mut roles: BTreeSet<String> = BTreeSet::new();
    for (_, declared) in group.after() {
        let (Declared::NodeGroup(compute) | Declared::FargateProfile(compute)) = declared else {
            continue;
        };
        let key = compute
            .role
            .as_ref()
            .and_then(|r| arn::identity_key(&r.value));
        roles.extend(key);
    }
    let used = world
        .usage()
        .roles()
        .filter(|role| arn::identity_key(&role.arn).is_some_and(|key| roles.contains(&key)));
    used.flat_map(|role| lint::role_in_use(&states.after, world, &access, role))
        .filter(|f| {
            f.kind == FindingKind::RoleSharedByEc2AndFargate
                || (written.is_some() && f.kind == FindingKind::FargateRoleNotInAwsAuth)
                || (written.is_some() && !access.reads_entries() && !may_be_served(states, f))
        })
        .map(|finding| match written {
            Some((resource, write)) => in_write(finding, resource, write),
            None => beside(finding, group),
        })
        .collect()
}

/// Whether an entry whose principal is not known yet may be the one that a role needs.
fn may_be_served(states: &States, finding: &Finding) -> bool {
    let Some(principal) = &finding.principal else {
        return false;
    };
    let access = Access::of(&states.after);
    access.rules().mappings().any(|(_, mapping)| {
        EntryShape::of(&mapping.identity).is_some() && may_be(&mapping.arn, principal)
    })
}

/// A finding about compute, at the resource that uses the role.
fn beside(finding: Finding, group: &Group<'_>) -> Finding {
    let user = group
        .after()
        .find_map(|(resource, declared)| match declared {
            Declared::NodeGroup(compute) | Declared::FargateProfile(compute) => {
                let role = compute.role.as_ref()?;
                let same = arn::same_identity(&role.value, finding.principal.as_deref()?);
                same.then(|| {
                    at(
                        resource,
                        role,
                        finding.kind,
                        finding.severity,
                        finding.message.clone(),
                    )
                })
            }
            _ => None,
        });
    match (user, finding.principal.clone()) {
        (Some(user), Some(principal)) => user.about(principal),
        _ => finding,
    }
}
