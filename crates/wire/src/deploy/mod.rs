//! What templates and plans have in common: values with their places, of which some are not known yet.
//!
//! ```text
//! template ── intrinsic functions ──┐
//!                                   ├── Node ── resources ── accord_model::deploy
//! plan ────── after, after_unknown ─┘
//! ```

mod map;
mod trust;
mod value;

pub(crate) use map::{Manifests, in_manifests, map_of_data};
pub(crate) use trust::trust;
pub(crate) use value::{Kind, Node, Text};
