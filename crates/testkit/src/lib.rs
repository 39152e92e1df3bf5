//! A real cluster's brain for tests: etcd and kube-apiserver, with TLS and RBAC, on loopback.
//!
//! ```no_run
//! let server = accord_testkit::server();
//! server.kubectl(&["create", "namespace", "payments"]).ok();
//! server.grant("user-0", Some("payments"), &["get", "list"], &["configmaps"]);
//! let kubeconfig = server.kubeconfig("user-0"); // who may do nothing else
//! ```
//!
//! One server serves all tests of a test binary, one after another: [`server()`] waits for its turn, and hands out the
//! server as if no test had written a map yet ([`ApiServer::reset`]). A test that needs a server of its own, or other
//! users, starts one ([`ApiServer::start`], [`ApiServer::with_users`]); that takes about three seconds.
//!
//! There are no nodes, no controllers and no garbage collection: pods stay pending, and a deleted namespace stays in
//! `Terminating`. Service accounts are made by whoever needs them, and pods may do without. The cluster roles `view`, `edit`
//! and `admin` allow nothing, because a controller would fill them.
//!
//! The programs are those in `$KUBEBUILDER_ASSETS`, which `cargo xtask test` sets and `cargo xtask envtest` prints.
//! Without them a test fails and says so. Whatever happens to a test, its processes end with it: see [`process`].
//! Everything here panics when it cannot do its work, because it is only for tests.

#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "for tests: what cannot be done is a failed test"
)]

mod assets;
mod etcd;
mod grant;
mod kubeconfig;
mod kubectl;
mod process;
mod proxy;
mod reset;
mod server;
mod shared;
mod user;
mod wait;

pub use kubectl::Output;
pub use proxy::{Fault, Headers, Proxy, Reply, Request, Response, Validity};
pub use server::ApiServer;
pub use shared::{Turn, server};
pub use user::{ADMIN, User};
pub use wait::until;
