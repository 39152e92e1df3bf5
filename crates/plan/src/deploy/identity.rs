//! By what EKS tells things apart: two with one identity are one thing.

use accord_model::arn;
use accord_model::deploy::Declared;
use accord_model::finding::Finding;

use super::entries::display;

/// What tells things apart to EKS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// `access entry`, …
    pub(super) noun: &'static str,
    /// What it is told apart by, in one text.
    pub(super) key: String,
    /// The same for people.
    pub(super) told: String,
    /// The principal of an access entry, the role of a profile.
    pub(super) principal: Option<String>,
}

pub(super) fn of(declared: &Declared) -> Option<Identity> {
    let text = |given: &Option<accord_model::deploy::Given<String>>| {
        given.as_ref().map(|g| g.value.clone())
    };
    let named = |noun, key: String, principal: Option<String>| Identity {
        noun,
        told: key.clone(),
        key: format!("{noun} {key}"),
        principal,
    };
    match declared {
        Declared::Entry(entry) => {
            let principal = text(&entry.principal)?;
            let key = arn::identity_key(&principal).unwrap_or_else(|| principal.clone());
            Some(Identity {
                key: format!("access entry {key}"),
                ..named("access entry", principal.clone(), Some(principal))
            })
        }
        Declared::EntryPolicy(declared) => {
            let principal = text(&declared.principal)?;
            let key = arn::identity_key(&principal).unwrap_or_else(|| principal.clone());
            let policy = text(&declared.policy.arn)?;
            Some(Identity {
                key: format!("policy {key} {policy}"),
                ..named(
                    "access policy",
                    format!("{policy} of {principal}"),
                    Some(principal),
                )
            })
        }
        Declared::FargateProfile(profile) => Some(named(
            "Fargate profile",
            text(&profile.name)?,
            text(&profile.role),
        )),
        Declared::NodeGroup(group) => {
            Some(named("node group", text(&group.name)?, text(&group.role)))
        }
        Declared::Addon(addon) => Some(named("add-on", text(&addon.name)?, None)),
        Declared::Association(a) => {
            let key = format!("{}/{}", text(&a.namespace)?, text(&a.service_account)?);
            Some(named("Pod Identity association", key, None))
        }
        Declared::Cluster(_)
        | Declared::Map(_)
        | Declared::Role(_)
        | Declared::ServiceAccount(_) => None,
    }
}

pub(super) fn about(finding: Finding, own: &Identity) -> Finding {
    match &own.principal {
        Some(principal) => finding.about(display(principal)),
        None => finding,
    }
}

/// What is missing between deleting and making.
pub(super) fn gap(own: &Identity) -> &'static str {
    match own.noun {
        "access entry" | "access policy" => "in between there is no access",
        "Fargate profile" => "in between its pods do not start, and those that run are stopped",
        "node group" => "in between its nodes are gone",
        _ => "in between new pods get no credentials",
    }
}
