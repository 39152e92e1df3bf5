//! (crate essay)

pub mod report;
