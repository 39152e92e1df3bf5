//! From the steps of a plan to the new content of objects. Nothing is decided here.

use accord_model::mapping::SectionName;
use accord_model::plan::{EntryEdit, Plan, Step};
use accord_wire::config_map::{Manifest, ObjectName};
use accord_wire::{edit, fragment, ledger};

use crate::cluster::{Cluster, Data, Write};

/// Edits that cannot be put into bytes; nothing was written.
#[derive(Debug, thiserror::Error)]
#[error("could not edit {section}")]
pub struct WriteError {
    section: SectionName,
    #[source]
    source: edit::EditError,
}

/// The writes of a plan, in the order of its steps, which heals after a crash at any point. All edits of the map are one
/// write, in the place of the first. An object that is written twice rests on its first write the second time.
///
/// # Errors
/// If a section's new text would not mean what is planned.
pub fn of(plan: &Plan, cluster: &dyn Cluster) -> Result<Vec<Write>, WriteError> {
    let mut writes: Vec<Write> = Vec::new();
    for step in &plan.steps {
        let data = |name: &ObjectName| {
            let earlier = writes.iter().rev().find(|write| write.name == *name);
            earlier.map_or_else(|| cluster.data(name), |write| write.after.clone())
        };
        let write = match step {
            Step::WriteLedger(new) => put(
                Manifest {
                    name: ObjectName::system(ledger::NAME),
                    labels: Vec::new(),
                    data: vec![(ledger::KEY.to_owned(), ledger::print(new))],
                    binary_data: Vec::new(),
                },
                data,
            ),
            Step::WriteFragment(new) => put(fragment::manifest(new), data),
            Step::DeleteFragment(owner) => {
                let name = ObjectName::from(owner);
                Write {
                    before: data(&name),
                    name,
                    labels: Vec::new(),
                    after: None,
                }
            }
            Step::Edit(_) if writes.iter().any(|w| w.name == ObjectName::aws_auth()) => continue,
            Step::Edit(_) => map(plan, cluster)?,
        };
        writes.push(write);
    }
    writes.retain(|write| write.before != write.after);
    Ok(writes)
}

/// The object becomes what the manifest says; keys that it does not name stay.
fn put(manifest: Manifest, data: impl Fn(&ObjectName) -> Option<Data>) -> Write {
    let before = data(&manifest.name);
    let mut after = before.clone().unwrap_or_default();
    let is_fragment = fragment::is_labelled(&manifest.labels);
    if is_fragment {
        after.retain(|(key, _)| SectionName::ALL.iter().all(|section| section.key() != key));
    }
    for (key, value) in manifest.data {
        set(&mut after, &key, value);
    }
    Write {
        name: manifest.name,
        labels: manifest.labels,
        before,
        after: Some(after),
    }
}

fn set(data: &mut Data, key: &str, value: String) {
    match data.iter_mut().find(|(k, _)| k == key) {
        Some((_, old)) => *old = value,
        None => data.push((key.to_owned(), value)),
    }
}

/// The write of the map.
fn map(plan: &Plan, cluster: &dyn Cluster) -> Result<Write, WriteError> {
    let name = ObjectName::aws_auth();
    let before = cluster.data(&name);
    let mut after = before.clone().unwrap_or_default();
    for section in SectionName::ALL {
        let edits: Vec<EntryEdit> = plan
            .edits()
            .filter(|edit| edit.section() == section)
            .cloned()
            .collect();
        if edits.is_empty() {
            continue;
        }
        let old = after.iter().find(|(key, _)| key == section.key());
        let old = old.map_or("", |(_, text)| text);
        let new = edit::edit_section(section, old, &edits)
            .map_err(|source| WriteError { section, source })?;
        set(&mut after, section.key(), new);
    }
    Ok(Write {
        name,
        labels: Vec::new(),
        before,
        after: Some(after),
    })
}
