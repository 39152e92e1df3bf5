//! (crate essay)

pub mod report;
pub mod saved;
