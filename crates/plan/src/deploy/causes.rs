//! Which resource does something to somebody's access.

use std::collections::BTreeMap;

use accord_model::deploy::{Action, Declared, MapWrite, Resource};
use accord_model::finding::Finding;

use super::after::key;
use super::group::Group;
use super::place::{in_write, of};
use crate::access::Via;
use crate::diff::Touched;

/// The resources that do something to somebody's access.
pub(super) struct Causes<'a> {
    /// Those that are an entry, or one of its policies, by whom it is for.
    entries: BTreeMap<String, &'a Resource>,
    /// The one that writes the map.
    write: Option<(&'a Resource, &'a MapWrite)>,
    /// The one that takes the map away, else the cluster.
    other: Option<&'a Resource>,
}

impl<'a> Causes<'a> {
    pub(super) fn of(group: &Group<'a>) -> Self {
        let acting = |r: &&'a Resource| r.action != Action::Keep;
        let mut entries: BTreeMap<String, &'a Resource> = BTreeMap::new();
        let mut policies: BTreeMap<String, &'a Resource> = BTreeMap::new();
        for resource in group.resources.iter().copied().filter(acting) {
            for declared in [&resource.after, &resource.before].into_iter().flatten() {
                let (found, principal) = match declared {
                    Declared::Entry(entry) => (&mut entries, &entry.principal),
                    Declared::EntryPolicy(policy) => (&mut policies, &policy.principal),
                    _ => continue,
                };
                if let Some(principal) = principal {
                    found.entry(key(&principal.value)).or_insert(resource);
                }
            }
        }
        for (principal, resource) in policies {
            entries.entry(principal).or_insert(resource);
        }
        let mut writes = group.writes();
        let cluster = group
            .after()
            .find(|(_, declared)| matches!(declared, Declared::Cluster(_)));
        let mut resources = group.resources.iter().copied();
        let map = resources.find(|r| matches!(r.before, Some(Declared::Map(_))));
        Self {
            entries,
            write: writes.find(|(r, _)| r.action != Action::Keep),
            other: map.or(cluster.map(|(r, _)| r)),
        }
    }

    fn entry(&self, principal: &str) -> Option<&'a Resource> {
        self.entries.get(&key(principal)).copied()
    }
}

pub(super) fn reason(touched: &Touched, causes: &Causes<'_>) -> String {
    let via = touched
        .after
        .first()
        .or(touched.before.first())
        .map(|a| a.via);
    let by = match via {
        Some(Via::Entry(_)) => causes.entry(&touched.principal),
        Some(Via::Map(_)) => causes.write.map(|(r, _)| r),
        None => None,
    };
    match (by, touched.after.first().map(|a| a.via)) {
        (Some(resource), Some(Via::Map(id))) => format!("{id} of `{}`", resource.address),
        (Some(resource), Some(Via::Entry(_))) => format!("`{}`", resource.address),
        (Some(resource), None) => format!("it is not in `{}`", resource.address),
        (None, None) => match causes.other {
            Some(resource) if resource.after.is_none() => format!("`{}` goes", resource.address),
            Some(resource) => format!("after `{}` nothing gives it access", resource.address),
            None => "nothing gives it access any more".to_owned(),
        },
        (None, Some(Via::Map(id))) => format!("{id} decides then"),
        (None, Some(Via::Entry(_))) => "its access entry decides then".to_owned(),
    }
}

/// A hazard at the resource that does it.
pub(super) fn at_cause(mut finding: Finding, via: Option<Via>, causes: &Causes<'_>) -> Finding {
    let entry = || causes.entry(finding.principal.as_deref()?);
    let of_entry = match via {
        Some(Via::Entry(_)) => entry(),
        _ => None,
    };
    match (of_entry, causes.write) {
        (None, Some((resource, write))) => in_write(finding, resource, write),
        (resource, _) => {
            if let Some(resource) = resource.or(causes.other) {
                finding = of(resource, finding);
                finding.span = finding.span.or(resource.span);
            }
            finding
        }
    }
}
