//! What is wrong or risky in a map, and in a cluster as it stands.
//!
//! One file per family. Each looks at what was read (the neutral remarks of `accord_model::reading`), at the entries
//! in effect ([`Rules`]) and at what is known of the cluster ([`World`]), and says what is really in effect, how bad
//! that is, and what to write instead. How bad depends on what the entry is for: see `purpose`.
//!
//! - `section`: whole sections, and what is lost behind the end of one.
//! - `item`: how one list item was read.
//! - `principal`, `fault`: what an ARN means. `duplicate`: the same principal twice.
//! - `identity`: usernames, groups and templates.
//! - `account`, `sso`: the other two ways to name somebody.
//! - `cluster`, `compute`, `access_entries`: what the mode, compute and access entries make of the map.
//!
//! [`page`] is the documentation of a kind.

mod access_entries;
mod account;
mod cluster;
mod compute;
mod docs;
mod duplicate;
mod fault;
mod identity;
mod item;
mod principal;
mod purpose;
mod section;
mod sso;
#[cfg(test)]
mod tests;

use accord_model::arn::Arn;
use accord_model::facts::{FargateProfile, NodeGroup};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::fold;
use accord_model::mapping::{EntryId, Mapping};
use accord_model::observed::{Observed, StrayKey};
use accord_model::reading::{AuthMap, Field, Item, Kept, Section};
use accord_model::span::Range;

use crate::rules::Rules;
use crate::usage::Usage;

pub(crate) use cluster::{role_in_use, shadowed};
pub use docs::page;
pub(crate) use fault::judge as faults;
pub(crate) use purpose::Purpose;

/// The object that the authenticator reads.
pub const AWS_AUTH: &str = "ConfigMap/kube-system/aws-auth";

/// What is known of the cluster that a map is for.
#[derive(Clone, Debug, Default)]
pub struct World<'a> {
    usage: Usage,
    partition: Option<&'a str>,
    node_groups: &'a [NodeGroup],
    fargate_profiles: &'a [FargateProfile],
}

impl<'a> World<'a> {
    /// What was observed.
    pub fn of(observed: &'a Observed) -> Self {
        let cluster = observed.cluster.as_ref();
        let arn = cluster.and_then(|c| c.arn.as_deref());
        Self {
            usage: Usage::of(&observed.compute),
            partition: arn.and_then(Arn::parse).map(|a| a.partition),
            node_groups: &observed.compute.node_groups.items,
            fargate_profiles: &observed.compute.fargate_profiles.items,
        }
    }

    /// Who uses which role.
    pub(crate) fn usage(&self) -> &Usage {
        &self.usage
    }
}

/// Findings in a cluster as it stands: in its map, and what the mode, access entries and compute make of it. In the
/// order of the text; what has no place comes last.
pub fn lint(observed: &Observed) -> Vec<Finding> {
    let world = World::of(observed);
    let mut findings = match &observed.aws_auth {
        Some(aws_auth) => look(&aws_auth.map, &aws_auth.stray_keys, AWS_AUTH, &world),
        None => Vec::new(),
    };
    findings.extend(cluster::look(observed, &world));
    sorted(findings)
}

/// Findings about the sections of the cluster's map that are not read as they are meant to be; `rules` are its entries.
pub(crate) fn lint_sections(
    observed: &Observed,
    rules: &Rules<'_>,
    world: &World<'_>,
) -> Vec<Finding> {
    let Some(aws_auth) = &observed.aws_auth else {
        return Vec::new();
    };
    let look = Look {
        map: &aws_auth.map,
        rules,
        world,
    };
    let findings = section::look(&look, &aws_auth.stray_keys).into_iter();
    findings.map(|f| f.in_object(AWS_AUTH)).collect()
}

/// Findings in one map, or in a fragment or bare list, which are read as one: `object` names it, and `stray` are its
/// keys that were meant to be sections.
pub fn lint_map(
    map: &AuthMap,
    stray: &[StrayKey],
    object: &str,
    world: &World<'_>,
) -> Vec<Finding> {
    sorted(look(map, stray, object, world))
}

