//! Who calls, and what they may.

use accord_model::plan::is_admin;

use super::path::Target;
use super::status::Status;
use crate::iam::{caller, trust};
use crate::kubernetes::access::{self, User};
use crate::protocol::{Request, access_key_of_token};
use crate::world::World;

/// The token of the sandbox's own administrator: no secret, since everybody who can reach the sandbox may do everything.
pub(crate) const ADMINISTRATOR: &str = "sandbox-admin";

/// The user of a request: whoever signed its token. Without a token it is the sandbox's own administrator.
pub(super) fn authenticate(
    world: &mut World,
    key: &str,
    request: &Request,
) -> Result<User, Box<Status>> {
    let bearer = request.header("authorization").and_then(|h| {
        let (scheme, token) = h.split_once(' ')?;
        scheme
            .eq_ignore_ascii_case("bearer")
            .then(|| token.trim().to_owned())
    });
    let given = bearer.filter(|token| token != ADMINISTRATOR);
    let Some(token) = given.filter(|_| world.settings.switches.authenticates) else {
        return Ok(User::administrator("sandbox:admin"));
    };
    let access_key = access_key_of_token(&token).ok_or_else(Status::unauthorized)?;
    let caller = caller::of_key(world, &access_key, "sts").map_err(|_| Status::unauthorized())?;
    access::user(world, key, &caller).ok_or_else(Status::unauthorized)
}

/// Refuses what a user may not do. RBAC objects are not held: rights come from `system:masters`, from access policies,
/// and for nodes from `system:nodes`.
pub(super) fn authorize(user: &User, verb: &str, target: &Target) -> Result<(), Box<Status>> {
    match may(user, verb, target.namespace.as_deref()) {
        true => Ok(()),
        false => Err(Status::forbidden(&user.username, verb, target)),
    }
}

/// Whether a user may use that verb in a namespace, or everywhere.
pub(super) fn may(user: &User, verb: &str, namespace: Option<&str>) -> bool {
    if is_admin(&user.groups, &user.policies) {
        return true;
    }
    let reads = matches!(verb, "get" | "list" | "watch");
    if user.groups.iter().any(|group| group == "system:nodes") {
        return reads || matches!(verb, "create" | "patch" | "update");
    }
    user.policies.iter().any(|policy| {
        let covers = match (&policy.namespaces, namespace) {
            (None, _) => true,
            (Some(namespaces), Some(wanted)) => {
                namespaces.iter().any(|n| trust::matches(n, wanted))
            }
            (Some(_), None) => false,
        };
        let allows = match policy.policy.as_str() {
            "AmazonEKSClusterAdminPolicy" | "AmazonEKSAdminPolicy" | "AmazonEKSEditPolicy" => true,
            "AmazonEKSViewPolicy" | "AmazonEKSAdminViewPolicy" => reads,
            _ => false,
        };
        covers && allows
    })
}
