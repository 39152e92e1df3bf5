//! Resources that get in each other's way, or in the way of what is there.
//!
//! An access entry is known by cluster and principal, a Fargate profile and an add-on by cluster and name, an
//! association by cluster, namespace and service account: a second one with the same identity is refused with 409.
//! CloudFormation makes the replacement before it deletes (it can never succeed); Terraform deletes first (there is a
//! gap), unless told otherwise, and knows nothing of two addresses that mean the same thing.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::deploy::{Action, Declared, Resource};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::plan::Rights;
use accord_model::unknown;

use super::after::{self, States};
use super::entries::display;
use super::group::Group;
use super::identity::{self, Identity, about, gap};
use super::place::whole;
use crate::access;
use crate::lint::{Purpose, World};

pub(super) fn look(group: &Group<'_>, states: &States) -> Vec<Finding> {
    let world = World::of(&states.before);
    let look = Look {
        group,
        states,
        world: &world,
    };
    let mut findings = look.same_twice();
    for resource in &group.resources {
        findings.extend(look.replacement(resource));
        findings.extend(look.of_type(resource));
        findings.extend(look.made_by_hand(resource));
    }
    findings
}

struct Look<'a> {
    group: &'a Group<'a>,
    states: &'a States,
    world: &'a World<'a>,
}

/// A resource that has an identity before, after, or both.
struct Sides<'a> {
    resource: &'a Resource,
    before: Option<Identity>,
    after: Option<Identity>,
}

impl Look<'_> {
    /// Resources with one identity.
    fn same_twice(&self) -> Vec<Finding> {
        let mut by_key: BTreeMap<String, Vec<Sides<'_>>> = BTreeMap::new();
        for resource in &self.group.resources {
            let before = resource.before.as_ref().and_then(identity::of);
            let after = resource.after.as_ref().and_then(identity::of);
            let keys: BTreeSet<&String> = [&before, &after]
                .into_iter()
                .flatten()
                .map(|i| &i.key)
                .collect();
            for key in keys {
                let is = |side: &Option<Identity>| side.as_ref().filter(|i| i.key == *key).cloned();
                let sides = Sides {
                    resource,
                    before: is(&before),
                    after: is(&after),
                };
                by_key.entry(key.clone()).or_default().push(sides);
            }
        }
        let several = by_key.values().filter(|all| all.len() > 1);
        several.flat_map(|all| self.one_identity(all)).collect()
    }

    /// What is to be said of resources that mean the same thing before or after.
    fn one_identity(&self, all: &[Sides<'_>]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut staying = all.iter().filter(|s| s.after.is_some());
        if let Some(first) = staying.next() {
            findings.extend(
                staying.filter_map(|other| {
                    twice(first.resource, other.resource, other.after.as_ref()?)
                }),
            );
        }
        for going in all
            .iter()
            .filter(|s| s.before.is_some() && s.after.is_none())
        {
            let comes = |s: &&Sides<'_>| {
                s.before.is_none()
                    && (s.resource.action == Action::Create || s.resource.action.is_replacement())
            };
            for coming in all.iter().filter(comes) {
                let Some(own) = &coming.after else {
                    continue;
                };
                match going.resource.action {
                    Action::Forget => {
                        findings.push(forgotten(going.resource, coming.resource, own))
                    }
                    _ => findings.extend(self.moved(going.resource, coming.resource, own)),
                }
            }
        }
        findings
    }

    /// One resource goes and another one with the same identity comes: Terraform does not know that it is one thing.
    fn moved(&self, from: &Resource, to: &Resource, own: &Identity) -> Vec<Finding> {
        let severity = self.if_moved(own);
        let told = &own.told;
        let mut gone = whole(
            from,
            FindingKind::MovedEntryWillBeDeleted,
            severity,
            format!(
                "The {} {told} was only moved, from `{}` to `{}`, and would be deleted: the two are one thing to EKS, and \
                 are deleted and made at the same time, in any order. Tell it with a `moved` block, or with `terraform \
                 state mv '{}' '{}'`.",
                own.noun, from.address, to.address, from.address, to.address
            ),
        );
        let mut made = whole(
            to,
            FindingKind::ReplacementSamePrincipal,
            Severity::BreaksWorkload,
            format!(
                "`{}` still has the {} {told}: if it is made here first, EKS refuses it with 409.",
                from.address, own.noun
            ),
        );
        if let Some(principal) = &own.principal {
            gone = gone.about(display(principal));
            made = made.about(display(principal));
        }
        vec![gone, made]
    }

    /// A resource that replaces itself.
    fn replacement(&self, resource: &Resource) -> Option<Finding> {
        let (before, after) = (
            resource.before.as_ref().and_then(identity::of)?,
            resource.after.as_ref().and_then(identity::of)?,
        );
        if before.key != after.key {
            return None;
        }
        let told = &after.told;
        let finding = match resource.action {
            Action::DeleteThenCreate => whole(
                resource,
                FindingKind::ReplacementGap,
                self.if_gone(&before),
                format!(
                    "The {} {told} would be deleted and then made anew: {}.",
                    after.noun,
                    gap(&after)
                ),
            ),
            Action::CreateThenDelete => whole(
                resource,
                FindingKind::ReplacementSamePrincipal,
                Severity::BreaksWorkload,
                format!(
                    "The {} {told} would be made anew before the old one is deleted, and the two have the same identity: \
                     EKS refuses the new one with 409.",
                    after.noun
                ),
            ),
            _ => return None,
        };
        Some(about(finding, &after))
    }

    /// An entry whose type differs from what is there: CloudFormation replaces it, and the replacement collides.
    fn of_type(&self, resource: &Resource) -> Option<Finding> {
        let (Action::Declare, Some(Declared::Entry(entry))) = (resource.action, &resource.after)
        else {
            return None;
        };
        let principal = entry.principal.as_ref()?;
        let old = self.states.entry_before(&principal.value)?;
        let kind = after::kind_of(entry);
        if old.kind.is_empty() || old.kind == kind || !unknown::is_known(kind) {
            return None;
        }
        let finding = whole(
            resource,
            FindingKind::ReplacementSamePrincipal,
            Severity::BreaksWorkload,
            format!(
                "The access entry for {} is of type {}, and {kind} is asked for. A type cannot be changed: CloudFormation \
                 makes a new entry before it deletes the old one, and EKS refuses the new one with 409. Delete the old \
                 entry first, in a deploy of its own.",
                principal.value, old.kind
            ),
        );
        Some(finding.about(display(&principal.value)))
    }

    /// What is to be made and is there already, made by somebody else.
    fn made_by_hand(&self, resource: &Resource) -> Option<Finding> {
        let own = identity::of(resource.after.as_ref()?)?;
        let cluster = resource.after.as_ref()?.cluster();
        let cluster = cluster.map_or("CLUSTER", |c| c.value.as_str());
        let (what, id) = if self.states.is_there_already(resource) {
            let old = self.states.entry_before(own.principal.as_deref()?)?;
            let kind = match old.kind.as_str() {
                "" => "not known",
                kind => kind,
            };
            let what = format!(
                "an access entry for {} already, of type {kind}",
                old.principal
            );
            (what, format!("{cluster}:{}", old.principal))
        } else {
            let name = self.live_compute(resource, &own)?;
            (
                format!("a {} {name} already", own.noun),
                format!("{cluster}:{name}"),
            )
        };
        let finding = whole(
            resource,
            FindingKind::ReplacementSamePrincipal,
            Severity::BreaksWorkload,
            format!(
                "There is {what}: EKS refuses the new one with 409. Take it into the state with `terraform import '{}' \
                 '{id}'`.",
                resource.address
            ),
        );
        Some(about(finding, &own))
    }

    /// The name of a node group or Fargate profile that Terraform makes, and that is there already.
    fn live_compute(&self, resource: &Resource, own: &Identity) -> Option<String> {
        let live = self
            .group
            .live
            .filter(|_| resource.action == Action::Create)?;
        let compute = &live.compute;
        let is_there = match resource.after.as_ref()? {
            Declared::NodeGroup(_) => compute.node_groups.items.iter().any(|g| g.name == own.told),
            Declared::FargateProfile(_) => compute
                .fargate_profiles
                .items
                .iter()
                .any(|p| p.name == own.told),
            _ => false,
        };
        let is_known = self.group.resources.iter().any(|r| {
            r.before
                .as_ref()
                .and_then(identity::of)
                .is_some_and(|before| before.key == own.key)
        });
        (is_there && !is_known).then(|| own.told.clone())
    }

    /// How bad it is if the thing is gone for a moment.
    fn if_gone(&self, own: &Identity) -> Severity {
        match self.if_moved(own) {
            Severity::SilentWrong => Severity::LocksOut,
            severity => severity,
        }
    }

    /// How bad it is if the thing is gone.
    fn if_moved(&self, own: &Identity) -> Severity {
        let Some(principal) = &own.principal else {
            return Severity::BreaksWorkload;
        };
        if own.noun != "access entry" && own.noun != "access policy" {
            return Severity::BreaksCluster;
        }
        let there = self
            .states
            .entry_before(principal)
            .or_else(|| self.states.entry_after(principal));
        let Some(entry) = there else {
            return Severity::LocksOut;
        };
        let rights: Rights = access::entry_answer(0, entry).rights();
        let purpose = match rights.is_admin() {
            true => Purpose::Admin,
            false => Purpose::of(self.world, principal, &rights.username, &rights.groups),
        };
        purpose.if_broken()
    }
}

