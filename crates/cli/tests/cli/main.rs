//! The program as people and scripts meet it: every test runs the real binary in a world of its own.
//!
//! All tests are one binary, so that they link once. The cases (`cases/`) have their own runner.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests are tests"
)]

mod bad_input;
mod common;
mod deploys;
mod journal;
mod limits;
mod merge;
mod reading;
mod usage;
