//! Reading objects, one by one and all of a kind.

use http::Method;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::connection::{Call, Connection, JSON};
use crate::error::KubeError;
use crate::resource::{Collection, Kind, Object};
use crate::right::Right;

/// How many objects a page of a list holds.
const PAGE: usize = 500;

/// How often a list is begun anew because its pages are gone.
const ANEW: usize = 3;

/// Names and metadata instead of whole objects (<https://kubernetes.io/docs/reference/using-api/api-concepts/>).
const METADATA: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// Who the API server takes the asker for (`authentication.k8s.io/v1/SelfSubjectReview`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asker {
    /// The username.
    pub username: String,
    /// The groups.
    pub groups: Vec<String>,
    /// The ARN that the EKS authenticator noted when it let the asker in (`extra.arn`).
    pub arn: Option<String>,
}

impl Connection {
    /// One object as it is now; `None` if it does not exist.
    ///
    /// # Errors
    /// All of [`KubeError`] but a conflict.
    pub fn get(&self, object: &Object) -> Result<Option<Value>, KubeError> {
        let answer = self.call(&Call {
            method: Method::GET,
            path: object.path(),
            content: JSON,
            accept: JSON,
            body: None,
            right: Right::on("get", object),
            object: Some(object),
        })?;
        match answer {
            Answer::Is(value) => self.whole(object, value).map(Some),
            Answer::NotFound | Answer::Gone => Ok(None),
        }
    }

    /// The value, if it is the object, whole enough to be written to.
    pub(crate) fn whole(&self, object: &Object, value: Value) -> Result<Value, KubeError> {
        let metadata = &value["metadata"];
        if value["kind"] != object.kind.name()
            || metadata["name"] != object.name.as_str()
            || metadata["namespace"].as_str() != object.namespace.as_deref()
        {
            return Err(self.not_kubernetes("another object than was asked for"));
        }
        match &metadata["resourceVersion"] {
            Value::String(version) if !version.is_empty() => Ok(value),
            _ => Err(self.not_kubernetes("an object without a version")),
        }
    }

    /// All objects of a collection, as a list object of the API without its pages.
    ///
    /// # Errors
    /// All of [`KubeError`] but a conflict.
    pub fn list(&self, collection: &Collection) -> Result<Value, KubeError> {
        self.pages(collection, JSON)
    }

    /// The names of all objects of a collection, in their order.
    ///
    /// # Errors
    /// All of [`KubeError`] but a conflict.
    pub fn names(&self, collection: &Collection) -> Result<Vec<String>, KubeError> {
        let list = self.pages(collection, METADATA)?;
        let items = list["items"].as_array().map_or(&[][..], Vec::as_slice);
        let names = items
            .iter()
            .filter_map(|item| item["metadata"]["name"].as_str());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort();
        Ok(names)
    }

    fn pages(&self, collection: &Collection, accept: &'static str) -> Result<Value, KubeError> {
        let mut items: Vec<Value> = Vec::new();
        let (mut next, mut limit, mut anew) = (String::new(), PAGE, 0);
        loop {
            let mut page = match self.page(collection, accept, &next, limit) {
                Ok(Some(page)) => page,
                // The list changed for longer than its pages are kept: from the beginning, as it is now.
                Ok(None) if !next.is_empty() && anew < ANEW => {
                    anew += 1;
                    items.clear();
                    next.clear();
                    continue;
                }
                Ok(None) => return Err(self.not_kubernetes("a list that never ends")),
                Err(KubeError::TooLarge { .. }) if limit > 1 => {
                    limit = (limit / 10).max(1);
                    continue;
                }
                Err(error) => return Err(error),
            };
            match page["items"].take() {
                Value::Array(more) if more.iter().all(is_named) => items.extend(more),
                Value::Null => {}
                _ => return Err(self.not_kubernetes("a list of what are no objects")),
            }
            let after = page["metadata"]["continue"].as_str().unwrap_or("");
            if after.is_empty() {
                let version = page["metadata"]["resourceVersion"].clone();
                return Ok(json!({
                    "apiVersion": "v1",
                    "kind": format!("{}List", collection.kind.name()),
                    "metadata": {"resourceVersion": version},
                    "items": items,
                }));
            }
            if after == next {
                return Err(self.not_kubernetes("a list that never ends"));
            }
            next = after.to_owned();
        }
    }

