//! Roles that node groups and Fargate profiles use, and whether the map or an access entry serves them.

use accord_model::arn::{self, PrincipalKey};
use accord_model::facts::{AccessEntry, AuthenticationMode};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::{EntryId, Mapping};

use super::cluster::Standing;
use super::{AWS_AUTH, listed, written};
use crate::usage::{Use, UsedRole};

impl Standing<'_> {
    /// A role that node groups or Fargate profiles use.
    pub(super) fn used_role(&self, role: &UsedRole) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut uses = role.uses();
        if role.is_shared() {
            findings.push(
                Finding::new(
                    FindingKind::RoleSharedByEc2AndFargate,
                    Severity::BreaksCluster,
                    format!(
                        "{} is used by {}. EC2 nodes and Fargate pods need different usernames, and an entry has one: it \
                         wins for both. Give the Fargate profiles a role of their own.",
                        role.arn,
                        role.told()
                    ),
                )
                .in_object(AWS_AUTH)
                .about(role.arn.clone()),
            );
            if self.map_entry(&role.arn).is_some() {
                uses.clear();
            }
        }
        findings.extend(
            uses.into_iter()
                .filter_map(|used_for| self.served(role, used_for)),
        );
        findings
    }

    /// What is missing for one use of a role.
    fn served(&self, role: &UsedRole, used_for: Use) -> Option<Finding> {
        if let Some(entry) = self.serving_entry(role, used_for) {
            return self.fargate_only_by_entry(role, used_for, entry);
        }
        let Some((id, mapping)) = self.map_entry(&role.arn) else {
            return Some(self.not_mapped(role, used_for));
        };
        let identity = &mapping.identity;
        if identity.username != used_for.username() {
            return Some(self.at(
                id,
                "username",
                username_kind(used_for),
                format!(
                    "{} need the username `{}`, and the entry for their role {} has `{}`. It is used by {}.",
                    noun(used_for),
                    used_for.username(),
                    role.arn,
                    identity.username,
                    role.told()
                ),
                Some(format!("\"{}\"", used_for.username())),
                role,
            ));
        }
        let needed = used_for.missing_groups(&identity.groups);
        if needed.is_empty() {
            return None;
        }
        let missing: Vec<String> = needed.iter().map(|g| format!("`{g}`")).collect();
        let message = format!(
            "{} need the group {} too. The role {} is used by {}.",
            noun(used_for),
            listed(&missing),
            role.arn,
            role.told()
        );
        let there = identity.groups.iter().filter(|g| !g.is_empty()).cloned();
        let all: Vec<String> = there
            .chain(needed.iter().map(|g| (*g).to_owned()))
            .collect();
        let kind = groups_kind(used_for, &missing);
        let instead = format!("[{}]", all.join(", "));
        Some(self.at(id, "groups", kind, message, Some(instead), role))
    }

    /// The access entry that serves a role. Where the mode is not known one that exists is taken to be read.
    fn serving_entry(&self, role: &UsedRole, used_for: Use) -> Option<&AccessEntry> {
        let mut entries = self.observed.access_entries.items.iter();
        let read = self.access.mode().is_none() || self.access.entry(&role.arn).is_some();
        entries.find(|e| {
            read && arn::same_identity(&e.principal, &role.arn)
                && used_for.is_served_by_entry(&e.kind)
        })
    }

    /// In the mixed mode some clusters launch pods only if the role stands in `aws-auth` too
    /// (terraform-aws-modules/terraform-aws-eks#2912 and #2972).
    fn fargate_only_by_entry(
        &self,
        role: &UsedRole,
        used_for: Use,
        entry: &AccessEntry,
    ) -> Option<Finding> {
        let mixed = self.access.mode() == Some(AuthenticationMode::ApiAndConfigMap);
        if used_for != Use::FargatePods || !mixed || self.map_entry(&role.arn).is_some() {
            return None;
        }
        Some(
            Finding::new(
                FindingKind::FargateRoleNotInAwsAuth,
                Severity::Warning,
                format!(
                    "{} has an access entry ({}) but no entry in aws-auth, and is used by {}. Pods have been reported to \
                     stay pending in this mode until the role stands in both: add it to mapRoles, without path.",
                    role.arn,
                    entry.kind,
                    role.told()
                ),
            )
            .in_object(AWS_AUTH)
            .about(role.arn.clone())
            .suggest(entry_text(role)),
        )
    }

    fn not_mapped(&self, role: &UsedRole, used_for: Use) -> Finding {
        let kind = match used_for {
            Use::LinuxNodes | Use::WindowsNodes => FindingKind::NodeRoleNotInMap,
            Use::FargatePods => FindingKind::FargateRoleNotMapped,
        };
        let place = match self.access.mode() {
            Some(AuthenticationMode::Api) => "no access entry that serves it",
            Some(AuthenticationMode::ApiAndConfigMap) => {
                "neither an access entry that serves it nor an entry in aws-auth"
            }
            Some(AuthenticationMode::ConfigMap) => "no working entry in aws-auth",
            None => {
                "no working entry in aws-auth, and whether access entries are read is not known"
            }
        };
        let effect = match used_for {
            Use::LinuxNodes | Use::WindowsNodes => {
                "its nodes cannot join, and those that run turn NotReady"
            }
            Use::FargatePods => "its pods stay pending",
        };
        let finding = Finding::new(
            kind,
            Severity::BreaksCluster,
            format!(
                "{} is used by {} and has {place}: {effect}.",
                role.arn,
                role.told()
            ),
        )
        .in_object(AWS_AUTH)
        .about(role.arn.clone());
        match self.access.reads_map() {
            true => finding.suggest(entry_text(role)),
            false => finding,
        }
    }

    /// The map's entry that decides for a role, where the map is read and no access entry comes first.
    fn map_entry(&self, role: &str) -> Option<(EntryId, &Mapping)> {
        let rules = self.access.rules();
        let deciding = rules.deciding(&PrincipalKey::of(role));
        let id = *deciding.ids().first().filter(|_| self.access.reads_map())?;
        Some((id, rules.mapping(id)?))
    }

    fn at(
        &self,
        id: EntryId,
        field: &str,
        kind: FindingKind,
        message: String,
        suggest: Option<String>,
        role: &UsedRole,
    ) -> Finding {
        let map = self.observed.aws_auth.as_ref().map(|a| &a.map);
        let span = map.and_then(|map| {
            let item = map.item(id)?;
            let range = written(item, field).map_or(item.range, |f| f.value_range);
            map.section(id.section).span(range)
        });
        let finding = Finding::new(kind, Severity::BreaksCluster, message)
            .in_object(AWS_AUTH)
            .at(format!("{id}.{field}"), span)
            .about(role.arn.clone());
        match suggest {
            Some(text) => finding.suggest(text),
            None => finding,
        }
    }
}

