//! Roles: a name, a path, a trust policy, and an id that no other role ever has again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Tag, page, tags, trust};
use crate::world::{Answer, AwsError, Call, Iso, World};

/// A role.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Role {
    pub(crate) path: String,
    pub(crate) role_name: String,
    pub(crate) role_id: String,
    pub(crate) arn: String,
    pub(crate) create_date: Iso,
    /// The trust policy, as JSON text.
    pub(crate) assume_role_policy_document: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    pub(crate) max_session_duration: u32,
    #[serde(default)]
    pub(crate) tags: Vec<Tag>,
    /// Inline policies by name, as JSON text.
    #[serde(default)]
    pub(crate) inline: BTreeMap<String, String>,
    /// ARNs of attached policies.
    #[serde(default)]
    pub(crate) attached: Vec<String>,
}

impl Role {
    /// A role of that ARN, made now, which trusts everybody: for roles of which only the ARN is known.
    pub(crate) fn known_by_arn(world: &mut World, arn: &str) -> Option<Self> {
        let (_, path, name) = super::trust::split_arn(arn)?;
        Some(Self {
            path,
            role_name: name,
            role_id: world.random().unique_id("AROA"),
            arn: arn.to_owned(),
            create_date: Iso(world.now()),
            assume_role_policy_document: trust::ANYBODY.into(),
            description: None,
            max_session_duration: 3600,
            tags: Vec::new(),
            inline: BTreeMap::new(),
            attached: Vec::new(),
        })
    }

    /// As the AWS CLI prints it, with the trust policy decoded.
    pub(crate) fn as_printed(&self) -> Value {
        let mut printed = self.shown(true);
        if let Ok(document) = serde_json::from_str::<Value>(&self.assume_role_policy_document) {
            printed["AssumeRolePolicyDocument"] = document;
        }
        printed
    }

    /// As IAM shows it: `whole` in an answer about this role alone, else as in a list, which has no tags.
    pub(crate) fn shown(&self, whole: bool) -> Value {
        let mut shown = json!({
            "Path": self.path,
            "RoleName": self.role_name,
            "RoleId": self.role_id,
            "Arn": self.arn,
            "CreateDate": self.create_date,
            "AssumeRolePolicyDocument": trust::encoded(&self.assume_role_policy_document),
            "Description": self.description,
            "MaxSessionDuration": self.max_session_duration,
        });
        if whole {
            shown["Tags"] = json!(self.tags);
            shown["RoleLastUsed"] = json!({});
        }
        shown
    }
}

