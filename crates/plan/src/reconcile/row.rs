//! What comes of one principal.

use accord_model::arn::PrincipalKey;
use accord_model::claim::{Claim, Owner};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::ledger::Line;
use accord_model::plan::{EntryEdit, Holder, Refusal};

/// What comes of a principal.
#[derive(Debug)]
pub(crate) struct Row<'s> {
    pub(crate) key: &'s PrincipalKey,
    /// As it is printed.
    pub(crate) principal: String,
    /// The claim in effect; `None` if nobody claims it.
    pub(crate) claim: Option<&'s Claim>,
    /// Who has that claim.
    pub(crate) owners: Vec<&'s Owner>,
    /// The askers claim it, or give it up.
    pub(crate) askers: bool,
    /// What is written to the map.
    pub(crate) edits: Vec<EntryEdit>,
    /// Whose the entry is that changes, or is in the way.
    pub(crate) holder: Holder,
    /// Why it changes.
    pub(crate) reason: String,
    /// Its access is given up.
    pub(crate) given_up: bool,
    /// It would be put back, and is suspended.
    pub(crate) suspended: bool,
    pub(crate) line: Next,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) findings: Vec<Finding>,
}

/// What becomes of the ledger's line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It stays as it is.
    Keep,
    /// It becomes this, before the map is written.
    Write(Box<Line>),
    /// It goes, after the map is written.
    Drop,
    /// It goes before anything else: the entry becomes what it was before anybody claimed it.
    DropFirst,
}

impl<'s> Row<'s> {
    /// Nothing comes of it.
    pub(crate) fn new(key: &'s PrincipalKey, principal: String) -> Self {
        Self {
            key,
            principal,
            claim: None,
            owners: Vec::new(),
            askers: false,
            edits: Vec::new(),
            holder: Holder::Unclaimed,
            reason: String::new(),
            given_up: false,
            suspended: false,
            line: Next::Keep,
            refusals: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Whether the claim that holds the principal is refused, and not only one that lost to it.
    pub(crate) fn is_refused(&self) -> bool {
        self.refusals
            .iter()
            .any(|r| r.kind != FindingKind::HeldByOther || self.holder == Holder::Eks)
    }

    /// Refuses it: nothing is done.
    pub(crate) fn refuse(&mut self, kind: FindingKind, message: &str, held_by: Option<String>) {
        self.hold_back();
        self.refusals.push(Refusal {
            kind,
            principal: Some(self.principal.clone()),
            message: message.to_owned(),
            held_by,
            allow: None,
            askers: self.askers,
        });
    }

    /// Nothing is written for it.
    pub(crate) fn hold_back(&mut self) {
        self.edits.clear();
        self.line = Next::Keep;
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
        // The message names places, which move with every other change: kept, it would make each plan write the ledger.
        self.line = Next::Write(Box::new(Line {
            releasing: Some(kind.meaning().to_owned()),
            ..line.clone()
        }));
        let message = format!("Nobody claims it any more, and it stays: {why}");
        self.findings
            .push(Finding::new(kind, Severity::Warning, message).about(self.principal.clone()));
    }
}
