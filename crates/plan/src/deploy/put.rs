//! Access entries put in place, changed and taken out.

use accord_model::deploy::{Action, Declared, Entry, EntryPolicy, Policy, Resource, Tool};
use accord_model::facts::{AccessEntry, AssociatedPolicy};
use accord_model::observed::Observed;

use super::after::{Index, key, kind_of};
use super::{compute, written};

pub(super) fn upsert(observed: &mut Observed, entries: &mut Index, entry: &Entry, tool: Tool) {
    let Some(principal) = entry.principal.as_ref().map(|p| p.value.clone()) else {
        return;
    };
    let key = key(&principal);
    let there = entries.get(&key).copied();
    let old = there
        .and_then(|at| observed.access_entries.items.get(at))
        .cloned();
    let kind = kind_of(entry).to_owned();
    if old
        .as_ref()
        .is_some_and(|old| old.kind != kind && !old.kind.is_empty())
        && tool == Tool::CloudFormation
    {
        // The type cannot be changed, and the replacement collides with what it replaces.
        return;
    }
    let groups = entry
        .groups
        .iter()
        .flat_map(|g| &g.items)
        .map(|g| g.value.clone());
    let groups: Vec<String> = groups.collect();
    let declared = entry
        .policies
        .as_ref()
        .map(|list| list.items.iter().filter_map(policy).collect());
    let policies = match (tool, declared) {
        (_, Some(policies)) => policies,
        (Tool::CloudFormation, None) => Vec::new(),
        // They are resources of their own.
        (Tool::Terraform, None) => old
            .as_ref()
            .and_then(|o| o.policies.clone())
            .unwrap_or_default(),
    };
    let new = AccessEntry {
        principal,
        kind,
        username: entry.username.as_ref().map(|u| u.value.clone()),
        groups,
        policies: Some(policies),
        tags: old.as_ref().map(|o| o.tags.clone()).unwrap_or_default(),
        created: old.as_ref().and_then(|o| o.created),
    };
    match there.and_then(|at| observed.access_entries.items.get_mut(at)) {
        Some(slot) => *slot = new,
        None => {
            entries.insert(key, observed.access_entries.items.len());
            observed.access_entries.items.push(new);
        }
    }
}

fn policy(policy: &Policy) -> Option<AssociatedPolicy> {
    let arn = policy.arn.as_ref()?.value.clone();
    let of_namespaces = policy
        .scope
        .as_ref()
        .is_some_and(|s| s.value == "namespace");
    let namespaces = policy
        .namespaces
        .iter()
        .flat_map(|n| &n.items)
        .map(|n| n.value.clone());
    Some(AssociatedPolicy {
        name: arn.rsplit('/').next().unwrap_or(&arn).to_owned(),
        namespaces: of_namespaces.then(|| namespaces.collect()),
        arn,
    })
}

pub(super) fn associate(observed: &mut Observed, entries: &Index, declared: &EntryPolicy) {
    let Some((principal, policy)) = declared.principal.as_ref().zip(policy(&declared.policy))
    else {
        return;
    };
    let at = entries.get(&key(&principal.value)).copied();
    let Some(entry) = at.and_then(|at| observed.access_entries.items.get_mut(at)) else {
        return;
    };
    let policies = entry.policies.get_or_insert_default();
    policies.retain(|p| p.name != policy.name);
    policies.push(policy);
}

/// Takes out what a plan deletes or replaces. What the tool only forgets stays.
pub(super) fn take_out(observed: &mut Observed, entries: &mut Index, resource: &Resource) {
    if resource.action != Action::Delete && !resource.action.is_replacement() {
        return;
    }
    match &resource.before {
        Some(Declared::Entry(entry)) => {
            let principal = entry.principal.as_ref().map(|p| p.value.as_str());
            let at = principal.and_then(|p| entries.remove(&key(p)));
            if let Some(slot) = at.and_then(|at| observed.access_entries.items.get_mut(at)) {
                slot.principal.clear();
            }
        }
        Some(Declared::EntryPolicy(gone)) => {
            let principal = gone.principal.as_ref().map(|p| p.value.as_str());
            let at = principal.and_then(|p| entries.get(&key(p)).copied());
            let name = policy(&gone.policy).map(|p| p.name);
            if let Some(slot) = at.and_then(|at| observed.access_entries.items.get_mut(at)) {
                slot.policies
                    .iter_mut()
                    .for_each(|all| all.retain(|p| Some(&p.name) != name.as_ref()));
            }
        }
        Some(Declared::NodeGroup(group)) => {
            let name = compute::name(group, resource);
            observed
                .compute
                .node_groups
                .items
                .retain(|g| g.name != name);
        }
        Some(Declared::FargateProfile(profile)) => {
            let name = compute::name(profile, resource);
            observed
                .compute
                .fargate_profiles
                .items
                .retain(|p| p.name != name);
        }
        Some(Declared::Map(write)) => written::unwrite(observed, write),
        _ => {}
    }
}
