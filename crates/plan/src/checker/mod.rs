//! Whether a finished plan keeps the rules, told from the plan and the observation alone.
//!
//! Nothing here knows how the plan was decided: a fault of [`crate::reconcile`] is noticed, not repeated. What is shared
//! is only how the authenticator reads a map ([`crate::rules`], [`crate::access`]) and who uses a role
//! ([`crate::usage`]).
//!
//! 1. [`books`]: what the ledger says before, while and after the map is written, and who then claims what.
//! 2. [`writes`]: each edit of the map has its grounds, and touches nobody else's entry.
//! 3. [`record`]: the ledger says of the entries just what they are, and in time.
//! 4. [`outcome`]: the changes told are those that happen; nobody is locked out unasked.
//!
//! [`check`] is called before anything is written. A contradiction is a bug, and nothing is written then.

mod books;
mod outcome;
mod record;
#[cfg(test)]
mod tests;
mod writes;

use accord_model::observed::Observed;
use accord_model::plan::{EntryEdit, Plan};

use crate::access::Access;
use crate::usage::Usage;
use books::Books;

/// A rule that a plan breaks, and on what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{subject}: {rule}")]
pub struct Contradiction {
    /// The rule.
    pub rule: Rule,
    /// The principal, entry, section or owner.
    pub subject: String,
}

/// Every rule that a plan breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(.0))]
pub struct Contradictions(pub Vec<Contradiction>);

fn listed(broken: &[Contradiction]) -> String {
    let each: Vec<String> = broken.iter().map(ToString::to_string).collect();
    each.join("; ")
}

/// A rule that every plan keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// An edit names an entry that is in effect and decides for its principal.
    EntryDecides,
    /// An entry is edited once.
    EditedOnce,
    /// An update changes username and groups alone.
    IdentityOnly,
    /// A principal has one entry.
    OneEntry,
    /// What is not read is not written to: a lost section, an immutable object, a map that the mode does not read.
    SectionOpen,
    /// Only entries are touched that Accord wrote, or that an owner takes over.
    OwnEntry,
    /// What is written is claimed, or was there before.
    Grounded,
    /// What somebody claims, or may claim, is not removed.
    Unclaimed,
    /// Nothing is removed on the strength of an incomplete listing.
    ListedWholly,
    /// Many removals at once are confirmed.
    Plausible,
    /// The ledger has a written entry's line, with its meaning, before the map is written.
    RecordedBefore,
    /// A line that changes says what its entry then is.
    RecordedTruly,
    /// A line goes with its entry's removal, after it, and not while the principal is claimed.
    LineLasts,
    /// A ledger that cannot be read is not overwritten; one of another cluster is not gone by.
    LedgerOfHere,
    /// Claims are stored before the map is written, one fragment for each owner.
    ClaimsFirst,
    /// Nothing is done for a principal that is refused.
    RefusedStays,
    /// The changes told are those of effective access.
    ToldTruly,
    /// An administrator is left, or that none is was allowed.
    AdminLeft,
    /// An entry that EKS wrote and that is in use stays, or its removal was allowed.
    UsedRoleStays,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::EntryDecides => "the entry is not in effect, or does not decide",
            Self::EditedOnce => "the entry is edited twice",
            Self::IdentityOnly => "an update changes more than username and groups",
            Self::OneEntry => "the principal would have two entries",
            Self::SectionOpen => "nothing may be written there",
            Self::OwnEntry => "the entry is not Accord's to change",
            Self::Grounded => "nobody claims what is written",
            Self::Unclaimed => "somebody may still claim what is removed",
            Self::ListedWholly => "an incomplete listing is no reason to remove it",
            Self::Plausible => "so many removals were not confirmed",
            Self::RecordedBefore => "the ledger does not say beforehand what is written",
            Self::RecordedTruly => "the ledger would say something else than the map",
            Self::LineLasts => "the ledger's line goes or stays when it must not",
            Self::LedgerOfHere => "this ledger may not be written",
            Self::ClaimsFirst => "the claims are stored too late or twice",
            Self::RefusedStays => "it is refused and written all the same",
            Self::ToldTruly => "the change told is not the one that happens",
            Self::AdminLeft => "nobody would be an administrator, and that was not allowed",
            Self::UsedRoleStays => "a role in use would lose its entry, and that was not allowed",
        })
    }
}

/// What is checked against: the plan and the observation, read once.
struct Case<'a> {
    observed: &'a Observed,
    plan: &'a Plan,
    edits: &'a [EntryEdit],
    books: &'a Books<'a>,
    usage: &'a Usage,
    before: &'a Access<'a>,
    after: &'a Access<'a>,
}

/// What has been found.
#[derive(Default)]
struct Found(Vec<Contradiction>);

impl Found {
    fn add(&mut self, rule: Rule, subject: impl ToString) {
        self.0.push(Contradiction {
            rule,
            subject: subject.to_string(),
        });
    }

    fn unless(&mut self, kept: bool, rule: Rule, subject: impl ToString) {
        if !kept {
            self.add(rule, subject);
        }
    }
}

/// Whether `plan` may be carried out on what was observed.
///
/// # Errors
/// Every rule that it breaks.
pub fn check(observed: &Observed, plan: &Plan) -> Result<(), Contradictions> {
    let edits: Vec<EntryEdit> = plan.edits().cloned().collect();
    let before = Access::of(observed);
    let after = before.after(&edits);
    let case = Case {
        observed,
        plan,
        edits: &edits,
        books: &Books::of(observed, plan),
        usage: &Usage::of(&observed.compute),
        before: &before,
        after: &after,
    };
    let mut found = Found::default();
    writes::check(&case, &mut found);
    record::check(&case, &mut found);
    outcome::check(&case, &mut found);
    match found.0.is_empty() {
        true => Ok(()),
        false => Err(Contradictions(found.0)),
    }
}
