//! Observe → decide → write → read back → journal: the one loop that acts.

pub mod clock;
pub mod file;
pub mod input;
