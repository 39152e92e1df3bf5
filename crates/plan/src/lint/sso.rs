//! `sso` blocks: alpha in the authenticator, switched off on EKS, and with two faults of their own.

use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::{EntryId, SectionName, Sso};
use accord_model::reading::{Item, Section, Shape};

use super::purpose::Purpose;
use super::{Look, written};

pub(super) fn look(look: &Look<'_>) -> Vec<Finding> {
    let section = &look.map.roles;
    let mut findings = Vec::new();
    for (index, item) in section
        .items
        .iter()
        .enumerate()
        .filter(|_| section.is_readable())
    {
        let block = written(item, "sso").filter(|f| f.shape != Shape::Null);
        let kept = item
            .kept
            .as_ref()
            .and_then(|k| k.mapping())
            .and_then(|m| m.sso.as_deref());
        // Beside a `rolearn` the block drops the entry, which is told where it is read.
        let beside_arn = written(item, "rolearn").is_some_and(|f| f.shape != Shape::Null);
        if (block.is_none() && kept.is_none()) || beside_arn {
            continue;
        }
        let at = EntryId::new(SectionName::Roles, index).to_string();
        let broken = Purpose::of_item(look.world, item).if_broken();
        findings.push(
            Finding::new(
                FindingKind::SsoMatcherInactive,
                broken,
                "EKS does not match `sso` blocks: the entry lets nobody in. Write a `rolearn` for the permission set's \
                 role, role/AWSReservedSSO_NAME_SUFFIX, or create an access entry.",
            )
            .at(at.clone(), section.span(item.range)),
        );
        if let Some(sso) = kept {
            findings.push(match sso.partition.is_empty() {
                false => never(section, item, &at, sso, broken),
                true => too_much(section, item, &at, sso),
            });
        }
    }
    findings
}

fn never(section: &Section, item: &Item, at: &str, sso: &Sso, broken: Severity) -> Finding {
    let message = format!(
        "With `partition: {}` the entry never matches, not even where the matcher is on: the authenticator drops the \
         partition from its pattern. Write a `rolearn` per role, or create an access entry.",
        sso.partition
    );
    inside(
        section,
        item,
        at,
        "partition",
        FindingKind::SsoPartitionNeverMatches,
        broken,
        message,
    )
}

fn too_much(section: &Section, item: &Item, at: &str, sso: &Sso) -> Finding {
    let message = format!(
        "Where the matcher is on, this admits every permission set of the account whose name begins with `{0}_`, such as \
         `{0}_ReadOnly`: the pattern is not anchored to the role's suffix.",
        sso.permission_set_name
    );
    inside(
        section,
        item,
        at,
        "permissionSetName",
        FindingKind::SsoPrefixOvermatch,
        Severity::PrivilegeGain,
        message,
    )
}

/// A finding at a field of the block.
fn inside(
    section: &Section,
    item: &Item,
    at: &str,
    field: &str,
    kind: FindingKind,
    severity: Severity,
    message: String,
) -> Finding {
    let block = written(item, "sso");
    let mut fields = block.iter().flat_map(|b| &b.fields);
    let value = fields.find(|f| accord_model::fold::equal_fold(&f.key, field));
    let range = value.or(block).map_or(item.range, |f| f.value_range);
    Finding::new(kind, severity, message).at(format!("{at}.sso.{field}"), section.span(range))
}
