//! (crate essay)

pub mod quote;
pub mod report;
pub mod saved;
#[cfg_attr(not(feature = "teeth"), allow(dead_code))]
mod teeth;
pub mod time;
pub mod yaml;
