//! The cluster as it would be observed before and after.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn;
use accord_model::deploy::{Action, Declared, Entry, Given, Resource, Tool};
use accord_model::facts::{AccessEntry, AuthenticationMode, Cluster, ComputeFacts, Listing};
use accord_model::observed::{LedgerRead, Observed};
use accord_model::time::Timestamp;

use super::group::Group;
use super::{compute, put, stack, written};
use crate::entry::{principal, rules};

/// What would be observed.
pub(super) struct States {
    /// As it is: the live cluster, else what a plan says of it.
    pub(super) before: Observed,
    /// As it would be.
    pub(super) after: Observed,
    entries_before: Index,
    entries_after: Index,
    /// Principals whose entries the tool knows of.
    managed: BTreeSet<String>,
}

/// Positions of access entries, by whom they are for.
pub(super) type Index = BTreeMap<String, usize>;

fn index(observed: &Observed) -> Index {
    let entries = observed.access_entries.items.iter().enumerate();
    entries
        .map(|(at, entry)| (key(&entry.principal), at))
        .collect()
}

/// What an entry's principal is told apart by.
pub(super) fn key(principal: &str) -> String {
    arn::identity_key(principal).unwrap_or_else(|| principal.to_owned())
}

impl States {
    /// The entry that is there for a principal.
    pub(super) fn entry_before(&self, principal: &str) -> Option<&AccessEntry> {
        let at = *self.entries_before.get(&key(principal))?;
        self.before.access_entries.items.get(at)
    }

    /// The entry that would be there for a principal.
    pub(super) fn entry_after(&self, principal: &str) -> Option<&AccessEntry> {
        let at = *self.entries_after.get(&key(principal))?;
        self.after.access_entries.items.get(at)
    }

    /// Whether Terraform makes an entry that is there and that it does not know of, so that EKS refuses it.
    pub(super) fn is_there_already(&self, resource: &Resource) -> bool {
        is_there_already(resource, &self.entries_before, &self.managed)
    }
}

fn is_there_already(resource: &Resource, there: &Index, managed: &BTreeSet<String>) -> bool {
    let (Action::Create, Some(Declared::Entry(entry))) = (resource.action, &resource.after) else {
        return false;
    };
    entry.principal.as_ref().is_some_and(|p| {
        let key = key(&p.value);
        there.contains_key(&key) && !managed.contains(&key)
    })
}

/// The states of one cluster. Entries keep their positions: one that goes is left without a principal.
pub(super) fn states(group: &Group<'_>) -> States {
    let mut entries_before = Index::new();
    let before = match group.live {
        Some(live) => {
            entries_before = index(live);
            live.clone()
        }
        None => {
            let mut before = nothing();
            let there = group
                .resources
                .iter()
                .filter_map(|r| Some((*r, r.before.as_ref()?)));
            apply(
                &mut before,
                &mut entries_before,
                there.collect(),
                group.tool,
            );
            before
        }
    };
    let known = group.resources.iter().filter_map(|r| match &r.before {
        Some(Declared::Entry(entry)) => Some(key(&entry.principal.as_ref()?.value)),
        _ => None,
    });
    let managed = known.collect();
    let mut after = before.clone();
    let mut entries_after = entries_before.clone();
    for resource in &group.resources {
        put::take_out(&mut after, &mut entries_after, resource);
    }
    for own in stack::gone(group) {
        let at = entries_after.remove(&key(&own.entry.principal));
        if let Some(slot) = at.and_then(|at| after.access_entries.items.get_mut(at)) {
            slot.principal.clear();
        }
    }
    let there = group.after().filter(|(r, _)| {
        (group.live.is_none() || r.action != Action::Keep)
            && !is_there_already(r, &entries_before, &managed)
    });
    apply(&mut after, &mut entries_after, there.collect(), group.tool);
    compute::by_eks(&before, &mut after, &mut entries_after);
    States {
        before,
        after,
        entries_before,
        entries_after,
        managed,
    }
}

fn nothing() -> Observed {
    Observed {
        now: Timestamp { millis: 0 },
        heading: String::new(),
        cluster: None,
        cluster_uid: None,
        aws_auth: None,
        fragments: Listing::default(),
        ledger: LedgerRead::Absent,
        compute: ComputeFacts::default(),
        access_entries: Listing::default(),
        roles: Listing::default(),
        caller: None,
        journal: Vec::new(),
        findings: Vec::new(),
    }
}

/// Puts what is declared in place: entries before the policies that belong to them.
fn apply(
    observed: &mut Observed,
    entries: &mut Index,
    all: Vec<(&Resource, &Declared)>,
    tool: Tool,
) {
    for (resource, declared) in &all {
        match declared {
            Declared::Cluster(cluster) => {
                let mode = match &cluster.mode {
                    Some(mode) => self::mode(&mode.value),
                    None => default_mode(observed, resource),
                };
                let known = observed.cluster.get_or_insert_with(Cluster::default);
                known.mode = mode;
                if known.name.is_none() {
                    known.name = cluster.name.as_ref().map(|n| n.value.clone());
                }
            }
            Declared::NodeGroup(group) => compute::node_group(observed, resource, group),
            Declared::FargateProfile(profile) => compute::profile(observed, resource, profile),
            Declared::Entry(entry) if !is_refused(entry) => {
                put::upsert(observed, entries, entry, tool)
            }
            Declared::Map(write) => written::write(observed, write),
            _ => {}
        }
    }
    for (_, declared) in &all {
        if let Declared::EntryPolicy(policy) = declared {
            put::associate(observed, entries, policy);
        }
    }
}

/// The mode of a cluster for which none is written: as it is, else what the API makes of a new one.
fn default_mode(observed: &Observed, resource: &Resource) -> Option<AuthenticationMode> {
    let known = observed.cluster.as_ref().and_then(|c| c.mode);
    match resource.action {
        _ if known.is_some() => known,
        Action::Declare => Some(AuthenticationMode::ConfigMap),
        _ => None,
    }
}

/// A mode by its name.
pub(super) fn mode(text: &str) -> Option<AuthenticationMode> {
    let all = [
        AuthenticationMode::ConfigMap,
        AuthenticationMode::ApiAndConfigMap,
        AuthenticationMode::Api,
    ];
    all.into_iter().find(|mode| mode.name() == text)
}

/// Whether EKS would refuse the entry, so that it comes to nothing.
pub(super) fn is_refused(entry: &Entry) -> bool {
    let nothing_known = Listing::default();
    let kind = kind_of(entry);
    let text = |given: &Option<Given<String>>| given.as_ref().map(|g| g.value.clone());
    text(&entry.principal).is_none_or(|p| !principal::faults(&p, &nothing_known).is_empty())
        || rules::kind(kind).is_some()
        || text(&entry.username).is_some_and(|u| rules::username(&u).is_some())
        || entry
            .groups
            .iter()
            .flat_map(|g| &g.items)
            .any(|g| rules::group(&g.value).is_some())
}

/// The entry's type.
pub(super) fn kind_of(entry: &Entry) -> &str {
    entry.kind.as_ref().map_or("STANDARD", |k| k.value.as_str())
}
