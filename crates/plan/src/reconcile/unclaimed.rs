//! The rows of the table in which nobody claims the principal, and entries that are put back by name.

use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::ledger::Line;
use accord_model::plan::{EntryEdit, Holder};

use super::ask::{Forced, Scope};
use super::judge::{Judge, listed, recorded};
use super::live::Found;
use super::row::{Next, Row};
use super::table::{self, Claimed, Verdict};

impl Judge<'_, '_> {
    /// Nobody claims it any more.
    pub(super) fn given_up(&self, row: &mut Row<'_>, line: &Line) {
        let may_claim = |o| self.claims.may_claim(o, line.section);
        if line.owners.iter().any(may_claim) || self.ask.scope == Scope::Missing {
            return;
        }
        let entries = match Found::of(self.situation, row.key, &row.principal, Some(line)) {
            Found::Map(entries) => entries,
            Found::Entry(_) => {
                row.line = Next::Drop;
                return;
            }
        };
        if entries.is_empty() && self.situation.is_lost(line.section) {
            return;
        }
        let live = entries.compare(row.key, None, Some(line));
        let verdict = table::judge(Claimed::No, live, recorded(Some(line)));
        let is_complete = self.situation.observed.fragments.complete;
        if !is_complete && (!row.askers || verdict == Verdict::Remove) {
            return row.may_still_be_claimed();
        }
        match verdict {
            Verdict::Remove => {
                if let Some((kind, message)) = self.situation.closed(line.section) {
                    return row.keep(line, kind, &message);
                }
                row.given_up = true;
                row.holder = Holder::Owners(line.owners.clone());
                row.reason = format!("given up by {}", listed(&line.owners));
                row.line = Next::Drop;
                row.edits = entries.removals(&row.principal);
            }
            Verdict::LetGo | Verdict::Forget => row.line = Next::Drop,
            Verdict::LeaveEdited => {
                row.line = Next::Drop;
                let message = format!(
                    "{} gave it up, but somebody edited the entry since Accord wrote it: it stays, {}, and is nobody's \
                     now.",
                    listed(&line.owners),
                    entries.told()
                );
                row.findings.push(
                    Finding::new(FindingKind::EditedSince, Severity::Warning, message)
                        .in_object(crate::lint::AWS_AUTH)
                        .about(row.principal.clone()),
                );
            }
            // Somebody claims it: see `claimed`.
            Verdict::Keep
            | Verdict::Add
            | Verdict::AddAgain
            | Verdict::Find
            | Verdict::Update
            | Verdict::PutBack
            | Verdict::NotHeld
            | Verdict::EditedByTwo
            | Verdict::Unclaimed => {}
        }
    }

    /// Nobody claims it, and it is written all the same.
    pub(super) fn forced(&self, row: &mut Row<'_>, forced: &Forced) {
        let Found::Map(entries) = Found::of(self.situation, row.key, &row.principal, None) else {
            return;
        };
        let edits = match (&forced.entry, entries.is_empty()) {
            (Some(entry), true) => vec![EntryEdit::Add {
                section: forced.section,
                mapping: entry.clone(),
            }],
            (Some(entry), false) => entries.updates(&entry.identity),
            (None, _) => entries.removals(&row.principal),
        };
        if !edits.is_empty()
            && let Some((kind, message)) = self.situation.closed(forced.section)
        {
            return row.refuse(kind, &message, None);
        }
        row.edits = edits;
        row.given_up = forced.entry.is_none();
        row.holder = forced.holder.clone();
        row.reason = forced.reason.clone();
        row.line = match &forced.line {
            Some(line) => Next::Write(Box::new(line.clone())),
            None if forced.entry.is_some() => Next::DropFirst,
            None => Next::Drop,
        };
    }
}
