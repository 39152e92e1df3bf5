//! What the authentication mode, access entries and compute make of the map: standing hazards.

use accord_model::arn::{self, PrincipalKey};
use accord_model::facts::{AccessEntry, AuthenticationMode};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::{EntryId, Mapping};
use accord_model::observed::{AwsAuth, Observed};
use accord_model::plan::Rights;

use super::purpose::Purpose;
use super::{AWS_AUTH, World, listed, written};
use crate::access::Access;
use crate::entry;
use crate::usage::{Use, UsedRole};

/// Above this, `kubectl apply` cannot keep its copy of the object in an annotation (the API server's limit for all
/// annotations of an object, `TotalAnnotationSizeLimitB`).
const ANNOTATION_LIMIT: usize = 256 * 1024;
/// The API server's limit for the data of a ConfigMap (`MaxSecretSize`).
const DATA_LIMIT: usize = 1024 * 1024;

pub(super) fn look(observed: &Observed, world: &World<'_>) -> Vec<Finding> {
    let standing = Standing {
        observed,
        world,
        access: Access::of(observed),
    };
    let mut findings: Vec<Finding> = world
        .usage
        .roles()
        .flat_map(|role| standing.used_role(role))
        .collect();
    findings.extend(standing.stale_entries());
    findings.extend(standing.entries_without_rights());
    if let Some(aws_auth) = &observed.aws_auth {
        findings.extend(standing.ignored(aws_auth));
        findings.extend(standing.shadowed(aws_auth));
        findings.extend(size(aws_auth));
    }
    findings
}

struct Standing<'a> {
    observed: &'a Observed,
    world: &'a World<'a>,
    access: Access<'a>,
}

impl Standing<'_> {
    /// A role that node groups or Fargate profiles use.
    fn used_role(&self, role: &UsedRole) -> Vec<Finding> {
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
        Some(self.at(
            id,
            "groups",
            groups_kind(used_for, &missing),
            message,
            None,
            role,
        ))
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

    /// Access entries that let somebody in who may do nothing.
    fn entries_without_rights(&self) -> Vec<Finding> {
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
    fn stale_entries(&self) -> Vec<Finding> {
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

    /// A map that is not read.
    fn ignored(&self, aws_auth: &AwsAuth) -> Option<Finding> {
        if self.access.reads_map() {
            return None;
        }
        let rules = self.access.rules();
        let without_entry: Vec<(String, Purpose)> = rules
            .mappings()
            .filter(|(_, m)| arn::is_presentable(&m.arn) && self.access.entry(&m.arn).is_none())
            .map(|(_, m)| {
                let purpose =
                    Purpose::of(self.world, &m.arn, &m.identity.username, &m.identity.groups);
                (m.arn.clone(), purpose)
            })
            .collect();
        if rules.mappings().next().is_none() && rules.accounts().next().is_none() {
            return None;
        }
        let names: Vec<String> = without_entry.iter().map(|(name, _)| name.clone()).collect();
        let (severity, lost) = match without_entry.iter().map(|(_, p)| *p).max() {
            None => (
                Severity::Info,
                "Everybody in it has an access entry.".to_owned(),
            ),
            Some(worst) => (
                worst.if_broken(),
                format!(
                    "Without an access entry, and so without access: {}.",
                    listed(&names)
                ),
            ),
        };
        let mut finding = Finding::new(
            FindingKind::AwsAuthIgnored,
            severity,
            format!("The authentication mode is API: aws-auth is not read at all. {lost}"),
        )
        .in_object(AWS_AUTH);
        finding.span = aws_auth.span;
        Some(finding)
    }

    /// Mappings of whom an access entry decides instead.
    fn shadowed(&self, aws_auth: &AwsAuth) -> Vec<Finding> {
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

fn size(aws_auth: &AwsAuth) -> Option<Finding> {
    let (kind, severity, what) = if aws_auth.size > DATA_LIMIT {
        (
            FindingKind::TooLarge,
            Severity::BreaksCluster,
            "the API server refuses the object",
        )
    } else if aws_auth.size > ANNOTATION_LIMIT {
        (
            FindingKind::SizeNearLimit,
            Severity::Warning,
            "`kubectl apply` cannot keep its copy of it in an annotation, and fails; use server-side apply",
        )
    } else {
        return None;
    };
    let limit = match kind {
        FindingKind::TooLarge => DATA_LIMIT,
        _ => ANNOTATION_LIMIT,
    };
    let message = format!(
        "The map has {} bytes, over the limit of {limit}: {what}.",
        aws_auth.size
    );
    let mut finding = Finding::new(kind, severity, message).in_object(AWS_AUTH);
    finding.span = aws_auth.span;
    Some(finding)
}
