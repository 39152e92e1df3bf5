//! The table, applied to one principal.

use std::collections::BTreeSet;

use accord_model::arn::PrincipalKey;
use accord_model::claim::Owner;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::ledger::{Door, Line, Origin};
use accord_model::mapping::Mapping;
use accord_model::plan::{EntryEdit, Holder, Refusal, Rights};

use super::ask::{Ask, Forced, Scope};
use super::claims::{self, Claims};
use super::contest::{self, Winner};
use super::live::{Entries, Found, as_identity};
use super::row::{Next, Row};
use super::situation::Situation;
use super::table::{self, Claimed, Recorded, Verdict};
use crate::holder;

/// How many digests a line keeps.
const DIGESTS: usize = 4;

/// Everything about one principal.
pub(crate) struct Judge<'s, 'a> {
    pub(crate) situation: &'s Situation<'a>,
    pub(crate) ask: &'s Ask,
    pub(crate) claims: &'s Claims<'s>,
}

impl<'s> Judge<'s, '_> {
    /// What comes of the principal with this key.
    pub(crate) fn row(&self, key: &PrincipalKey) -> Row {
        let line = self.situation.ledger.lines.get(key);
        let bids = self.claims.bids.get(key).map_or(&[][..], Vec::as_slice);
        let taking = self.ask.take.contains(key);
        let nobody = BTreeSet::new();
        let takers = if taking { &self.ask.askers } else { &nobody };
        let settled = contest::settle(key, bids, line, takers);
        let involved = bids
            .iter()
            .map(|b| b.owner)
            .chain(line.iter().flat_map(|l| &l.owners));
        let is_asker = |o: &&Owner| self.ask.askers.contains(*o);
        let only_askers = involved.into_iter().all(|o| is_asker(&o));
        let forced = self.ask.forced.get(key).filter(|_| bids.is_empty());
        let mut row = Row {
            key: key.clone(),
            principal: match (&settled, line, forced) {
                (Some((winner, _)), _, _) => claims::printed(winner.claim),
                (None, Some(line), _) => line.principal.clone(),
                (None, None, Some(forced)) => forced.principal.clone(),
                (None, None, None) => key.as_str().to_owned(),
            },
            askers: false,
            holder: Holder::Unclaimed,
            reason: String::new(),
            edits: Vec::new(),
            line: Next::Keep,
            given_up: false,
            stays_unclaimed: false,
            suspended: false,
            claimed: settled.as_ref().map(|(w, _)| contest::rights(w.claim)),
            owners: settled
                .iter()
                .flat_map(|(w, _)| w.owners.iter().copied().cloned())
                .collect(),
            refusals: Vec::new(),
            findings: Vec::new(),
        };
        let untouched = match self.ask.scope {
            Scope::Nothing => true,
            Scope::Others => only_askers,
            Scope::All | Scope::Missing => false,
        };
        if untouched || self.claims.stuck.contains(key) {
            return row;
        }
        match (settled, forced) {
            (Some((winner, lost)), _) => {
                for bid in lost {
                    let holders = listed(winner.owners.iter().copied());
                    row.refusals.push(Refusal {
                        kind: FindingKind::HeldByOther,
                        principal: Some(row.principal.clone()),
                        message: format!(
                            "{holders} holds it {}, and {} claims it {}. Agree on one identity, or take it over with \
                             --take-over {}.",
                            as_identity(&winner.claim.identity),
                            bid.owner,
                            as_identity(&bid.claim.identity),
                            row.principal
                        ),
                        held_by: Some(holders),
                        allow: None,
                        askers: self.ask.askers.contains(bid.owner),
                    });
                }
                row.askers = winner.owners.iter().any(is_asker);
                let taking = taking && row.askers;
                self.claimed(&mut row, &winner, line, taking);
            }
            (None, Some(forced)) => {
                row.askers = true;
                self.forced(&mut row, forced);
            }
            (None, None) => {
                if let Some(line) = line {
                    row.askers = self.ask.given_up.contains(key);
                    self.given_up(&mut row, line);
                }
            }
        }
        row
    }

    /// Somebody claims it.
    fn claimed(&self, row: &mut Row, winner: &Winner<'_>, line: Option<&Line>, taking: bool) {
        let claim = winner.claim;
        let entries = match Found::of(self.situation, &row.key, &row.principal, line) {
            Found::Entry(rights) => return self.by_entry(row, winner, line, &rights),
            Found::Map(entries) => entries,
        };
        if !claim.policies.is_empty() {
            let message = "Only an access entry can hold access policies, and this principal has none; aws-auth knows \
                           groups alone.";
            return row.refuse(FindingKind::PoliciesNeedAccessEntry, message, None);
        }
        let usage = self.situation.world.usage();
        let eks_written = entries
            .mappings()
            .any(|m| usage.is_eks_written(&m.arn, &m.identity));
        let live = entries.compare(&row.key, Some(&claim.identity), line);
        let recorded = recorded(line);
        let claimed = match line {
            Some(line) if line.claimed != winner.digest => Claimed::Changed,
            _ => Claimed::Unchanged,
        };
        let verdict = table::judge(claimed, live, recorded);
        let owners = self.owners(winner, line);
        row.holder = match holder::held(line, eks_written) {
            Some(Holder::Eks) if !taking => Holder::Eks,
            _ => Holder::Owners(owners.clone()),
        };
        let next = |origin: Origin| {
            let mut digests = vec![winner.digest.clone()];
            digests.extend(
                line.iter()
                    .flat_map(|l| &l.digests)
                    .filter(|d| **d != winner.digest)
                    .cloned(),
            );
            digests.truncate(DIGESTS);
            Next::Write(Box::new(Line {
                section: claim.section,
                // In the spelling in which it was first claimed, since another one is no change.
                principal: line.map_or_else(
                    || claims::entry_arn(claim).into_owned(),
                    |l| l.principal.clone(),
                ),
                owners: owners.clone(),
                door: Door::AwsAuth,
                origin,
                digests,
                claimed: winner.digest.clone(),
                releasing: None,
            }))
        };
        let names = listed(&owners);
        let recorded_origin = line.map_or(Origin::Added, |l| l.origin);
        let before = self
            .ask
            .origins
            .get(&row.key)
            .copied()
            .unwrap_or(recorded_origin);
        let (origin, reason) = match verdict {
            Verdict::Add => (Origin::Added, format!("claimed by {names}")),
            Verdict::AddAgain => (
                Origin::Added,
                format!("claimed by {names}; somebody had removed it"),
            ),
            Verdict::PutBack if eks_written && before == Origin::Found && !taking => {
                return self.not_held(row, winner, &entries, eks_written);
            }
            Verdict::PutBack if taking => {
                let taken = match before {
                    Origin::Found => Origin::Adopted,
                    Origin::Added | Origin::Adopted => before,
                };
                (taken, format!("taken over by {names}"))
            }
            Verdict::PutBack => (
                before,
                format!("claimed by {names}; somebody had edited it"),
            ),
            Verdict::Update if taking => (before, format!("taken over by {names}")),
            Verdict::Update => (before, format!("changed by {names}")),
            Verdict::Find if taking && !eks_written => (Origin::Adopted, String::new()),
            Verdict::Find => (Origin::Found, String::new()),
            Verdict::Keep if taking && !eks_written && before == Origin::Found => {
                (Origin::Adopted, String::new())
            }
            Verdict::Keep => (before, String::new()),
            Verdict::NotHeld if taking => (Origin::Adopted, format!("taken over by {names}")),
            Verdict::EditedByTwo if taking => (before, format!("taken over by {names}")),
            Verdict::NotHeld => return self.not_held(row, winner, &entries, eks_written),
            Verdict::EditedByTwo => {
                let message = format!(
                    "Two people changed it: the entry is now {}, and {names} now claims it {}. Neither is what Accord \
                     wrote. To write what is claimed, use --take-over {}; to keep what is live, claim that.",
                    entries.told(),
                    as_identity(&claim.identity),
                    row.principal
                );
                return row.refuse(FindingKind::EditedByTwo, &message, Some(names));
            }
            // Nobody claims it: see `given_up`.
            Verdict::Remove
            | Verdict::LetGo
            | Verdict::LeaveEdited
            | Verdict::Forget
            | Verdict::Unclaimed => return,
        };
        let adds = matches!(verdict, Verdict::Add | Verdict::AddAgain);
        let writes = adds || !matches!(verdict, Verdict::Find | Verdict::Keep);
        let puts_back = matches!(verdict, Verdict::AddAgain | Verdict::PutBack)
            || (verdict == Verdict::Update && claimed == Claimed::Unchanged);
        if self.ask.scope == Scope::Missing && !adds {
            return;
        }
        if puts_back
            && !taking
            && let Some(suspension) = self.situation.suspension(&row.key)
        {
            row.suspended = true;
            let message = format!("It is not put back for a while: {}.", suspension.reason);
            row.findings.push(
                Finding::new(FindingKind::EditedSince, Severity::Info, message)
                    .about(row.principal.clone()),
            );
            return;
        }
        let section = entries.first().map_or(claim.section, |id| id.section);
        if writes && let Some((kind, message)) = self.situation.closed(section) {
            return row.refuse(kind, &message, None);
        }
        row.line = next(origin);
        row.reason = reason;
        if adds {
            row.edits.push(EntryEdit::Add {
                section: claim.section,
                mapping: Mapping {
                    arn: claims::entry_arn(claim).into_owned(),
                    identity: claim.identity.clone(),
                    ..Mapping::default()
                },
            });
        } else if writes {
            row.edits = entries.updates(&claim.identity);
        }
    }

    /// Those who claim it, and those of the line whose claims cannot be read.
    fn owners(&self, winner: &Winner<'_>, line: Option<&Line>) -> Vec<Owner> {
        let mut owners: Vec<Owner> = line
            .iter()
            .flat_map(|l| l.owners.iter().map(|o| (o, l.section)))
            .filter(|(o, section)| winner.owners.contains(o) || self.claims.may_claim(o, *section))
            .map(|(o, _)| o.clone())
            .collect();
        for owner in &winner.owners {
            if !owners.contains(owner) {
                owners.push((*owner).clone());
            }
        }
        owners
    }

    fn not_held(
        &self,
        row: &mut Row,
        winner: &Winner<'_>,
        entries: &Entries<'_>,
        eks_written: bool,
    ) {
        let (kind, holder, who) = match eks_written {
            true => (FindingKind::HeldByOther, Holder::Eks, "EKS wrote it"),
            false => (
                FindingKind::NotClaimed,
                Holder::Unclaimed,
                "nobody claims it",
            ),
        };
        let message = format!(
            "There is an entry already, {}, and {who}; {} claims it {}. To make it yours, use `accord adopt`, or \
             --take-over {} to change it.",
            entries.told(),
            listed(winner.owners.iter().copied()),
            as_identity(&winner.claim.identity),
            row.principal
        );
        row.holder = holder.clone();
        row.refuse(kind, &message, Some(holder.to_string()));
    }

    /// An access entry gives it access, and the map has nothing for it.
    fn by_entry(&self, row: &mut Row, winner: &Winner<'_>, line: Option<&Line>, rights: &Rights) {
        if !contest::rights(winner.claim).means_same(rights) {
            let message = format!(
                "An access entry decides for it, and gives username `{}`, which is not what is claimed. A mapping in \
                 aws-auth would not be read, and this version does not write access entries.",
                rights.username
            );
            return row.refuse(
                FindingKind::NotClaimed,
                &message,
                Some(Holder::Unclaimed.to_string()),
            );
        }
        let owners = self.owners(winner, line);
        row.holder = Holder::Owners(owners.clone());
        row.line = Next::Write(Box::new(Line {
            section: winner.claim.section,
            principal: claims::entry_arn(winner.claim).into_owned(),
            owners,
            door: Door::AccessEntry,
            origin: line.map_or(Origin::Found, |l| l.origin),
            digests: vec![winner.digest.clone()],
            claimed: winner.digest.clone(),
            releasing: None,
        }));
    }

    /// Nobody claims it any more.
    fn given_up(&self, row: &mut Row, line: &Line) {
        row.holder = Holder::Owners(line.owners.clone());
        let may_be_claimed = line
            .owners
            .iter()
            .any(|o| self.claims.may_claim(o, line.section));
        if may_be_claimed || self.ask.scope == Scope::Missing {
            return;
        }
        let entries = match Found::of(self.situation, &row.key, &row.principal, Some(line)) {
            Found::Map(entries) => entries,
            Found::Entry(_) => {
                row.line = Next::Drop;
                return;
            }
        };
        let lost = self
            .situation
            .observed
            .aws_auth
            .as_ref()
            .is_some_and(|a| !a.map.section(line.section).is_readable());
        if entries.is_empty() && lost {
            return;
        }
        let live = entries.compare(&row.key, None, Some(line));
        let verdict = table::judge(Claimed::No, live, recorded(Some(line)));
        if !self.situation.observed.fragments.complete
            && (!row.askers || verdict == Verdict::Remove)
        {
            return row.may_still_be_claimed();
        }
        match verdict {
            Verdict::Remove => {
                if let Some((kind, message)) = self.situation.closed(line.section) {
                    return row.keep(line, kind, &message);
                }
                row.given_up = true;
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
    fn forced(&self, row: &mut Row, forced: &Forced) {
        row.holder = forced.holder.clone();
        row.reason = forced.reason.clone();
        let entries = match Found::of(self.situation, &row.key, &row.principal, None) {
            Found::Map(entries) => entries,
            Found::Entry(_) => return,
        };
        match (&forced.entry, entries.is_empty()) {
            (Some(entry), true) => row.edits.push(EntryEdit::Add {
                section: forced.section,
                mapping: entry.clone(),
            }),
            (Some(entry), false) => row.edits = entries.updates(&entry.identity),
            (None, _) => {
                row.given_up = true;
                row.edits = entries.removals(&row.principal);
            }
        }
        if !row.edits.is_empty()
            && let Some((kind, message)) = self.situation.closed(forced.section)
        {
            row.edits.clear();
            return row.refuse(kind, &message, None);
        }
        row.stays_unclaimed = forced.entry.is_some() && forced.line.is_none();
        row.line = match &forced.line {
            Some(line) => Next::Write(Box::new(line.clone())),
            None => Next::Drop,
        };
    }
}

fn recorded(line: Option<&Line>) -> Recorded {
    match line.map(|l| l.origin) {
        None => Recorded::No,
        Some(Origin::Found) => Recorded::Found,
        Some(Origin::Added | Origin::Adopted) => Recorded::Ours,
    }
}

/// Owners in words.
pub(crate) fn listed<'o>(owners: impl IntoIterator<Item = &'o Owner>) -> String {
    let names: Vec<String> = owners.into_iter().map(Owner::to_string).collect();
    names.join(", ")
}
