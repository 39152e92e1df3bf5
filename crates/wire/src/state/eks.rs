//! What the AWS CLI prints of EKS, IAM and STS.

use accord_model::facts::{
    AccessEntry, AssociatedPolicy, AuthenticationMode, Cluster, FargateProfile, NodeGroup, Role,
};

use super::facts::{Facts, Listed};
use crate::time;
use crate::view::{Fault, View};

/// Takes a document into the facts, by each of the fields that it is recognised by; false if it has none of them.
pub(super) fn read(document: &View<'_>, facts: &mut Facts) -> Result<bool, Fault> {
    // The caller's document has no field of its own that holds everything.
    if document.has("Arn") && document.has("UserId") {
        facts.caller = document.text("Arn")?.or(facts.caller.take());
        return Ok(true);
    }
    let mut known = false;
    for (key, take) in DOCUMENTS {
        if let Some(value) = document.get(key) {
            take(&value, document, facts)?;
            known = true;
        }
    }
    if let Some(name) = document.get("clusterName").filter(|_| known) {
        facts.belongs_to(&name)?;
    }
    Ok(known)
}

type Take = fn(&View<'_>, &View<'_>, &mut Facts) -> Result<(), Fault>;

/// What a document is recognised by, and how it is taken.
const DOCUMENTS: &[(&str, Take)] = &[
    ("cluster", |value, _, facts| {
        let cluster = cluster(value)?;
        facts.set_cluster(cluster, value)
    }),
    ("nodegroup", |value, _, facts| {
        facts.belongs(value)?;
        facts.node_groups.described.push(node_group(value)?);
        Ok(())
    }),
    ("fargateProfile", |value, _, facts| {
        facts.belongs(value)?;
        facts.fargate_profiles.described.push(profile(value)?);
        Ok(())
    }),
    ("accessEntry", |value, _, facts| {
        facts.belongs(value)?;
        facts.access_entries.described.push(access_entry(value)?);
        Ok(())
    }),
    ("associatedAccessPolicies", |value, document, facts| {
        let policies: Result<Vec<_>, Fault> = value.as_list()?.iter().map(policy).collect();
        let principal = document.need_text("principalArn")?;
        let policies = (policies?, is_whole(document)?);
        facts.policies.push((principal, policies));
        Ok(())
    }),
    ("nodegroups", |value, document, facts| {
        list(value, document, &mut facts.node_groups)
    }),
    ("fargateProfileNames", |value, document, facts| {
        list(value, document, &mut facts.fargate_profiles)
    }),
    ("accessEntries", |value, document, facts| {
        list(value, document, &mut facts.access_entries)
    }),
    ("Role", |value, _, facts| {
        facts.roles.items.push(role(value)?);
        Ok(())
    }),
    ("Roles", |value, document, facts| {
        for item in value.as_list()? {
            facts.roles.items.push(role(&item)?);
        }
        facts.roles.complete |= is_whole(document)?;
        Ok(())
    }),
    // Known, and no rule here needs what is in them.
    ("addon", |_, _, _| Ok(())),
    ("association", |_, _, _| Ok(())),
    ("addons", |value, _, _| value.as_list().map(drop)),
    ("associations", |value, _, _| value.as_list().map(drop)),
];

/// The fields that documents are recognised by, for people.
pub(super) fn recognised_by() -> String {
    let names: Vec<String> = DOCUMENTS.iter().map(|(k, _)| format!("`{k}`")).collect();
    names.join(", ")
}

fn list<T>(value: &View<'_>, document: &View<'_>, listed: &mut Listed<T>) -> Result<(), Fault> {
    for item in value.as_list()? {
        listed.names.push(item.as_text()?);
    }
    listed.complete |= is_whole(document)?;
    Ok(())
}

/// Whether a listing was not cut into pages.
fn is_whole(document: &View<'_>) -> Result<bool, Fault> {
    let next = ["nextToken", "NextToken", "Marker"];
    Ok(next.iter().all(|key| document.get(key).is_none()) && !document.flag("IsTruncated")?)
}

fn cluster(value: &View<'_>) -> Result<Cluster, Fault> {
    let mode = match value.mapping("accessConfig")? {
        Some(config) => match config.get("authenticationMode") {
            Some(mode) => Some(authentication_mode(&mode)?),
            None => None,
        },
        None => None,
    };
    Ok(Cluster {
        name: value.text("name")?,
        arn: value.text("arn")?,
        mode,
    })
}

fn authentication_mode(value: &View<'_>) -> Result<AuthenticationMode, Fault> {
    let text = value.as_text()?;
    [
        AuthenticationMode::ConfigMap,
        AuthenticationMode::ApiAndConfigMap,
        AuthenticationMode::Api,
    ]
    .into_iter()
    .find(|mode| mode.name() == text)
    .ok_or_else(|| {
        value.fault(format!(
            "`{text}` is no authentication mode; CONFIG_MAP, API_AND_CONFIG_MAP or API was expected"
        ))
    })
}

fn node_group(value: &View<'_>) -> Result<NodeGroup, Fault> {
    Ok(NodeGroup {
        name: value.need_text("nodegroupName")?,
        role: value.text("nodeRole")?,
        windows: value
            .text("amiType")?
            .is_some_and(|ami| ami.starts_with("WINDOWS")),
        instance_profile: None,
    })
}

fn profile(value: &View<'_>) -> Result<FargateProfile, Fault> {
    Ok(FargateProfile {
        name: value.need_text("fargateProfileName")?,
        arn: value.text("fargateProfileArn")?,
        role: value.text("podExecutionRoleArn")?,
    })
}

fn access_entry(value: &View<'_>) -> Result<AccessEntry, Fault> {
    let tags = value.pairs("tags")?.into_iter();
    let tags: Result<Vec<_>, Fault> = tags.map(|(k, v)| Ok((k, v.as_text()?))).collect();
    Ok(AccessEntry {
        principal: value.need_text("principalArn")?,
        kind: value.text("type")?.unwrap_or_else(|| "STANDARD".to_owned()),
        username: value.text("username")?,
        groups: value.texts("kubernetesGroups")?,
        policies: None,
        tags: tags?,
        created: value.text("createdAt")?.and_then(|t| time::parse_aws(&t)),
    })
}

fn policy(value: &View<'_>) -> Result<AssociatedPolicy, Fault> {
    let arn = value.need_text("policyArn")?;
    let name = arn.rsplit('/').next().unwrap_or(&arn).to_owned();
    let scope = value
        .mapping("accessScope")?
        .ok_or_else(|| value.fault(format!("`{}.accessScope` is missing", value.path)))?;
    let namespaces = match scope.need_text("type")?.as_str() {
        "cluster" => None,
        "namespace" => Some(scope.texts("namespaces")?),
        other => {
            return Err(scope.fault(format!(
                "`{other}` is no access scope; cluster or namespace was expected"
            )));
        }
    };
    Ok(AssociatedPolicy {
        arn,
        name,
        namespaces,
    })
}

fn role(value: &View<'_>) -> Result<Role, Fault> {
    Ok(Role {
        arn: value.need_text("Arn")?,
        id: value.text("RoleId")?,
        created: value.text("CreateDate")?.and_then(|t| time::parse_aws(&t)),
    })
}
