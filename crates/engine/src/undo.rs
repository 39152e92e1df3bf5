//! What an applied plan did, from its journal entry.

use accord_model::claim::{Fragment, Owner};
use accord_model::journal::{JournalEntry, ObjectChange};
use accord_model::ledger::Ledger;
use accord_model::mapping::SectionName;
use accord_model::reading::AuthMap;
use accord_plan::request::{FragmentChange, Undo};
use accord_wire::config_map::{ConfigMap, Datum, ObjectName, Value};
use accord_wire::ledger::LedgerError;
use accord_wire::sources::Sources;
use accord_wire::{authenticator, fragment, ledger};

use crate::cluster::Data;

/// Why a plan cannot be undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// It was written ahead, and never finished.
    #[error("it was never finished: `accord sync` settles what it left")]
    Unfinished,
    /// It kept a ledger that cannot be read.
    #[error("the ledger that it wrote cannot be read")]
    Ledger(#[from] LedgerError),
}

/// What is to be undone. Texts that the journal kept are added to `sources`.
///
/// # Errors
/// If the plan was never finished, or what the journal kept of it cannot be read.
pub fn of(entry: &JournalEntry, sources: &mut Sources) -> Result<Undo, UndoError> {
    if !entry.done {
        return Err(UndoError::Unfinished);
    }
    let mut undo = Undo {
        id: entry.id.clone(),
        fragments: Vec::new(),
        map: None,
        ledger: None,
    };
    for change in &entry.objects {
        let Some(name) = name(change) else { continue };
        if name == ObjectName::aws_auth() {
            let before = map(change.before.as_ref(), sources);
            undo.map = Some((before, map(change.after.as_ref(), sources)));
        } else if name == ObjectName::system(ledger::NAME) {
            // It is written before the map and after it: what counts is the first state and the last.
            let first = undo.ledger.take().map(|(before, _)| before);
            let before = first.map_or_else(|| read_ledger(change.before.as_ref()), Ok)?;
            undo.ledger = Some((before, read_ledger(change.after.as_ref())?));
        } else {
            undo.fragments.push(FragmentChange {
                owner: Owner {
                    namespace: name.namespace.clone(),
                    name: name.name.clone(),
                },
                before: change
                    .before
                    .as_ref()
                    .map(|data| read_fragment(&name, data, sources)),
                after: change
                    .after
                    .as_ref()
                    .map(|data| read_fragment(&name, data, sources)),
            });
        }
    }
    Ok(undo)
}

/// The object of `ConfigMap/namespace/name`.
fn name(change: &ObjectChange) -> Option<ObjectName> {
    let (namespace, name) = change.object.strip_prefix("ConfigMap/")?.split_once('/')?;
    Some(ObjectName {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    })
}

fn map(data: Option<&Data>, sources: &mut Sources) -> AuthMap {
    let mut map = AuthMap::empty();
    for section in SectionName::ALL {
        if let Some(text) = data.and_then(|data| value(data, section.key())) {
            let id = sources.add_object("journal", text);
            *map.section_mut(section) = authenticator::read_section(section, Some(id), text);
        }
    }
    map
}

fn read_ledger(data: Option<&Data>) -> Result<Ledger, LedgerError> {
    match data.and_then(|data| value(data, ledger::KEY)) {
        Some(text) => ledger::parse(text),
        None => Ok(Ledger::default()),
    }
}

fn read_fragment(name: &ObjectName, data: &Data, sources: &mut Sources) -> Fragment {
    let object = ConfigMap {
        name: name.clone(),
        uid: None,
        created: None,
        labels: vec![(fragment::LABEL.to_owned(), fragment::LABEL_VALUE.to_owned())],
        immutable: false,
        managers: Vec::new(),
        data: data
            .iter()
            .map(|(key, text)| Datum {
                key: key.clone(),
                span: None,
                value: Value::Text {
                    text: text.as_str().into(),
                    id: None,
                },
            })
            .collect(),
        binary_data: Vec::new(),
        span: None,
    };
    fragment::read(&object, sources).0
}

fn value<'d>(data: &'d Data, key: &str) -> Option<&'d str> {
    let found = data.iter().rfind(|(k, _)| k == key);
    found.map(|(_, value)| value.as_str())
}
