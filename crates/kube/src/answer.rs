//! What an answer means: an object, or that there is none, or what went wrong.
//!
//! Between here and the API server there may be proxies and sign-in pages, which answer too. Only the API server itself
//! can say that an object is not there, and it says so in a `v1/Status` that names the object.

use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use crate::connection::Call;
use crate::error::{KubeError, said};

/// An answer of a Kubernetes API.
pub(crate) enum Answer {
    /// 2xx
    Is(Value),
    /// 404
    NotFound,
    /// 410: a page of a list is no longer to be had.
    Gone,
}

/// What is no answer for good.
pub(crate) enum Bad {
    /// Sending the request again would not help.
    Final(KubeError),
    /// It may.
    Passing(KubeError),
}

/// The parts of `v1/Status` that matter.
#[derive(Debug, Default, Deserialize)]
struct Status {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    details: Details,
}

/// What a status is about.
#[derive(Debug, Default, Deserialize)]
struct Details {
    #[serde(default)]
    name: String,
    #[serde(default)]
    kind: String,
}

/// What the answer to `call` means; `server` is where it came from.
pub(crate) fn judge(
    call: &Call<'_>,
    server: &str,
    code: StatusCode,
    body: &[u8],
) -> Result<Answer, Bad> {
    if code.is_success() {
        let value: Value = serde_json::from_slice(body)
            .map_err(|error| Bad::Final(not_kubernetes(server, &kind_of(body, &error))))?;
        return match value.get("kind") {
            Some(Value::String(_)) => Ok(Answer::Is(value)),
            _ => Err(Bad::Final(not_kubernetes(
                server,
                "JSON that is no object of Kubernetes",
            ))),
        };
    }
    let parsed = serde_json::from_slice::<Status>(body);
    let described = match &parsed {
        Ok(_) => "JSON that is no object of Kubernetes".to_owned(),
        Err(error) => kind_of(body, error),
    };
    let status = parsed.ok().filter(|status| status.kind == "Status");
    if let 429 | 500 | 502 | 503 | 504 = code.as_u16() {
        let message = status.map_or(described, |status| status.words());
        return Err(Bad::Passing(KubeError::Busy {
            server: server.to_owned(),
            code: code.as_u16(),
            times: 1,
            message,
        }));
    }
    let error = match (code.as_u16(), status) {
        (401, _) => KubeError::Unauthorized {
            server: server.to_owned(),
        },
        (403, Some(status)) if status.is_missing(call) => {
            KubeError::Forbidden(vec![call.right.clone()])
        }
        (404, Some(status)) if status.is_absence(call) => return Ok(Answer::NotFound),
        (409, Some(status)) => match call.object {
            Some(object) => KubeError::Conflict(object.clone()),
            None => KubeError::Refused(status.words()),
        },
        (410, Some(_)) if call.object.is_none() => return Ok(Answer::Gone),
        (_, Some(status)) => KubeError::Refused(status.words()),
        (300..=399, None) => not_kubernetes(server, &format!("a redirect ({})", code.as_u16())),
        (code, None) => not_kubernetes(server, &format!("the status {code} and {described}")),
    };
    Err(Bad::Final(error))
}

impl Status {
    /// Whether it says that the asker lacks the right that the call needs, as the API server words it. An admission
    /// webhook words its own refusals.
    fn is_missing(&self, call: &Call<'_>) -> bool {
        let (verb, resource) = (call.right.verb, call.right.kind.plural());
        let wording = format!("cannot {verb} resource \"{resource}\"");
        self.message.contains(&wording)
    }

    /// Whether it says that what the call is about is not there, and not something else on the way to it.
    fn is_absence(&self, call: &Call<'_>) -> bool {
        let Some(object) = call.object else {
            return true; // such as a kind of object that an old API server does not know
        };
        let is_object =
            self.details.name == object.name && self.details.kind == object.kind.plural();
        let is_place = self.details.kind == "namespaces" && call.method == http::Method::POST;
        is_object || is_place
    }

    fn words(self) -> String {
        said(if self.message.is_empty() {
            &self.reason
        } else {
            &self.message
        })
    }
}

pub(crate) fn not_kubernetes(server: &str, what: &str) -> KubeError {
    KubeError::NotKubernetes {
        server: server.to_owned(),
        what: what.to_owned(),
    }
}

/// What an answer is that could not be read as JSON.
fn kind_of(body: &[u8], error: &serde_json::Error) -> String {
    let text = String::from_utf8_lossy(body);
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let is_html = ["<!doctype", "<html"].iter().any(|tag| {
        start
            .get(..tag.len())
            .is_some_and(|s| s.eq_ignore_ascii_case(tag))
    });
    let what = if is_html {
        "an HTML page"
    } else if start.is_empty() {
        "nothing"
    } else if std::str::from_utf8(body).is_err() {
        "text that is no UTF-8"
    } else if error.is_eof() && start.starts_with('{') {
        "half an object"
    } else {
        "text that is no JSON"
    };
    what.to_owned()
}
