//! Reports as people read them. Each function makes text of a report and of nothing else.

pub(crate) mod finding;
