//! The request log: what was called, by whom, and how it ended. No header, no body, no query: so no token, no signature
//! and no secret can be in it.

use std::collections::VecDeque;

use serde::Serialize;

/// How many calls are remembered.
const REMEMBERED: usize = 10_000;

/// A call.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    /// When, by the sandbox's clock.
    pub(super) time: String,
    /// `eks`, `iam`, `sts`, `kubernetes`.
    pub(super) service: String,
    /// `CreateCluster`, or the verb and path of a call of Kubernetes.
    pub(super) operation: String,
    /// Who called.
    pub(super) caller: String,
    /// The status of the answer.
    pub(super) status: u16,
    /// The code of an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// The last calls.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
}

impl Log {
    pub(super) fn add(&mut self, entry: Entry) {
        if self.entries.len() >= REMEMBERED {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
    }

    pub(super) fn entries(&self) -> &VecDeque<Entry> {
        &self.entries
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }
}
