//! Observe → decide → write → read back → journal: the one loop that acts.
//!
//! Decisions are made by `accord-plan`, formats are known by `accord-wire`; here is the order of reads and writes.
//! Read the modules in this order:
//!
//! 1. [`input`], [`file`]: what people hand in; files read with limits and replaced as a whole.
//! 2. [`clock`]: where time and randomness enter.
//!
//! # Invariants
//! - Nothing is decided here: what is written follows from the plan alone.
//! - A file is replaced as a whole or not at all, and only if it still is what was read.
//! - What was written is read again and compared with the plan before it counts as done.

pub mod clock;
pub mod cluster;
pub mod examine;
pub mod file;
pub mod input;
pub mod run;
pub mod size;
pub mod state_file;
pub mod undo;
pub mod verify;
pub mod writes;
