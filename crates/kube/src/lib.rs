//! The Kubernetes API, as far as Accord needs it: objects of a few kinds, read and written one by one.
//!
//! Objects come and go as the JSON of the API; what it means is for others to say. Read the modules in this order:
//!
//! 1. [`connect`]: which cluster, and as whom, found as kubectl finds it, proxies and exec plugins included.
//! 2. [`resource`]: which object or collection is meant, and its path.
//! 3. [`connection`]: one request and its answer, within a time; [`mod@answer`]: what an answer means;
//!    [`mod@certificate`]: what is wrong with a certificate. [`mod@read`] and [`mod@write`] on top of it.
//! 4. [`right`]: what a refused request would have needed, and the manifest that grants it. [`error`]: what else can
//!    go wrong.
//!
//! # Invariants
//! - It decides nothing.
//! - Every call ends: with an answer, or with an error within [`connection::LIMIT`].
//! - What is listed comes from etcd, not from the API server's cache: no request carries a `resourceVersion` that would
//!   allow an older answer.
//! - A write to an object that is there carries the version that was read. It fails if anybody else wrote meanwhile.
//! - No token, header or body is ever part of an error.
//! - The asynchronous runtime stays inside: every function blocks.

mod answer;
mod certificate;
pub mod connect;
pub mod connection;
pub mod error;
pub mod read;
pub mod resource;
pub mod right;
pub mod write;

pub use connection::Connection;
pub use error::KubeError;
