//! What `check` prints.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Change, Finding, Version};

/// What was found in files, and what putting them in place would do to people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// Always 1.
    pub version: Version,
    /// The findings: by file, in the order of the text.
    pub findings: Vec<Finding>,
    /// With `--against`: who would gain, lose or change access.
    pub changes: Vec<Change>,
    /// With `--fix`: the files that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<String>,
}
