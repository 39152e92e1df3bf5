//! What the ARN of an entry means: whether anybody can be it, and if not, what to write.

use accord_model::arn::{Arn, PrincipalKey};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::fold;
use accord_model::mapping::{EntryId, SectionName};

use super::fault::{self, Fault};
use super::purpose::{self, Purpose};
use super::{Entry, Look, World};
use crate::rules::Deciding;

pub(super) fn look(look: &Look<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for entry in look.entries().filter(|e| !e.mapping.arn.is_empty()) {
        let judged = fault::judge(&entry.mapping.arn, look.world);
        if judged.is_empty() {
            findings.extend(presentable(&entry, look.world));
        }
        for fault in judged {
            findings.push(told(fault, &entry, look));
        }
    }
    findings
}

fn told(fault: Fault, entry: &Entry<'_>, look: &Look<'_>) -> Finding {
    let field = entry.arn_field();
    let Some(instead) = fault.instead else {
        let severity = Purpose::of_item(look.world, entry.item).if_broken();
        return entry.finding(field, fault.kind, severity, fault.why);
    };
    let (severity, beside) = match working_copy(&instead, entry, look) {
        Some(id) => (
            Severity::Warning,
            format!(" {id} already does what this entry means; remove this one."),
        ),
        None => {
            let groups = purpose::meant(entry.item).groups;
            let purpose = Purpose::of(
                look.world,
                &instead,
                &entry.mapping.identity.username,
                &groups,
            );
            (purpose.if_broken(), String::new())
        }
    };
    let message = format!("{} Write `{instead}`.{beside}", fault.why);
    entry
        .finding(field, fault.kind, severity, message)
        .suggest(instead)
}

/// An entry that already maps `principal` to the same identity.
fn working_copy(principal: &str, entry: &Entry<'_>, look: &Look<'_>) -> Option<EntryId> {
    match look.rules.deciding(&PrincipalKey::of(principal)) {
        Deciding::One(id) => {
            let mapping = look.rules.mapping(id)?;
            mapping
                .identity
                .means_same(&entry.mapping.identity)
                .then_some(id)
        }
        Deciding::None | Deciding::Either(_) => None,
    }
}

/// What is worth saying about an ARN that a caller can have.
fn presentable(entry: &Entry<'_>, world: &World<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let text = &entry.mapping.arn;
    let folded = fold::fold_key(text);
    let Some(parsed) = Arn::parse(&folded) else {
        return findings;
    };
    if let Some(partition) = world.partition.filter(|p| *p != parsed.partition) {
        let severity = Purpose::of_item(world, entry.item).if_broken();
        let instead = format!(
            "arn:{partition}:{}",
            text.splitn(3, ':').nth(2).unwrap_or_default()
        );
        let message = format!(
            "The cluster is in the partition `{partition}`, and nobody of `{}` can call it. Write `{instead}`.",
            parsed.partition
        );
        findings.push(
            entry
                .finding(
                    entry.arn_field(),
                    FindingKind::PartitionMismatch,
                    severity,
                    message,
                )
                .suggest(instead),
        );
    }
    if !text.is_ascii() {
        findings.push(entry.finding(
            entry.arn_field(),
            FindingKind::ArnInvisibleCharacter,
            Severity::Warning,
            "The ARN has a letter that only looks like a Latin one, and matches because the authenticator folds it; \
             other tools will not. Write it in ASCII.",
        ));
    }
    let belongs = match parsed.resource_type() {
        "role" => Some((SectionName::Roles, "a role")),
        "user" => Some((SectionName::Users, "a user")),
        _ => None,
    };
    if let Some((section, what)) = belongs.filter(|(s, _)| *s != entry.id.section) {
        findings.push(entry.whole(
            FindingKind::WrongSection,
            Severity::Info,
            format!(
                "This is {what} in {}: it works, because the authenticator does not look at the kind of ARN, but it \
                 belongs in {section}.",
                entry.id.section
            ),
        ));
    }
    findings
}
