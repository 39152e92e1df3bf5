//! Every JSON output of the program, as serde types: the shapes that scripts rely on.
//!
//! Fields may be added, never renamed or removed; each document carries [`Version`]. The published JSON Schemas
//! (`docs/schemas/*.json`) are generated from these types. A field that does not apply is left out, except `before`
//! and `after` of a change, which are `null` where there is no access.
//!
//! Types here only *show* values of the model; nothing is read back from them.

mod access;
mod check;
mod explain;
mod finding;
mod history;
mod plan;
pub mod sarif;
mod status;
pub mod yaml;

pub use access::{Policy, Rights, Scope};
pub use check::Check;
pub use explain::{Alternative, Explain, ExplainedIdentity, ExplainedOutcome, Near};
pub use finding::Finding;
pub use history::{History, HistoryEntry};
pub use plan::{Change, Outcome, Plan, Refusal, Step};
pub use status::{Status, StatusEntry};

use schemars::JsonSchema;
use serde::Serialize;

/// The version of the documents: always 1, a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version;

impl Serialize for Version {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(1)
    }
}

impl JsonSchema for Version {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Version".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"const": 1, "description": "The version of this document's shape."})
    }
}

/// Name and schema of every document, for publishing.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    vec![
        ("check", schema::<Check>()),
        ("explain", schema::<Explain>()),
        ("history", schema::<History>()),
        ("plan", schema::<Plan>()),
        ("status", schema::<Status>()),
    ]
}

/// The schema of what is written, where a field is required unless it may be left out.
fn schema<T: JsonSchema>() -> schemars::Schema {
    schemars::generate::SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
}
