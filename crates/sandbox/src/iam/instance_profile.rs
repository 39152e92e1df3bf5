//! Instance profiles: how a role comes to an instance. People mistake their names for the role's.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::role::{self, place};
use super::{Account, Tag, page, tags};
use crate::world::{Answer, AwsError, Call, Iso, World};

/// An instance profile.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct InstanceProfile {
    pub(crate) path: String,
    pub(crate) instance_profile_name: String,
    pub(crate) instance_profile_id: String,
    pub(crate) arn: String,
    pub(crate) create_date: Iso,
    /// Names of roles: at most one.
    pub(crate) roles: Vec<String>,
    #[serde(default)]
    pub(crate) tags: Vec<Tag>,
}

impl InstanceProfile {
    fn shown(&self, account: &Account) -> Value {
        let roles = self.roles.iter().filter_map(|name| account.roles.get(name));
        json!({
            "Path": self.path,
            "InstanceProfileName": self.instance_profile_name,
            "InstanceProfileId": self.instance_profile_id,
            "Arn": self.arn,
            "CreateDate": self.create_date,
            "Roles": roles.map(|role| role.shown(false)).collect::<Vec<_>>(),
            "Tags": self.tags,
        })
    }
}

fn missing(name: &str) -> AwsError {
    AwsError::no_such_entity(format!("Instance Profile {name} cannot be found."))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    instance_profile_name: String,
    path: Option<String>,
    role_name: Option<String>,
    #[serde(default)]
    tags: Vec<Tag>,
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let name = input.instance_profile_name;
    let (path, arn) = place(
        world,
        call,
        "instance-profile",
        input.path.as_deref(),
        &name,
    )?;
    let id = world.random().unique_id("AIPA");
    let create_date = Iso(world.now());
    let account = world.account(&call.caller.account);
    if account.instance_profiles.contains_key(&name) {
        return Err(AwsError::already_exists(format!(
            "Instance Profile {name} already exists."
        )));
    }
    let profile = InstanceProfile {
        path,
        instance_profile_name: name.clone(),
        instance_profile_id: id,
        arn,
        create_date,
        roles: Vec::new(),
        tags: tags(&[], input.tags)?,
    };
    let mut shown = profile.shown(account);
    if profile.tags.is_empty()
        && let Some(fields) = shown.as_object_mut()
    {
        fields.shift_remove("Tags");
    }
    account.instance_profiles.insert(name, profile);
    Ok(json!({"InstanceProfile": shown}))
}

pub(super) fn get(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let account = world.account(&call.caller.account);
    let profile = account.instance_profiles.get(&input.instance_profile_name);
    let profile = profile.ok_or_else(|| missing(&input.instance_profile_name))?;
    Ok(json!({"InstanceProfile": profile.shown(account)}))
}

fn listed(world: &mut World, call: &Call, wanted: impl Fn(&InstanceProfile) -> bool) -> Answer {
    let account = world.account(&call.caller.account);
    let profiles = account.instance_profiles.values().filter(|p| wanted(p));
    let items: Vec<_> = profiles
        .map(|profile| {
            let mut shown = profile.shown(account);
            // Lists have no tags.
            if let Some(fields) = shown.as_object_mut() {
                fields.shift_remove("Tags");
            }
            (profile.instance_profile_name.clone(), shown)
        })
        .collect();
    page::answer(world, call, "InstanceProfiles", items)
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    listed(world, call, |_| true)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct OfRole {
    role_name: String,
}

pub(super) fn list_for_role(world: &mut World, call: &Call) -> Answer {
    let OfRole { role_name } = call.query()?;
    role::find(world, call, &role_name)?;
    listed(world, call, |profile| profile.roles.contains(&role_name))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let name = input.instance_profile_name;
    let profiles = &mut world.account(&call.caller.account).instance_profiles;
    let profile = profiles.get(&name).ok_or_else(|| missing(&name))?;
    if !profile.roles.is_empty() {
        return Err(AwsError::delete_conflict(
            "Cannot delete entity, must remove roles from instance profile first.",
        ));
    }
    profiles.remove(&name);
    Ok(Value::Null)
}

pub(super) fn add_role(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let role_name = input.role_name.unwrap_or_default();
    role::find(world, call, &role_name)?;
    let name = input.instance_profile_name;
    let profiles = &mut world.account(&call.caller.account).instance_profiles;
    let profile = profiles.get_mut(&name).ok_or_else(|| missing(&name))?;
    if !profile.roles.is_empty() {
        return Err(AwsError::new(
            "LimitExceeded",
            409,
            "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1",
        ));
    }
    profile.roles.push(role_name);
    Ok(Value::Null)
}

pub(super) fn remove_role(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let role_name = input.role_name.unwrap_or_default();
    let name = input.instance_profile_name;
    let profiles = &mut world.account(&call.caller.account).instance_profiles;
    let profile = profiles.get_mut(&name).ok_or_else(|| missing(&name))?;
    if !profile.roles.contains(&role_name) {
        return Err(AwsError::no_such_entity(format!(
            "The role with name {role_name} cannot be found."
        )));
    }
    profile.roles.retain(|role| *role != role_name);
    Ok(Value::Null)
}
