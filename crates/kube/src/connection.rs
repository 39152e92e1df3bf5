//! One request and its answer, within a time.
//!
//! Every request may be sent again when the server is too busy or the connection breaks: a write carries the version
//! that it rests on, or creates an object, so that the second of two equal writes fails with a conflict, and then
//! everything is read and decided again.

use std::time::Duration;

use http::{Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use kube::client::{AuthError, Body};
use serde::Deserialize;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep, timeout_at};

use crate::connect;
use crate::error::{Cause, KubeError};
use crate::resource::Object;
use crate::right::Right;

/// No request takes longer, its repetitions included.
pub const LIMIT: Duration = Duration::from_secs(8);

/// How often a request is sent at most.
const TRIES: u32 = 5;

/// Before a request is sent for the second time; doubled each time.
const PAUSE: Duration = Duration::from_millis(100);

/// No answer is larger, in bytes; 500 objects of 1 MiB are more, and then the page is asked for in smaller parts.
const MAX_ANSWER: usize = 512 << 20;

/// A connection to one cluster, as one user.
pub struct Connection {
    runtime: Runtime,
    client: kube::Client,
    server: String,
    cluster: String,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("server", &self.server)
            .field("cluster", &self.cluster)
            .finish_non_exhaustive()
    }
}

/// A request, and what it takes to be allowed to send it.
pub(crate) struct Call<'c> {
    pub(crate) method: Method,
    /// With its query.
    pub(crate) path: String,
    /// The type of `body`.
    pub(crate) content: &'static str,
    /// The type of the answer.
    pub(crate) accept: &'static str,
    pub(crate) body: Option<&'c Value>,
    /// The right that is missing if it is forbidden.
    pub(crate) right: Right,
    /// The object that a conflict is about.
    pub(crate) object: Option<&'c Object>,
}

/// JSON, in requests and answers.
pub(crate) const JSON: &str = "application/json";

/// An answer of a Kubernetes API.
pub(crate) enum Answer {
    /// 2xx
    Is(Value),
    /// 404 of the API, not of something in front of it.
    NotFound,
    /// 410: a page of a list is no longer to be had.
    Gone,
}

/// The parts of `v1/Status` that matter.
#[derive(Debug, Default, Deserialize)]
struct Status {
    kind: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    reason: String,
}

impl Connection {
    pub(crate) const fn new(
        runtime: Runtime,
        client: kube::Client,
        server: String,
        cluster: String,
    ) -> Self {
        Self {
            runtime,
            client,
            server,
            cluster,
        }
    }

    /// The address of the API server.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The cluster's name in the kubeconfig, or its address where there is none.
    pub fn cluster(&self) -> &str {
        &self.cluster
    }

    pub(crate) fn call(&self, call: &Call<'_>) -> Result<Answer, KubeError> {
        self.runtime.block_on(self.answer(call))
    }

