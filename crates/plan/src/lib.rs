//! (crate essay)
