//! Whether an edited text means what was intended, and says the rest as it did.

use accord_model::mapping::{EntryId, Mapping, SectionName};
use accord_model::reading::{Field, Item, Kept, Section, SectionState};

use super::style::{Part, part_of};
use super::{EditError, Edits};
use crate::authenticator::read_section;

/// Reads the edited text again. What the authenticator keeps of it must be what it kept before, edits applied; and of
/// every item that is not edited, the bytes must be the same, as must be those of an updated entry's other fields.
pub(super) fn verify(
    name: SectionName,
    before: &Section,
    text: &str,
    edits: &Edits<'_>,
    edited: &str,
) -> Result<(), EditError> {
    let misread = |difference: String| {
        Err(EditError::Misread {
            section: name,
            difference,
        })
    };
    let after = read_section(name, None, edited);
    if let SectionState::Lost(loss) = &after.state {
        return misread(format!("it cannot be read, because {}", loss.message));
    }
    let intended = intended(name, before, edits);
    let found: Vec<&Kept> = after.kept().map(|(_, kept)| kept).collect();
    if found.len() != intended.len() {
        return misread(format!(
            "it holds {} entries instead of {}",
            found.len(),
            intended.len()
        ));
    }
    for (index, (intent, found)) in intended.iter().zip(found).enumerate() {
        if !intent.is(found) {
            return misread(format!(
                "its entry {index} reads {found:?} instead of {intent:?}"
            ));
        }
    }
    let stay = before.items.iter().enumerate().filter(|(index, _)| {
        let id = EntryId::new(name, *index);
        edits.removed.binary_search(&id).is_err()
    });
    for ((index, old), new) in stay.zip(&after.items) {
        let id = EntryId::new(name, index);
        let is_updated = edits
            .updated
            .binary_search_by_key(&id, |(id, _)| *id)
            .is_ok();
        let same = match is_updated {
            true => fields(old, text, name) == fields(new, edited, name),
            false => text.get(old.range.bytes()) == edited.get(new.range.bytes()),
        };
        if !same {
            return misread(format!("{id} would not be written as it was"));
        }
    }
    Ok(())
}

/// The fields of an item that no update touches, as they are written.
fn fields<'t>(item: &Item, text: &'t str, name: SectionName) -> Vec<Option<&'t str>> {
    let touched = |f: &&Field| {
        matches!(part_of(name, &f.key), Some(Part::Username | Part::Groups)) || &*f.key == "<<"
    };
    let others = item.written.iter().filter(|f| !touched(f));
    others
        .map(|f| text.get(f.key_range.start as usize..f.value_range.end as usize))
        .collect()
}

/// What an entry of the edited text is to be.
#[derive(Debug)]
enum Intent {
    /// This, exactly.
    Exactly(Kept),
    /// The same ARN, `sso` and user id, and this identity, groups as a set.
    Means(Mapping),
}

impl Intent {
    fn is(&self, found: &Kept) -> bool {
        match (self, found) {
            (Self::Exactly(kept), found) => kept == found,
            (Self::Means(wanted), Kept::Mapping(found)) => {
                (&wanted.arn, &wanted.sso, &wanted.user_id)
                    == (&found.arn, &found.sso, &found.user_id)
                    && wanted.identity.means_same(&found.identity)
            }
            (Self::Means(_), Kept::Account(_)) => false,
        }
    }
}

fn intended(name: SectionName, before: &Section, edits: &Edits<'_>) -> Vec<Intent> {
    let mut intended = Vec::new();
    for (id, kept) in before.kept() {
        if edits.removed.binary_search(&id).is_ok() {
            continue;
        }
        let update = edits.updated.binary_search_by_key(&id, |(id, _)| *id).ok();
        intended.push(match (kept, update.and_then(|i| edits.updated.get(i))) {
            (Kept::Mapping(old), Some((_, new))) => Intent::Means(Mapping {
                identity: new.identity.clone(),
                ..old.clone()
            }),
            (kept, _) => Intent::Exactly(kept.clone()),
        });
    }
    intended.extend(edits.added.iter().map(|&mapping| match name {
        SectionName::Accounts => Intent::Exactly(Kept::Account(mapping.arn.clone())),
        SectionName::Roles | SectionName::Users => Intent::Means(mapping.clone()),
    }));
    intended
}
