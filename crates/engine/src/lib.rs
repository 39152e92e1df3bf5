//! Observe → decide → write → read back → journal: the one loop that acts.
//!
//! Decisions are made by `accord-plan`, formats are known by `accord-wire`; here is the order of reads and writes.
//! Read the modules in this order:
//!
//! 1. [`cluster`]: a cluster as the loop sees it. [`live`]: one that runs. [`state_file`]: one in a file, on top of
//!    [`mod@file`], which reads with limits and replaces as a whole.
//! 2. [`run`]: the loop. [`writes`] turns a plan's steps into the new content of objects, [`size`] says how large those
//!    may be, [`verify`] compares what is there afterwards with what was planned.
//! 3. [`undo`]: what an applied plan did, for a rollback.
//! 4. [`input`], [`assembly`], [`examine`], [`mod@fix`]: what people hand in, what is wrong in it, and how it is mended.
//! 5. [`clock`]: where time and randomness enter. [`teeth`]: what a test build can switch off.
//!
//! # Invariants
//! - Nothing is decided here: what is written follows from the plan alone.
//! - A file is replaced as a whole or not at all, and only if it still is what was read.
//! - What was written is read again and compared with the plan before it counts as done.
//! - Whatever fails, running the same command again gets there.

pub mod assembly;
pub mod clock;
pub mod cluster;
pub mod examine;
pub mod file;
pub mod fix;
pub mod input;
pub mod live;
pub mod run;
pub mod size;
pub mod state_file;
mod teeth;
pub mod undo;
pub mod verify;
pub mod writes;