fn username_kind(used_for: Use) -> FindingKind {
    match used_for {
        Use::LinuxNodes | Use::WindowsNodes => FindingKind::NodeRoleNotInMap,
        Use::FargatePods => FindingKind::FargateGroupsIncomplete,
    }
}

fn groups_kind(used_for: Use, missing: &[String]) -> FindingKind {
    match used_for {
        Use::FargatePods => FindingKind::FargateGroupsIncomplete,
        Use::WindowsNodes if missing.len() == 1 => FindingKind::WindowsGroupMissing,
        Use::LinuxNodes | Use::WindowsNodes => FindingKind::NodeRoleNotInMap,
    }
}

fn noun(used_for: Use) -> &'static str {
    match used_for {
        Use::LinuxNodes => "Nodes",
        Use::WindowsNodes => "Windows nodes",
        Use::FargatePods => "Fargate pods",
    }
}

/// The entry that a role needs, as it is written in `mapRoles`.
fn entry_text(role: &UsedRole) -> String {
    let needed = role.needed();
    let groups: Vec<String> = needed.groups.iter().map(|g| format!("\n  - {g}")).collect();
    format!(
        "- rolearn: {}\n  username: {}\n  groups:{}",
        role.arn,
        needed.username,
        groups.concat()
    )
}
