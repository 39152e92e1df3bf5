//! Decisions: pure functions from what was declared and observed to what is said and done.
//!
//! # Reading order
//! 1. [`rules`]: which entry of a map decides. [`caller`], [`template`]: who asks, and how usernames are filled.
//! 2. [`entry`], [`access`]: effective access, from the map, access entries and the authentication mode.
//! 3. [`usage`]: who uses which role, and how completely that is known.
//! 4. [`explain`], [`lint`]: what is said of it; [`fix`]: what can be mended. [`holder`]: whose an entry is;
//!    [`mod@journal`]: what is remembered of it.
//! 5. [`request`], [`reconcile`]: what is asked for, and the plan that comes of it; one file for each kind of request.
//!    [`against`], [`deploy`], [`status`]: what another text or another tool would do, and how everything stands.
//!    [`migrate`]: the way from the map to access entries, and the proof that nobody loses access on it.
//!
//! # Invariants
//! - A value in, a value out: no I/O, no clock (what was observed carries the time), no environment, no randomness, and
//!   no map whose order changes from run to run.
//! - No file format: where something stands is a span, and what was read of a text comes as neutral remarks.
//! - Each rule of the authenticator and of EKS is written once, with its source.

pub mod access;
pub mod addons;
mod admit;
mod adopt;
pub mod against;
pub mod caller;
pub mod checker;
mod declare;
pub mod deploy;
mod diff;
pub mod entry;
pub mod explain;
pub mod fix;
mod hazards;
pub mod holder;
mod journal;
pub mod lint;
pub mod migrate;
mod near;
pub mod reconcile;
pub mod request;
mod restore;
mod rollback;
pub mod rules;
#[cfg(test)]
mod simulator;
pub mod status;
mod subject;
mod suspend;
pub mod template;
#[cfg(test)]
mod testing;
pub mod usage;
