//! Access entries: those that let nobody in, that give nothing, and that decide instead of the map.

use accord_model::arn;
use accord_model::facts::AccessEntry;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::Mapping;
use accord_model::observed::AwsAuth;
use accord_model::plan::Rights;

use super::cluster::Standing;
use super::purpose::Purpose;
use super::{AWS_AUTH, World, listed};
use crate::entry;

impl Standing<'_> {
    /// Access entries that let somebody in who may do nothing.
    pub(super) fn entries_without_rights(&self) -> Vec<Finding> {
        let entries = self.observed.access_entries.items.iter();
        entries
            .filter(|e| e.kind == "STANDARD" && e.groups.is_empty())
            .filter(|e| e.policies.as_ref().is_some_and(Vec::is_empty))
            .map(|e| {
                Finding::new(
                    FindingKind::EntryWithoutRights,
                    Severity::Warning,
                    format!(
                        "The access entry for {} has neither groups nor policies: it lets somebody in who may do nothing, \
                         unless RBAC binds the username.",
                        e.principal
                    ),
                )
                .in_object(format!("AccessEntry/{}", e.principal))
                .about(arn::without_role_path(&e.principal))
            })
            .collect()
    }

    /// Access entries that are bound to a role that is gone.
    pub(super) fn stale_entries(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for entry in &self.observed.access_entries.items {
            let mut roles = self.observed.roles.items.iter();
            let role = roles.find(|r| arn::same_identity(&r.arn, &entry.principal));
            if !role.is_some_and(|role| entry::is_stale(entry, role)) {
                continue;
            }
            let rights = entry_rights(entry);
            let purpose = match rights.is_admin() {
                true => Purpose::Admin,
                false => Purpose::of(
                    self.world,
                    &entry.principal,
                    &rights.username,
                    &rights.groups,
                ),
            };
            findings.push(
                Finding::new(
                    FindingKind::StalePrincipal,
                    purpose.if_broken(),
                    format!(
                        "The role {} was made anew after its access entry, which is bound to the old role and lets nobody \
                         in. Delete the entry and create it again.",
                        entry.principal
                    ),
                )
                .in_object(format!("AccessEntry/{}", entry.principal))
                .about(arn::without_role_path(&entry.principal)),
            );
        }
        findings
    }

    /// Mappings of whom an access entry decides instead.
    pub(super) fn shadowed(&self, aws_auth: &AwsAuth) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (id, mapping) in self
            .access
            .rules()
            .mappings()
            .filter(|_| self.access.reads_map())
        {
            let Some((_, entry)) = self.access.entry(&mapping.arn) else {
                continue;
            };
            let serves = self.world.usage.of_role(&mapping.arn).is_some_and(|role| {
                role.uses()
                    .iter()
                    .all(|u| u.is_served_by_entry(&entry.kind))
            });
            let by_type = entry.kind != "STANDARD"
                && mapping.identity.username == entry_rights(entry).username;
            if !arn::is_presentable(&mapping.arn) || serves || by_type {
                // EKS keeps both for compute, and both do.
                continue;
            }
            let (severity, message) = compare(mapping, entry, self.world);
            let span = aws_auth
                .map
                .item(id)
                .and_then(|item| aws_auth.map.section(id.section).span(item.range));
            findings.push(
                Finding::new(FindingKind::ShadowedByAccessEntry, severity, message)
                    .in_object(AWS_AUTH)
                    .at(id.to_string(), span)
                    .about(mapping.arn.clone()),
            );
        }
        findings
    }
}

fn compare(mapping: &Mapping, entry: &AccessEntry, world: &World<'_>) -> (Severity, String) {
    let rights = entry_rights(entry);
    let identity = &mapping.identity;
    let told = format!(
        "An access entry for the same principal decides instead: username `{}`, {}.",
        rights.username,
        match (rights.groups.is_empty(), rights.policies.as_slice()) {
            (true, []) => "no groups".to_owned(),
            (_, policies) => {
                let policies = policies.iter().map(|p| &p.policy);
                listed(
                    &rights
                        .groups
                        .iter()
                        .chain(policies)
                        .cloned()
                        .collect::<Vec<_>>(),
                )
            }
        }
    );
    let same = identity.username == rights.username
        && (rights.is_admin() && identity.is_admin() || identity.groups == rights.groups);
    let severity = match Purpose::of(world, &mapping.arn, &identity.username, &identity.groups) {
        _ if same => Severity::Info,
        Purpose::Admin if rights.is_admin() => Severity::SilentWrong,
        purpose => purpose.if_broken(),
    };
    (severity, told)
}

fn entry_rights(entry: &AccessEntry) -> Rights {
    crate::access::entry_answer(0, entry).rights()
}
