//! (crate essay)

pub mod journal;
pub mod ledger;
pub mod quote;
pub mod report;
pub mod saved;
pub mod sources;
mod stored;
#[cfg_attr(not(feature = "teeth"), allow(dead_code))]
mod teeth;
pub mod time;
pub mod yaml;
