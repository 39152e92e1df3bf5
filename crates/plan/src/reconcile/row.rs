//! What comes of one principal.

use accord_model::arn::PrincipalKey;
use accord_model::claim::Owner;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::ledger::Line;
use accord_model::plan::{EntryEdit, Holder, Refusal, Rights};

/// What comes of a principal.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) key: PrincipalKey,
    /// As it is printed.
    pub(crate) principal: String,
    /// The askers claim it, or give it up.
    pub(crate) askers: bool,
    /// Whose the entry is.
    pub(crate) holder: Holder,
    /// Why its entry changes.
    pub(crate) reason: String,
    pub(crate) edits: Vec<EntryEdit>,
    pub(crate) line: Next,
    /// Its access is given up.
    pub(crate) given_up: bool,
    /// Its entry is put back to what it was before anybody claimed it.
    pub(crate) stays_unclaimed: bool,
    /// It would be put back, and is suspended.
    pub(crate) suspended: bool,
    /// The claim in effect, as rights; `None` if nobody claims it.
    pub(crate) claimed: Option<Rights>,
    /// Who has that claim.
    pub(crate) owners: Vec<Owner>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) findings: Vec<Finding>,
}

/// What becomes of the ledger's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It stays as it is.
    Keep,
    /// It becomes this, before the map is written.
    Write(Box<Line>),
    /// It goes, after the map is written.
    Drop,
}

impl Row {
    /// Whether the claim that holds the principal is refused, and not only one that lost to it.
    pub(crate) fn is_refused(&self) -> bool {
        self.refusals
            .iter()
            .any(|r| r.kind != FindingKind::HeldByOther || self.holder == Holder::Eks)
    }

    /// Refuses it: nothing is done.
    pub(crate) fn refuse(&mut self, kind: FindingKind, message: &str, held_by: Option<String>) {
        self.edits.clear();
        self.line = Next::Keep;
        self.refusals.push(Refusal {
            kind,
            principal: Some(self.principal.clone()),
            message: message.to_owned(),
            held_by,
            allow: None,
            askers: self.askers,
        });
    }

    /// Nothing is done, because not all claims are known.
    pub(crate) fn may_still_be_claimed(&mut self) {
        const WHY: &str =
            "Not all fragments could be listed: somebody may still claim it, so it is kept.";
        match self.askers {
            true => self.refuse(FindingKind::ListingIncomplete, WHY, None),
            false => self.findings.push(
                Finding::new(FindingKind::ListingIncomplete, Severity::Info, WHY)
                    .about(self.principal.clone()),
            ),
        }
    }

    /// Keeps an entry that is given up: the asker is refused, and what vanished by itself is being released.
    pub(crate) fn keep(&mut self, line: &Line, kind: FindingKind, why: &str) {
        if self.askers {
            return self.refuse(kind, why, None);
        }
        self.edits.clear();
        self.line = Next::Write(Box::new(Line {
            releasing: Some(why.to_owned()),
            ..line.clone()
        }));
        let message = format!("Nobody claims it any more, and it stays: {why}");
        self.findings
            .push(Finding::new(kind, Severity::Warning, message).about(self.principal.clone()));
    }
}
