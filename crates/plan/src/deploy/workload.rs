//! Identity of workloads: what lets a deploy fail, or leaves pods without credentials or with the wrong ones.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn;
use accord_model::deploy::{
    Addon, Association, Declared, Deploy, Given, Resource, Role, ServiceAccount, Tool,
};
use accord_model::finding::{Finding, FindingKind, Severity};

use super::after::key;
use super::group::Group;
use super::place::{at, whole};
use crate::addons::{self, POD_IDENTITY_AGENT};

pub(super) fn look(group: &Group<'_>, deploy: &Deploy) -> Vec<Finding> {
    let look = Look {
        group,
        roles: roles(deploy),
        accounts: accounts(group),
        associations: associations(group),
        account: group
            .live
            .and_then(|live| arn::Arn::parse(live.cluster.as_ref()?.arn.as_deref()?))
            .map(|arn| arn.account)
            .or(deploy.account.as_deref()),
        of_associations: group
            .after()
            .filter_map(|(_, declared)| match declared {
                Declared::Association(a) => Some(a.role.as_ref()?.value.as_str()),
                _ => None,
            })
            .collect(),
    };
    let mut findings = Vec::new();
    for (resource, declared) in group.after() {
        match declared {
            Declared::Association(association) => {
                findings.extend(look.trust_of_pods(resource, association));
                findings.extend(look.other_account_role(resource, association));
                findings.extend(look.two_sources(association));
            }
            Declared::Addon(addon) => findings.extend(look.addon(resource, addon)),
            Declared::ServiceAccount(account) => {
                findings.extend(look.web_identity(resource, account.role.as_ref()))
            }
            _ => {}
        }
    }
    findings.extend(look.no_agent());
    findings
}

struct Look<'a> {
    group: &'a Group<'a>,
    /// The roles of the deploy, by what they are told apart by.
    roles: BTreeMap<String, &'a Role>,
    /// The service accounts of manifests, by namespace and name.
    accounts: BTreeMap<(&'a str, &'a str), (&'a Resource, &'a ServiceAccount)>,
    /// Roles that associations give.
    of_associations: BTreeSet<&'a str>,
    /// Associations that are resources of their own, by namespace and service account.
    associations: BTreeMap<(&'a str, &'a str), &'a Resource>,
    /// The cluster's account, if it is known.
    account: Option<&'a str>,
}

fn associations<'a>(group: &Group<'a>) -> BTreeMap<(&'a str, &'a str), &'a Resource> {
    let associations = group
        .after()
        .filter_map(|(resource, declared)| match declared {
            Declared::Association(a) => {
                let name = (
                    a.namespace.as_ref()?.value.as_str(),
                    a.service_account.as_ref()?.value.as_str(),
                );
                Some((name, resource))
            }
            _ => None,
        });
    associations.collect()
}

fn roles(deploy: &Deploy) -> BTreeMap<String, &Role> {
    let roles = deploy
        .resources
        .iter()
        .filter_map(|r| match r.after.as_ref()? {
            Declared::Role(role) => Some((key(&role.arn), role)),
            _ => None,
        });
    roles.collect()
}

fn accounts<'a>(
    group: &Group<'a>,
) -> BTreeMap<(&'a str, &'a str), (&'a Resource, &'a ServiceAccount)> {
    let accounts = group
        .after()
        .filter_map(|(resource, declared)| match declared {
            Declared::ServiceAccount(account) => Some((
                (account.namespace.as_str(), account.name.as_str()),
                (resource, account),
            )),
            _ => None,
        });
    accounts.collect()
}

