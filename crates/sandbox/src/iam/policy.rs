//! Customer managed policies and their versions. Of AWS's own policies only the names are known.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::role::place;
use super::{Tag, page, tags, trust};
use crate::world::{Answer, AwsError, Call, Iso, World};

/// A policy.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Policy {
    policy_name: String,
    policy_id: String,
    arn: String,
    path: String,
    default_version_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    create_date: Iso,
    update_date: Iso,
    #[serde(default)]
    tags: Vec<Tag>,
    versions: Vec<Version>,
    /// The number of the last version that was made; numbers are never given twice.
    last_version: u32,
}

/// A version of a policy.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Version {
    version_id: String,
    document: String,
    create_date: Iso,
}

impl Policy {
    fn shown(&self, attached: usize, whole: bool) -> Value {
        let mut shown = json!({
            "PolicyName": self.policy_name,
            "PolicyId": self.policy_id,
            "Arn": self.arn,
            "Path": self.path,
            "DefaultVersionId": self.default_version_id,
            "AttachmentCount": attached,
            "PermissionsBoundaryUsageCount": 0,
            "IsAttachable": true,
            "CreateDate": self.create_date,
            "UpdateDate": self.update_date,
        });
        if whole {
            shown["Description"] = json!(self.description);
            shown["Tags"] = json!(self.tags);
        }
        shown
    }

    fn shown_version(&self, version: &Version, with_document: bool) -> Value {
        let document = with_document.then(|| trust::encoded(&version.document));
        json!({
            "Document": document,
            "VersionId": version.version_id,
            "IsDefaultVersion": version.version_id == self.default_version_id,
            "CreateDate": version.create_date,
        })
    }
}

pub(super) fn missing(arn: &str) -> AwsError {
    AwsError::no_such_entity(format!("Policy {arn} does not exist or is not attachable."))
}

/// AWS's own policies: they belong to the account `aws`.
fn is_aws_managed(arn: &str) -> bool {
    accord_model::arn::Arn::parse(arn)
        .is_some_and(|a| a.service == "iam" && a.account == "aws" && a.resource_type() == "policy")
}

/// Whether a policy can be attached.
pub(super) fn exists(world: &mut World, call: &Call, arn: &str) -> bool {
    is_aws_managed(arn)
        || world
            .account(&call.caller.account)
            .policies
            .contains_key(arn)
}

fn find<'w>(world: &'w mut World, call: &Call, arn: &str) -> Result<&'w mut Policy, AwsError> {
    let policy = world.account(&call.caller.account).policies.get_mut(arn);
    policy.ok_or_else(|| missing(arn))
}

