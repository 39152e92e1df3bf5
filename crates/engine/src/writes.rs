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

/// The writes of a plan: the ledger first, then fragments, then the map. After a crash at any point the ledger knows
/// every entry that may be there, and no new entry stands without its claim.
///
/// # Errors
/// If a section's new text would not mean what is planned.
pub fn of(plan: &Plan, cluster: &dyn Cluster) -> Result<Vec<Write>, WriteError> {
    let mut ledgers = Vec::new();
    let mut fragments = Vec::new();
    for step in &plan.steps {
        match step {
            Step::WriteLedger(new) => ledgers.push(put(
                Manifest {
                    name: ObjectName::system(ledger::NAME),
                    labels: Vec::new(),
                    data: vec![(ledger::KEY.to_owned(), ledger::print(new))],
                    binary_data: Vec::new(),
                },
                cluster,
            )),
            Step::WriteFragment(new) => fragments.push(put(fragment::manifest(new), cluster)),
            Step::DeleteFragment(owner) => {
                let name = ObjectName::from(owner);
                fragments.push(Write {
                    before: cluster.data(&name),
                    name,
                    labels: Vec::new(),
                    after: None,
                });
            }
            Step::Edit(_) => {}
        }
    }
    let mut writes = ledgers;
    writes.extend(fragments);
    writes.extend(map(plan, cluster)?);
    writes.retain(|write| write.before != write.after);
    Ok(writes)
}

/// The object becomes what the manifest says; keys that it does not name stay.
fn put(manifest: Manifest, cluster: &dyn Cluster) -> Write {
    let before = cluster.data(&manifest.name);
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

/// The write of the map, if any of its entries is edited.
fn map(plan: &Plan, cluster: &dyn Cluster) -> Result<Option<Write>, WriteError> {
    let name = ObjectName::aws_auth();
    let before = cluster.data(&name);
    let mut after = before.clone().unwrap_or_default();
    for section in SectionName::ALL {
        let edits: Vec<EntryEdit> = plan
            .edits()
            .filter(|edit| section_of(edit) == section)
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
    let edited = plan.edits().next().is_some();
    Ok(edited.then_some(Write {
        name,
        labels: Vec::new(),
        before,
        after: Some(after),
    }))
}

const fn section_of(edit: &EntryEdit) -> SectionName {
    match edit {
        EntryEdit::Add { section, .. } => *section,
        EntryEdit::Update { id, .. } | EntryEdit::Remove { id, .. } => id.section,
    }
}
