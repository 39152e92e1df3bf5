//! Users, and their access keys.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::role::place;
use super::{Tag, page, tags};
use crate::world::{Answer, AwsError, Call, Iso, World};

/// A user.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct User {
    pub(crate) path: String,
    pub(crate) user_name: String,
    pub(crate) user_id: String,
    pub(crate) arn: String,
    pub(crate) create_date: Iso,
    #[serde(default)]
    pub(crate) tags: Vec<Tag>,
}

impl User {
    fn shown(&self, whole: bool) -> Value {
        let mut shown = json!({
            "Path": self.path,
            "UserName": self.user_name,
            "UserId": self.user_id,
            "Arn": self.arn,
            "CreateDate": self.create_date,
        });
        if whole && !self.tags.is_empty() {
            shown["Tags"] = json!(self.tags);
        }
        shown
    }
}

/// The name of every account's administrator.
const ADMINISTRATOR: &str = "sandbox-admin";

/// Makes the administrator of the account that unknown keys belong to.
pub(crate) fn furnish(world: &mut World) {
    let account = world.settings.account.clone();
    administrator(world, &account);
}

/// An account's administrator, who is made when first needed.
pub(super) fn administrator(world: &mut World, account: &str) -> User {
    if let Some(user) = world.account(account).users.get(ADMINISTRATOR) {
        return user.clone();
    }
    let user = User {
        path: "/".into(),
        user_name: ADMINISTRATOR.into(),
        user_id: world.random().unique_id("AIDA"),
        arn: format!(
            "arn:{}:iam::{account}:user/{ADMINISTRATOR}",
            world.settings.partition
        ),
        create_date: Iso(world.now()),
        tags: Vec::new(),
    };
    let users = &mut world.account(account).users;
    users.insert(ADMINISTRATOR.into(), user.clone());
    user
}

/// A user of that ARN, made now.
pub(crate) fn known_by_arn(world: &mut World, arn: &str) -> Option<User> {
    let (_, path, user_name) = super::trust::split_arn(arn)?;
    Some(User {
        path,
        user_name,
        user_id: world.random().unique_id("AIDA"),
        arn: arn.to_owned(),
        create_date: Iso(world.now()),
        tags: Vec::new(),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Create {
    user_name: String,
    path: Option<String>,
    #[serde(default)]
    tags: Vec<Tag>,
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let input: Create = call.query()?;
    let (path, arn) = place(world, call, "user", input.path.as_deref(), &input.user_name)?;
    let name = input.user_name;
    if world
        .account(&call.caller.account)
        .users
        .contains_key(&name)
    {
        return Err(AwsError::already_exists(format!(
            "User with name {name} already exists."
        )));
    }
    let user = User {
        path,
        user_name: name.clone(),
        user_id: world.random().unique_id("AIDA"),
        arn,
        create_date: Iso(world.now()),
        tags: tags(&[], input.tags)?,
    };
    let shown = user.shown(true);
    world.account(&call.caller.account).users.insert(name, user);
    Ok(json!({"User": shown}))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    user_name: Option<String>,
}

impl Named {
    /// The name; the caller's own where none is given.
    fn or_callers(self, call: &Call) -> String {
        let own = call.caller.arn.rsplit('/').next().unwrap_or_default();
        self.user_name.unwrap_or_else(|| own.to_owned())
    }
}

fn missing(name: &str) -> AwsError {
    AwsError::no_such_entity(format!("The user with name {name} cannot be found."))
}

pub(super) fn get(world: &mut World, call: &Call) -> Answer {
    let name = call.query::<Named>()?.or_callers(call);
    let user = world.account(&call.caller.account).users.get(&name);
    let user = user.ok_or_else(|| missing(&name))?;
    Ok(json!({"User": user.shown(true)}))
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let users = world.account(&call.caller.account).users.values();
    let items: Vec<_> = users
        .map(|u| (u.user_name.clone(), u.shown(false)))
        .collect();
    page::answer(world, call, "Users", items)
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let name = call.query::<Named>()?.or_callers(call);
    let account = world.account(&call.caller.account);
    if account.access_keys.values().any(|user| *user == name) {
        return Err(AwsError::delete_conflict(
            "Cannot delete entity, must delete access keys first.",
        ));
    }
    account.users.remove(&name).ok_or_else(|| missing(&name))?;
    crate::kubernetes::controllers::look_everywhere(world);
    Ok(Value::Null)
}

pub(super) fn create_access_key(world: &mut World, call: &Call) -> Answer {
    let name = call.query::<Named>()?.or_callers(call);
    if !world
        .account(&call.caller.account)
        .users
        .contains_key(&name)
    {
        return Err(missing(&name));
    }
    let key = format!("AKIA{}", world.random().upper(16));
    // Nobody checks a signature here, so the secret opens nothing.
    let secret = world.random().lower(40);
    let created = Iso(world.now());
    let keys = &mut world.account(&call.caller.account).access_keys;
    keys.insert(key.clone(), name.clone());
    Ok(json!({"AccessKey": {
        "UserName": name,
        "AccessKeyId": key,
        "Status": "Active",
        "SecretAccessKey": secret,
        "CreateDate": created,
    }}))
}
