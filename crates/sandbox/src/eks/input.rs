//! Checks that several operations make of their input.

use accord_model::arn::Arn;

use super::cluster::Cluster;
use crate::iam::role::Role;
use crate::world::{AwsError, Call, World};

/// A name of letters, digits, `-` and `_`, beginning with a letter or digit.
pub(super) fn check_name(what: &str, name: &str, longest: usize) -> Result<(), AwsError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && name.len() <= longest && name.chars().all(allowed) {
        return Ok(());
    }
    Err(AwsError::invalid_parameter(format!(
        "{what} name must have an alphanumeric first character, must only contain alphanumeric characters, '-' and \
         '_', and must be at most {longest} characters long: {name}"
    )))
}

/// What IAM says of an ARN that something is to be made for.
pub(super) enum Lookup {
    /// A role.
    Role(Box<Role>),
    /// A user, with its unique id.
    User(String),
    /// It is of an account that this sandbox holds nothing of.
    Elsewhere,
    /// It is not there.
    Missing,
}

/// Looks a role or user up by its whole ARN, path included.
pub(super) fn look_up(world: &World, arn: &str) -> Lookup {
    let Some(parsed) = Arn::parse(arn) else {
        return Lookup::Missing;
    };
    let Some(account) = world.accounts.get(parsed.account) else {
        return Lookup::Elsewhere;
    };
    if let Some(role) = account.roles.values().find(|role| role.arn == arn) {
        return Lookup::Role(Box::new(role.clone()));
    }
    match account.users.values().find(|user| user.arn == arn) {
        Some(user) => Lookup::User(user.user_id.clone()),
        None => Lookup::Missing,
    }
}

/// The role that a resource of the caller's account is to use.
pub(super) fn own_role(world: &World, call: &Call, arn: &str) -> Result<Role, AwsError> {
    let parsed = Arn::parse(arn).filter(|a| a.service == "iam" && a.resource_type() == "role");
    let Some(parsed) = parsed else {
        return Err(AwsError::invalid_parameter(format!(
            "The role ARN is invalid: {arn}"
        )));
    };
    if parsed.account != call.caller.account {
        return Err(AwsError::invalid_parameter(
            "Cross-account pass role is not allowed.",
        ));
    }
    match look_up(world, arn) {
        Lookup::Role(role) => Ok(*role),
        _ => Err(AwsError::invalid_parameter(format!(
            "The role with name {} cannot be found.",
            parsed.name().unwrap_or_default()
        ))),
    }
}

/// Refuses what needs a cluster that has come up.
pub(super) fn check_active(cluster: &Cluster, operation: &str) -> Result<(), AwsError> {
    match cluster.about.status.as_str() {
        "ACTIVE" | "UPDATING" => Ok(()),
        status => Err(AwsError::invalid_request(format!(
            "Cannot perform {operation}: cluster {} is in status {status}",
            cluster.about.name
        ))
        .of_cluster(&cluster.about.name)),
    }
}
