//! What another tool's output would do: a CloudFormation template, a synthesized CDK app, a Terraform plan.
//!
//! - [`group`]: which resources are of which cluster. [`place`]: findings at the resource that they are about.
//! - [`entries`], with [`policies`], [`update`], [`association`]: what EKS refuses in them.
//! - [`collide`], by [`identity`]: resources that get in each other's way, or in the way of what is there. [`stack`],
//!   [`stale`]: entries that a stack made before and no longer has, or that their roles leave behind.
//! - [`mode`], [`creator`]: changes of the authentication mode, and the entry of whoever made the cluster.
//! - [`after`], with [`put`], [`mod@written`], [`compute`]: the cluster as it would be observed afterwards. [`compare`], with
//!   [`causes`] and [`perhaps`]: whom that changes, by which resource, and who may turn out to be whom.
//! - [`map`], [`served`]: writes of the whole map, and whom they forget.
//! - [`workload`]: roles of pods.
//!
//! Effective access before and after is compared by the same functions as any change: [`crate::access`],
//! [`crate::hazards`]. A value that is known only after the deploy is somebody of its own (`accord_model::unknown`):
//! equal to itself, and possibly anybody.

mod after;
mod association;
mod causes;
mod collide;
mod compare;
mod compute;
mod creator;
mod entries;
mod group;
mod identity;
mod map;
mod mode;
mod perhaps;
mod place;
mod policies;
mod put;
mod served;
mod stack;
mod stale;
mod update;
mod workload;
mod written;

use std::collections::BTreeSet;

use accord_model::arn::Arn;
use accord_model::deploy::Deploy;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::observed::Observed;
use accord_model::plan::Change;
use accord_model::unknown;

use crate::caller::{Caller, NotAnIdentity};
use group::Group;

/// What would come of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// What is wrong or risky, in the order of the text.
    pub findings: Vec<Finding>,
    /// Against a cluster: who would gain, lose or change access, as far as that is certain.
    pub changes: Vec<Change>,
}

/// Judges templates and plans that are deployed together: by themselves, and on `live`, the cluster that they are for.
/// `caller` is who deploys, if known.
///
/// # Errors
/// If `caller` is no identity.
pub fn judge(
    deploys: &[Deploy],
    live: Option<&Observed>,
    caller: Option<&str>,
) -> Result<Outlook, NotAnIdentity> {
    let caller = match live {
        Some(live) => Caller::who(caller, live)?,
        None => None,
    };
    let mut outlook = Outlook::default();
    let mut is_compared = false;
    for deploy in deploys {
        let live = live.filter(|live| !is_elsewhere(deploy, live));
        let groups = group::groups(deploy, live);
        is_compared |= groups.iter().any(|g| g.live.is_some());
        let mut findings = Vec::new();
        for group in &groups {
            findings.extend(look(group, deploy, caller.as_ref(), &mut outlook.changes));
        }
        findings.extend(ignored(deploy));
        findings.extend(incomplete(deploy));
        findings.extend(unread(deploy));
        place::tidy(&mut findings);
        outlook.findings.extend(findings);
    }
    if let Some(live) = live.filter(|_| !is_compared) {
        outlook
            .findings
            .extend(deploys.first().map(|deploy| other_cluster(deploy, live)));
    }
    outlook.changes.iter_mut().for_each(show_change);
    Ok(outlook)
}

/// Whether it is for another account or region than the cluster's.
fn is_elsewhere(deploy: &Deploy, live: &Observed) -> bool {
    let arn = live
        .cluster
        .as_ref()
        .and_then(|c| c.arn.as_deref())
        .and_then(Arn::parse);
    let differs = |known: &Option<String>, here: &str| known.as_deref().is_some_and(|k| k != here);
    arn.is_some_and(|arn| {
        differs(&deploy.account, arn.account) || differs(&deploy.region, arn.region)
    })
}

/// What is to be said of the resources of one cluster.
fn look(
    group: &Group<'_>,
    deploy: &Deploy,
    caller: Option<&Caller>,
    changes: &mut Vec<Change>,
) -> Vec<Finding> {
    let states = after::states(group);
    let mut findings = entries::look(group, &states);
    findings.extend(collide::look(group, &states));
    findings.extend(stack::look(group));
    findings.extend(stale::look(group, &states));
    findings.extend(mode::look(group, &states, caller));
    findings.extend(workload::look(group, deploy));
    let (of_people, changed) = compare::compare(group, &states, caller);
    changes.extend(changed);
    // What is a hazard for somebody is not said a second time as something that is wrong in the map.
    let told = |f: &Finding| f.principal.clone().map(|principal| (f.kind, principal));
    let said: BTreeSet<_> = of_people.iter().filter_map(told).collect();
    let of_map = map::look(group, &states).into_iter();
    findings.extend(of_map.filter(|f| !told(f).is_some_and(|this| said.contains(&this))));
    findings.extend(of_people);
    findings
}

/// Nested stacks that nobody looked into.
fn unread(deploy: &Deploy) -> impl Iterator<Item = Finding> + '_ {
    deploy.unread.iter().map(|stack| {
        Finding::new(
            FindingKind::ListingIncomplete,
            Severity::Info,
            match stack.value.ends_with("Fn::ForEach") {
                true => "What this loop goes over is known only after the deploy: what it makes is not looked at.",
                false => {
                    "The template of this nested stack is not at hand: what it does to access is not looked at. Check the \
                     folder cdk.out, or the nested template itself."
                }
            },
        )
        .in_object(stack.value.clone())
        .at(stack.at.clone(), stack.span)
    })
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

/// Nothing in it is for the cluster of the state.
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
    let (severity, told) = match names.as_slice() {
        [] => (
            Severity::Info,
            format!("Nothing in {name} concerns access to a cluster"),
        ),
        names => (
            Severity::Warning,
            format!("{name} is for {}", unknown::shown(&names.join(", "))),
        ),
    };
    let here = group::name_of(live).unwrap_or(&live.heading);
    let message = format!("{told}, and the state is of {here}: nothing was compared.");
    Finding::new(FindingKind::WrongCluster, severity, message)
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