fn attachments(world: &mut World, call: &Call, arn: &str) -> usize {
    let roles = world.account(&call.caller.account).roles.values();
    roles
        .filter(|role| role.attached.iter().any(|a| a == arn))
        .count()
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Create {
    policy_name: String,
    policy_document: String,
    path: Option<String>,
    description: Option<String>,
    #[serde(default)]
    tags: Vec<Tag>,
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let input: Create = call.query()?;
    trust::check(&input.policy_document)?;
    let (path, arn) = place(
        world,
        call,
        "policy",
        input.path.as_deref(),
        &input.policy_name,
    )?;
    if exists(world, call, &arn) {
        return Err(AwsError::already_exists(format!(
            "A policy called {} already exists. Duplicate names are not allowed.",
            input.policy_name
        )));
    }
    let now = Iso(world.now());
    let policy = Policy {
        policy_name: input.policy_name,
        policy_id: world.random().unique_id("ANPA"),
        arn: arn.clone(),
        path,
        default_version_id: "v1".into(),
        description: input.description,
        create_date: now,
        update_date: now,
        tags: tags(&[], input.tags)?,
        versions: vec![Version {
            version_id: "v1".into(),
            document: input.policy_document,
            create_date: now,
        }],
        last_version: 1,
    };
    let mut shown = policy.shown(0, !policy.tags.is_empty());
    if let Some(fields) = shown.as_object_mut() {
        fields.shift_remove("Description");
    }
    world
        .account(&call.caller.account)
        .policies
        .insert(arn, policy);
    Ok(json!({"Policy": shown}))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    policy_arn: String,
    version_id: Option<String>,
}

pub(super) fn get(world: &mut World, call: &Call) -> Answer {
    let Named { policy_arn, .. } = call.query()?;
    let attached = attachments(world, call, &policy_arn);
    let policy = find(world, call, &policy_arn)?;
    Ok(json!({"Policy": policy.shown(attached, true)}))
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let arns: Vec<String> = world
        .account(&call.caller.account)
        .policies
        .keys()
        .cloned()
        .collect();
    let mut items = Vec::with_capacity(arns.len());
    for arn in arns {
        let attached = attachments(world, call, &arn);
        let shown = find(world, call, &arn)?.shown(attached, false);
        items.push((arn, shown));
    }
    page::answer(world, call, "Policies", items)
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let Named { policy_arn, .. } = call.query()?;
    if attachments(world, call, &policy_arn) > 0 {
        return Err(AwsError::delete_conflict(
            "Cannot delete a policy attached to entities.",
        ));
    }
    if find(world, call, &policy_arn)?.versions.len() > 1 {
        return Err(AwsError::delete_conflict(
            "This policy has more than one version. Before you delete a policy, you must delete the policy's versions.",
        ));
    }
    world
        .account(&call.caller.account)
        .policies
        .remove(&policy_arn);
    Ok(Value::Null)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CreateVersion {
    policy_arn: String,
    policy_document: String,
    set_as_default: Option<String>,
}

pub(super) fn create_version(world: &mut World, call: &Call) -> Answer {
    let input: CreateVersion = call.query()?;
    trust::check(&input.policy_document)?;
    let now = Iso(world.now());
    let policy = find(world, call, &input.policy_arn)?;
    if policy.versions.len() >= 5 {
        return Err(AwsError::new(
            "LimitExceeded",
            409,
            "A managed policy can have up to 5 versions. Before you create a new version, you must delete an existing \
             version.",
        ));
    }
    policy.last_version += 1;
    let version = Version {
        version_id: format!("v{}", policy.last_version),
        document: input.policy_document,
        create_date: now,
    };
    if input.set_as_default.as_deref() == Some("true") {
        policy.default_version_id.clone_from(&version.version_id);
        policy.update_date = now;
    }
    let shown = policy.shown_version(&version, false);
    policy.versions.push(version);
    Ok(json!({"PolicyVersion": shown}))
}

fn no_version(arn: &str, id: &str) -> AwsError {
    AwsError::no_such_entity(format!(
        "Policy {arn} version {id} does not exist or is not attachable."
    ))
}

pub(super) fn get_version(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let id = input.version_id.unwrap_or_default();
    let policy = find(world, call, &input.policy_arn)?;
    let version = policy.versions.iter().find(|v| v.version_id == id);
    let version = version.ok_or_else(|| no_version(&input.policy_arn, &id))?;
    Ok(json!({"PolicyVersion": policy.shown_version(version, true)}))
}

pub(super) fn list_versions(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let policy = find(world, call, &input.policy_arn)?;
    let versions = policy.versions.iter();
    let items: Vec<_> = versions
        .map(|v| (v.version_id.clone(), policy.shown_version(v, false)))
        .collect();
    page::answer(world, call, "Versions", items)
}

pub(super) fn delete_version(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let id = input.version_id.unwrap_or_default();
    let policy = find(world, call, &input.policy_arn)?;
    if policy.default_version_id == id {
        return Err(AwsError::delete_conflict(
            "Cannot delete the default version of a policy.",
        ));
    }
    let before = policy.versions.len();
    policy.versions.retain(|v| v.version_id != id);
    match policy.versions.len() == before {
        true => Err(no_version(&input.policy_arn, &id)),
        false => Ok(Value::Null),
    }
}

pub(super) fn set_default_version(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let id = input.version_id.unwrap_or_default();
    let now = Iso(world.now());
    let policy = find(world, call, &input.policy_arn)?;
    if !policy.versions.iter().any(|v| v.version_id == id) {
        return Err(no_version(&input.policy_arn, &id));
    }
    policy.default_version_id = id;
    policy.update_date = now;
    Ok(Value::Null)
}
