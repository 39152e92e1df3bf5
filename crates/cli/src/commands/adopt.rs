use accord_engine::run::Proposal;
use accord_model::claim::{Fragment, Owner};
use accord_model::observed::Observed;
use accord_model::plan::Step;
use accord_plan::reconcile::decide;
use accord_plan::request::{Intent, Request};
use accord_wire::fragment;
use clap::{Args, ValueEnum};

use crate::args::{ClusterArgs, Format, OutputArgs, WriteArgs};
use crate::commands::perform::{self, Manner};
use crate::error::{self, CliError, Result};
use crate::session::Session;
use crate::{render, ui};

/// Claim what is live for an owner
///
/// Nobody's access changes. With `--print` the owner's claims come out as a
/// fragment or as a bare list, to be kept in Git.
///
///     accord adopt --state cluster.yaml --owner team-a --principal arn:aws:iam::111122223333:role/a
///     accord adopt --state cluster.yaml --owner team-a --principal ... --print fragment > team-a.yaml
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct AdoptArgs {
    /// The owner who claims
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: String,

    /// The principals to claim (repeatable)
    #[arg(long, value_name = "ARN", required = true)]
    pub(crate) principal: Vec<String>,

    /// Print the owner's claims in this form, on standard output; the plan goes to standard error
    #[arg(long, value_name = "FORM", help_heading = "Output")]
    pub(crate) print: Option<Printed>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// The form in which claims are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Printed {
    /// A labelled ConfigMap
    Fragment,
    /// A bare list of role mappings, or of all sections if there are others
    #[value(name = "mapRoles")]
    MapRoles,
}

pub(crate) fn run(args: &AdoptArgs) -> Result<u8> {
    let mut session = Session::open(&args.cluster)?;
    let manner = Manner::new("adopt", &args.write, args.output.output);
    let owner = fragment::owner_named(&args.owner)
        .map_err(|error| CliError::usage("`--owner` is no name for a ConfigMap").because(error))?;
    let request = Request::new(Intent::Adopt {
        owner: owner.clone(),
        principals: args.principal.clone(),
    });
    let adopt = |observed: &Observed| decide(observed, &request).map_err(error::of_request);
    let Some(form) = args.print else {
        return perform::perform(&mut session, &manner, &adopt);
    };
    let mut done = perform::write(&mut session, &manner, &adopt)?;
    let text = claims(&done.proposal, &owner).map(|fragment| printed(&fragment, form));
    match (manner.format, text) {
        (Format::Text, Some(text)) => {
            ui::say(&render::plan::plan(&done.report));
            ui::print(&text)?;
        }
        (format, text) => {
            done.report.printed = text;
            done.print(format)?;
        }
    }
    Ok(done.code)
}

/// What the owner claims after the plan.
fn claims(proposal: &Proposal, owner: &Owner) -> Option<Fragment> {
    let written = proposal.plan.steps.iter().find_map(|step| match step {
        Step::WriteFragment(fragment) if fragment.owner == *owner => Some(fragment),
        _ => None,
    });
    let live = proposal.observed.fragments.items.iter();
    written
        .or_else(|| live.clone().find(|f| f.owner == *owner))
        .cloned()
}

fn printed(claimed: &Fragment, form: Printed) -> String {
    match form {
        Printed::Fragment => fragment::manifest(claimed).text("\n"),
        Printed::MapRoles => fragment::bare_list(claimed),
    }
}
