//! One `apply` on a real API server, with something going wrong at each of its requests.
//!
//! Whatever goes wrong, and whenever: the run ends in time, with the right exit code and a message; a second run
//! finishes the work; a third one finds nothing to do. Nobody else's bytes change, and nobody revoked comes back.
//!
//! `ACCORD_SOAK=1` tries every manner at every request, which takes some ten minutes; without it the slow ones are tried
//! at a few.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests are tests"
)]

mod cluster;
mod manner;
mod matrix;
mod partial;
mod records;
mod restart;
mod story;
