//! `AssumeRole`. The role must exist; its trust policy is not judged, since the callers of a sandbox are not who they
//! would be.

use accord_model::arn::Arn;
use serde::Deserialize;
use serde_json::json;

use super::credentials;
use crate::world::{Answer, AwsError, Call, World};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Assume {
    role_arn: String,
    role_session_name: String,
    duration_seconds: Option<String>,
    source_identity: Option<String>,
}

pub(super) fn assume(world: &mut World, call: &Call) -> Answer {
    let input: Assume = call.query()?;
    credentials::check_name(&input.role_session_name)?;
    let account = match Arn::parse(&input.role_arn) {
        Some(arn) if arn.has_account() && arn.resource_type() == "role" => arn.account.to_owned(),
        _ => {
            return Err(AwsError::validation(format!(
                "{} is invalid",
                input.role_arn
            )));
        }
    };
    let roles = &world.account(&account).roles;
    let role = roles
        .values()
        .find(|role| role.arn == input.role_arn)
        .cloned();
    let Some(role) = role else {
        return Err(AwsError::access_denied(format!(
            "User: {} is not authorized to perform: sts:AssumeRole on resource: {}",
            call.caller.arn, input.role_arn
        )));
    };
    let seconds = credentials::duration(input.duration_seconds.as_deref(), &role)?;
    let (keys, user) = credentials::give(world, &account, &role, &input.role_session_name, seconds);
    let mut answer = json!({"Credentials": keys, "AssumedRoleUser": user});
    if let Some(identity) = input.source_identity {
        answer["SourceIdentity"] = identity.into();
    }
    Ok(answer)
}
