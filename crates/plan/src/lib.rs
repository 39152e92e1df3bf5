//! (crate essay)

pub mod access;
pub mod caller;
pub mod entry;
pub mod explain;
pub mod lint;
mod near;
pub mod request;
pub mod rules;
mod subject;
pub mod template;
#[cfg(test)]
mod testing;
pub mod usage;
