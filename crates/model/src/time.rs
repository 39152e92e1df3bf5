//! A moment, as a value: pure code is told the time and never asks for it.

/// Milliseconds since 1970-01-01T00:00:00Z, never negative. `accord_wire::time` reads and prints RFC 3339.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp {
    /// Milliseconds since the Unix epoch.
    pub millis: u64,
}
