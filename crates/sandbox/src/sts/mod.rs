//! The part of STS that clusters and their workloads use: who is calling, and roles assumed for a while.

mod assume_role;
mod caller_identity;
mod credentials;
mod web_identity;

use crate::protocol::Operation;

/// The implementation of an operation.
pub(crate) fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "GetCallerIdentity" => caller_identity::get,
        "AssumeRole" => assume_role::assume,
        "AssumeRoleWithWebIdentity" => web_identity::assume,
        _ => return None,
    })
}
