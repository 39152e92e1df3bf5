use accord_engine::undo;
use accord_model::journal::JournalEntry;
use accord_plan::reconcile::decide;
use accord_plan::request::{Intent, Request};
use clap::Args;

use crate::args::{AllowArgs, ClusterArgs, OutputArgs, WriteArgs};
use crate::commands::perform::{Manner, perform};
use crate::declare;
use crate::error::{self, CliError, Kind, Result};
use crate::session::Session;

/// Undo an applied plan
///
/// It is a plan of its own, guarded like any other: what was edited since is not
/// touched, and a hazard is refused.
///
///     accord rollback --state cluster.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct RollbackArgs {
    /// The journal entry to undo, as `accord history` shows it; without it the last
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,

    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

pub(crate) fn run(args: &RollbackArgs) -> Result<u8> {
    let mut session = Session::with_journal(&args.cluster)?;
    let entry = journal_entry(&session.observe()?.journal, args.id.as_deref())?;
    let undo = undo::of(&entry, &mut session.sources).map_err(|error| {
        CliError::new(Kind::Failed, format!("{} cannot be undone", entry.id)).because(error)
    })?;
    let mut manner = Manner::new("rollback", &args.write, args.output.output);
    manner.asker.undoes = Some(entry.id);
    let request = Request {
        allow: declare::allowances(&args.allow.allow)?,
        ..Request::new(Intent::Rollback(Box::new(undo)))
    };
    perform(&mut session, &manner, &|observed| {
        decide(observed, &request).map_err(error::of_request)
    })
}

/// The entry with that id, of which the beginning is enough; without one the last that is not itself undone.
fn journal_entry(journal: &[JournalEntry], id: Option<&str>) -> Result<JournalEntry> {
    let found: Vec<&JournalEntry> = match id {
        Some(id) => journal.iter().filter(|e| e.id.starts_with(id)).collect(),
        None => {
            let undone = |entry: &JournalEntry| {
                journal
                    .iter()
                    .any(|e| e.done && e.undoes.as_ref() == Some(&entry.id))
            };
            let last = journal
                .iter()
                .rev()
                .find(|e| e.done && e.undoes.is_none() && !undone(e));
            last.into_iter().collect()
        }
    };
    match (found.as_slice(), id) {
        ([one], _) => Ok((*one).clone()),
        ([], Some(id)) => Err(CliError::usage(format!("the journal has no entry `{id}`"))
            .hint("`accord history` shows what there is")),
        ([], None) => Err(CliError::usage(
            "the journal has nothing that could be undone",
        )),
        (_, _) => Err(CliError::usage("more than one journal entry begins so")
            .hint("`accord history` shows what there is")),
    }
}
