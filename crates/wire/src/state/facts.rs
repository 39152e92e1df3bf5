//! What the documents of one file say, before files are put together.

use std::collections::BTreeMap;

use accord_model::facts::{
    AccessEntry, AssociatedPolicy, Cluster, FargateProfile, Listing, Node, NodeGroup, Role,
};
use accord_model::span::Range;

use crate::config_map::{ConfigMap, ObjectName};
use crate::view::{Fault, View};

/// Everything that was found, in the order of the documents.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) cluster: Option<Cluster>,
    /// The clusters that other documents say they are of, and where.
    pub(super) cluster_names: Vec<(String, Range)>,
    pub(super) cluster_uid: Option<String>,
    pub(super) node_groups: Listed<NodeGroup>,
    pub(super) fargate_profiles: Listed<FargateProfile>,
    pub(super) access_entries: Listed<AccessEntry>,
    /// For each principal a page of policies, and whether it is the last.
    pub(super) policies: Vec<(String, (Vec<AssociatedPolicy>, bool))>,
    pub(super) nodes: Listing<Node>,
    pub(super) roles: Listing<Role>,
    pub(super) caller: Option<String>,
    /// Those that concern Accord: `aws-auth`, fragments, the ledger and the journal.
    pub(super) config_maps: BTreeMap<ObjectName, ConfigMap>,
}

/// Things that are listed by name and described one by one.
#[derive(Clone, Debug)]
pub(super) struct Listed<T> {
    /// The names that were listed.
    pub(super) names: Vec<String>,
    /// A whole list was there.
    pub(super) complete: bool,
    /// Those that were described.
    pub(super) described: Vec<T>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            complete: false,
            described: Vec::new(),
        }
    }
}

impl<T: Clone> Listed<T> {
    fn append(&mut self, other: &Self) {
        self.names.extend_from_slice(&other.names);
        self.complete |= other.complete;
        self.described.extend_from_slice(&other.described);
    }

    /// All that are known; those that were only listed are made of their names. Described twice, the later counts.
    pub(super) fn listing(&self, name: fn(&T) -> &str, named: fn(String) -> T) -> Listing<T> {
        let mut items: Vec<T> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let listed = self.names.iter().cloned().map(named);
        for item in listed.chain(self.described.iter().cloned()) {
            let place = *places.entry(name(&item).to_owned()).or_insert(items.len());
            match items.get_mut(place) {
                Some(known) => *known = item,
                None => items.push(item),
            }
        }
        Listing {
            items,
            complete: self.complete,
        }
    }
}

impl Facts {
    pub(super) fn set_cluster(&mut self, cluster: Cluster, place: &View<'_>) -> Result<(), Fault> {
        match &self.cluster {
            Some(known) if !is_same(known, &cluster) => Err(place.fault(format!(
                "this is another cluster than `{}`, which is described too; a state file is of one cluster",
                called(known)
            ))),
            _ => {
                self.cluster = Some(cluster);
                Ok(())
            }
        }
    }

    /// Notes which cluster a description says it is of.
    pub(super) fn belongs(&mut self, description: &View<'_>) -> Result<(), Fault> {
        match description.get("clusterName") {
            Some(name) => self.belongs_to(&name),
            None => Ok(()),
        }
    }

    pub(super) fn belongs_to(&mut self, name: &View<'_>) -> Result<(), Fault> {
        self.cluster_names.push((name.as_text()?, name.range()));
        Ok(())
    }

    /// The first document that says it is of another cluster than `cluster`.
    pub(super) fn stranger(&self, cluster: &Cluster) -> Option<Fault> {
        let own = cluster.name.as_deref()?;
        let (name, range) = self.cluster_names.iter().find(|(name, _)| name != own)?;
        Some(Fault {
            message: format!(
                "this is of the cluster `{name}`, and the cluster described here is `{own}`"
            ),
            range: *range,
        })
    }

    pub(super) fn add_config_map(&mut self, object: ConfigMap, range: Range) -> Result<(), Fault> {
        if self.config_maps.contains_key(&object.name) {
            let message = format!(
                "{} is here for the second time; keep the one that is meant",
                object.name
            );
            return Err(Fault { message, range });
        }
        self.config_maps.insert(object.name.clone(), object);
        Ok(())
    }

    /// Adds what another file says. Its cluster and ConfigMaps have been compared before.
    pub(super) fn append(&mut self, other: &Self) {
        self.cluster = self.cluster.take().or_else(|| other.cluster.clone());
        let uid = self.cluster_uid.take();
        self.cluster_uid = uid.or_else(|| other.cluster_uid.clone());
        self.caller = self.caller.take().or_else(|| other.caller.clone());
        self.node_groups.append(&other.node_groups);
        self.fargate_profiles.append(&other.fargate_profiles);
        self.access_entries.append(&other.access_entries);
        self.policies.extend_from_slice(&other.policies);
        self.nodes.items.extend_from_slice(&other.nodes.items);
        self.nodes.complete |= other.nodes.complete;
        self.roles.items.extend_from_slice(&other.roles.items);
        self.roles.complete |= other.roles.complete;
        let objects = other.config_maps.iter();
        self.config_maps
            .extend(objects.map(|(k, v)| (k.clone(), v.clone())));
    }

    /// Access entries with their policies. Policies are known only where all their pages are.
    pub(super) fn entries(&self) -> Listing<AccessEntry> {
        let named = |principal| AccessEntry {
            principal,
            kind: String::new(),
            username: None,
            groups: Vec::new(),
            policies: None,
            tags: Vec::new(),
            created: None,
        };
        let mut policies: BTreeMap<&str, Vec<&(Vec<AssociatedPolicy>, bool)>> = BTreeMap::new();
        for (principal, page) in &self.policies {
            policies.entry(principal).or_default().push(page);
        }
        let mut listing = self.access_entries.listing(|e| &e.principal, named);
        for entry in &mut listing.items {
            let pages = policies.get(entry.principal.as_str());
            if pages.is_some_and(|pages| pages.iter().any(|(_, last)| *last)) {
                let all = pages.into_iter().flatten().flat_map(|(page, _)| page);
                entry.policies = Some(all.cloned().collect());
            }
        }
        listing
    }
}

/// Whether both descriptions can be of one cluster.
pub(super) fn is_same(a: &Cluster, b: &Cluster) -> bool {
    let agree = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
    agree(&a.arn, &b.arn) && agree(&a.name, &b.name)
}

/// What to call it.
pub(super) fn called(cluster: &Cluster) -> &str {
    let name = cluster.arn.as_deref().or(cluster.name.as_deref());
    name.unwrap_or("without a name")
}
