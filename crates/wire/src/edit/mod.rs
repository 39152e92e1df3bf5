//! Changing entries of a section without touching anything else.
//!
//! The bytes of the entry concerned change, and no others: comments, order, quoting, indentation, unknown fields and
//! line breaks stay. The way is always the same:
//!
//! ```text
//! text → tree (ranges) → splices → new text → read again → compared with the intent
//! ```
//!
//! 1. [`splice`], [`lines`]: replacing ranges; lines as YAML counts them.
//! 2. [`scalar`], [`style`], [`entry`]: how a value, and how an entry, is written so that it looks like its neighbours.
//! 3. [`add`], [`update`] with [`groups`], [`remove`]: the three edits as splices; [`flow`]: lists in brackets.
//! 4. [`verify`]: whether the new text means exactly what was intended.
//! 5. [`write()`]: something else at one place, for mending what cannot be read as it is meant.
//!
//! # Guarantees
//! - What is returned was read again as the authenticator reads it: the same entries in the same order, with the edits
//!   applied. If not, an error is returned and no text.
//! - A section that the authenticator cannot read is never edited. `{}` counts as empty.
//! - No edits, or edits that change no meaning, return the text as it was.
//!
//! # Whose comments go with an entry
//! When an entry is removed, the comment lines directly above its dash go with it, and so do comment lines below it that
//! are indented deeper than the dash. A blank line ends both. Comments above the first entry are the list's, and stay.

mod add;
mod entry;
mod flow;
mod groups;
mod lines;
mod remove;
mod scalar;
mod splice;
mod style;
mod update;
mod verify;
mod write;

#[cfg(test)]
#[cfg(test)]
mod tests;

pub use write::write;

use accord_model::mapping::{EntryId, Mapping, SectionName};
use accord_model::plan::EntryEdit;
use accord_model::reading::{Loss, LossCause, Section, SectionState};

use crate::authenticator::read_section;
use crate::yaml::{Dialect, Kind, NodeId, Style, Tree, first_document};
use splice::Splices;

/// Why a section is not edited. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The authenticator cannot read the section, so nobody can tell what a change would do.
    #[error("{section} cannot be read, because {}", .loss.message)]
    Unreadable {
        /// The section.
        section: SectionName,
        /// Why and where.
        loss: Loss,
    },
    /// The edit is for an entry that is not there, or for another section.
    #[error("{0} is not there")]
    NoSuchEntry(EntryId),
    /// Two edits for one entry.
    #[error("{0} is edited twice")]
    EditedTwice(EntryId),
    /// The entry, or the value to change, is an anchor that other entries refer to: changing it would change them.
    #[error(
        "{entry} holds the anchor `&{anchor}`, which other entries refer to; write it out in them first"
    )]
    Anchored {
        /// The entry.
        entry: EntryId,
        /// The anchor's name.
        anchor: String,
    },
    /// The entry is written in a form that cannot be changed in place.
    #[error("{entry} cannot be changed in place, because {reason}")]
    CannotUpdate {
        /// The entry.
        entry: EntryId,
        /// Why, in one clause.
        reason: String,
    },
    /// The edited text would not mean what is intended. This protects against faults of this module and against texts
    /// in which a correct edit brings something else to life.
    #[error("the edited {section} would not mean what is intended: {difference}")]
    Misread {
        /// The section.
        section: SectionName,
        /// The first difference.
        difference: String,
    },
}

/// Edits the text of one section. Positions in `edits` are those of the section as [`read_section`] reads it; edits of
/// other sections are an error.
///
/// `Add` for `mapAccounts` takes the account from `mapping.arn`. `Update` changes username and groups; groups are a
/// set, so that only those added or removed are touched.
///
/// # Errors
/// See [`EditError`]. In each case the text is to be kept as it is.
pub fn edit_section(
    name: SectionName,
    text: &str,
    edits: &[EntryEdit],
) -> Result<String, EditError> {
    let section = read_section(name, None, text);
    let edits = Edits::sort(name, &section, edits)?;
    if let SectionState::Lost(loss) = &section.state
        && !section.is_writable()
    {
        return Err(EditError::Unreadable {
            section: name,
            loss: loss.clone(),
        });
    }
    if edits.is_empty() {
        return Ok(text.to_owned());
    }
    let edited = edit(&section, text, &edits)?;
    verify::verify(name, &section, text, &edits, &edited)?;
    Ok(edited)
}

/// The edits of a section, by kind; removals and updates in the order of the text.
struct Edits<'e> {
    added: Vec<&'e Mapping>,
    updated: Vec<(EntryId, &'e Mapping)>,
    removed: Vec<EntryId>,
}