    /// The page that begins at `next`; `None` if it is no longer to be had.
    fn page(
        &self,
        collection: &Collection,
        accept: &'static str,
        next: &str,
        limit: usize,
    ) -> Result<Option<Value>, KubeError> {
        let mut query = form(&[
            ("limit", &limit.to_string()),
            ("labelSelector", collection.labels.as_deref().unwrap_or("")),
            ("fieldSelector", collection.fields.as_deref().unwrap_or("")),
            ("continue", next),
        ]);
        query.insert(0, '?');
        let answer = self.call(&Call {
            method: Method::GET,
            path: collection.path() + &query,
            content: JSON,
            accept,
            body: None,
            right: Right::on_all("list", collection),
            object: None,
        })?;
        let kinds = match accept {
            METADATA => "PartialObjectMetadataList".to_owned(),
            _ => format!("{}List", collection.kind.name()),
        };
        match answer {
            Answer::Is(page) if page["kind"] == kinds.as_str() => Ok(Some(page)),
            Answer::Is(_) => Err(self.not_kubernetes("another list than was asked for")),
            Answer::Gone => Ok(None),
            Answer::NotFound => Err(self.not_kubernetes(&format!("no {collection} at all"))),
        }
    }

    /// Who is asking; `None` where the API server is too old to say (before Kubernetes 1.28).
    ///
    /// # Errors
    /// All of [`KubeError`] but a conflict.
    pub fn asker(&self) -> Result<Option<Asker>, KubeError> {
        let body = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
        let answer = self.call(&Call {
            method: Method::POST,
            path: "/apis/authentication.k8s.io/v1/selfsubjectreviews".to_owned(),
            content: JSON,
            accept: JSON,
            body: Some(&body),
            right: Right::on_all("create", &Collection::all(Kind::Namespace)),
            object: None,
        });
        let value = match answer {
            Ok(Answer::Is(value)) => value,
            Ok(_) | Err(KubeError::Forbidden(_) | KubeError::Refused(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let user = &value["status"]["userInfo"];
        let texts = |value: &Value| -> Vec<String> {
            let items = value.as_array().map_or(&[][..], Vec::as_slice);
            items
                .iter()
                .filter_map(|v| Some(v.as_str()?.to_owned()))
                .collect()
        };
        Ok(Some(Asker {
            username: user["username"].as_str().unwrap_or("").to_owned(),
            groups: texts(&user["groups"]),
            arn: texts(&user["extra"]["arn"]).into_iter().next(),
        }))
    }

    /// Those of the rights that the asker does not have.
    ///
    /// # Errors
    /// All of [`KubeError`] but a conflict.
    pub fn lacks(&self, rights: Vec<Right>) -> Result<Vec<Right>, KubeError> {
        let mut lacking = Vec::new();
        for right in rights {
            let mut attributes = json!({
                "verb": right.verb,
                "resource": right.kind.plural(),
                "group": "",
            });
            if let Some(namespace) = &right.namespace {
                attributes["namespace"] = json!(namespace);
            }
            if let Some(name) = &right.name {
                attributes["name"] = json!(name);
            }
            let body = json!({
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "SelfSubjectAccessReview",
                "spec": {"resourceAttributes": attributes},
            });
            let answer = self.call(&Call {
                method: Method::POST,
                path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews".to_owned(),
                content: JSON,
                accept: JSON,
                body: Some(&body),
                right: right.clone(),
                object: None,
            });
            match answer {
                Ok(Answer::Is(value)) if value["status"]["allowed"] == true => {}
                Ok(_) | Err(KubeError::Forbidden(_) | KubeError::Refused(_)) => {
                    lacking.push(right);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(lacking)
    }
}

fn is_named(item: &Value) -> bool {
    item["metadata"]["name"].is_string()
}

/// A query of the pairs that have a value.
pub(crate) fn form(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().filter(|(_, value)| !value.is_empty());
    let told = pairs.map(|(key, value)| format!("{key}={}", percent(value)));
    told.collect::<Vec<_>>().join("&")
}

/// A value as it may stand in a query.
fn percent(value: &str) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}
