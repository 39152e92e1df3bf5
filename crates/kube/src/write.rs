//! Writing objects: each write holds on to what was read.

use http::Method;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::connection::{Call, Connection, JSON};
use crate::error::KubeError;
use crate::read::form;
use crate::resource::Object;
use crate::right::Right;

/// The name under which the API server notes what was written (`metadata.managedFields`).
pub const MANAGER: &str = "accord";

/// JSON merge patch, RFC 7386: what it does not name stays, fields that nobody here knows too.
const MERGE_PATCH: &str = "application/merge-patch+json";

impl Connection {
    /// Makes an object, and answers with it.
    ///
    /// # Errors
    /// [`KubeError::Conflict`] if it is there already.
    pub fn create(&self, object: &Object, body: &Value) -> Result<Value, KubeError> {
        let collection = object.collection();
        self.write(
            object,
            &Call {
                method: Method::POST,
                path: format!(
                    "{}?{}",
                    collection.path(),
                    form(&[("fieldManager", MANAGER)])
                ),
                content: JSON,
                accept: JSON,
                body: Some(body),
                right: Right::on("create", object),
                object: Some(object),
            },
        )
    }

    /// Changes an object that has the version `version`, and answers with it. `patch` is merged into it; `null` takes
    /// away.
    ///
    /// # Errors
    /// [`KubeError::Conflict`] if it has another version, or is gone.
    pub fn patch(&self, object: &Object, version: &str, patch: &Value) -> Result<Value, KubeError> {
        let mut body = patch.clone();
        body["metadata"]["resourceVersion"] = json!(version);
        self.write(
            object,
            &Call {
                method: Method::PATCH,
                path: format!("{}?{}", object.path(), form(&[("fieldManager", MANAGER)])),
                content: MERGE_PATCH,
                accept: JSON,
                body: Some(&body),
                right: Right::on("patch", object),
                object: Some(object),
            },
        )
    }

    /// Deletes an object that has the version `version`.
    ///
    /// # Errors
    /// [`KubeError::Conflict`] if it has another version, or is gone.
    pub fn delete(&self, object: &Object, version: &str) -> Result<(), KubeError> {
        self.take_away(
            object,
            json!({"preconditions": {"resourceVersion": version}}),
        )
    }

    /// Deletes an object whatever its version.
    ///
    /// # Errors
    /// [`KubeError::Conflict`] if it is gone.
    pub fn discard(&self, object: &Object) -> Result<(), KubeError> {
        self.take_away(object, json!({}))
    }

    fn take_away(&self, object: &Object, mut body: Value) -> Result<(), KubeError> {
        body["apiVersion"] = json!("v1");
        body["kind"] = json!("DeleteOptions");
        self.write(
            object,
            &Call {
                method: Method::DELETE,
                path: object.path(),
                content: JSON,
                accept: JSON,
                body: Some(&body),
                right: Right::on("delete", object),
                object: Some(object),
            },
        )
        .map(drop)
    }

    fn write(&self, object: &Object, call: &Call<'_>) -> Result<Value, KubeError> {
        match self.call(call)? {
            Answer::Is(value) if call.method == Method::DELETE => Ok(value),
            Answer::Is(value) => {
                self.whole(object, value)
                    .map_err(|cause| KubeError::MaybeWritten {
                        object: object.clone(),
                        cause: Box::new(cause),
                    })
            }
            Answer::NotFound if call.method == Method::POST => Err(KubeError::Refused(format!(
                "there is no namespace for {object}"
            ))),
            Answer::NotFound | Answer::Gone => Err(KubeError::Conflict(object.clone())),
        }
    }
}
