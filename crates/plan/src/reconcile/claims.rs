//! Which claims are in effect.

use std::collections::{BTreeMap, BTreeSet};

use accord_model::arn::{self, PrincipalKey};
use accord_model::claim::{Admission, Claim, Fragment, Owner};
use accord_model::finding::FindingKind;
use accord_model::ledger::{Admitted, Digest, Ledger};
use accord_model::mapping::SectionName;
use accord_model::plan::Refusal;
use accord_model::time::Timestamp;

use super::Situation;
use super::ask::Ask;
use crate::lint;

/// One owner's claim on a principal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bid<'a> {
    pub(crate) owner: &'a Owner,
    /// When the owner's fragment was made.
    pub(crate) created: Option<Timestamp>,
    pub(crate) claim: &'a Claim,
}

/// All claims on a cluster.
#[derive(Debug, Default)]
pub(crate) struct Claims<'a> {
    /// Those in effect, by principal.
    pub(crate) bids: BTreeMap<PrincipalKey, Vec<Bid<'a>>>,
    /// Principals for which a claim is there and cannot be followed: nothing is done for them.
    pub(crate) stuck: BTreeSet<PrincipalKey>,
    /// Sections of owners that cannot be read: what they claimed there stays claimed.
    pub(crate) unreadable: BTreeSet<(&'a Owner, SectionName)>,
    /// Claims of fragments that are not admitted.
    pub(crate) proposed: Vec<Bid<'a>>,
    /// Claims that cannot be followed, for what they are.
    pub(crate) unfit: Vec<Bid<'a>>,
    /// Why they are not.
    pub(crate) refusals: Vec<Refusal>,
}

impl<'a> Claims<'a> {
    /// The claims of all fragments, as they are once `ask` is done.
    pub(crate) fn gather(situation: &'a Situation<'_>, ask: &'a Ask) -> Self {
        let mut claims = Self::default();
        let observed = &situation.observed.fragments.items;
        let kept = observed
            .iter()
            .filter(|f| !ask.fragments.contains_key(&f.owner));
        for fragment in kept.chain(ask.fragments.values().flatten()) {
            for (section, _) in &fragment.unreadable {
                claims.unreadable.insert((&fragment.owner, *section));
            }
            let (valid, admitted) = admitted(fragment, &situation.ledger, ask);
            if !valid {
                claims.proposed.extend(bids(fragment, &fragment.claims));
            }
            for bid in bids(fragment, admitted) {
                claims.add(situation, ask, bid);
            }
        }
        claims
    }

    fn add(&mut self, situation: &Situation<'_>, ask: &Ask, bid: Bid<'a>) {
        let principal = entry_arn(bid.claim);
        let key = PrincipalKey::in_section(bid.claim.section, &principal);
        let fault = fault(situation, bid.claim, &principal);
        let bids = self.bids.entry(key.clone()).or_default();
        let twice = bids.iter().any(|other| other.owner == bid.owner);
        let fault = fault.or_else(|| {
            let message = format!(
                "`{}` is claimed twice by {}.",
                bid.claim.principal, bid.owner
            );
            twice.then_some((FindingKind::DuplicateArn, message))
        });
        let Some((kind, message)) = fault else {
            bids.push(bid);
            return;
        };
        bids.retain(|other| other.owner != bid.owner);
        if bids.is_empty() {
            self.bids.remove(&key);
        }
        self.stuck.insert(key);
        self.unfit.push(bid);
        self.refusals.push(Refusal {
            kind,
            principal: Some(printed(bid.claim)).filter(|p| !p.is_empty()),
            message,
            held_by: None,
            allow: None,
            askers: ask.askers.contains(bid.owner),
        });
    }

    /// Whether somebody in `owners` may still claim in `section`, and it cannot be told.
    pub(crate) fn may_claim(&self, owner: &Owner, section: SectionName) -> bool {
        self.unreadable.contains(&(owner, section))
    }
}

fn bids<'a>(fragment: &'a Fragment, claims: &'a [Claim]) -> impl Iterator<Item = Bid<'a>> {
    claims.iter().map(|claim| Bid {
        owner: &fragment.owner,
        created: fragment.created,
        claim,
    })
}

/// The claims of a fragment that count, and whether they are all that it has.
fn admitted<'a>(fragment: &'a Fragment, ledger: &'a Ledger, ask: &'a Ask) -> (bool, &'a [Claim]) {
    let Admission::Asked { uid } = &fragment.admission else {
        return (true, &fragment.claims);
    };
    let admitted = match ask.admitted.get(&fragment.owner) {
        Some(changed) => changed.as_ref(),
        None => ledger.admitted.get(&fragment.owner),
    };
    match admitted.filter(|a| Some(&a.uid) == uid.as_ref()) {
        Some(admitted) if is_admitted(fragment, admitted) => (true, &fragment.claims),
        Some(admitted) => (false, &admitted.claims),
        None => (false, &[]),
    }
}

fn is_admitted(fragment: &Fragment, admitted: &Admitted) -> bool {
    fragment.unreadable.is_empty() && Digest::of_claims(&fragment.claims) == admitted.digest
}

/// The key of the entry that a claim asks for.
pub(crate) fn key(claim: &Claim) -> PrincipalKey {
    PrincipalKey::in_section(claim.section, &entry_arn(claim))
}

/// The ARN or account as the entry has it: STS shows no role path, so `aws-auth` wants none, while access entries do.
pub(crate) fn entry_arn(claim: &Claim) -> std::borrow::Cow<'_, str> {
    match claim.section {
        SectionName::Roles | SectionName::Users => arn::without_role_path(&claim.principal),
        SectionName::Accounts => claim.principal.as_str().into(),
    }
}

/// The principal as it is printed.
pub(crate) fn printed(claim: &Claim) -> String {
    arn::display_form(&entry_arn(claim)).into_owned()
}

/// Why nobody can be what is claimed.
fn fault(
    situation: &Situation<'_>,
    claim: &Claim,
    principal: &str,
) -> Option<(FindingKind, String)> {
    match claim.section {
        SectionName::Accounts if arn::is_account(principal) => None,
        SectionName::Accounts => Some((
            FindingKind::AccountBadFormat,
            format!("`{principal}` is not an account: that is twelve digits."),
        )),
        SectionName::Roles | SectionName::Users if principal.is_empty() => Some((
            FindingKind::MissingArn,
            format!("{} names nobody: the ARN is missing.", claim.at),
        )),
        SectionName::Roles | SectionName::Users => {
            let faults = lint::faults(principal, &situation.world);
            let fault = faults.into_iter().next().map(|fault| {
                let why = match fault.instead {
                    Some(instead) => format!("{} Write `{instead}`.", fault.why),
                    None => fault.why,
                };
                (fault.kind, why)
            });
            // Some letters beyond ASCII fold to those that a name can have; nobody means them.
            let letter = || {
                let why = format!("`{principal}` has a letter that no IAM name can have.");
                (FindingKind::ArnMalformed, why)
            };
            fault.or_else(|| (!principal.is_ascii()).then(letter))
        }
    }
}
