//! What the journal remembers of a principal.

use accord_model::arn::PrincipalKey;
use accord_model::journal::JournalEntry;
use accord_model::observed::Observed;
use accord_model::plan::Change;

use crate::holder::key_of;

/// The last change of a principal's access, and the plan that made it.
///
/// A plan that was never finished may have come to nothing, so what it meant to give does not count. What it meant to take
/// away does: somebody wanted that access gone.
pub(crate) fn last_change<'o>(
    observed: &'o Observed,
    key: &PrincipalKey,
) -> Option<(&'o JournalEntry, &'o Change)> {
    let newest_first = observed.journal.iter().rev();
    let mut changes = newest_first.flat_map(|e| e.changes.iter().map(move |c| (e, c)));
    changes.find(|(entry, change)| {
        (entry.done || change.after.is_none()) && key_of(&change.principal) == *key
    })
}
