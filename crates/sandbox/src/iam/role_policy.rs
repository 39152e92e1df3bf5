//! Policies of a role: attached and inline.

use serde::Deserialize;
use serde_json::{Value, json};

use super::role::find;
use super::{page, policy, trust};
use crate::world::{Answer, AwsError, Call, World};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Attachment {
    role_name: String,
    policy_arn: String,
}

pub(super) fn attach(world: &mut World, call: &Call) -> Answer {
    let input: Attachment = call.query()?;
    if !policy::exists(world, call, &input.policy_arn) {
        return Err(policy::missing(&input.policy_arn));
    }
    let role = find(world, call, &input.role_name)?;
    if !role.attached.contains(&input.policy_arn) {
        role.attached.push(input.policy_arn);
        role.attached.sort();
    }
    Ok(Value::Null)
}

pub(super) fn detach(world: &mut World, call: &Call) -> Answer {
    let input: Attachment = call.query()?;
    let role = find(world, call, &input.role_name)?;
    let before = role.attached.len();
    role.attached.retain(|arn| *arn != input.policy_arn);
    if role.attached.len() == before {
        return Err(policy::missing(&input.policy_arn));
    }
    Ok(Value::Null)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    role_name: String,
}

pub(super) fn list_attached(world: &mut World, call: &Call) -> Answer {
    let Named { role_name } = call.query()?;
    let attached = find(world, call, &role_name)?.attached.clone();
    let items = attached.into_iter().map(|arn| {
        let name = arn.rsplit('/').next().unwrap_or_default();
        (arn.clone(), json!({"PolicyName": name, "PolicyArn": arn}))
    });
    page::answer(world, call, "AttachedPolicies", items)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Inline {
    role_name: String,
    policy_name: String,
    policy_document: Option<String>,
}

fn no_inline(name: &str) -> AwsError {
    AwsError::no_such_entity(format!("The role policy with name {name} cannot be found."))
}

pub(super) fn put(world: &mut World, call: &Call) -> Answer {
    let input: Inline = call.query()?;
    let Some(document) = input.policy_document else {
        return Err(AwsError::validation("PolicyDocument is missing"));
    };
    trust::check(&document)?;
    let role = find(world, call, &input.role_name)?;
    role.inline.insert(input.policy_name, document);
    Ok(Value::Null)
}

pub(super) fn get(world: &mut World, call: &Call) -> Answer {
    let input: Inline = call.query()?;
    let role = find(world, call, &input.role_name)?;
    let document = role.inline.get(&input.policy_name);
    let document = document.ok_or_else(|| no_inline(&input.policy_name))?;
    Ok(json!({
        "RoleName": input.role_name,
        "PolicyName": input.policy_name,
        "PolicyDocument": trust::encoded(document),
    }))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let input: Inline = call.query()?;
    let role = find(world, call, &input.role_name)?;
    let removed = role.inline.remove(&input.policy_name);
    removed.ok_or_else(|| no_inline(&input.policy_name))?;
    Ok(Value::Null)
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let Named { role_name } = call.query()?;
    let role = find(world, call, &role_name)?;
    let items: Vec<_> = role.inline.keys().map(|n| (n.clone(), json!(n))).collect();
    page::answer(world, call, "PolicyNames", items)
}
