//! An emulator of EKS, with the parts of IAM, STS and Kubernetes that access is about.
//!
//! ```text
//! bytes ── server ── protocol ──┬── eks, iam, sts ──┐
//!                               └── kubernetes ─────┴── World
//! ```
//!
//! Read the modules in this order:
//!
//! 1. [`world`]: the one value, with its clock and its random source, its settings and its switches.
//! 2. [`protocol`]: what comes in and goes out: REST-JSON for EKS, the Query protocol for IAM and STS.
//! 3. [`eks`], [`iam`], [`sts`]: one file for each noun, one function for each operation.
//! 4. [`kubernetes`]: the API of each cluster, and what nodes and schedulers do in it.
//! 5. [`seed`], [`dump`]: state files in and out. [`demo`]: a cluster to begin with.
//! 6. [`server`]: sockets, the machine's clock, the log.
//!
//! # Invariants
//! - Everything below the server is a function of the world and the request. The same seed and the same calls at the same
//!   times give the same answers.
//! - Who gets into a cluster is asked of `accord-plan`, over what `accord-wire` reads. There is no second reading here.
//! - No answer has a field that AWS does not have.
//! - No secret is kept or logged: signatures are not checked, and tokens are looked at for the key that signed them.

pub mod demo;
pub mod dump;
mod eks;
mod iam;
mod kubernetes;
pub mod protocol;
pub mod seed;
#[allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "the one place that touches the machine"
)]
pub mod server;
mod sts;
pub mod world;

pub use world::World;
