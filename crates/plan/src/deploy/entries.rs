//! What EKS refuses in access entries and their policies, and entries that give nothing.

use accord_model::arn;
use accord_model::deploy::{Declared, Entry, EntryPolicy, Given, Policy, Resource, Tool};
use accord_model::facts::AuthenticationMode;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::unknown;

use super::after::{States, kind_of};
use super::group::Group;
use super::place::{at, at_list, whole};
use super::{association, policies, update};
use crate::entry::principal;
use crate::entry::rules::{self, Fault};
use crate::lint::{Purpose, World};

pub(super) fn look(group: &Group<'_>, states: &States) -> Vec<Finding> {
    let world = World::of(&states.after);
    let look = Look {
        group,
        states,
        world: &world,
        may_have_policies: group.after().any(|(_, declared)| match declared {
            Declared::EntryPolicy(policy) => policy
                .principal
                .as_ref()
                .is_none_or(|p| !unknown::is_known(&p.value)),
            _ => false,
        }),
    };
    let mut findings = Vec::new();
    for (resource, declared) in group.after() {
        match declared {
            Declared::Entry(entry) => findings.extend(look.entry(resource, entry)),
            Declared::EntryPolicy(policy) => findings.extend(look.entry_policy(resource, policy)),
            Declared::Association(given) => {
                findings.extend(association::incomplete(resource, given))
            }
            _ => {}
        }
    }
    findings
}

struct Look<'a> {
    group: &'a Group<'a>,
    states: &'a States,
    world: &'a World<'a>,
    /// A policy is for somebody who is not known yet, and so may be for any entry.
    may_have_policies: bool,
}

