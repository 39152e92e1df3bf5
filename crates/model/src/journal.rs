//! The history of applied plans, from which a rollback is made.

use crate::mapping::{EntryId, Mapping};
use crate::plan::{Change, Refusal};
use crate::time::Timestamp;

/// What an entry was and became in one plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryChange {
    /// Where it was before, if it was there.
    pub before_at: Option<EntryId>,
    /// Principal as written.
    pub principal: String,
    /// Before.
    pub before: Option<Mapping>,
    /// After.
    pub after: Option<Mapping>,
}

/// One applied plan. `before` texts are kept whole, so that `rollback` can put owners' declarations back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// A UUIDv7, which also orders the entries.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// The command: `apply`, `sync`, …
    pub command: String,
    /// Who asked, if known.
    pub caller: Option<String>,
    /// `--reason`.
    pub reason: Option<String>,
    /// Hazards that were allowed to pass: `KIND=PRINCIPAL`.
    pub allowed: Vec<String>,
    /// Done, or only intended (then the process died on the way).
    pub done: bool,
    /// What changed for people.
    pub changes: Vec<Change>,
    /// What was refused beside it.
    pub refusals: Vec<Refusal>,
    /// Objects written, with their data before and after: `aws-auth`, fragments, the ledger.
    pub objects: Vec<ObjectChange>,
    /// The entry that this one undoes.
    pub undoes: Option<String>,
}

/// One object's data before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectChange {
    /// `ConfigMap/kube-system/aws-auth`.
    pub object: String,
    /// `data` before; `None` if the object was not there.
    pub before: Option<Vec<(String, String)>>,
    /// `data` after; `None` if the object went.
    pub after: Option<Vec<(String, String)>>,
}
