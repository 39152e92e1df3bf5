//! (crate essay)

pub mod access;
pub mod caller;
pub mod entry;
pub mod rules;
pub mod template;
#[cfg(test)]
mod testing;
pub mod usage;
