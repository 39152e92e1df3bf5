//! What can go wrong with an API server. No message holds a token, a header or a body.

use std::time::Duration;

use crate::resource::Object;
use crate::right::Right;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum KubeError {
    /// No kubeconfig and no service account say where a cluster is.
    #[error("no cluster is named: there is no kubeconfig, and this is no pod")]
    NoCluster,
    /// The kubeconfig cannot be used.
    #[error("the kubeconfig cannot be used")]
    Kubeconfig(#[source] Cause),
    /// The program that the kubeconfig names for signing in failed.
    #[error("signing in to the cluster failed")]
    SignIn(#[source] Cause),
    /// No connection.
    #[error("could not reach `{server}`")]
    Unreachable {
        /// The address of the API server.
        server: String,
        /// Why.
        #[source]
        cause: Cause,
    },
    /// The certificate is not valid at this time, by this machine's clock.
    #[error("the certificate of `{server}` is not valid now, by the clock of this machine")]
    Clock {
        /// The address of the API server.
        server: String,
        /// Why.
        #[source]
        cause: Cause,
    },
    /// The certificate cannot be believed.
    #[error("the certificate of `{server}` cannot be believed")]
    Certificate {
        /// The address of the API server.
        server: String,
        /// Why.
        #[source]
        cause: Cause,
    },
    /// No answer in time.
    #[error("`{server}` did not answer within {} seconds", .limit.as_secs())]
    TimedOut {
        /// The address of the API server.
        server: String,
        /// How long was waited.
        limit: Duration,
    },
    /// 401.
    #[error("`{server}` does not know who is asking (401 Unauthorized)")]
    Unauthorized {
        /// The address of the API server.
        server: String,
    },
    /// 403: each right that is missing, at least one.
    #[error("{}", missing(.0))]
    Forbidden(Vec<Right>),
    /// 409, or the object is there or gone against expectation.
    #[error("somebody else changed {0} meanwhile")]
    Conflict(Object),
    /// A conflict of a write that had to be sent twice, because the first answer did not come: perhaps with itself.
    #[error("somebody else changed {0} meanwhile, or this very write did")]
    SentTwice(Object),
    /// A write that was not answered well, and may have been done.
    #[error("it is not known whether {object} was changed")]
    MaybeWritten {
        /// What was to be written.
        object: Object,
        /// What went wrong.
        #[source]
        cause: Box<Self>,
    },
    /// 429, 500 or the like, again and again.
    #[error("`{server}` answered {code}{}: {message}", often(*.times))]
    Busy {
        /// The address of the API server.
        server: String,
        /// The HTTP status.
        code: u16,
        /// How often it was asked.
        times: u32,
        /// What it said.
        message: String,
    },
    /// The API server refuses the request for another reason, such as an immutable object or an admission webhook.
    #[error("the cluster refused it: {0}")]
    Refused(String),
    /// The answer is none of a Kubernetes API.
    #[error("`{server}` did not answer as a Kubernetes API does, but with {what}")]
    NotKubernetes {
        /// The address that was asked.
        server: String,
        /// What came.
        what: String,
    },
    /// An answer that is too large.
    #[error("`{server}` answered with more than {} MiB", .limit >> 20)]
    TooLarge {
        /// The address that was asked.
        server: String,
        /// In bytes.
        limit: usize,
    },
    /// The runtime or the client could not be set up.
    #[error("could not set up the connection")]
    Setup(#[source] Cause),
}

/// Why, in words: what lies behind it has been looked through for secrets.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Cause(pub(crate) String);

impl Cause {
    /// The innermost reason of an error, which is what a person can do something about.
    pub(crate) fn root(error: &(dyn std::error::Error + 'static)) -> Self {
        let mut root = error;
        while let Some(source) = root.source() {
            root = source;
        }
        Self(root.to_string())
    }
}

impl KubeError {
    /// The same, of a request that was sent `times` times.
    pub(crate) fn after(self, asked: u32) -> Self {
        match self {
            Self::Busy {
                server,
                code,
                message,
                ..
            } => Self::Busy {
                server,
                code,
                times: asked,
                message,
            },
            other => other,
        }
    }
}

/// What a server said, on one line, without what a terminal would act on, and not without end.
pub(crate) fn said(message: &str) -> String {
    const LENGTH: usize = 1000;
    let words = message.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    match line.char_indices().nth(LENGTH) {
        Some((end, _)) => line.get(..end).unwrap_or_default().to_owned() + "…",
        None => line,
    }
}

fn often(times: u32) -> String {
    match times {
        1 => String::new(),
        times => format!(" {times} times"),
    }
}

fn missing(rights: &[Right]) -> String {
    let told: Vec<String> = rights.iter().map(ToString::to_string).collect();
    format!("these rights are missing: {}", told.join("; "))
}