impl<'e> Edits<'e> {
    fn sort(
        name: SectionName,
        section: &Section,
        edits: &'e [EntryEdit],
    ) -> Result<Self, EditError> {
        let mut sorted = Self {
            added: Vec::new(),
            updated: Vec::new(),
            removed: Vec::new(),
        };
        let readable = section.is_readable();
        let there = |id: EntryId| {
            let kept = section
                .items
                .get(id.index)
                .and_then(|item| item.kept.as_ref());
            let there = id.section == name && readable && kept.is_some();
            if there {
                Ok(id)
            } else {
                Err(EditError::NoSuchEntry(id))
            }
        };
        let mut seen = std::collections::BTreeSet::new();
        for edit in edits {
            let id = match edit {
                EntryEdit::Add { section, mapping } if *section == name => {
                    sorted.added.push(mapping);
                    continue;
                }
                EntryEdit::Add { section, .. } => {
                    return Err(EditError::NoSuchEntry(EntryId::new(*section, 0)));
                }
                EntryEdit::Update { id, mapping } => {
                    sorted.updated.push((there(*id)?, mapping));
                    *id
                }
                EntryEdit::Remove { id, .. } => {
                    sorted.removed.push(there(*id)?);
                    *id
                }
            };
            if !seen.insert(id) {
                return Err(EditError::EditedTwice(id));
            }
        }
        sorted.updated.sort_by_key(|(id, _)| *id);
        sorted.removed.sort();
        Ok(sorted)
    }

    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.updated.is_empty() && self.removed.is_empty()
    }
}

fn edit(section: &Section, text: &str, edits: &Edits<'_>) -> Result<String, EditError> {
    if section.items.is_empty() {
        return Ok(add::to_nothing(section.name, text, &edits.added));
    }
    if !lines::ends_open(text) {
        return edit_list(section, text, edits);
    }
    // All edits are of whole lines: the break that the last one lacks is lent to it.
    let line_break = lines::line_break(text);
    let mut edited = edit_list(section, &format!("{text}{line_break}"), edits)?;
    if edited.ends_with(line_break) {
        edited.truncate(edited.len() - line_break.len());
    }
    Ok(edited)
}

fn edit_list(section: &Section, text: &str, edits: &Edits<'_>) -> Result<String, EditError> {
    let name = section.name;
    let unreadable = |message: String, range| EditError::Unreadable {
        section: name,
        loss: Loss {
            cause: LossCause::Unparseable,
            message,
            range,
        },
    };
    let tree = first_document(text, Dialect::GoYaml).map_err(|e| unreadable(e.message, e.range))?;
    let list = tree.root().and_then(|root| match tree.kind(root) {
        Kind::Sequence(style) => Some((root, style)),
        Kind::Scalar(_) | Kind::Mapping(_) | Kind::Alias => None,
    });
    let Some((root, style)) = list else {
        return Ok(add::to_nothing(name, text, &edits.added));
    };
    let items: Vec<NodeId> = tree.items(root).collect();
    let list = List {
        name,
        section,
        text,
        tree: &tree,
        root,
        style,
        items,
        aliases: tree
            .nodes()
            .filter(|&id| tree.kind(id) == Kind::Alias)
            .collect(),
    };
    let mut splices = Splices::default();
    for (id, mapping) in &edits.updated {
        update::update(&list, *id, mapping, &mut splices)?;
    }
    remove::remove(&list, &edits.removed, &mut splices)?;
    if edits.removed.len() == list.items.len() {
        let rest = splices.apply(text);
        return Ok(if edits.added.is_empty() {
            rest
        } else {
            add::to_nothing(name, &rest, &edits.added)
        });
    }
    add::to_list(&list, &edits.added, &edits.removed, &mut splices);
    Ok(splices.apply(text))
}

/// A section that is a list with at least one item.
struct List<'a> {
    name: SectionName,
    section: &'a Section,
    text: &'a str,
    tree: &'a Tree<'a>,
    root: NodeId,
    style: Style,
    items: Vec<NodeId>,
    aliases: Vec<NodeId>,
}

/// Whether the entry at `index` is among `ids`, which are sorted and of one section.
fn is_among(ids: &[EntryId], index: usize) -> bool {
    ids.binary_search_by_key(&index, |id| id.index).is_ok()
}

impl List<'_> {
    /// A node's bytes, without its tag and anchor.
    fn source(&self, node: NodeId) -> &str {
        let range = self.tree.range(node).bytes();
        self.text.get(range).unwrap_or_default()
    }

    /// The anchor in the nodes from `first` up to `end` (node numbers) that an alias outside of them refers to, in an
    /// item that is not `gone`.
    fn anchor_used_elsewhere(
        &self,
        first: usize,
        end: usize,
        gone: impl Fn(usize) -> bool,
    ) -> Option<String> {
        let inside = first..end;
        let stays = |id: NodeId| {
            let item = self.items.partition_point(|item| *item <= id);
            !item.checked_sub(1).is_some_and(&gone)
        };
        let aliases = self.aliases.iter().copied();
        aliases
            .filter(|&id| !inside.contains(&id.index()) && stays(id))
            .find(|&id| inside.contains(&self.tree.target(id).index()))
            .map(|id| self.tree.scalar(id).to_owned())
    }

    /// The node numbers of an item and everything in it.
    fn nodes_of(&self, index: usize) -> (usize, usize) {
        let first = self.items.get(index).map_or(0, |id| id.index());
        let end = self
            .items
            .get(index + 1)
            .map_or(self.tree.len(), |id| id.index());
        (first, end)
    }
}
