//! One file per command: its arguments, whose doc comments are the help text, then the function that runs it.

pub(crate) mod admit;
pub(crate) mod adopt;
pub(crate) mod apply;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod history;
pub(crate) mod perform;
pub(crate) mod plan;
pub(crate) mod remove;
pub(crate) mod restore;
pub(crate) mod rollback;
pub(crate) mod sandbox;
pub(crate) mod snapshot;
pub(crate) mod status;
pub(crate) mod suspend;
pub(crate) mod sync;
