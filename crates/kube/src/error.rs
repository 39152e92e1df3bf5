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
    /// 429, 500 or the like, again and again.
    #[error("`{server}` answered {code} {times} times: {message}")]
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

fn missing(rights: &[Right]) -> String {
    let told: Vec<String> = rights.iter().map(ToString::to_string).collect();
    format!("these rights are missing: {}", told.join("; "))
}
