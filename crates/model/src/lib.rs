//! The nouns of Accord and their invariants.
//!
//! Everything that the other crates say to each other is a value of this crate. Read the modules in this order:
//!
//! 1. [`span`]: where something stands in a text.
//! 2. [`arn`], [`fold`]: identities as AWS prints them, and how the authenticator compares them.
//! 3. [`mapping`], [`reading`]: one entry of `aws-auth`, and what was read of a whole map.
//! 4. [`claim`], [`ledger`], [`digest`]: what owners want, what Accord wrote for them, and how it knows it again.
//! 5. [`facts`], [`observed`]: what EKS, IAM and the cluster know, and how completely.
//! 6. [`finding`], [`fix`], [`explanation`], [`plan`], [`journal`]: what is said, decided and remembered.
//! 7. [`unknown`], [`deploy`]: what another tool is about to do, with values that are not known yet.
//!
//! # Invariants
//! - No file format: how a map, a ledger or a state file is written is known by `accord-wire` alone.
//! - No I/O, no clock, no environment, no randomness.

pub mod arn;
pub mod claim;
pub mod deploy;
pub mod digest;
pub mod explanation;
pub mod facts;
pub mod finding;
pub mod fix;
pub mod fold;
pub mod journal;
pub mod ledger;
pub mod mapping;
pub mod migration;
pub mod observed;
pub mod plan;
pub mod reading;
pub mod span;
pub mod time;
pub mod unknown;
