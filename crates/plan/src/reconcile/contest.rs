//! Who holds a principal that several owners claim.
//!
//! With the same identity they share it. With different ones the ledger's holder keeps it: who still wants what was
//! last written, else who came first. Only where the ledger knows none of them does age decide, then the name. Whoever
//! takes it over comes before all of that. Groups are never merged.

use std::collections::BTreeSet;

use accord_model::arn::PrincipalKey;
use accord_model::claim::{Claim, Owner};
use accord_model::ledger::{Digest, Line};
use accord_model::plan::Rights;

use super::claims::Bid;

/// Who gets it.
#[derive(Clone, Debug)]
pub(crate) struct Winner<'a> {
    pub(crate) claim: &'a Claim,
    /// Those who claim just this, those of the ledger first, in its order.
    pub(crate) owners: Vec<&'a Owner>,
    /// The digest of the entry that is claimed.
    pub(crate) digest: Digest,
}

/// Settles who gets a principal; the other half are the bids that lose. `None` if nobody bids.
pub(crate) fn settle<'a>(
    key: &PrincipalKey,
    bids: &[Bid<'a>],
    line: Option<&Line>,
    takers: &BTreeSet<Owner>,
) -> Option<(Winner<'a>, Vec<Bid<'a>>)> {
    let digest = |bid: &Bid<'_>| Digest::of_entry(key, &bid.claim.identity);
    if let [only] = bids {
        let winner = Winner {
            claim: only.claim,
            owners: vec![only.owner],
            digest: digest(only),
        };
        return Some((winner, Vec::new()));
    }
    let mut ranked: Vec<Bid<'a>> = bids.to_vec();
    ranked.sort_by_key(|bid| {
        let place = line.and_then(|l| l.owners.iter().position(|o| o == bid.owner));
        let wants_what_is = line.is_some_and(|l| l.claimed == digest(bid));
        (
            !takers.contains(bid.owner),
            place.is_none(),
            !wants_what_is,
            place,
            bid.created.is_none(),
            bid.created,
            bid.owner,
        )
    });
    let first = *ranked.first()?;
    let (shared, lost): (Vec<Bid<'a>>, Vec<Bid<'a>>) = ranked
        .into_iter()
        .partition(|bid| same(bid.claim, first.claim));
    let mut owners: Vec<&Owner> = shared.iter().map(|bid| bid.owner).collect();
    if let Some(line) = line {
        owners.sort_by_key(|o| {
            line.owners
                .iter()
                .position(|l| l == *o)
                .unwrap_or(usize::MAX)
        });
    }
    let winner = Winner {
        claim: first.claim,
        owners,
        digest: digest(&first),
    };
    Some((winner, lost))
}

/// Whether both want the same for the principal.
fn same(a: &Claim, b: &Claim) -> bool {
    rights(a).means_same(&rights(b))
}

/// What a claim asks for.
pub(crate) fn rights(claim: &Claim) -> Rights {
    Rights {
        username: claim.identity.username.clone(),
        groups: claim.identity.groups.clone(),
        policies: claim.policies.clone(),
    }
}
