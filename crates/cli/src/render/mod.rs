//! Reports as people read them. Each function makes text of a report and of nothing else.

pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod finding;
pub(crate) mod history;
pub(crate) mod plan;
pub(crate) mod status;
mod text;
