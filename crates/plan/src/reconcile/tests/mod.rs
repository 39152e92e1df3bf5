//! Reconcile in the words of its users: who declares what, and what comes of it.

mod admission;
mod claims;
mod doors;
mod guards;
mod properties;
mod requests;

use accord_model::claim::Claim;
use accord_model::ledger::{Ledger, Suspension};
use accord_model::mapping::{EntryId, SectionName};
use accord_model::observed::{LedgerRead, Observed};
use accord_model::plan::EntryEdit;
use accord_model::time::Timestamp;

use super::decide;
use crate::request::{Intent, Request};
use crate::simulator::{self, run, told};
use crate::testing::{MapBuilder, claim, fragment, map, mapping, observed, used_by_nodes};

/// The identity of nodes.
const NODES: (&str, &[&str]) = (
    "system:node:{{EC2PrivateDNSName}}",
    &["system:bootstrappers", "system:nodes"],
);

fn declare(owner: &str, claims: &[Claim]) -> Intent {
    Intent::Declare {
        fragments: vec![fragment(owner, claims.to_vec())],
        prune: false,
    }
}

fn prune(owner: &str, claims: &[Claim]) -> Intent {
    Intent::Declare {
        fragments: vec![fragment(owner, claims.to_vec())],
        prune: true,
    }
}

fn taking(intent: Intent, principal: &str) -> Request {
    Request {
        take_over: vec![mapping(principal, "", &[]).arn],
        ..Request::new(intent)
    }
}

/// A cluster with this map, whose node group `ng` uses `role/ng-node`, and of whose compute everything is known.
fn cluster(map: MapBuilder) -> Observed {
    let mut seen = observed(map.build());
    used_by_nodes(&mut seen, "role/ng-node");
    seen
}

fn said(observed: &Observed, request: &Request) -> String {
    simulator::plan(&decide(observed, request).unwrap())
}

fn ledger(observed: &Observed) -> Ledger {
    match &observed.ledger {
        LedgerRead::Present(ledger) => ledger.clone(),
        LedgerRead::Absent | LedgerRead::Unreadable(_) => Ledger::default(),
    }
}

/// The ledger in words: a line each.
fn lines(observed: &Observed) -> String {
    let told = ledger(observed).lines.into_values().map(|line| {
        let owners: Vec<String> = line.owners.iter().map(ToString::to_string).collect();
        let name = line.principal.rsplit(':').next().unwrap_or_default();
        let releasing = if line.releasing.is_some() {
            ", releasing"
        } else {
            ""
        };
        format!(
            "{name} {:?} for {}{releasing}",
            line.origin,
            owners.join(", ")
        )
    });
    told.collect::<Vec<_>>().join("\n")
}

fn by_hand(observed: &mut Observed, index: usize, username: &str) {
    let id = EntryId::new(SectionName::Roles, index);
    let map = &observed.aws_auth.as_ref().unwrap().map;
    let mut mapping = map
        .item(id)
        .unwrap()
        .kept
        .as_ref()
        .unwrap()
        .mapping()
        .unwrap()
        .clone();
    mapping.identity.username = username.into();
    simulator::edit(observed, &[EntryEdit::Update { id, mapping }]);
}

fn removed_by_hand(observed: &mut Observed, index: usize) {
    let id = EntryId::new(SectionName::Roles, index);
    simulator::edit(
        observed,
        &[EntryEdit::Remove {
            id,
            principal: String::new(),
        }],
    );
}

fn suspension(principal: Option<&str>, until: u64) -> Suspension {
    Suspension {
        principal: principal.map(|p| crate::holder::key_of(&mapping(p, "", &[]).arn)),
        until: Timestamp { millis: until },
        reason: "incident".into(),
    }
}

/// Runs one intent after the other; what each does, and the map and the ledger after it.
fn story(observed: &mut Observed, intents: impl IntoIterator<Item = Intent>) -> String {
    let chapters = intents.into_iter().map(|intent| {
        let plan = run(observed, intent);
        format!(
            "{}\n{}\n[{}]",
            simulator::plan(&plan),
            told(observed),
            lines(observed)
        )
    });
    chapters.collect::<Vec<_>>().join("\n\n")
}
