//! What another tool's output would do: a CloudFormation template, a synthesized CDK app, a Terraform plan.
//!
//! - [`entries`]: what EKS refuses in access entries and associations.
//! - [`collide`]: resources that get in each other's way, or in the way of what is there.
//! - [`after`]: the cluster as it would be observed afterwards. [`compare`]: whom that changes.
//! - [`map`]: writes of the whole map, and what of them is not known yet.
//! - [`place`]: findings at the resource that they are about.
//!
//! Effective access before and after is compared by the same functions as any change: [`crate::access`],
//! [`crate::hazards`]. A value that is known only after the deploy is somebody of its own (`accord_model::unknown`):
//! equal to itself, and possibly anybody.

mod after;
mod collide;
mod compare;
mod entries;
mod group;
mod map;
mod mode;
mod place;
mod workload;

use accord_model::deploy::Deploy;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::observed::Observed;
use accord_model::plan::Change;
use accord_model::unknown;

use crate::caller::{Caller, NotAnIdentity};

/// What would come of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// What is wrong or risky, in the order of the text.
    pub findings: Vec<Finding>,
    /// Against a cluster: who would gain, lose or change access, as far as that is certain.
    pub changes: Vec<Change>,
}

/// Judges a template or plan: by itself, and on `live`, the cluster that it is for. `caller` is who deploys, if known.
///
/// # Errors
/// If `caller` is no identity.
pub fn judge(
    deploy: &Deploy,
    live: Option<&Observed>,
    caller: Option<&str>,
) -> Result<Outlook, NotAnIdentity> {
    let caller = match live {
        Some(live) => Caller::who(caller, live)?,
        None => None,
    };
    let mut outlook = Outlook::default();
    let groups = group::groups(deploy, live);
    if let Some(live) = live.filter(|_| !groups.iter().any(|g| g.live.is_some())) {
        outlook.findings.push(other_cluster(deploy, live));
    }
    for group in &groups {
        let states = after::states(group);
        outlook.findings.extend(entries::look(group, &states));
        outlook.findings.extend(collide::look(group, &states));
        outlook.findings.extend(mode::look(group, &states));
        outlook.findings.extend(map::look(group, &states));
        outlook
            .findings
            .extend(workload::look(group, deploy, &states));
        let (findings, changes) = compare::compare(group, &states, caller.as_ref());
        outlook.findings.extend(findings);
        outlook.changes.extend(changes);
    }
    outlook.findings.extend(ignored(deploy));
    outlook.findings.extend(incomplete(deploy));
    place::tidy(&mut outlook.findings, deploy);
    for change in &mut outlook.changes {
        show_change(change);
    }
    Ok(outlook)
}

/// Attributes that their reader ignores.
fn ignored(deploy: &Deploy) -> impl Iterator<Item = Finding> + '_ {
    deploy.ignored.iter().map(|ignored| {
        let written = &ignored.attribute.value;
        let meant = match &ignored.meant {
            Some(meant) => format!(" `{meant}` is."),
            None => String::new(),
        };
        let finding = Finding::new(
            FindingKind::UnknownAttribute,
            Severity::SilentWrong,
            format!("`{written}` is not an attribute that is read here: it is ignored without an error.{meant}"),
        )
        .in_object(ignored.address.clone())
        .at(ignored.attribute.at.clone(), ignored.attribute.span);
        ignored.meant.iter().cloned().fold(finding, Finding::suggest)
    })
}

/// The tool itself says that this is not all.
fn incomplete(deploy: &Deploy) -> Option<Finding> {
    deploy.incomplete.then(|| {
        Finding::new(
            FindingKind::ListingIncomplete,
            Severity::Warning,
            "The plan says of itself that it is not complete: it ended in an error, or leaves something to a later plan. What \
             is not in it is not looked at.",
        )
    })
}

fn other_cluster(deploy: &Deploy, live: &Observed) -> Finding {
    let mut names: Vec<&str> = deploy
        .resources
        .iter()
        .filter_map(|r| r.declared()?.cluster())
        .map(|given| given.value.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let name = &deploy.name;
    let told = match names.as_slice() {
        [] => format!("Nothing in {name} concerns access to a cluster"),
        names => format!("{name} is for {}", names.join(", ")),
    };
    Finding::new(
        FindingKind::WrongCluster,
        Severity::Warning,
        format!(
            "{told}, and the state is of {}: nothing was compared.",
            group::name_of(live).unwrap_or(&live.heading)
        ),
    )
}

/// Marks as people read them.
fn show_change(change: &mut Change) {
    let show = |text: &mut String| *text = unknown::shown(text).into_owned();
    show(&mut change.principal);
    show(&mut change.reason);
    for rights in [&mut change.before, &mut change.after]
        .into_iter()
        .flatten()
    {
        show(&mut rights.username);
        rights.groups.iter_mut().for_each(show);
        rights.policies.iter_mut().for_each(|p| show(&mut p.policy));
    }
}
