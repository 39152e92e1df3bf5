//! The rows of the table in which somebody claims the principal.

use accord_model::claim::Owner;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::ledger::{Door, Line, Origin};
use accord_model::mapping::Mapping;
use accord_model::plan::{EntryEdit, Holder, Rights};

use super::ask::Scope;
use super::contest::{self, Winner};
use super::judge::{Judge, listed, recorded};
use super::live::{Entries, Found, as_identity};
use super::row::{Next, Row};
use super::table::{self, Claimed, Verdict};

/// How many digests a line keeps.
const DIGESTS: usize = 4;

impl<'s> Judge<'s, '_> {
    /// Applies the table. `taking`: the claimants take it, whoever holds it.
    pub(super) fn claimed(
        &self,
        row: &mut Row<'s>,
        winner: &Winner<'s>,
        line: Option<&Line>,
        taking: bool,
    ) {
        let claim = winner.claim;
        let entries = match Found::of(self.situation, row.key, &row.principal, line) {
            Found::Entry(rights) => return self.by_entry(row, winner, line, &rights),
            Found::Map(entries) => entries,
        };
        if !claim.policies.is_empty() {
            let message = "Only an access entry can hold access policies, and this principal has none; aws-auth knows \
                           groups alone.";
            return row.refuse(FindingKind::PoliciesNeedAccessEntry, message, None);
        }
        let claimed = match line {
            Some(line) if line.claimed != winner.digest => Claimed::Changed,
            _ => Claimed::Unchanged,
        };
        let live = entries.compare(row.key, Some(&claim.identity), line);
        let verdict = table::judge(claimed, live, recorded(line));
        let change = match verdict {
            Verdict::Find | Verdict::Keep => None,
            Verdict::Add => Some(Change::Addition("")),
            Verdict::AddAgain => Some(Change::Addition("; somebody had removed it")),
            Verdict::Update | Verdict::PutBack | Verdict::NotHeld | Verdict::EditedByTwo
                if taking =>
            {
                Some(Change::TakeOver)
            }
            Verdict::Update => Some(Change::Update),
            Verdict::PutBack if line.is_some_and(|l| self.is_eks_own(&entries, l)) => {
                return self.not_held(row, winner, &entries);
            }
            Verdict::PutBack => Some(Change::PutBack),
            Verdict::NotHeld => return self.not_held(row, winner, &entries),
            Verdict::EditedByTwo => return edited_by_two(row, winner, &entries),
            // Nobody claims it: see `unclaimed`.
            Verdict::Remove
            | Verdict::LetGo
            | Verdict::LeaveEdited
            | Verdict::Forget
            | Verdict::Unclaimed => return,
        };
        let is_addition = matches!(change, Some(Change::Addition(_)));
        if self.ask.scope == Scope::Missing && !is_addition {
            return;
        }
        let puts_back = matches!(verdict, Verdict::AddAgain | Verdict::PutBack)
            || (verdict == Verdict::Update && claimed == Claimed::Unchanged);
        if puts_back && !taking && self.is_suspended(row) {
            return;
        }
        let section = entries.first().map_or(claim.section, |id| id.section);
        if change.is_some()
            && let Some((kind, message)) = self.situation.closed(section)
        {
            return row.refuse(kind, &message, None);
        }
        let owners = self.owners(winner, line);
        let before = self.ask.origins.get(row.key).copied();
        let before = before.or(line.map(|l| l.origin)).unwrap_or(Origin::Found);
        let origin = if is_addition {
            Origin::Added
        } else if taking
            && before == Origin::Found
            && (change.is_some() || !self.is_eks_written(&entries))
        {
            Origin::Adopted
        } else {
            before
        };
        if let Some(change) = change {
            row.reason = change.reason(&owners);
            row.holder = Holder::Owners(owners.iter().copied().cloned().collect());
            row.edits = match is_addition {
                true => vec![EntryEdit::Add {
                    section: claim.section,
                    mapping: Mapping {
                        arn: row.principal.clone(),
                        identity: claim.identity.clone(),
                        ..Mapping::default()
                    },
                }],
                false => entries.updates(&claim.identity),
            };
        }
        row.line = next(&row.principal, winner, line, &owners, Door::AwsAuth, origin);
    }

    /// Those who claim it, and those of the line whose claims cannot be read, the line's first and in its order.
    fn owners<'o>(&self, winner: &Winner<'o>, line: Option<&'o Line>) -> Vec<&'o Owner> {
        let mut owners: Vec<&Owner> = Vec::with_capacity(winner.owners.len());
        if let Some(line) = line {
            let stays =
                |o: &&Owner| winner.owners.contains(o) || self.claims.may_claim(o, line.section);
            owners.extend(line.owners.iter().filter(stays));
        }
        for owner in &winner.owners {
            if !owners.contains(owner) {
                owners.push(owner);
            }
        }
        owners
    }

    fn is_eks_written(&self, entries: &Entries<'_>) -> bool {
        let usage = self.situation.world.usage();
        let mut mappings = entries.mappings();
        mappings.any(|m| usage.is_eks_written(&m.arn, &m.identity))
    }

    /// Whether EKS wrote what was only found: then it is not put back, whatever EKS makes of it.
    fn is_eks_own(&self, entries: &Entries<'_>, line: &Line) -> bool {
        line.origin == Origin::Found && self.is_eks_written(entries)
    }

    /// Whether the entry is not to be put back for a while; the row says so.
    fn is_suspended(&self, row: &mut Row<'_>) -> bool {
        let Some(suspension) = self.situation.suspension(row.key) else {
            return false;
        };
        row.suspended = true;
        let message = format!("It is not put back for a while: {}.", suspension.reason);
        row.findings.push(
            Finding::new(FindingKind::EditedSince, Severity::Info, message)
                .about(row.principal.clone()),
        );
        true
    }

    /// The entry is EKS's or nobody's, and gives something else.
    fn not_held(&self, row: &mut Row<'_>, winner: &Winner<'_>, entries: &Entries<'_>) {
        let (kind, holder, who) = match self.is_eks_written(entries) {
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
        row.refuse(kind, &message, Some(holder.to_string()));
        row.holder = holder;
    }

    /// An access entry gives it access, and the map has nothing for it.
    fn by_entry(
        &self,
        row: &mut Row<'s>,
        winner: &Winner<'s>,
        line: Option<&Line>,
        rights: &Rights,
    ) {
        if !contest::rights(winner.claim).means_same(rights) {
            let message = format!(
                "An access entry decides for it, and gives username `{}`, which is not what is claimed. A mapping in \
                 aws-auth would not be read, and this version does not write access entries.",
                rights.username
            );
            let holder = Holder::Unclaimed.to_string();
            return row.refuse(FindingKind::NotClaimed, &message, Some(holder));
        }
        let owners = self.owners(winner, line);
        let origin = line.map_or(Origin::Found, |l| l.origin);
        row.line = next(
            &row.principal,
            winner,
            line,
            &owners,
            Door::AccessEntry,
            origin,
        );
    }
}