fn look(map: &AuthMap, stray: &[StrayKey], object: &str, world: &World<'_>) -> Vec<Finding> {
    let rules = Rules::of(map);
    let look = Look {
        map,
        rules: &rules,
        world,
    };
    let mut findings = section::look(&look, stray);
    findings.extend(item::look(&look));
    findings.extend(principal::look(&look));
    findings.extend(duplicate::look(&look));
    findings.extend(identity::look(&look));
    findings.extend(account::look(&look));
    findings.extend(sso::look(&look));
    findings
        .into_iter()
        .map(|finding| finding.in_object(object))
        .collect()
}

fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| {
        let place = |f: &Finding| (f.span.is_none(), f.span);
        place(a)
            .cmp(&place(b))
            .then(b.severity.cmp(&a.severity))
            .then(a.kind.cmp(&b.kind))
    });
    findings
}

/// What the families look at.
struct Look<'a> {
    map: &'a AuthMap,
    rules: &'a Rules<'a>,
    world: &'a World<'a>,
}

/// One mapping in effect, with where it stands.
#[derive(Clone, Copy)]
struct Entry<'a> {
    id: EntryId,
    section: &'a Section,
    item: &'a Item,
    mapping: &'a Mapping,
}

impl<'a> Look<'a> {
    /// The mappings in effect, those that a later one replaces included.
    fn entries(&self) -> impl Iterator<Item = Entry<'a>> {
        self.map
            .sections()
            .filter(|s| s.is_readable())
            .flat_map(|section| {
                section
                    .items
                    .iter()
                    .enumerate()
                    .filter_map(move |(index, item)| {
                        let mapping = item.kept.as_ref().and_then(Kept::mapping)?;
                        let id = EntryId::new(section.name, index);
                        Some(Entry {
                            id,
                            section,
                            item,
                            mapping,
                        })
                    })
            })
    }
}

impl<'a> Entry<'a> {
    /// The field that holds the ARN: `rolearn` or `userarn`.
    fn arn_field(&self) -> &'static str {
        self.section.name.arn_field().unwrap_or_default()
    }

    /// A finding at one of the entry's fields, or at the whole entry if it is not written there.
    fn finding(
        &self,
        field: &str,
        kind: FindingKind,
        severity: Severity,
        message: impl Into<String>,
    ) -> Finding {
        let range = written(self.item, field).map_or(self.item.range, |f| f.value_range);
        self.place(&format!(".{field}"), range, kind, severity, message)
    }

    /// A finding at one of the entry's groups.
    fn group_finding(
        &self,
        index: usize,
        kind: FindingKind,
        severity: Severity,
        message: impl Into<String>,
    ) -> Finding {
        let groups = written(self.item, "groups");
        let range = match groups.map(|f| (f, f.elements.get(index))) {
            Some((_, Some(element))) => element.range,
            Some((field, None)) => field.value_range,
            None => self.item.range,
        };
        self.place(&format!(".groups[{index}]"), range, kind, severity, message)
    }

    /// A finding about the entry as a whole.
    fn whole(&self, kind: FindingKind, severity: Severity, message: impl Into<String>) -> Finding {
        self.place("", self.item.range, kind, severity, message)
    }

    fn place(
        &self,
        below: &str,
        range: Range,
        kind: FindingKind,
        severity: Severity,
        message: impl Into<String>,
    ) -> Finding {
        let finding = Finding::new(kind, severity, message)
            .at(format!("{}{below}", self.id), self.section.span(range));
        match self.mapping.arn.as_str() {
            "" => finding,
            arn => finding.about(accord_model::arn::display_form(arn)),
        }
    }
}

/// The field of that name as the author wrote it, in any case; of several the last.
fn written<'a>(item: &'a Item, name: &str) -> Option<&'a Field> {
    item.written
        .iter()
        .rev()
        .find(|f| fold::equal_fold(&f.key, name))
}

/// A list in words: `a`, `a and b`, `a, b and 3 more`.
pub(crate) fn listed(names: &[String]) -> String {
    const SHOWN: usize = 8;
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if names.len() <= SHOWN => format!("{} and {last}", first.join(", ")),
        _ => {
            let shown = names.get(..SHOWN).unwrap_or(names);
            format!("{} and {} more", shown.join(", "), names.len() - SHOWN)
        }
    }
}
