//! The ledger before, while and after the map is written, and the claims in effect once the plan is done.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn::{self, PrincipalKey};
use accord_model::claim::{Admission, Claim, Fragment, Owner};
use accord_model::ledger::{Digest, Ledger, Line, Origin};
use accord_model::mapping::{Identity, SectionName};
use accord_model::observed::Observed;
use accord_model::plan::{Plan, Rights, Step};

use crate::access::rights;
use crate::holder;

pub(super) struct Books<'a> {
    observed: &'a Observed,
    /// The ledger as far as it counts.
    pub(super) before: Cow<'a, Ledger>,
    /// The ledger as it is while the map is written.
    pub(super) during: Cow<'a, Ledger>,
    /// The ledger once all is done.
    pub(super) after: Cow<'a, Ledger>,
    /// Who claims a principal, as what.
    claims: BTreeMap<PrincipalKey, Vec<(Owner, Identity)>>,
    /// Sections of owners' fragments that cannot be read.
    unreadable: BTreeSet<(Owner, SectionName)>,
}

impl<'a> Books<'a> {
    pub(super) fn of(observed: &'a Observed, plan: &'a Plan) -> Self {
        let before = holder::ledger(observed);
        let ledger = |steps: &'a [Step]| {
            steps.iter().rev().find_map(|step| match step {
                Step::WriteLedger(ledger) => Some(Cow::Borrowed(&**ledger)),
                Step::Edit(_) | Step::WriteFragment(_) | Step::DeleteFragment(_) => None,
            })
        };
        let is_edit = |step: &Step| matches!(step, Step::Edit(_));
        let map_written = plan.steps.iter().position(is_edit);
        let until = map_written.unwrap_or(plan.steps.len());
        let (first, _) = plan.steps.split_at(until);
        let during = ledger(first).unwrap_or_else(|| before.clone());
        let after = ledger(&plan.steps).unwrap_or_else(|| before.clone());
        let mut books = Self {
            observed,
            before,
            during,
            after,
            claims: BTreeMap::new(),
            unreadable: BTreeSet::new(),
        };
        books.gather(plan);
        books
    }

    /// The claims of all fragments as the plan leaves them, as far as they are trusted or admitted.
    fn gather(&mut self, plan: &Plan) {
        let mut fragments: BTreeMap<&Owner, &Fragment> = BTreeMap::new();
        for fragment in &self.observed.fragments.items {
            fragments.insert(&fragment.owner, fragment);
        }
        for step in &plan.steps {
            match step {
                Step::WriteFragment(fragment) => {
                    fragments.insert(&fragment.owner, fragment);
                }
                Step::DeleteFragment(owner) => {
                    fragments.remove(owner);
                }
                Step::Edit(_) | Step::WriteLedger(_) => {}
            }
        }
        for (owner, fragment) in fragments {
            let unreadable = fragment.unreadable.iter();
            self.unreadable
                .extend(unreadable.map(|(section, _)| (owner.clone(), *section)));
            let claims: &[Claim] = match &fragment.admission {
                Admission::Trusted => &fragment.claims,
                Admission::Asked { uid } => match self.during.admitted.get(owner) {
                    Some(admitted) if uid.as_ref() == Some(&admitted.uid) => &admitted.claims,
                    _ => &[],
                },
            };
            for claim in claims {
                let principal = match claim.section {
                    SectionName::Accounts => Cow::Borrowed(claim.principal.as_str()),
                    SectionName::Roles | SectionName::Users => {
                        arn::without_role_path(&claim.principal)
                    }
                };
                let key = PrincipalKey::in_section(claim.section, &principal);
                let claim = (owner.clone(), claim.identity.clone());
                self.claims.entry(key).or_default().push(claim);
            }
        }
    }

    /// Whether somebody claims the principal.
    pub(super) fn is_claimed(&self, key: &PrincipalKey) -> bool {
        self.claims.contains_key(key)
    }

    /// Whether an owner of the line claims the principal as this, or may do so in what cannot be read.
    pub(super) fn claims(&self, key: &PrincipalKey, line: &Line, identity: &Identity) -> bool {
        let claims = self.claims.get(key).map_or(&[][..], Vec::as_slice);
        self.may_be_claimed(line)
            || claims
                .iter()
                .any(|(owner, claimed)| line.owners.contains(owner) && claimed.means_same(identity))
    }

    /// Whether an owner of the line has claims in its section that cannot be read.
    pub(super) fn may_be_claimed(&self, line: &Line) -> bool {
        let unreadable = |owner: &Owner| self.unreadable.contains(&(owner.clone(), line.section));
        line.owners.iter().any(unreadable)
    }

    /// Whether Accord wrote what is live: the ledger says so of an entry that is not only found, or the journal.
    pub(super) fn wrote(&self, key: &PrincipalKey, live: &Identity) -> bool {
        let line = self.before.lines.get(key);
        line.is_some_and(|line| line.origin != Origin::Found && says(line, key, live))
            || self.journalled(key, live, |change| change.after.as_ref())
    }

    /// Whether a plan took this identity from the principal, so that undoing it puts it back.
    pub(super) fn had(&self, key: &PrincipalKey, identity: &Identity) -> bool {
        self.journalled(key, identity, |change| change.before.as_ref())
    }

    fn journalled(
        &self,
        key: &PrincipalKey,
        identity: &Identity,
        side: impl Fn(&accord_model::plan::Change) -> Option<&Rights>,
    ) -> bool {
        let wanted = rights(identity);
        let changes = self.observed.journal.iter().flat_map(|e| &e.changes);
        let mut sides = changes.filter_map(|c| Some((side(c)?, holder::key_of(&c.principal))));
        sides.any(|(side, of)| of == *key && side.means_same(&wanted))
    }
}

/// Whether a line knows an identity as one that Accord wrote or found.
pub(super) fn says(line: &Line, key: &PrincipalKey, identity: &Identity) -> bool {
    line.digests.contains(&Digest::of_entry(key, identity))
}
