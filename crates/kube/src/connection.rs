//! One request and its answer, within a time.
//!
//! Every request may be sent again when the server is too busy or the connection breaks: a write carries the version
//! that it rests on, or creates an object, so that the second of two equal writes fails with a conflict. Such a conflict
//! may be with oneself, which is said ([`KubeError::SentTwice`]), and so is that a write came to an unknown end
//! ([`KubeError::MaybeWritten`]).
//!
//! A redirect is not followed: the credentials are for the server that is named, and for nobody else.

use std::time::Duration;

use http::{Method, Request, header};
use http_body_util::BodyExt as _;
use kube::client::{AuthError, Body};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep, timeout_at};

use crate::answer::{self, Answer, Bad};
use crate::certificate;
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

/// No answer is larger, in bytes. A ConfigMap has at most 1 MiB; a page of a list that is larger is asked for in smaller
/// parts.
const MAX_ANSWER: usize = 64 << 20;

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
    /// The object that it is about, if it is about one.
    pub(crate) object: Option<&'c Object>,
}

/// JSON, in requests and answers.
pub(crate) const JSON: &str = "application/json";

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
        let (mut times, mut may_be_done) = (1, false);
        loop {
            let sent = timeout_at(deadline, self.send(call)).await;
            let failure = match sent.unwrap_or_else(|_| Err(self.timed_out())) {
                Ok(Answer::NotFound) if may_be_done => Failure::told(Bad::Final(sent_twice(call))),
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let pause = failure.pause.unwrap_or_else(|| pause_before(times + 1));
            let next = Instant::now().checked_add(pause);
            let in_time = next.is_some_and(|next| next < deadline);
            match failure.bad {
                Bad::Passing(_) if times < TRIES && in_time => {}
                Bad::Passing(error) | Bad::Final(error) => {
                    return Err(match error.after(times) {
                        KubeError::Conflict(_) if may_be_done => sent_twice(call),
                        error => call.end(error, may_be_done || failure.may_be_done),
                    });
                }
            }
            may_be_done |= failure.may_be_done && call.is_write();
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
            .header(header::ACCEPT, call.accept)
            .header(header::CONTENT_TYPE, call.content)
            .body(Body::from(body))
            .map_err(|error| Failure::told(Bad::Final(KubeError::Setup(Cause::root(&error)))))?;
        let response = self
            .client
            .send(request)
            .await
            .map_err(|error| self.failure(&error))?;
        let (head, body) = response.into_parts();
        let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(encoding) = text(header::CONTENT_ENCODING).filter(|it| *it != "identity") {
            let what = format!("an answer in the encoding `{encoding}`, which was not asked for");
            return Err(Failure::unknown(Bad::Final(self.not_kubernetes(&what))));
        }
        let pause = text(header::RETRY_AFTER).and_then(|value| value.parse().ok());
        let limited = http_body_util::Limited::new(body, MAX_ANSWER)
            .collect()
            .await;
        let body = limited.map_err(|error| Failure::unknown(self.half(&*error)))?;
        let answer = answer::judge(call, &self.server, head.status, &body.to_bytes());
        answer.map_err(|bad| Failure {
            may_be_done: is_unknown(&bad),
            bad,
            pause: pause.map(Duration::from_secs),
        })
    }

    /// Why an answer could not be read to its end.
    fn half(&self, error: &(dyn std::error::Error + 'static)) -> Bad {
        if error.is::<http_body_util::LengthLimitError>() {
            return Bad::Final(KubeError::TooLarge {
                server: self.server.clone(),
                limit: MAX_ANSWER,
            });
        }
        Bad::Passing(self.not_kubernetes("half an answer: the connection broke off"))
    }

    /// Why there was no answer.
    fn failure(&self, error: &kube::Error) -> Failure {
        let mut was_connected = true;
        let mut certificate = None;
        let mut inner: Option<&(dyn std::error::Error + 'static)> = Some(error);
        while let Some(error) = inner {
            if let Some(error) = error.downcast_ref::<AuthError>() {
                return Failure::told(Bad::Final(connect::of_auth(error)));
            }
            let client = error.downcast_ref::<hyper_util::client::legacy::Error>();
            was_connected &= !client.is_some_and(hyper_util::client::legacy::Error::is_connect);
            certificate = certificate.or_else(|| certificate::fault(error));
            inner = error.source();
        }
        let server = self.server.clone();
        let bad = match certificate {
            Some(fault) => Bad::Final(fault.of(server)),
            None => {
                let mut cause = Cause::root(error);
                if cause.0.contains("close_notify") {
                    cause.0 = "the connection broke off".to_owned(); // without the link to the library's manual
                }
                Bad::Passing(KubeError::Unreachable { server, cause })
            }
        };
        Failure {
            may_be_done: was_connected,
            ..Failure::told(bad)
        }
    }

    fn timed_out(&self) -> Failure {
        Failure::unknown(Bad::Final(KubeError::TimedOut {
            server: self.server.clone(),
            limit: LIMIT,
        }))
    }

    pub(crate) fn not_kubernetes(&self, what: &str) -> KubeError {
        answer::not_kubernetes(&self.server, what)
    }

    /// Waits, so that writers who collided do not collide again.
    pub fn pause(&self, times: u32) {
        let pause = jittered(PAUSE.saturating_mul(2_u32.saturating_pow(times.min(4))));
        self.runtime.block_on(async { sleep(pause).await });
    }
}

impl Call<'_> {
    /// Whether it changes an object.
    fn is_write(&self) -> bool {
        self.object.is_some() && self.method != Method::GET
    }

    /// How it ends with an error, when it may have been done nevertheless.
    fn end(&self, error: KubeError, may_be_done: bool) -> KubeError {
        match self.object {
            Some(object) if may_be_done && self.is_write() => KubeError::MaybeWritten {
                object: object.clone(),
                cause: Box::new(error),
            },
            _ => error,
        }
    }
}

/// A request that was not answered well.
struct Failure {
    bad: Bad,
    /// How long the server asks to be left alone.
    pause: Option<Duration>,
    /// Whether the server may have done what was asked.
    may_be_done: bool,
}

impl Failure {
    /// It was not done.
    const fn told(bad: Bad) -> Self {
        Self {
            bad,
            pause: None,
            may_be_done: false,
        }
    }

    /// It may have been done.
    const fn unknown(bad: Bad) -> Self {
        Self {
            bad,
            pause: None,
            may_be_done: true,
        }
    }
}

/// Whether the request may have been done in spite of the answer. Only the API server can say that it was not: by what it
/// refuses, and by 429, with which it turns requests away unseen.
const fn is_unknown(bad: &Bad) -> bool {
    match bad {
        Bad::Passing(KubeError::Busy { code, .. }) => *code != 429,
        Bad::Final(KubeError::NotKubernetes { .. }) => true,
        Bad::Final(_) | Bad::Passing(_) => false,
    }
}

fn sent_twice(call: &Call<'_>) -> KubeError {
    match call.object {
        Some(object) => KubeError::SentTwice(object.clone()),
        None => KubeError::Refused("it was done before".to_owned()),
    }
}

/// Before a request is sent for the `times`-th time.
fn pause_before(times: u32) -> Duration {
    jittered(PAUSE * 2_u32.pow(times - 2))
}

/// Between nothing and the whole pause: collisions need waits that differ, not long ones.
fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(fastrand::f64())
}
