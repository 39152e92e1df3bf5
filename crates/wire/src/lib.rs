//! Every outside format, to the model and back.
//!
//! ```text
//! bytes ── yaml ──┬── authenticator ── AuthMap        what production makes of aws-auth
//!                 ├── state ────────── Observed       a cluster in a file, and lossless changes of it
//!                 └── declaration ──── Fragment       what owners want, read strictly
//! EntryEdit ── edit ── text          Ledger, JournalEntry, Fragment ── ConfigMap         model values ── report ── JSON
//! ```
//!
//! Read the modules in this order:
//!
//! 1. [`yaml`], [`sources`]: YAML as go-yaml v2 reads it, with byte-exact places, and how texts lie inside each other.
//! 2. [`authenticator`], [`edit`]: the text of a section, read as production reads it, and changed entry by entry.
//! 3. [`config_map`], [`aws_auth`], [`fragment`], [`ledger`], [`journal`]: the objects that carry all that.
//! 4. [`state`], [`declaration`]: files of such objects, and of what the AWS CLI prints. [`snapshot`] makes them.
//! 5. [`report`], [`saved`]: what Accord itself prints and keeps for later.
//!
//! # Invariants
//! - It decides nothing. Deviations are stated, and judged in `accord-plan`.
//! - No input panics. What cannot be understood is an error or a remark with its place, never a guess.
//! - A text that is changed is read again, and says exactly what it should; every other byte stays.
//! - No I/O, no clock, no environment, no randomness.

pub mod authenticator;
pub mod aws_auth;
mod claims;
pub mod config_map;
pub mod declaration;
mod deploy;
pub mod edit;
pub mod fragment;
pub mod journal;
pub mod ledger;
pub mod quote;
pub mod report;
pub mod saved;
pub mod snapshot;
pub mod sources;
pub mod state;
mod stored;
pub mod teeth;
pub mod template;
pub mod terraform;
pub mod time;
mod view;
pub mod yaml;
