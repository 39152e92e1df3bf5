//! One file per command: its arguments, whose doc comments are the help text, then the function that runs it.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod history;
