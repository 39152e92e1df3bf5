//! What `history` prints.

use accord_model::journal::JournalEntry;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Change, Refusal, Version};

/// The plans that were applied, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct History {
    /// Always 1.
    pub version: Version,
    /// The cluster's ARN, or the state file's name.
    pub cluster: String,
    /// The entries, newest first.
    pub entries: Vec<HistoryEntry>,
}

/// One applied plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HistoryEntry {
    /// Its id, as `accord rollback` takes it.
    pub id: String,
    /// When, in RFC 3339.
    pub at: String,
    /// The command.
    pub command: String,
    /// Who asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it was finished; if not, the process died on the way.
    pub done: bool,
    /// The entry that this one undoes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Who gained, lost or changed access.
    pub changes: Vec<Change>,
    /// What was refused beside it.
    pub refusals: Vec<Refusal>,
    /// Hazards that were allowed to pass, as `KIND=PRINCIPAL`.
    pub allowed: Vec<String>,
}

impl HistoryEntry {
    /// The entry; `at` is its time in RFC 3339.
    pub fn new(entry: &JournalEntry, at: String) -> Self {
        Self {
            id: entry.id.clone(),
            at,
            command: entry.command.clone(),
            caller: entry.caller.clone(),
            reason: entry.reason.clone(),
            done: entry.done,
            undoes: entry.undoes.clone(),
            changes: entry.changes.iter().map(Change::from).collect(),
            refusals: entry.refusals.iter().map(Refusal::from).collect(),
            allowed: entry.allowed.clone(),
        }
    }
}