/// Two resources that both stay.
fn twice(one: &Resource, two: &Resource, own: &Identity) -> Option<Finding> {
    let (kind, what) = match own.noun {
        "add-on" => (
            FindingKind::DuplicateAddon,
            "EKS refuses the second with 409",
        ),
        "access policy" => (FindingKind::DuplicatePolicy, "the last scope wins"),
        _ => (
            FindingKind::ReplacementSamePrincipal,
            "EKS refuses the second with 409",
        ),
    };
    let conditional = one.conditional || two.conditional;
    let severity = match kind {
        _ if conditional => Severity::Warning,
        FindingKind::ReplacementSamePrincipal => Severity::BreaksWorkload,
        _ => Severity::SilentWrong,
    };
    let both = match conditional {
        true => ", if both are made",
        false => "",
    };
    let finding = whole(
        two,
        kind,
        severity,
        format!(
            "`{}` and `{}` declare the same {}, {}: {what}{both}.",
            one.address, two.address, own.noun, own.told
        ),
    );
    Some(about(finding, own))
}

/// Terraform forgets one address and makes the same thing at another.
fn forgotten(from: &Resource, to: &Resource, own: &Identity) -> Finding {
    let finding = whole(
        to,
        FindingKind::ReplacementSamePrincipal,
        Severity::BreaksWorkload,
        format!(
            "`{}` is forgotten and leaves the {} {} there: EKS refuses the one made here with 409. Use a `moved` block, or \
             import it.",
            from.address, own.noun, own.told
        ),
    );
    about(finding, own)
}
