//! Questions about oneself: who am I, and may I?

use serde_json::{Value, json};

use super::identity::may;
use super::path::Review;
use crate::kubernetes::access::User;

pub(super) fn answer(kind: Review, user: &User, asked: &Value) -> Value {
    match kind {
        Review::Subject => json!({
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "SelfSubjectReview",
            "metadata": {},
            "status": {"userInfo": {"username": user.username, "groups": user.groups}},
        }),
        Review::Access => {
            let spec = &asked["spec"];
            let wanted = &spec["resourceAttributes"];
            let namespace = wanted["namespace"].as_str().filter(|n| !n.is_empty());
            let allowed = may(user, wanted["verb"].as_str().unwrap_or_default(), namespace);
            json!({
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "SelfSubjectAccessReview",
                "metadata": {},
                "spec": spec,
                "status": {"allowed": allowed},
            })
        }
    }
}
