//! What `plan`, `apply`, `sync`, `remove`, `adopt`, `admit`, `suspend`, `restore` and `rollback` print.

use accord_model::plan;
use accord_model::plan::EntryEdit;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Finding, Rights, Version};

/// A decided change, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Plan {
    /// Always 1.
    pub version: Version,
    /// The cluster's ARN, or the state file's name.
    pub cluster: String,
    /// What came of it.
    pub outcome: Outcome,
    /// Who gains, loses or changes access.
    pub changes: Vec<Change>,
    /// What is written, in order.
    pub steps: Vec<Step>,
    /// What is not done, and the way out.
    pub refusals: Vec<Refusal>,
    /// Principals that the owner claimed and that are no longer in the files.
    pub pruned: Vec<String>,
    /// Whether they are given up, which `steps` says too.
    #[serde(skip)]
    pub prunes: bool,
    /// Hazards that were allowed to pass, as `KIND=PRINCIPAL`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// The journal entry that was written, as `accord rollback` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// The objects that were written, where the outcome is `partial`; empty: one may have been, which is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Vec<String>>,
    /// The text that `adopt --print` asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// What else is worth saying.
    pub findings: Vec<Finding>,
}

/// What came of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nothing is to do.
    Nothing,
    /// Something is to do, and nothing was done.
    Pending,
    /// It was done.
    Done,
    /// Nothing of it was done: see `refusals`.
    Refused,
    /// Some of it was written, or may have been: see `written`. The same command again goes on from there.
    Partial,
}

/// A change of effective access for one principal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// The principal, in canonical form where there is one.
    pub principal: String,
    /// `gains`, `loses` or `changes`.
    pub change: &'static str,
    /// What it had; `null`: no access.
    pub before: Option<Rights>,
    /// What it has afterwards; `null`: no access.
    pub after: Option<Rights>,
    /// It is, or was, an administrator.
    pub admin: bool,
    /// Whose the entry is: an owner, `eks` or `unclaimed`.
    pub owner: String,
    /// Why it changes.
    pub reason: String,
}

impl From<&plan::Change> for Change {
    fn from(change: &plan::Change) -> Self {
        Self {
            principal: change.principal.clone(),
            change: change.kind(),
            before: change.before.as_ref().map(Rights::from),
            after: change.after.as_ref().map(Rights::from),
            admin: change.admin,
            owner: change.owner.to_string(),
            reason: change.reason.clone(),
        }
    }
}

/// One write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Step {
    /// What is done: `add-mapping`, `update-mapping`, `remove-mapping`, `write-fragment`, `delete-fragment`,
    /// `write-ledger`.
    #[serde(rename = "do")]
    pub action: &'static str,
    /// To what: a section (`mapRoles`), an entry (`mapRoles[2]`), an owner, or an object.
    pub target: String,
    /// The principal concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

impl From<&plan::Step> for Step {
    fn from(step: &plan::Step) -> Self {
        let (target, principal) = match step {
            plan::Step::Edit(EntryEdit::Add { section, mapping }) => {
                (section.to_string(), Some(mapping.arn.clone()))
            }
            plan::Step::Edit(EntryEdit::Update { id, mapping }) => {
                (id.to_string(), Some(mapping.arn.clone()))
            }
            plan::Step::Edit(EntryEdit::Remove { id, principal }) => {
                (id.to_string(), Some(principal.clone()))
            }
            plan::Step::WriteFragment(fragment) => (fragment.owner.to_string(), None),
            plan::Step::DeleteFragment(owner) => (owner.to_string(), None),
            plan::Step::WriteLedger(_) => ("kube-system/accord-ledger".to_owned(), None),
        };
        Self {
            action: step.name(),
            target,
            principal,
        }
    }
}

/// Something that is not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Refusal {
    /// Why, by name.
    pub kind: &'static str,
    /// The principal, where it concerns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Why, in words.
    pub message: String,
    /// Who holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<String>,
    /// What to give to `--allow`, where it can be allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<String>,
}

impl From<&plan::Refusal> for Refusal {
    fn from(refusal: &plan::Refusal) -> Self {
        Self {
            kind: refusal.kind.name(),
            principal: refusal.principal.clone(),
            message: refusal.message.clone(),
            held_by: refusal.held_by.clone(),
            allow: refusal.allow.clone(),
        }
    }
}
