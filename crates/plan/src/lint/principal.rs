//! What the ARN of an entry means: whether anybody can be it, and if not, what to write.

use accord_model::arn::{Arn, PrincipalKey};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::fold;
use accord_model::mapping::SectionName;
use accord_model::unknown;

use super::fault::{self, Fault};
use super::purpose::{self, Purpose};
use super::{Entry, Look, World};

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
    let identity = &entry.mapping.identity;
    let meant = purpose::meant(entry.item);
    let principal = fault.instead.as_deref().unwrap_or(&entry.mapping.arn);
    let broken = Purpose::of(look.world, principal, &identity.username, &meant.groups).if_broken();
    let at = |severity, why| entry.finding(entry.arn_field(), fault.kind, severity, why);
    let Some(instead) = &fault.instead else {
        return at(broken, fault.why);
    };
    // To write the right ARN beside an entry that has it would make a duplicate, of which the last wins.
    let deciding = look.rules.deciding(&PrincipalKey::of(instead));
    match deciding
        .ids()
        .first()
        .and_then(|id| Some((id, look.rules.mapping(*id)?)))
    {
        Some((id, mapping)) if mapping.identity.means_same(identity) => at(
            Severity::Warning,
            format!(
                "{} {id} already does what this entry means: remove this one.",
                fault.why
            ),
        ),
        Some((id, _)) => at(
            broken,
            format!(
                "{} {id} maps `{instead}` to something else: make them one.",
                fault.why
            ),
        ),
        None => at(broken, fault.why).suggest(instead.clone()),
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
    let other = |p: &&str| *p != parsed.partition && unknown::is_known(parsed.partition);
    if let Some(partition) = world.partition.filter(other) {
        let severity = Purpose::of_item(world, entry.item).if_broken();
        let instead = format!(
            "arn:{partition}:{}",
            text.splitn(3, ':').nth(2).unwrap_or_default()
        );
        let message = format!(
            "The cluster is in the partition `{partition}`, and nobody of `{}` can call it.",
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
    if !text.is_ascii() && unknown::is_known(text) {
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
