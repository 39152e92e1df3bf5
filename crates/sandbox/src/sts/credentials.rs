//! Temporary access keys.

use accord_model::time::Timestamp;
use serde_json::{Value, json};

use crate::iam::caller::Session;
use crate::iam::role::Role;
use crate::world::{AwsError, Iso, World};

/// How long a session lasts, in seconds; an hour where nothing is said.
pub(super) fn duration(text: Option<&str>, role: &Role) -> Result<u64, AwsError> {
    let Some(text) = text else { return Ok(3600) };
    let longest = u64::from(role.max_session_duration);
    match text.parse::<u64>() {
        Ok(seconds) if seconds < 900 => Err(AwsError::validation(
            "DurationSeconds must have value greater than or equal to 900",
        )),
        Ok(seconds) if seconds <= longest => Ok(seconds),
        _ => Err(AwsError::validation(
            "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.",
        )),
    }
}

/// Checks a session's name.
pub(super) fn check_name(name: &str) -> Result<(), AwsError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_+=,.@-".contains(c);
    match (2..=64).contains(&name.len()) && name.chars().all(allowed) {
        true => Ok(()),
        false => Err(AwsError::validation(format!(
            "Value '{name}' at 'roleSessionName' failed to satisfy constraint: Member must satisfy regular expression \
             pattern: [\\w+=,.@-]*"
        ))),
    }
}

/// A key for a session of `role`: the credentials and the `AssumedRoleUser` of the answer.
pub(super) fn give(
    world: &mut World,
    account: &str,
    role: &Role,
    session: &str,
    seconds: u64,
) -> (Value, Value) {
    let arn = format!(
        "arn:{}:sts::{account}:assumed-role/{}/{session}",
        world.settings.partition, role.role_name
    );
    let user_id = format!("{}:{session}", role.role_id);
    let key = format!("ASIA{}", world.random().upper(16));
    let expires = Timestamp {
        millis: world.now().millis + seconds * 1000,
    };
    let held = Session {
        account: account.to_owned(),
        arn: arn.clone(),
        user_id: user_id.clone(),
        principal: role.arn.clone(),
        expires,
    };
    let credentials = json!({
        "AccessKeyId": key,
        "SecretAccessKey": world.random().lower(40),
        "SessionToken": world.random().lower(96),
        "Expiration": Iso(expires),
    });
    world.sessions.insert(key, held);
    (credentials, json!({"AssumedRoleId": user_id, "Arn": arn}))
}
