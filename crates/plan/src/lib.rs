//! (crate essay)

pub mod rules;
#[cfg(test)]
mod testing;
