//! The cluster as it would be observed before and after.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn;
use accord_model::deploy::{
    Action, Compute, Declared, Entry, EntryPolicy, MapWrite, MapWriter, Policy, Resource, Tool,
};
use accord_model::facts::{
    AccessEntry, AssociatedPolicy, AuthenticationMode, Cluster, ComputeFacts, FargateProfile,
    Listing, NodeGroup,
};
use accord_model::mapping::SectionName;
use accord_model::observed::{AwsAuth, LedgerRead, Observed};
use accord_model::reading::{AuthMap, Section};
use accord_model::time::Timestamp;
use accord_model::unknown;

use super::group::Group;
use super::stack;
use crate::entry::rules;

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
type Index = BTreeMap<String, usize>;

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
        take_out(&mut after, &mut entries_after, resource);
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
    by_eks(&before, &mut after, &mut entries_after);
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
            Declared::NodeGroup(compute) => node_group(observed, resource, compute),
            Declared::FargateProfile(compute) => profile(observed, resource, compute),
            Declared::Entry(entry) if !is_refused(entry) => upsert(observed, entries, entry, tool),
            Declared::Map(write) => write_map(observed, write),
            _ => {}
        }
    }
    for (_, declared) in &all {
        if let Declared::EntryPolicy(policy) = declared {
            associate(observed, entries, policy);
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

fn name(compute: &Compute, resource: &Resource) -> String {
    let name = compute.name.as_ref().map(|n| n.value.as_str());
    let name = name.filter(|n| unknown::is_known(n));
    name.unwrap_or(&resource.address).to_owned()
}

fn node_group(observed: &mut Observed, resource: &Resource, compute: &Compute) {
    let name = name(compute, resource);
    let groups = &mut observed.compute.node_groups.items;
    groups.retain(|g| g.name != name);
    groups.push(NodeGroup {
        name,
        role: compute.role.as_ref().map(|r| r.value.clone()),
        windows: compute.windows,
        instance_profile: None,
    });
}

fn profile(observed: &mut Observed, resource: &Resource, compute: &Compute) {
    let name = name(compute, resource);
    let profiles = &mut observed.compute.fargate_profiles.items;
    profiles.retain(|p| p.name != name);
    profiles.push(FargateProfile {
        name,
        arn: None,
        role: compute.role.as_ref().map(|r| r.value.clone()),
    });
}

/// Whether EKS would refuse the entry, so that it comes to nothing.
pub(super) fn is_refused(entry: &Entry) -> bool {
    let nothing_known = Listing::default();
    let kind = kind_of(entry);
    let text = |given: &Option<accord_model::deploy::Given<String>>| {
        given.as_ref().map(|g| g.value.clone())
    };
    text(&entry.principal).is_none_or(|p| !rules::principal(&p, &nothing_known).is_empty())
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

fn upsert(observed: &mut Observed, entries: &mut Index, entry: &Entry, tool: Tool) {
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

fn associate(observed: &mut Observed, entries: &Index, declared: &EntryPolicy) {
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
fn take_out(observed: &mut Observed, entries: &mut Index, resource: &Resource) {
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
        Some(Declared::NodeGroup(compute)) => {
            let name = name(compute, resource);
            observed
                .compute
                .node_groups
                .items
                .retain(|g| g.name != name);
        }
        Some(Declared::FargateProfile(compute)) => {
            let name = name(compute, resource);
            observed
                .compute
                .fargate_profiles
                .items
                .retain(|p| p.name != name);
        }
        Some(Declared::Map(write)) => unwrite_map(observed, write),
        _ => {}
    }
}

/// Sections that are not known keep what is in them now: whether anybody in them is lost cannot be said.
fn write_map(observed: &mut Observed, write: &MapWrite) {
    let Some(new) = &write.map else {
        return;
    };
    let mut new = new.clone();
    let old = observed.aws_auth.as_ref().map(|a| &a.map);
    for name in SectionName::ALL {
        let is_unknown = write.unknown.iter().any(|u| u.value == name.key());
        let is_absent = new.map.section(name).state == accord_model::reading::SectionState::Absent;
        let kept = matches!(write.how, MapWriter::Keys { .. }) && is_absent;
        if is_unknown || kept {
            let old = old.map_or_else(|| Section::absent(name), |map| map.section(name).clone());
            *new.map.section_mut(name) = old;
        }
    }
    if let (MapWriter::Keys { .. }, Some(old)) = (write.how, &observed.aws_auth) {
        new.stray_keys.extend(old.stray_keys.iter().cloned());
        new.immutable = old.immutable;
    }
    observed.aws_auth = Some(new);
}

/// What is left when a tool deletes what it wrote.
fn unwrite_map(observed: &mut Observed, write: &MapWrite) {
    let MapWriter::Keys { .. } = write.how else {
        observed.aws_auth = None;
        return;
    };
    let Some(aws_auth) = &mut observed.aws_auth else {
        return;
    };
    for name in written_sections(write) {
        *aws_auth.map.section_mut(name) = Section::absent(name);
    }
}

/// The sections that a write names.
pub(super) fn written_sections(write: &MapWrite) -> Vec<SectionName> {
    let named = |map: &AuthMap, name: SectionName| {
        map.section(name).state != accord_model::reading::SectionState::Absent
    };
    let is_written = |name: &SectionName| {
        write
            .map
            .as_ref()
            .is_none_or(|m: &AwsAuth| named(&m.map, *name))
            || write.unknown.iter().any(|u| u.value == name.key())
    };
    SectionName::ALL.into_iter().filter(is_written).collect()
}

/// What EKS does by itself: new compute gets an access entry where entries are read. (Where only the map is read, EKS
/// adds to the map, which is looked at elsewhere.)
fn by_eks(before: &Observed, after: &mut Observed, entries: &mut Index) {
    let mode = after.cluster.as_ref().and_then(|c| c.mode);
    if !mode.is_some_and(AuthenticationMode::reads_entries) {
        return;
    }
    let of_groups = after.compute.node_groups.items.iter().filter(|g| {
        !before
            .compute
            .node_groups
            .items
            .iter()
            .any(|old| old.name == g.name)
    });
    let of_groups = of_groups.map(|g| {
        (
            g.role.clone(),
            if g.windows {
                "EC2_WINDOWS"
            } else {
                "EC2_LINUX"
            },
        )
    });
    let of_profiles = after.compute.fargate_profiles.items.iter().filter(|p| {
        !before
            .compute
            .fargate_profiles
            .items
            .iter()
            .any(|old| old.name == p.name)
    });
    let of_profiles = of_profiles.map(|p| (p.role.clone(), "FARGATE_LINUX"));
    let made: Vec<_> = of_groups.chain(of_profiles).collect();
    for (role, kind) in made {
        let Some(principal) = role.filter(|role| !entries.contains_key(&key(role))) else {
            continue;
        };
        entries.insert(key(&principal), after.access_entries.items.len());
        after.access_entries.items.push(AccessEntry {
            principal,
            kind: kind.to_owned(),
            username: None,
            groups: Vec::new(),
            policies: Some(Vec::new()),
            tags: Vec::new(),
            created: None,
        });
    }
}
