//! After a wipe: what is missing and can be known, and what cannot.
//!
//! Known are the claims (reconcile adds them again), what compute needs, and with an older state what nobody claims.
//! What is there is never changed, and what the journal knows was revoked is not brought back.

use accord_model::arn::{self, PrincipalKey};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::journal::JournalEntry;
use accord_model::mapping::{EntryId, Identity, Mapping, SectionName};
use accord_model::observed::Observed;
use accord_model::plan::{Holder, Rights};
use accord_model::reading::AuthMap;

use crate::holder::key_of;
use crate::journal;
use crate::lint;
use crate::reconcile::Situation;
use crate::reconcile::ask::{Ask, Forced, Scope};
use crate::rules::{Deciding, Rules};
use crate::usage::EntryShape;

/// Adds what is missing.
pub(crate) fn restore(situation: &Situation<'_>, backup: Option<&Observed>) -> Ask {
    let mut ask = Ask {
        scope: Scope::Missing,
        ..Ask::default()
    };
    for forced in compute(situation) {
        ask.forced.insert(key_of(&forced.principal), forced);
    }
    match backup.and_then(|b| b.aws_auth.as_ref()) {
        Some(aws_auth) => from_backup(situation, &aws_auth.map, &mut ask),
        None => ask.findings.push(unknown(
            "Users, people's roles and accounts that nobody claims here are in no list that EKS keeps. Recover them from \
             an older copy of the map, with `accord restore --from FILE`: a snapshot, a backup, what Terraform or CDK \
             last wrote, or the API server's audit log. Or have their owners declare them.",
        )),
    }
    for shape in [EntryShape::Nodes, EntryShape::Fargate] {
        if let Some(why) = situation.world.usage().why_incomplete(shape) {
            ask.findings.push(unknown(format!(
                "Entries of roles that compute uses may be missing still: {why}."
            )));
        }
    }
    ask
}

fn unknown(message: impl Into<String>) -> Finding {
    Finding::new(FindingKind::CannotBeKnown, Severity::Warning, message)
}

/// The entries that roles in use need and have not.
fn compute(situation: &Situation<'_>) -> impl Iterator<Item = Forced> {
    let missing = |kind| {
        matches!(
            kind,
            FindingKind::NodeRoleNotInMap
                | FindingKind::FargateRoleNotMapped
                | FindingKind::FargateRoleNotInAwsAuth
        )
    };
    let roles = situation.world.usage().roles();
    let lacking = roles.filter(move |role| {
        let findings = lint::role_in_use(
            situation.observed,
            &situation.world,
            &situation.access,
            role,
        );
        findings.iter().any(|f| missing(f.kind)) && !has_entry(situation, &key_of(&role.arn))
    });
    lacking.map(|role| Forced {
        section: SectionName::Roles,
        principal: role.arn.clone(),
        entry: Some(Mapping {
            arn: role.arn.clone(),
            identity: role.needed(),
            ..Mapping::default()
        }),
        line: None,
        holder: Holder::Eks,
        reason: format!("used by {}", role.told()),
    })
}

fn has_entry(situation: &Situation<'_>, key: &PrincipalKey) -> bool {
    situation.access.rules().deciding(key) != Deciding::None
}

/// Every entry of the older map whose principal has none now.
fn from_backup(situation: &Situation<'_>, map: &AuthMap, ask: &mut Ask) {
    let rules = Rules::of(map);
    let mappings = rules.mappings().map(|(id, m)| (id, m.arn.as_str()));
    for (id, principal) in mappings.chain(rules.accounts()) {
        let key = key_of(principal);
        let is_anybody = arn::is_presentable(principal) || arn::is_account(principal);
        let decides = rules.deciding(&key).ids().first() == Some(&id);
        if !is_anybody || !decides || has_entry(situation, &key) {
            continue;
        }
        match recovered(situation.observed, &rules, id, principal) {
            Ok(entry) => {
                ask.forced.entry(key).or_insert_with(|| Forced {
                    section: id.section,
                    principal: principal.to_owned(),
                    entry: Some(entry),
                    line: None,
                    holder: Holder::Unclaimed,
                    reason: "it stands in the older state".to_owned(),
                });
            }
            Err(revoked) => ask.findings.push(
                unknown(format!(
                    "{principal} stands in the older state and is not added: its access was taken away since, by plan {}.",
                    revoked.id
                ))
                .about(principal),
            ),
        }
    }
    for section in map.sections().filter(|s| !s.is_readable()) {
        ask.findings.push(unknown(format!(
            "{} of the older state cannot be read, so what was in it is not known.",
            section.name
        )));
    }
}

/// The entry as it was last known: what the journal made of the older one, or why it is not brought back.
fn recovered<'o>(
    observed: &'o Observed,
    rules: &Rules<'_>,
    id: EntryId,
    principal: &str,
) -> Result<Mapping, &'o JournalEntry> {
    let mut entry = match rules.mapping(id) {
        Some(mapping) => mapping.clone(),
        None => Mapping {
            arn: principal.to_owned(),
            ..Mapping::default()
        },
    };
    let said = journal::last_change(observed, &key_of(principal));
    let Some((journalled, change)) = said else {
        return Ok(entry);
    };
    let means = |rights: &Rights, identity: &Identity| {
        rights.username == identity.username
            && Identity {
                username: rights.username.clone(),
                groups: rights.groups.clone(),
            }
            .means_same(identity)
    };
    match &change.after {
        None => Err(journalled),
        Some(after) => {
            if change
                .before
                .as_ref()
                .is_some_and(|b| means(b, &entry.identity))
            {
                entry.identity = Identity {
                    username: after.username.clone(),
                    groups: after.groups.clone(),
                };
            }
            Ok(entry)
        }
    }
}