/// The path and the ARN of something with a path: `/` where none is given.
pub(super) fn place(
    world: &World,
    call: &Call,
    kind: &str,
    path: Option<&str>,
    name: &str,
) -> Result<(String, String), AwsError> {
    let path = path.unwrap_or("/");
    if !path.starts_with('/') || !path.ends_with('/') || path.len() > 512 {
        return Err(AwsError::validation(
            "The specified value for path is invalid. It must begin and end with / and contain only alphanumeric \
             characters and/or / characters.",
        ));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "+=,.@_-".contains(c);
    if name.is_empty() || name.len() > 128 || !name.chars().all(allowed) {
        return Err(AwsError::validation(format!(
            "The specified value for {kind}Name is invalid. It must contain only alphanumeric characters and/or the \
             following: +=,.@_-"
        )));
    }
    let arn = format!(
        "arn:{}:iam::{}:{kind}{path}{name}",
        world.settings.partition, call.caller.account
    );
    Ok((path.to_owned(), arn))
}

/// A role of the caller's account.
pub(super) fn find<'w>(
    world: &'w mut World,
    call: &Call,
    name: &str,
) -> Result<&'w mut Role, AwsError> {
    let role = world.account(&call.caller.account).roles.get_mut(name);
    role.ok_or_else(|| {
        AwsError::no_such_entity(format!("The role with name {name} cannot be found."))
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Create {
    role_name: String,
    assume_role_policy_document: String,
    path: Option<String>,
    description: Option<String>,
    max_session_duration: Option<String>,
    #[serde(default)]
    tags: Vec<Tag>,
}

fn duration(text: Option<&str>) -> Result<u32, AwsError> {
    let Some(text) = text else { return Ok(3600) };
    let seconds = text.parse().ok().filter(|s| (3600..=43_200).contains(s));
    seconds.ok_or_else(|| {
        AwsError::validation("MaxSessionDuration must be between 3600 and 43200 seconds")
    })
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let input: Create = call.query()?;
    trust::check(&input.assume_role_policy_document)?;
    let name = input.role_name;
    let (path, arn) = place(world, call, "role", input.path.as_deref(), &name)?;
    let taken = |other: &String| other.eq_ignore_ascii_case(&name);
    if world.account(&call.caller.account).roles.keys().any(taken) {
        return Err(AwsError::already_exists(format!(
            "Role with name {name} already exists."
        )));
    }
    let role = Role {
        path,
        role_name: name.clone(),
        role_id: world.random().unique_id("AROA"),
        arn,
        create_date: Iso(world.now()),
        assume_role_policy_document: input.assume_role_policy_document,
        description: input.description,
        max_session_duration: duration(input.max_session_duration.as_deref())?,
        tags: tags(&[], input.tags)?,
        inline: BTreeMap::new(),
        attached: Vec::new(),
    };
    let mut shown = role.shown(true);
    // The answer to a creation says nothing of use, nor of tags or a description that were not given.
    if let Some(fields) = shown.as_object_mut() {
        fields.shift_remove("RoleLastUsed");
        fields.retain(|_, value| *value != json!([]));
    }
    world.account(&call.caller.account).roles.insert(name, role);
    Ok(json!({"Role": shown}))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ServiceLinked {
    #[serde(rename = "AWSServiceName")]
    service: String,
    description: Option<String>,
    custom_suffix: Option<String>,
}

/// The names of the roles that services of this field link.
const SERVICE_LINKED: &[(&str, &str)] = &[
    ("eks.amazonaws.com", "AWSServiceRoleForAmazonEKS"),
    (
        "eks-nodegroup.amazonaws.com",
        "AWSServiceRoleForAmazonEKSNodegroup",
    ),
    (
        "eks-fargate.amazonaws.com",
        "AWSServiceRoleForAmazonEKSForFargate",
    ),
    ("batch.amazonaws.com", "AWSServiceRoleForBatch"),
];

pub(super) fn create_service_linked(world: &mut World, call: &Call) -> Answer {
    let input: ServiceLinked = call.query()?;
    let known = SERVICE_LINKED.iter().find(|(s, _)| *s == input.service);
    let Some((service, name)) = known else {
        return Err(AwsError::new(
            "InvalidInput",
            400,
            format!(
                "The sandbox knows no service-linked role of {}",
                input.service
            ),
        ));
    };
    let name = match input.custom_suffix {
        Some(suffix) => format!("{name}_{suffix}"),
        None => (*name).to_owned(),
    };
    if world
        .account(&call.caller.account)
        .roles
        .contains_key(&name)
    {
        return Err(AwsError::new(
            "InvalidInput",
            400,
            format!(
                "Service role name {name} has been taken in this account, please try a different suffix."
            ),
        ));
    }
    let (path, arn) = place(
        world,
        call,
        "role",
        Some(&format!("/aws-service-role/{service}/")),
        &name,
    )?;
    let role = Role {
        path,
        role_name: name.clone(),
        role_id: world.random().unique_id("AROA"),
        arn,
        create_date: Iso(world.now()),
        assume_role_policy_document: trust::of_service(service),
        description: input.description,
        max_session_duration: 3600,
        tags: Vec::new(),
        inline: BTreeMap::new(),
        attached: Vec::new(),
    };
    let shown = role.shown(false);
    world.account(&call.caller.account).roles.insert(name, role);
    Ok(json!({"Role": shown}))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    role_name: String,
}

pub(super) fn get(world: &mut World, call: &Call) -> Answer {
    let Named { role_name } = call.query()?;
    Ok(json!({"Role": find(world, call, &role_name)?.shown(true)}))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    path_prefix: Option<String>,
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let Listed { path_prefix } = call.query()?;
    let prefix = path_prefix.unwrap_or_else(|| "/".into());
    let roles = &world.account(&call.caller.account).roles;
    let items: Vec<_> = roles
        .values()
        .filter(|role| role.path.starts_with(&prefix))
        .map(|role| (role.role_name.clone(), role.shown(false)))
        .collect();
    page::answer(world, call, "Roles", items)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Update {
    role_name: String,
    description: Option<String>,
    max_session_duration: Option<String>,
}

pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    let input: Update = call.query()?;
    let seconds = duration(input.max_session_duration.as_deref())?;
    let role = find(world, call, &input.role_name)?;
    if input.max_session_duration.is_some() {
        role.max_session_duration = seconds;
    }
    role.description = input.description.or(role.description.take());
    Ok(json!({}))
}

pub(super) fn update_description(world: &mut World, call: &Call) -> Answer {
    let input: Update = call.query()?;
    let role = find(world, call, &input.role_name)?;
    role.description = input.description;
    Ok(json!({"Role": role.shown(true)}))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UpdateTrust {
    role_name: String,
    policy_document: String,
}

pub(super) fn update_trust(world: &mut World, call: &Call) -> Answer {
    let input: UpdateTrust = call.query()?;
    trust::check(&input.policy_document)?;
    find(world, call, &input.role_name)?.assume_role_policy_document = input.policy_document;
    Ok(Value::Null)
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let Named { role_name } = call.query()?;
    let role = find(world, call, &role_name)?;
    if !role.attached.is_empty() {
        return Err(AwsError::delete_conflict(
            "Cannot delete entity, must detach all policies first.",
        ));
    }
    if !role.inline.is_empty() {
        return Err(AwsError::delete_conflict(
            "Cannot delete entity, must delete policies first.",
        ));
    }
    let account = world.account(&call.caller.account);
    if account
        .instance_profiles
        .values()
        .any(|p| p.roles.contains(&role_name))
    {
        return Err(AwsError::delete_conflict(
            "Cannot delete entity, must remove roles from instance profile first.",
        ));
    }
    account.roles.remove(&role_name);
    // Entries that were bound to it are dead from here on.
    crate::kubernetes::controllers::look_everywhere(world);
    Ok(Value::Null)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Tagging {
    role_name: String,
    #[serde(default)]
    tags: Vec<Tag>,
    #[serde(default)]
    tag_keys: Vec<String>,
}

pub(super) fn tag(world: &mut World, call: &Call) -> Answer {
    let input: Tagging = call.query()?;
    let role = find(world, call, &input.role_name)?;
    role.tags = tags(&role.tags, input.tags)?;
    Ok(Value::Null)
}

pub(super) fn untag(world: &mut World, call: &Call) -> Answer {
    let input: Tagging = call.query()?;
    let role = find(world, call, &input.role_name)?;
    role.tags.retain(|tag| !input.tag_keys.contains(&tag.key));
    Ok(Value::Null)
}

pub(super) fn list_tags(world: &mut World, call: &Call) -> Answer {
    let Named { role_name } = call.query()?;
    let tags = find(world, call, &role_name)?.tags.clone();
    let items = tags.into_iter().map(|tag| (tag.key.clone(), json!(tag)));
    let mut items: Vec<_> = items.collect();
    items.sort_by(|(a, _), (b, _)| a.cmp(b));
    page::answer(world, call, "Tags", items)
}
