//! From `-f` and its flags to a request.

use std::path::Path;

use accord_engine::input::{self, Input};
use accord_engine::run::Proposal;
use accord_model::finding::Finding;
use accord_model::observed::Observed;
use accord_model::plan::{Plan, Refusal};
use accord_plan::reconcile::decide;
use accord_plan::request::{Allow, Intent, Request};
use accord_wire::declaration;
use accord_wire::fragment;
use accord_wire::saved::{self, SavedFile, SavedPlan};
use accord_wire::sources::Sources;

use crate::args::DeclarationArgs;
use crate::error::{self, CliError, Result};

/// What is declared, in words and as a request.
pub(crate) struct Declaration {
    request: Request,
    /// What cannot be meant as it is written.
    problems: Vec<Finding>,
    /// What was asked, to be kept with a plan.
    asked: Asked,
}

/// What was asked, word for word.
#[derive(Clone, Debug)]
struct Asked {
    files: Vec<SavedFile>,
    owner: Option<String>,
    prune: bool,
    take_over: Vec<String>,
    allow: Vec<String>,
}

impl Declaration {
    /// Reads the files that the arguments name.
    pub(crate) fn read(
        args: &DeclarationArgs,
        allow: &[String],
        sources: &mut Sources,
    ) -> Result<Self> {
        if args.filename.is_empty() {
            return Err(CliError::usage("nothing is declared").hint(
                "give `-f PATH`; to put the present claims into effect there is `accord sync`",
            ));
        }
        let inputs = input::read_all(&args.filename).map_err(error::of_input)?;
        let asked = Asked {
            files: Vec::new(),
            owner: args.owner.clone(),
            prune: args.prune,
            take_over: args.take_over.clone(),
            allow: allow.to_vec(),
        };
        Self::of(&inputs, asked, sources)
    }

    /// Reads what was kept with a plan.
    pub(crate) fn kept(path: &Path, sources: &mut Sources) -> Result<(Self, SavedPlan)> {
        let input = input::read(path).map_err(error::of_file)?;
        let text = String::from_utf8_lossy(&input.bytes);
        let saved = SavedPlan::parse(&text).map_err(|error| {
            CliError::usage(format!("`{}` cannot be applied", path.display()))
                .because(error)
                .hint("declarations are given with `-f`")
        })?;
        let inputs: Vec<Input> = saved
            .files
            .iter()
            .map(|file| Input {
                name: file.name.clone(),
                bytes: file.text.clone().into_bytes(),
            })
            .collect();
        let asked = Asked {
            files: Vec::new(),
            owner: saved.owner.clone(),
            prune: saved.prune,
            take_over: saved.take_over.clone(),
            allow: saved.allow.clone(),
        };
        Ok((Self::of(&inputs, asked, sources)?, saved))
    }

    fn of(inputs: &[Input], mut asked: Asked, sources: &mut Sources) -> Result<Self> {
        let owner = asked
            .owner
            .as_deref()
            .map(fragment::owner_named)
            .transpose()
            .map_err(|error| {
                CliError::usage("`--owner` is no name for a ConfigMap").because(error)
            })?;
        let files: Vec<(&str, &[u8])> = inputs
            .iter()
            .map(|input| (input.name.as_str(), input.bytes.as_slice()))
            .collect();
        let declared = declaration::read(&files, owner.as_ref(), sources)
            .map_err(|error| error::of_declaration(error, sources))?;
        asked.files = inputs
            .iter()
            .map(|input| SavedFile {
                name: input.name.clone(),
                text: String::from_utf8_lossy(&input.bytes).into_owned(),
            })
            .collect();
        Ok(Self {
            request: Request {
                intent: Intent::Declare {
                    fragments: declared.fragments,
                    prune: asked.prune,
                },
                take_over: asked.take_over.clone(),
                allow: allowances(&asked.allow)?,
                caller: None,
            },
            problems: declared.problems,
            asked,
        })
    }

    /// Decides what it would change; what cannot be meant as it is written is refused.
    pub(crate) fn decide(&self, observed: &Observed) -> Result<Plan> {
        if self.problems.is_empty() {
            return decide(observed, &self.request).map_err(error::of_request);
        }
        Ok(Plan {
            refusals: self.problems.iter().map(refusal).collect(),
            findings: self.problems.clone(),
            ..Plan::default()
        })
    }

    /// The plan as it is kept in a file.
    pub(crate) fn keep(&self, proposal: &Proposal) -> SavedPlan {
        let Asked {
            files,
            owner,
            prune,
            take_over,
            allow,
        } = self.asked.clone();
        SavedPlan {
            format: SavedPlan::FORMAT.to_owned(),
            cluster: proposal.observed.heading.clone(),
            files,
            owner,
            prune,
            take_over,
            allow,
            changes: saved::changes(&proposal.plan),
            steps: saved::steps(&proposal.plan),
        }
    }
}

/// What `--allow` names.
pub(crate) fn allowances(allow: &[String]) -> Result<Vec<Allow>> {
    allow
        .iter()
        .map(|text| {
            text.parse::<Allow>().map_err(|error| {
                CliError::usage("`--allow` takes what a refusal names").because(error)
            })
        })
        .collect()
}

fn refusal(problem: &Finding) -> Refusal {
    Refusal {
        kind: problem.kind,
        principal: problem.principal.clone(),
        message: problem.message.clone(),
        held_by: None,
        allow: None,
        askers: true,
    }
}
