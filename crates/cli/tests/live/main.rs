//! The program on a real API server, beside the other tools that write there.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests are tests"
)]

mod bad_input;
mod deploys;
mod escalation;
mod world;
