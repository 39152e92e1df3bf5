//! The program as people and scripts meet it: every test runs the real binary in a world of its own.
//!
//! All tests are one binary, so that they link once. The cases (`cases/`) have their own runner.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests"
)]

mod common;
mod usage;
