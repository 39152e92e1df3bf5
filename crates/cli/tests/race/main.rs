//! Many writers at once on a real API server, judged by everything that was ever stored.
//!
//! A recorder, which is the real kubectl with a watch, sees every version of every object; a [`judge`] compares each
//! version of the map with the one before. The final state alone would hide an entry that was lost and put back.
//! What it is worth is shown by [`teeth`]: it finds what programs do that break a rule.
//!
//! `cargo xtask soak` runs the [`storm`] at full length.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests are tests"
)]

mod claims;
mod foreign;
mod history;
mod hostile;
mod judge;
mod owner;
mod recorder;
mod roles;
mod storm;
mod teeth;