impl Look<'_> {
    fn addon(&self, resource: &Resource, addon: &Addon) -> Vec<Finding> {
        let mut findings = Vec::new();
        for association in &addon.associations {
            findings.extend(self.trust_of_pods(resource, association));
            findings.extend(self.other_account_role(resource, association));
            findings.extend(self.not_adopted(resource, addon, association));
            findings.extend(unknown_account(resource, addon, association));
        }
        findings.extend(self.web_identity(resource, addon.service_account_role.as_ref()));
        findings.extend(self.other_account(resource, addon));
        findings
    }

    /// A role of this deploy that a Pod Identity association needs, and that does not trust Pod Identity.
    fn trust_of_pods(&self, resource: &Resource, association: &Association) -> Option<Finding> {
        let given = association.role.as_ref()?;
        let role = self.role(given)?;
        let missing: Vec<&str> = [
            ("sts:AssumeRole", role.trust.pods_assume),
            ("sts:TagSession", role.trust.pods_tag),
        ]
        .into_iter()
        .filter(|(_, there)| !there)
        .map(|(call, _)| call)
        .collect();
        if !role.trust.known || missing.is_empty() {
            return None;
        }
        Some(at(
            resource,
            given,
            FindingKind::TrustMissingPodIdentity,
            Severity::BreaksWorkload,
            format!(
                "The role's trust policy does not let `pods.eks.amazonaws.com` call {}: EKS refuses the association. Allow \
                 both sts:AssumeRole and sts:TagSession.",
                missing.join(" and ")
            ),
        ))
    }

    /// An association's role must be of the cluster's account.
    fn other_account_role(
        &self,
        resource: &Resource,
        association: &Association,
    ) -> Option<Finding> {
        let given = association.role.as_ref()?;
        let account = arn::Arn::parse(&given.value)?.account;
        let here = self
            .account
            .filter(|here| arn::is_account(account) && *here != account)?;
        Some(at(
            resource,
            given,
            FindingKind::AssociationCrossAccount,
            Severity::BreaksWorkload,
            format!(
                "The role is in account {account}, and the cluster in {here}: EKS refuses the association. Give a role of \
                 {here}, and the other one as target role (`TargetRoleArn`, `targetRoleArn`), which must trust it with \
                 sts:AssumeRole and sts:TagSession."
            ),
        ))
    }

    /// An association of its own for a service account that an add-on is to have one for.
    fn not_adopted(
        &self,
        resource: &Resource,
        addon: &Addon,
        association: &Association,
    ) -> Option<Finding> {
        let known = addons::known(&addon.name.as_ref()?.value)?;
        let account = association.service_account.as_ref()?;
        let other = self
            .associations
            .get(&(known.namespace, account.value.as_str()))?;
        Some(at(
            resource,
            account,
            FindingKind::AddonCannotAdoptAssociation,
            Severity::BreaksWorkload,
            format!(
                "`{}` makes an association for {}/{} too, and an add-on cannot take one over: EKS refuses the second with 409. \
                 Leave the association to the add-on, or leave it out here.",
                other.address, known.namespace, account.value
            ),
        ))
    }

    /// A role of this deploy that pods are to assume by IRSA, and that trusts no OpenID Connect provider.
    fn web_identity(&self, resource: &Resource, given: Option<&Given<String>>) -> Option<Finding> {
        let given = given?;
        let role = self.role(given)?;
        // Beside an association the annotation is only a second source, which is told there.
        let is_of_pods =
            role.trust.pods_assume && self.of_associations.contains(given.value.as_str());
        if !role.trust.known || role.trust.web_identity || is_of_pods {
            return None;
        }
        Some(at(
            resource,
            given,
            FindingKind::TrustMissingIrsa,
            Severity::BreaksWorkload,
            "The role's trust policy lets no OpenID Connect provider call sts:AssumeRoleWithWebIdentity, by which a role is \
             assumed that is given like this: its pods get no credentials. For Pod Identity make an association instead.",
        ))
    }

    /// A service account that has an association, and an annotation for IRSA as well.
    fn two_sources(&self, association: &Association) -> Option<Finding> {
        let account = association.service_account.as_ref()?;
        let namespace = association.namespace.as_ref()?;
        let name = (namespace.value.as_str(), account.value.as_str());
        let (resource, account) = self.accounts.get(&name)?;
        let role = account.role.as_ref()?;
        Some(at(
            resource,
            role,
            FindingKind::TwoCredentialSources,
            Severity::Warning,
            "The service account has a Pod Identity association and the annotation for IRSA. Pods that start before the \
             association is in effect, or after it is gone, get the role by IRSA, and cannot assume it unless it trusts the \
             cluster's OpenID Connect provider too.",
        ))
    }

    /// A manifest makes the service account that the add-on makes too.
    fn other_account(&self, resource: &Resource, addon: &Addon) -> Option<Finding> {
        let name = addon.name.as_ref()?;
        let known = addons::known(&name.value)?;
        let mut made = known.service_accounts.iter();
        let (other, account) =
            made.find_map(|name| self.accounts.get(&(known.namespace, *name)))?;
        let overwrites = addon
            .resolve_conflicts
            .as_ref()
            .is_some_and(|r| r.value == "OVERWRITE");
        let is_ordered = resource.depends_on.contains(&other.address);
        if self.group.tool != Tool::CloudFormation || (overwrites && is_ordered) {
            return None;
        }
        let what = match (overwrites, is_ordered) {
            (false, true) => "the add-on meets it, and fails without `ResolveConflicts: OVERWRITE`",
            (true, false) => {
                "nothing says which of the two comes first, and if the add-on does, the manifest fails"
            }
            _ => {
                "nothing says which of the two comes first: the manifest fails if the add-on does, and the add-on fails \
                 otherwise"
            }
        };
        Some(whole(
            resource,
            FindingKind::AddonConflict,
            Severity::BreaksWorkload,
            format!(
                "The add-on {} makes the service account {}/{} itself, and `{}` makes it too: {what}. Let the add-on own it, \
                 with its role in `PodIdentityAssociations`.",
                name.value, account.namespace, account.name, other.address
            ),
        ))
    }

    /// Associations on a cluster that this deploy makes, with no agent anywhere.
    fn no_agent(&self) -> Option<Finding> {
        let clusters = self
            .group
            .after()
            .filter(|(_, d)| matches!(d, Declared::Cluster(c) if !c.auto_mode));
        let is_agent = |declared: &Declared| match declared {
            Declared::Addon(addon) => addon.name.as_ref().is_none_or(|n| {
                n.value == POD_IDENTITY_AGENT || !accord_model::unknown::is_known(&n.value)
            }),
            _ => false,
        };
        if clusters.count() == 0 || self.group.after().any(|(_, d)| is_agent(d)) {
            return None;
        }
        let (resource, _) = self.group.after().find(|(_, declared)| match declared {
            Declared::Association(_) => true,
            Declared::Addon(addon) => !addon.associations.is_empty(),
            _ => false,
        })?;
        Some(whole(
            resource,
            FindingKind::PodIdentityAgentMissing,
            Severity::BreaksWorkload,
            format!(
                "Pod Identity needs the add-on {POD_IDENTITY_AGENT} on the cluster, and nothing here installs it: pods get no \
                 credentials from this association."
            ),
        ))
    }

    fn role(&self, given: &Given<String>) -> Option<&Role> {
        self.roles.get(&key(&given.value)).copied()
    }
}

/// An association of an add-on for a service account that it does not have.
fn unknown_account(
    resource: &Resource,
    addon: &Addon,
    association: &Association,
) -> Option<Finding> {
    let known = addons::known(&addon.name.as_ref()?.value)?;
    let account = association.service_account.as_ref()?;
    let is_fine = known.service_accounts.contains(&account.value.as_str())
        || !accord_model::unknown::is_known(&account.value);
    if is_fine {
        return None;
    }
    let has = match known.service_accounts {
        [] => "takes no association at all".to_owned(),
        accounts => format!("takes associations for {}", accounts.join(", ")),
    };
    let finding = at(
        resource,
        account,
        FindingKind::AddonServiceAccountUnknown,
        Severity::BreaksWorkload,
        format!(
            "The add-on {} has no service account `{}` for this: it {has}.",
            known.name, account.value
        ),
    );
    Some(match known.service_accounts {
        [one] => finding.suggest(*one),
        _ => finding,
    })
}
