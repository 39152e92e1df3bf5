//! The loop: observe, decide, write, read back, keep the journal.
//!
//! ```text
//! observe → decide → confirm → journal (intended) → the plan's steps, in their order
//!    ^                                                             │
//!    └─ conflict: somebody else wrote ─ commit ← journal (done) ← read back, compare
//! ```
//!
//! The executor has no choices: what is written follows from the plan, and what the plan is follows from what was
//! observed. To retry is to observe and decide again.

use accord_model::journal::{JournalEntry, ObjectChange};
use accord_model::observed::Observed;
use accord_model::plan::Plan;
use accord_plan::checker::{self, Contradictions};
use accord_wire::config_map::ObjectName;
use accord_wire::sources::Sources;

use crate::clock::{self, Clock};
use crate::cluster::{Cluster, ClusterError, Write};
use crate::size;
use crate::teeth::{self, Rule};
use crate::verify::{self, Deviation};
use crate::writes::{self, WriteError};

/// How often everything is decided anew because somebody else wrote meanwhile.
const TRIES: u32 = 20;

/// How many journal entries are kept.
pub const JOURNAL_KEPT: usize = 50;

/// What can go wrong, besides what the decision itself refuses with.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// The cluster cannot be read or written.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// What is asked cannot be decided: it names what is not there.
    #[error(transparent)]
    Decide(E),
    /// The plan breaks a rule: a bug in deciding, which the checker noticed. Nothing was written.
    #[error("the plan breaks a rule")]
    Unsound(#[from] Contradictions),
    /// The plan cannot be put into bytes. Nothing was written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Somebody else's write made it another plan when a part was written, and the person said no to that.
    #[error("the rest has become another plan, and nobody said yes to it")]
    Declined,
    /// Somebody else's write made the rest impossible when a part was written.
    #[error("the rest is refused now")]
    RefusedMeanwhile,
    /// What was written does not give the planned access.
    #[error("what was written does not give the access that was planned")]
    Deviation(#[from] Deviation),
}

/// A decision, and what it rests on.
#[derive(Debug)]
pub struct Proposal {
    /// What was observed.
    pub observed: Observed,
    /// What was decided.
    pub plan: Plan,
    writes: Vec<Write>,
}

impl Proposal {
    /// Whether there is nothing to write.
    pub fn is_nothing(&self) -> bool {
        self.plan.steps.is_empty()
    }
}

/// Who does what, for the journal.
#[derive(Clone, Debug, Default)]
pub struct Asker {
    /// The command: `apply`.
    pub command: String,
    /// `--reason`
    pub reason: Option<String>,
    /// The journal entry that is undone.
    pub undoes: Option<String>,
}

/// What came of it.
#[derive(Debug)]
pub enum Outcome<E> {
    /// Nothing is to do.
    Nothing(Proposal),
    /// The asker is refused; nothing was written.
    Refused(Proposal),
    /// The person said no; nothing was written.
    Declined(Proposal),
    /// It was done; with the journal entry's id.
    Done(Proposal, String),
    /// The objects named were written, and then this went wrong; if none is named, one may have been written. Running it
    /// again goes on from there.
    Partial(Proposal, Vec<String>, RunError<E>),
}

/// Observes and decides, and writes nothing.
///
/// # Errors
/// All of [`RunError`] but [`RunError::Deviation`].
pub fn propose<E>(
    cluster: &mut dyn Cluster,
    sources: &mut Sources,
    clock: Clock,
    decide: &dyn Fn(&Observed) -> Result<Plan, E>,
) -> Result<Proposal, RunError<E>> {
    let observed = cluster.observe(clock.now(), sources)?;
    let mut plan = decide(&observed).map_err(RunError::Decide)?;
    checker::check(&observed, &plan)?;
    let writes = writes::of(&plan, cluster)?;
    for write in writes.iter().filter(|w| w.name == ObjectName::aws_auth()) {
        plan.refusals.extend(size::refusal(write, &observed));
        plan.findings.extend(size::warning(write));
    }
    Ok(Proposal {
        observed,
        plan,
        writes,
    })
}

/// Observes, decides, asks `confirm`, and writes.
///
/// `confirm` is asked once, and again only if somebody else's write has made it another plan.
///
/// # Errors
/// All of [`RunError`]; then nothing was written. What fails after the first write is [`Outcome::Partial`].
pub fn apply<E>(
    cluster: &mut dyn Cluster,
    sources: &mut Sources,
    clock: Clock,
    asker: &Asker,
    decide: &dyn Fn(&Observed) -> Result<Plan, E>,
    confirm: &mut dyn FnMut(&Proposal, &Sources) -> Result<bool, E>,
) -> Result<Outcome<E>, RunError<E>> {
    let mut begun: Option<(Proposal, JournalEntry)> = None;
    let mut tries = 0;
    loop {
        tries += 1;
        let mut proposal = match propose(cluster, sources, clock, decide) {
            Ok(proposal) => proposal,
            Err(error) => return broken_off(begun, error),
        };
        if !teeth::holds(Rule::DecideAnew)
            && let Some((earlier, _)) = &mut begun
        {
            std::mem::swap(earlier, &mut proposal);
        }
        if proposal.plan.is_refused() || proposal.is_nothing() {
            return settled(cluster, proposal, begun);
        }
        let is_new = begun
            .as_ref()
            .is_none_or(|(before, _)| before.plan.changes != proposal.plan.changes);
        if is_new {
            match confirm(&proposal, sources) {
                Ok(true) => {}
                Ok(false) if has_written(begun.as_ref()) => {
                    return broken_off(begun, RunError::Declined);
                }
                Ok(false) => return Ok(Outcome::Declined(proposal)),
                Err(error) => return broken_off(begun, RunError::Decide(error)),
            }
        }
        let mut entry = journal_entry(asker, &proposal, cluster.last_entry().as_deref());
        if let Some((_, earlier)) = begun {
            entry.id = earlier.id;
            entry.objects = earlier.objects;
        }
        let outcome = write(cluster, sources, &proposal, &mut entry);
        if outcome.is_err() && !cluster.writes_at_once() {
            entry.objects.clear();
        }
        match outcome {
            Ok(()) => return Ok(Outcome::Done(proposal, entry.id)),
            Err(RunError::Cluster(ClusterError::Conflict(_))) if tries < TRIES => {
                begun = Some((proposal, entry));
                cluster.wait(tries);
            }
            Err(error) => return broken_off(Some((proposal, entry)), error),
        }
    }
}

fn has_written(begun: Option<&(Proposal, JournalEntry)>) -> bool {
    begun.is_some_and(|(_, entry)| !entry.objects.is_empty())
}

/// An error, and what was written before it.
fn broken_off<E>(
    begun: Option<(Proposal, JournalEntry)>,
    error: RunError<E>,
) -> Result<Outcome<E>, RunError<E>> {
    let is_unsure = matches!(&error, RunError::Cluster(error) if error.may_be_written());
    match begun {
        Some((proposal, entry)) if is_unsure || !entry.objects.is_empty() => {
            let mut written: Vec<String> = Vec::new();
            for ObjectChange { object, .. } in entry.objects {
                if !written.contains(&object) {
                    written.push(object);
                }
            }
            Ok(Outcome::Partial(proposal, written, error))
        }
        _ => Err(error),
    }
}

/// Nothing is left to write: others have done it, or have made it impossible. The journal is told what this run wrote
/// itself.
fn settled<E>(
    cluster: &mut dyn Cluster,
    proposal: Proposal,
    begun: Option<(Proposal, JournalEntry)>,
) -> Result<Outcome<E>, RunError<E>> {
    let is_refused = proposal.plan.is_refused();
    if let Some((before, mut entry)) = begun {
        if entry.objects.is_empty() {
            cluster.forget(&entry.id)?;
        } else {
            entry.done = !is_refused;
            if let Err(error) = cluster.journal(&entry, JOURNAL_KEPT) {
                return broken_off(Some((before, entry)), error.into());
            }
            return match is_refused {
                true => broken_off(Some((proposal, entry)), RunError::RefusedMeanwhile),
                false => Ok(Outcome::Done(before, entry.id)),
            };
        }
    }
    Ok(if is_refused {
        Outcome::Refused(proposal)
    } else {
        Outcome::Nothing(proposal)
    })
}

/// Writes what was decided, reads it back, and keeps the journal. Afterwards `entry` lists the objects that were really
/// written, those of earlier tries first.
fn write<E>(
    cluster: &mut dyn Cluster,
    sources: &mut Sources,
    proposal: &Proposal,
    entry: &mut JournalEntry,
) -> Result<(), RunError<E>> {
    let planned = proposal.writes.iter().map(object_change);
    let mut ahead = entry.clone();
    ahead.objects.extend(planned);
    cluster.journal(&ahead, JOURNAL_KEPT)?;
    for write in &proposal.writes {
        cluster.write(write)?;
        entry.objects.push(object_change(write));
    }
    let after = cluster.read_back(&proposal.observed, sources)?;
    verify::access(&proposal.observed, &after, &proposal.plan.changes)?;
    entry.done = true;
    cluster.journal(entry, JOURNAL_KEPT)?;
    Ok(cluster.commit()?)
}

fn journal_entry(asker: &Asker, proposal: &Proposal, last: Option<&str>) -> JournalEntry {
    let Proposal { observed, plan, .. } = proposal;
    JournalEntry {
        id: clock::journal_id(observed.now, last),
        at: observed.now,
        command: asker.command.clone(),
        caller: observed.caller.clone(),
        reason: asker.reason.clone(),
        allowed: plan.allowed.clone(),
        done: false,
        changes: plan.changes.clone(),
        refusals: plan.refusals.clone(),
        objects: Vec::new(),
        undoes: asker.undoes.clone(),
    }
}

fn object_change(write: &Write) -> ObjectChange {
    ObjectChange {
        object: write.name.to_string(),
        before: write.before.clone(),
        after: write.after.clone(),
    }
}
