//! One principal: who claims it, and what is then done. The table's rows are applied in [`claimed`](super::claimed) and
//! [`unclaimed`](super::unclaimed).

use std::collections::BTreeSet;

use accord_model::arn::PrincipalKey;
use accord_model::claim::Owner;
use accord_model::finding::FindingKind;
use accord_model::ledger::{Line, Origin};
use accord_model::plan::Refusal;

use super::ask::{Ask, Scope};
use super::claims::{self, Bid, Claims};
use super::contest::{self, Winner};
use super::live::as_identity;
use super::row::Row;
use super::situation::Situation;
use super::table::Recorded;

/// What rows are judged by.
pub(super) struct Judge<'s, 'a> {
    pub(super) situation: &'s Situation<'a>,
    pub(super) ask: &'s Ask,
    pub(super) claims: &'s Claims<'s>,
}

impl<'s> Judge<'s, '_> {
    /// What comes of the principal with this key.
    pub(super) fn row(&self, key: &'s PrincipalKey) -> Row<'s> {
        let line = self.situation.ledger.lines.get(key);
        let bids = self.claims.bids.get(key).map_or(&[][..], Vec::as_slice);
        let forced = self.ask.forced.get(key).filter(|_| bids.is_empty());
        let taking = self.ask.take.contains(key);
        let nobody = BTreeSet::new();
        let takers = if taking { &self.ask.askers } else { &nobody };
        let settled = contest::settle(key, bids, line, takers);
        let principal = match (&settled, line, forced) {
            // In canonical form already, since nobody else can be claimed.
            (Some((winner, _)), _, _) => claims::entry_arn(winner.claim).into_owned(),
            (None, Some(line), _) => line.principal.clone(),
            (None, None, Some(forced)) => forced.principal.clone(),
            (None, None, None) => key.as_str().to_owned(),
        };
        let mut row = Row::new(key, principal);
        let untouched = self.is_out_of_scope(bids, line) || self.claims.stuck.contains(key);
        match (settled, forced, line) {
            (Some((winner, lost)), _, _) => {
                row.askers = winner.owners.iter().any(|o| self.ask.askers.contains(*o));
                row.claim = Some(winner.claim);
                row.owners.clone_from(&winner.owners);
                if !untouched {
                    let lost = lost.iter().map(|bid| self.lost(&row, &winner, bid));
                    row.refusals = lost.collect();
                    let taking = taking && row.askers;
                    self.claimed(&mut row, &winner, line, taking);
                }
            }
            _ if untouched => {}
            (None, Some(forced), _) => {
                row.askers = true;
                self.forced(&mut row, forced);
            }
            (None, None, Some(line)) => {
                row.askers = self.ask.given_up.contains(key);
                self.given_up(&mut row, line);
            }
            (None, None, None) => {}
        }
        row
    }

    fn is_out_of_scope(&self, bids: &[Bid<'_>], line: Option<&Line>) -> bool {
        let owners = line.iter().flat_map(|l| &l.owners);
        let mut involved = bids.iter().map(|b| b.owner).chain(owners);
        match self.ask.scope {
            Scope::Nothing => true,
            Scope::Others => involved.all(|o| self.ask.askers.contains(o)),
            Scope::All | Scope::Missing => false,
        }
    }

    /// The refusal of a claim on what others hold with another identity.
    fn lost(&self, row: &Row<'_>, winner: &Winner<'_>, bid: &Bid<'_>) -> Refusal {
        let holders = listed(winner.owners.iter().copied());
        Refusal {
            kind: FindingKind::HeldByOther,
            principal: Some(row.principal.clone()),
            message: format!(
                "{holders} holds it {}, and {} claims it {}. Agree on one identity, or take it over with --take-over {}.",
                as_identity(&winner.claim.identity),
                bid.owner,
                as_identity(&bid.claim.identity),
                row.principal
            ),
            held_by: Some(holders),
            allow: None,
            askers: self.ask.askers.contains(bid.owner),
        }
    }
}

/// What the table needs of a line.
pub(super) fn recorded(line: Option<&Line>) -> Recorded {
    match line.map(|l| l.origin) {
        None => Recorded::No,
        Some(Origin::Found) => Recorded::Found,
        Some(Origin::Added | Origin::Adopted) => Recorded::Ours,
    }
}

/// Owners in words.
pub(super) fn listed<'o>(owners: impl IntoIterator<Item = &'o Owner>) -> String {
    let names: Vec<String> = owners.into_iter().map(Owner::to_string).collect();
    names.join(", ")
}