impl Look<'_> {
    fn entry(&self, resource: &Resource, entry: &Entry) -> Vec<Finding> {
        let severity = self.severity(entry);
        let kind = kind_of(entry);
        let mut findings = Vec::new();
        let mut told = |given: &Given<String>, fault: Option<Fault>| {
            findings.extend(fault.map(|fault| of_fault(resource, given, severity, fault)));
        };
        if let Some(principal) = &entry.principal {
            let mut faults = principal::faults(&principal.value, &self.states.after.roles);
            if faults.is_empty() {
                faults.extend(self.foreign(kind, &principal.value));
            }
            for fault in faults {
                told(principal, Some(fault));
            }
        }
        if let Some(given) = &entry.kind {
            told(given, rules::kind(&given.value));
        }
        let may_have_identity = rules::may_have_identity(kind) || rules::kind(kind).is_some();
        if let Some(username) = &entry.username {
            told(
                username,
                match may_have_identity {
                    true => rules::username(&username.value),
                    false if self.is_given(&username.value) => {
                        Some(rules::field_not_allowed(kind, last(&username.at)))
                    }
                    false => None,
                },
            );
        }
        if may_have_identity {
            for group in entry.groups.iter().flat_map(|groups| &groups.items) {
                told(group, rules::group(&group.value));
            }
        }
        if entry.principal.is_none() {
            findings.push(whole(
                resource,
                FindingKind::EntryInvalid,
                severity,
                "The access entry names no principal.",
            ));
        }
        if let Some(groups) = entry
            .groups
            .as_ref()
            .filter(|g| !may_have_identity && g.items.iter().any(|g| self.is_given(&g.value)))
        {
            let fault = rules::field_not_allowed(kind, &groups.at);
            findings.push(at_list(
                resource,
                groups,
                fault.kind,
                severity,
                fault.message,
            ));
        }
        if let Some(policies) = &entry.policies {
            if !rules::may_have_policies(kind)
                && rules::kind(kind).is_none()
                && !policies.items.is_empty()
            {
                let fault = rules::field_not_allowed(kind, &policies.at);
                findings.push(at_list(
                    resource,
                    policies,
                    fault.kind,
                    severity,
                    fault.message,
                ));
            } else {
                for policy in &policies.items {
                    findings.extend(self.policy(resource, policy, severity));
                }
                findings.extend(policies::twice(resource, &policies.items));
                findings.extend(policies::too_many(resource, policies, severity));
            }
        }
        findings.extend(self.needs_mode(resource, severity));
        findings.extend(self.without_rights(resource, entry));
        findings.extend(update::of_non_standard(resource, entry, self.states));
        let principal = entry.principal.as_ref().map(|p| display(&p.value));
        findings
            .into_iter()
            .map(|f| match (&f.principal, &principal) {
                (None, Some(principal)) => f.about(principal.clone()),
                _ => f,
            })
            .collect()
    }

    /// Whether somebody wrote a value. What Terraform does not know may be what EKS fills in.
    fn is_given(&self, value: &str) -> bool {
        self.group.tool == Tool::CloudFormation || !unknown::is_whole(value)
    }

    fn entry_policy(&self, resource: &Resource, declared: &EntryPolicy) -> Vec<Finding> {
        let mut findings = self.policy(resource, &declared.policy, Severity::SilentWrong);
        if declared
            .principal
            .as_ref()
            .is_none_or(|p| p.value.is_empty())
        {
            let message = "The access policy is for nobody: it names no principal.";
            findings.push(whole(
                resource,
                FindingKind::EntryInvalid,
                Severity::SilentWrong,
                message,
            ));
        }
        let kind = declared
            .principal
            .as_ref()
            .and_then(|p| self.states.entry_after(&p.value))
            .map(|entry| entry.kind.as_str())
            .filter(|kind| !kind.is_empty());
        if let Some(kind) = kind.filter(|kind| !rules::may_have_policies(kind)) {
            let fault = rules::field_not_allowed(kind, "an access policy");
            findings.push(whole(
                resource,
                fault.kind,
                Severity::SilentWrong,
                fault.message,
            ));
        }
        findings.extend(self.needs_mode(resource, Severity::SilentWrong));
        findings
    }

    fn policy(&self, resource: &Resource, policy: &Policy, severity: Severity) -> Vec<Finding> {
        let mut findings = Vec::new();
        let here = Given {
            value: String::new(),
            at: policy.at.clone(),
            span: policy.span,
        };
        let arn = policy.arn.as_ref().unwrap_or(&here);
        let fault = rules::policy(&arn.value);
        findings.extend(fault.map(|f| of_fault(resource, arn, severity, f)));
        let scope = policy.scope.as_ref();
        let namespaces = match &policy.namespaces {
            Some(list) if list.open => None,
            Some(list) => Some(list.items.len()),
            None => Some(0),
        };
        let fault = rules::scope(scope.map(|s| s.value.as_str()), namespaces);
        findings.extend(fault.map(|f| of_fault(resource, scope.unwrap_or(&here), severity, f)));
        findings
    }

    /// How bad it is if the entry does not come to exist.
    fn severity(&self, entry: &Entry) -> Severity {
        let text = |given: &Option<Given<String>>| {
            given.as_ref().map(|g| g.value.clone()).unwrap_or_default()
        };
        let groups: Vec<String> = entry
            .groups
            .iter()
            .flat_map(|g| &g.items)
            .map(|g| g.value.clone())
            .collect();
        let admin = entry.policies.iter().flat_map(|p| &p.items).any(|policy| {
            policy
                .arn
                .as_ref()
                .is_some_and(|a| a.value.ends_with(rules::CLUSTER_ADMIN))
        });
        let purpose = match kind_of(entry) {
            "STANDARD" if admin => Purpose::Admin,
            "STANDARD" => Purpose::of(
                self.world,
                &text(&entry.principal),
                &text(&entry.username),
                &groups,
            ),
            kind if rules::TYPES.contains(&kind) => Purpose::Compute,
            _ => Purpose::Other,
        };
        purpose.if_broken()
    }

    /// A principal must be of the cluster's partition, and for compute a role of its own account.
    fn foreign(&self, kind: &str, principal: &str) -> Option<Fault> {
        let parsed = arn::Arn::parse(principal)?;
        let cluster = self
            .states
            .after
            .cluster
            .as_ref()
            .and_then(|c| c.arn.as_deref());
        let cluster = cluster.and_then(arn::Arn::parse);
        if let Some(cluster) = cluster
            .filter(|c| c.partition != parsed.partition && unknown::is_known(parsed.partition))
        {
            return Some(Fault {
                kind: FindingKind::PartitionMismatch,
                message: format!(
                    "The cluster is in the partition `{}`, and nobody of `{}` can call it.",
                    cluster.partition, parsed.partition
                ),
                instead: None,
            });
        }
        if kind == "STANDARD" || !rules::TYPES.contains(&kind) {
            return None;
        }
        if parsed.resource_type() == "user" {
            return Some(Fault {
                kind: FindingKind::EntryInvalid,
                message: format!("An entry of type {kind} is for a role, and this is a user."),
                instead: None,
            });
        }
        let cluster = cluster?;
        let known = unknown::is_known(parsed.account) && parsed.account != cluster.account;
        known.then(|| Fault {
            kind: FindingKind::EntryInvalid,
            message: format!(
                "An entry of type {kind} is for a role of the cluster's own account, {}, and this one is of {}.",
                cluster.account, parsed.account
            ),
            instead: None,
        })
    }

    /// Entries need a mode that reads them.
    fn needs_mode(&self, resource: &Resource, severity: Severity) -> Option<Finding> {
        let mode = self.states.after.cluster.as_ref().and_then(|c| c.mode)?;
        (mode == AuthenticationMode::ConfigMap).then(|| {
            whole(
                resource,
                FindingKind::EntryNeedsMode,
                severity,
                "The authentication mode is CONFIG_MAP, in which EKS refuses access entries. Change it to \
                 API_AND_CONFIG_MAP first.",
            )
        })
    }

    /// An entry that lets somebody in who may do nothing.
    fn without_rights(&self, resource: &Resource, entry: &Entry) -> Option<Finding> {
        let principal = entry.principal.as_ref()?;
        let is_open = entry.groups.as_ref().is_some_and(|g| g.open)
            || entry.policies.as_ref().is_some_and(|p| p.open);
        let then = self.states.entry_after(&principal.value)?;
        let has_nothing = then.kind == "STANDARD"
            && then.groups.is_empty()
            && then.policies.as_ref().is_some_and(Vec::is_empty);
        let no_policy =
            kind_of(entry) == "EC2" && then.policies.as_ref().is_some_and(Vec::is_empty);
        if no_policy && !is_open && !self.may_have_policies {
            return Some(whole(
                resource,
                FindingKind::EntryWithoutRights,
                Severity::BreaksCluster,
                "The access entry of type EC2, for nodes of Auto Mode, has no access policy: they need \
                 AmazonEKSAutoNodePolicy to join.",
            ));
        }
        (has_nothing && !is_open && !self.may_have_policies).then(|| {
            whole(
                resource,
                FindingKind::EntryWithoutRights,
                Severity::Warning,
                format!(
                    "The access entry for {} has neither groups nor policies: it lets somebody in who may do nothing, \
                     unless RBAC binds the username.",
                    principal.value
                ),
            )
        })
    }
}

fn of_fault(
    resource: &Resource,
    given: &Given<String>,
    severity: Severity,
    fault: Fault,
) -> Finding {
    let finding = at(resource, given, fault.kind, severity, fault.message);
    match fault.instead {
        Some(text) => finding.suggest(text),
        None => finding,
    }
}

/// A principal as it is printed.
pub(super) fn display(principal: &str) -> String {
    arn::without_role_path(&arn::display_form(principal)).into_owned()
}

/// The last part of a path.
fn last(at: &str) -> &str {
    at.rsplit('.').next().unwrap_or(at)
}
