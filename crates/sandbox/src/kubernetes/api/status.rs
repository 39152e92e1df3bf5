//! Errors as the Kubernetes API answers them.

use serde_json::{Value, json};

use super::object_name;
use super::path::Target;
use crate::kubernetes::resource::Resource;

/// `kind: Status` of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) code: u16,
    reason: String,
    message: String,
    details: Value,
}

impl Status {
    pub(crate) fn new(code: u16, reason: &str, message: &str) -> Box<Self> {
        Box::new(Self {
            code,
            reason: reason.to_owned(),
            message: message.to_owned(),
            details: json!({}),
        })
    }

    fn about(
        code: u16,
        reason: &str,
        message: String,
        resource: Resource,
        name: &str,
    ) -> Box<Self> {
        let mut status = Self::new(code, reason, &message);
        let group = resource
            .api_version()
            .rsplit_once('/')
            .map_or("", |(group, _)| group);
        status.details = json!({"name": name, "group": group, "kind": resource.plural()});
        status
    }

    pub(super) fn no_such_path() -> Box<Self> {
        Self::new(
            404,
            "NotFound",
            "the server could not find the requested resource",
        )
    }

    pub(super) fn not_found(resource: Resource, name: &str) -> Box<Self> {
        let message = format!("{} not found", object_name(resource, name));
        Self::about(404, "NotFound", message, resource, name)
    }

    pub(super) fn already_exists(resource: Resource, name: &str) -> Box<Self> {
        let message = format!("{} already exists", object_name(resource, name));
        Self::about(409, "AlreadyExists", message, resource, name)
    }

    pub(super) fn conflict(resource: Resource, name: &str) -> Box<Self> {
        let message = format!(
            "Operation cannot be fulfilled on {}: the object has been modified; please apply your changes to the \
             latest version and try again",
            object_name(resource, name)
        );
        Self::about(409, "Conflict", message, resource, name)
    }

    /// Fields that another manager owns.
    pub(super) fn owned_by_others(conflicts: &[(String, String)]) -> Box<Self> {
        let told: Vec<String> = conflicts
            .iter()
            .map(|(manager, field)| format!("conflict with \"{manager}\": {field}"))
            .collect();
        let word = if told.len() == 1 {
            "conflict"
        } else {
            "conflicts"
        };
        let message = format!(
            "Apply failed with {} {word}: {}",
            told.len(),
            told.join(", ")
        );
        let mut status = Self::new(409, "Conflict", &message);
        let causes = conflicts.iter().map(|(manager, field)| {
            let message = format!("conflict with \"{manager}\"");
            json!({"reason": "FieldManagerConflict", "message": message, "field": field})
        });
        status.details = json!({"causes": causes.collect::<Vec<_>>()});
        status
    }

    pub(super) fn invalid(resource: Resource, name: &str, why: &str) -> Box<Self> {
        let message = format!("{} \"{name}\" is invalid: {why}", resource.kind());
        Self::about(422, "Invalid", message, resource, name)
    }

    pub(super) fn bad_request(message: &str) -> Box<Self> {
        Self::new(400, "BadRequest", message)
    }

    pub(super) fn unauthorized() -> Box<Self> {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    pub(super) fn forbidden(username: &str, verb: &str, target: &Target) -> Box<Self> {
        let name = target.name.as_deref().unwrap_or_default();
        let of = match name {
            "" => target.resource.plural().to_owned(),
            _ => object_name(target.resource, name),
        };
        let place = match target.namespace.as_deref() {
            Some(namespace) => format!("in the namespace \"{namespace}\""),
            None => "at the cluster scope".into(),
        };
        let message = format!(
            "{of} is forbidden: User \"{username}\" cannot {verb} resource \"{}\" in API group \"\" {place}",
            target.resource.plural()
        );
        Self::about(403, "Forbidden", message, target.resource, name)
    }

    /// The version to watch from is forgotten.
    pub(super) fn gone() -> Box<Self> {
        Self::new(410, "Expired", "too old resource version")
    }

    /// As it is sent.
    pub(crate) fn value(&self) -> Value {
        json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "details": self.details,
            "code": self.code,
        })
    }
}