    /// Sends the request until it is answered for good.
    async fn answer(&self, call: &Call<'_>) -> Result<Answer, KubeError> {
        let deadline = Instant::now() + LIMIT;
        let mut times = 1;
        loop {
            let outcome = timeout_at(deadline, self.send(call)).await;
            let (error, pause) = match outcome {
                Err(_) => return Err(self.timed_out()),
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(Failure::Final(error))) => return Err(error),
                Ok(Err(Failure::Passing(error, pause))) => (error, pause),
            };
            let pause = pause.unwrap_or_else(|| jittered(PAUSE * 2_u32.pow(times - 1)));
            if times == TRIES || Instant::now() + pause >= deadline {
                return Err(match error {
                    KubeError::Busy {
                        server,
                        code,
                        message,
                        ..
                    } => KubeError::Busy {
                        server,
                        code,
                        times,
                        message,
                    },
                    other => other,
                });
            }
            sleep(pause).await;
            times += 1;
        }
    }

    async fn send(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        let body = call
            .body
            .map_or_else(Vec::new, |b| b.to_string().into_bytes());
        let request = Request::builder()
            .method(call.method.clone())
            .uri(&call.path)
            .header(http::header::ACCEPT, call.accept)
            .header(http::header::CONTENT_TYPE, call.content)
            .body(Body::from(body))
            .map_err(|error| Failure::Final(KubeError::Setup(Cause::root(&error))))?;
        let response = self
            .client
            .send(request)
            .await
            .map_err(|error| self.failure(&error))?;
        let status = response.status();
        let wait = response
            .headers()
            .get(http::header::RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.parse().ok())
            .map(Duration::from_secs);
        let limited = http_body_util::Limited::new(response.into_body(), MAX_ANSWER);
        let body = limited.collect().await.map_err(|_| {
            let what = "half an answer: the connection broke off";
            Failure::Passing(self.not_kubernetes(what), None)
        })?;
        self.judge(call, status, wait, &body.to_bytes())
    }

    /// What an answer means.
    fn judge(
        &self,
        call: &Call<'_>,
        code: StatusCode,
        wait: Option<Duration>,
        body: &[u8],
    ) -> Result<Answer, Failure> {
        if code.is_success() {
            let value: Value = serde_json::from_slice(body)
                .map_err(|_| Failure::Final(self.not_kubernetes(&kind_of(body))))?;
            return match value.get("kind") {
                Some(Value::String(_)) => Ok(Answer::Is(value)),
                _ => Err(Failure::Final(
                    self.not_kubernetes("JSON that is no object of Kubernetes"),
                )),
            };
        }
        let status: Status = serde_json::from_slice(body).unwrap_or_default();
        let is_status = status.kind.as_deref() == Some("Status");
        let busy = KubeError::Busy {
            server: self.server.clone(),
            code: code.as_u16(),
            times: 1,
            message: if is_status {
                status.message.clone()
            } else {
                kind_of(body)
            },
        };
        Err(match code.as_u16() {
            401 => Failure::Final(KubeError::Unauthorized {
                server: self.server.clone(),
            }),
            403 if is_status && status.message.contains("cannot") => {
                Failure::Final(KubeError::Forbidden(vec![call.right.clone()]))
            }
            404 if is_status => return Ok(Answer::NotFound),
            409 if is_status => Failure::Final(match call.object {
                Some(object) => KubeError::Conflict(object.clone()),
                None => KubeError::Refused(status.message),
            }),
            410 if is_status => return Ok(Answer::Gone),
            429 | 500 | 502 | 503 | 504 => Failure::Passing(busy, wait),
            _ if is_status => Failure::Final(KubeError::Refused(if status.message.is_empty() {
                status.reason
            } else {
                status.message
            })),
            code => Failure::Final(
                self.not_kubernetes(&format!("the status {code} and {}", kind_of(body))),
            ),
        })
    }

    /// Why there was no answer.
    fn failure(&self, error: &kube::Error) -> Failure {
        if let kube::Error::Auth(error) = error {
            return Failure::Final(connect::of_auth(error));
        }
        let mut inner: Option<&(dyn std::error::Error + 'static)> = Some(error);
        while let Some(error) = inner {
            if let Some(error) = error.downcast_ref::<AuthError>() {
                return Failure::Final(connect::of_auth(error));
            }
            inner = error.source();
        }
        let cause = Cause::root(error);
        let server = self.server.clone();
        // As rustls words it.
        let is_time = ["expired", "not valid yet", "NotValidYet", "Expired"];
        if is_time.iter().any(|word| cause.0.contains(word)) {
            return Failure::Final(KubeError::Clock { server, cause });
        }
        if cause.0.contains("certificate") {
            return Failure::Final(KubeError::Unreachable { server, cause });
        }
        Failure::Passing(KubeError::Unreachable { server, cause }, None)
    }

    fn timed_out(&self) -> KubeError {
        KubeError::TimedOut {
            server: self.server.clone(),
            limit: LIMIT,
        }
    }

    pub(crate) fn not_kubernetes(&self, what: &str) -> KubeError {
        KubeError::NotKubernetes {
            server: self.server.clone(),
            what: what.to_owned(),
        }
    }

    /// Waits, so that writers who collided do not collide again.
    pub fn pause(&self, times: u32) {
        let pause = jittered(PAUSE.saturating_mul(2_u32.saturating_pow(times.min(4))));
        self.runtime.block_on(async { sleep(pause).await });
    }
}

/// A request that was not answered well.
enum Failure {
    /// Sending it again would not help.
    Final(KubeError),
    /// It may, after the time that the server asks for.
    Passing(KubeError, Option<Duration>),
}

/// Between nothing and the whole pause: collisions need waits that differ, not long ones.
fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(fastrand::f64())
}

/// What an answer is that is not the JSON of a whole object.
fn kind_of(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let start = text.trim_start();
    let is_html = ["<!doctype", "<html"].iter().any(|tag| {
        start
            .get(..tag.len())
            .is_some_and(|s| s.eq_ignore_ascii_case(tag))
    });
    if is_html {
        "an HTML page".to_owned()
    } else if start.is_empty() {
        "nothing".to_owned()
    } else if start.starts_with('{') {
        "half an object".to_owned()
    } else {
        "text that is no JSON".to_owned()
    }
}
