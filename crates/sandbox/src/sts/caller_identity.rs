//! Who is calling. The same call, signed beforehand as a URL, is what a Kubernetes token of EKS holds.

use serde_json::json;

use crate::world::{Answer, Call, World};

pub(super) fn get(_world: &mut World, call: &Call) -> Answer {
    Ok(json!({
        "UserId": call.caller.user_id,
        "Account": call.caller.account,
        "Arn": call.caller.arn,
    }))
}
