//! Exit codes: an interface that scripts rely on.

/// Done, or there was nothing to do.
pub(crate) const DONE: u8 = 0;
/// Failed: the environment, or a bug; the message says which. Nothing was written but a journal entry.
pub(crate) const FAILED: u8 = 1;
/// The command line, or what it names, is wrong.
pub(crate) const USAGE: u8 = 2;
/// Changes are pending (`accord plan --exit-code`).
pub(crate) const PENDING: u8 = 3;
/// There are findings at or above the asked severity, or an identity that would not get in.
pub(crate) const FINDINGS: u8 = 4;
/// Refused: a hazard, a conflict, or a question that nobody answered. Nothing was written.
pub(crate) const REFUSED: u8 = 5;
/// Partly applied: some of it was written, or may have been. The same command again goes on from there.
pub(crate) const PARTIAL: u8 = 6;