/// How an entry changes.
#[derive(Clone, Copy)]
enum Change {
    /// It is added; and what there is to say about it.
    Addition(&'static str),
    /// It is the claimants', and they claim something else now.
    Update,
    /// It was edited.
    PutBack,
    /// It was not theirs.
    TakeOver,
}

impl Change {
    fn reason(self, owners: &[&Owner]) -> String {
        let names = listed(owners.iter().copied());
        match self {
            Self::Addition(why) => format!("claimed by {names}{why}"),
            Self::Update => format!("changed by {names}"),
            Self::PutBack => format!("claimed by {names}; somebody had edited it"),
            Self::TakeOver => format!("taken over by {names}"),
        }
    }
}

fn edited_by_two(row: &mut Row<'_>, winner: &Winner<'_>, entries: &Entries<'_>) {
    let names = listed(winner.owners.iter().copied());
    let message = format!(
        "Two people changed it: the entry is now {}, and {names} now claims it {}. Neither is what Accord wrote. To write \
         what is claimed, use --take-over {}; to keep what is live, claim that.",
        entries.told(),
        as_identity(&winner.claim.identity),
        row.principal
    );
    row.refuse(FindingKind::EditedByTwo, &message, Some(names));
}

/// The line of an entry that gives what is claimed, or is about to.
fn next(
    principal: &str,
    winner: &Winner<'_>,
    line: Option<&Line>,
    owners: &[&Owner],
    door: Door,
    origin: Origin,
) -> Next {
    let says_so = |l: &Line| {
        l.section == winner.claim.section
            && l.owners.iter().eq(owners.iter().copied())
            && (l.door, l.origin) == (door, origin)
            && l.digests.first() == Some(&winner.digest)
            && l.claimed == winner.digest
            && l.releasing.is_none()
    };
    if line.is_some_and(says_so) {
        return Next::Keep;
    }
    let earlier = line.iter().flat_map(|l| &l.digests);
    let mut digests = vec![winner.digest.clone()];
    digests.extend(earlier.filter(|d| **d != winner.digest).cloned());
    digests.truncate(DIGESTS);
    Next::Write(Box::new(Line {
        section: winner.claim.section,
        // In the spelling in which it was first claimed, since another one is no change.
        principal: match line {
            Some(line) => line.principal.clone(),
            None => principal.to_owned(),
        },
        owners: owners.iter().copied().cloned().collect(),
        door,
        origin,
        digests,
        claimed: winner.digest.clone(),
        releasing: None,
    }))
}
