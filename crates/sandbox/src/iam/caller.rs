//! Who holds an access key.

use accord_model::arn::Arn;
use accord_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::user;
use crate::world::{AwsError, Caller, World};

/// Who holds a temporary access key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) account: String,
    /// `arn:aws:sts::ACCOUNT:assumed-role/ROLE/SESSION`
    pub(crate) arn: String,
    /// `AROA…:SESSION`
    pub(crate) user_id: String,
    /// The role, with its path.
    pub(crate) principal: String,
    /// Until when the key is good.
    #[serde(with = "crate::world::stamp::millis")]
    pub(crate) expires: Timestamp,
}

/// The caller of a call that nobody signed.
pub(crate) fn nobody(world: &World) -> Caller {
    Caller {
        account: world.settings.account.clone(),
        arn: String::new(),
        user_id: String::new(),
        principal: String::new(),
    }
}

/// Who signed with that key. Twelve digits are the administrator of the account of that number.
pub(crate) fn of_key(world: &mut World, key: &str, service: &str) -> Result<Caller, AwsError> {
    if let Some(session) = world.sessions.get(key) {
        if session.expires <= world.now() {
            return Err(AwsError::new(
                match service {
                    "eks" => "ExpiredTokenException",
                    _ => "ExpiredToken",
                },
                403,
                "The security token included in the request is expired",
            ));
        }
        return Ok(Caller {
            account: session.account.clone(),
            arn: session.arn.clone(),
            user_id: session.user_id.clone(),
            principal: session.principal.clone(),
        });
    }
    let holder = world.accounts.iter().find_map(|(account, iam)| {
        let user = iam.access_keys.get(key)?;
        Some((account.clone(), iam.users.get(user)?.clone()))
    });
    if let Some((account, user)) = holder {
        return Ok(as_user(account, &user));
    }
    if accord_model::arn::is_account(key) {
        let user = user::administrator(world, key);
        return Ok(as_user(key.to_owned(), &user));
    }
    if !world.settings.switches.any_access_key {
        return Err(AwsError::new(
            match service {
                "eks" => "UnrecognizedClientException",
                _ => "InvalidClientTokenId",
            },
            403,
            "The security token included in the request is invalid.",
        ));
    }
    Ok(unknown(world))
}

/// Who the callers are whose access key is not known.
pub(crate) fn unknown(world: &mut World) -> Caller {
    match world.settings.caller.clone() {
        Some(arn) => of_arn(world, &arn),
        None => {
            let account = world.settings.account.clone();
            let user = user::administrator(world, &account);
            as_user(account, &user)
        }
    }
}

fn as_user(account: String, user: &user::User) -> Caller {
    Caller {
        account,
        arn: user.arn.clone(),
        user_id: user.user_id.clone(),
        principal: user.arn.clone(),
    }
}

/// The caller that `GetCallerIdentity` prints as `arn`.
fn of_arn(world: &mut World, arn: &str) -> Caller {
    let parsed = Arn::parse(arn);
    let account = parsed.map_or(world.settings.account.clone(), |a| a.account.to_owned());
    let mut parts = parsed.map_or("", |a| a.resource).split('/');
    let iam = world.account(&account);
    let (principal, user_id) = match (parts.next(), parts.next(), parts.next_back()) {
        (Some("assumed-role"), Some(role), Some(session)) => match iam.roles.get(role) {
            Some(role) => (role.arn.clone(), format!("{}:{session}", role.role_id)),
            None => {
                let partition = parsed.map_or("aws", |a| a.partition);
                let principal = format!("arn:{partition}:iam::{account}:role/{role}");
                (principal, format!("AROA:{session}"))
            }
        },
        (Some("user"), Some(first), last) => {
            let user = iam.users.get(last.unwrap_or(first));
            let id = user.map_or_else(|| "AIDA".to_owned(), |u| u.user_id.clone());
            (arn.to_owned(), id)
        }
        _ => (arn.to_owned(), account.clone()),
    };
    Caller {
        account,
        arn: arn.to_owned(),
        user_id,
        principal,
    }
}
