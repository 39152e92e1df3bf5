//! (crate essay)

pub mod authenticator;
pub mod journal;
pub mod ledger;
pub mod quote;
pub mod report;
pub mod saved;
pub mod sources;
mod stored;
pub mod teeth;
pub mod time;
pub mod yaml;
