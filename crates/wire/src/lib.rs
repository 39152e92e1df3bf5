//! (crate essay)

pub mod quote;
pub mod report;
pub mod saved;
pub mod time;
