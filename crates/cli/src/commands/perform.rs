//! What every command that writes has in common: decide, show, ask, write, report.

use accord_engine::run::{self, Asker, Outcome, Proposal};
use accord_model::finding::FindingKind;
use accord_model::observed::Observed;
use accord_model::plan::{Plan, Refusal};
use accord_wire::report;
use accord_wire::sources::Sources;

use crate::args::{Format, WriteArgs};
use crate::error::{self, CliError, Kind, Result};
use crate::session::Session;
use crate::{convert, exit, render, ui};

/// What is done, and how it is asked about and reported.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    /// Who asks for what, for the journal.
    pub(crate) asker: Asker,
    /// The form of the answer.
    pub(crate) format: Format,
    /// Do not ask.
    pub(crate) yes: bool,
}

impl Manner {
    /// How `command` goes, by what is given on the command line.
    pub(crate) fn new(command: &str, write: &WriteArgs, format: Format) -> Self {
        Self {
            asker: Asker {
                command: command.to_owned(),
                reason: write.reason.clone(),
                undoes: None,
            },
            format,
            yes: write.yes,
        }
    }
}

/// Decides, asks, writes and reports.
pub(crate) fn perform(
    session: &mut Session,
    manner: &Manner,
    decide: &dyn Fn(&Observed) -> Result<Plan>,
) -> Result<u8> {
    let done = write(session, manner, decide)?;
    done.print(manner.format)?;
    Ok(done.code)
}

/// What came of it.
pub(crate) struct Done {
    pub(crate) report: report::Plan,
    pub(crate) proposal: Proposal,
    pub(crate) code: u8,
    /// The plan was shown before the question, and need not be shown again.
    shown: bool,
}

impl Done {
    /// Prints the report; to a person who has seen the plan, only what came of it.
    pub(crate) fn print(&self, format: Format) -> Result<()> {
        let declined = self.report.outcome == report::Outcome::Pending;
        match (self.shown, format) {
            (true, Format::Text) if declined => ui::print("Nothing was written.\n"),
            (true, Format::Text) => ui::print(&render::plan::summary(&self.report)),
            _ => ui::report(format, &self.report, render::plan::plan),
        }
    }
}

/// Decides, asks and writes; what came of it is reported by the caller.
pub(crate) fn write(
    session: &mut Session,
    manner: &Manner,
    decide: &dyn Fn(&Observed) -> Result<Plan>,
) -> Result<Done> {
    let expected = session.expected().map(str::to_owned);
    let guarded = |observed: &Observed| guard(expected.as_deref(), observed, decide);
    let mut shown = false;
    let mut confirm = |proposal: &Proposal, sources: &Sources| {
        if manner.yes {
            return Ok(true);
        }
        if !ui::can_ask() {
            ui::say(&nobody().render());
            return Ok(false);
        }
        let pending = convert::plan(proposal, sources, report::Outcome::Pending);
        ui::say(&render::plan::plan(&pending));
        shown = true;
        ui::ask("Write this?")
    };
    let Session {
        cluster,
        sources,
        clock,
        ..
    } = session;
    let outcome = run::apply(
        cluster.as_mut(),
        sources,
        *clock,
        &manner.asker,
        &guarded,
        &mut confirm,
    )
    .map_err(|error| error::of_run(error, sources))?;
    let (mut journal, mut written) = (None, None);
    let (proposal, word, code) = match outcome {
        Outcome::Nothing(proposal) => (proposal, report::Outcome::Nothing, exit::DONE),
        Outcome::Refused(proposal) => (proposal, report::Outcome::Refused, exit::REFUSED),
        Outcome::Declined(proposal) => (proposal, report::Outcome::Pending, exit::REFUSED),
        Outcome::Done(proposal, id) => {
            journal = Some(id);
            (proposal, report::Outcome::Done, exit::DONE)
        }
        Outcome::Partial(proposal, objects, error) => {
            ui::say(&error::of_run(error, sources).partly(&objects).render());
            written = Some(objects);
            (proposal, report::Outcome::Partial, exit::PARTIAL)
        }
    };
    let mut report = convert::plan(&proposal, sources, word);
    report.journal = journal;
    report.written = written;
    Ok(Done {
        report,
        proposal,
        code,
        shown,
    })
}

fn nobody() -> CliError {
    CliError::new(
        Kind::Refused,
        "nobody can be asked, because this is no terminal; nothing was written",
    )
    .hint("look at the plan, then give `--yes`")
}

/// Decides for the cluster that is wanted, and refuses any other.
pub(crate) fn guard(
    expected: Option<&str>,
    observed: &Observed,
    decide: &dyn Fn(&Observed) -> Result<Plan>,
) -> Result<Plan> {
    match expected {
        Some(expected) if expected != observed.heading => Ok(Plan {
            refusals: vec![Refusal {
                kind: FindingKind::WrongCluster,
                principal: None,
                message: format!(
                    "This is `{}`, and `{expected}` was expected.",
                    observed.heading
                ),
                held_by: None,
                allow: None,
                askers: true,
            }],
            ..Plan::default()
        }),
        _ => decide(observed),
    }
}
