//! Reconcile in the words of its users: who declares what, and what comes of it.

use accord_model::arn::PrincipalKey;
use accord_model::claim::{Admission, Claim, Fragment, Owner};
use accord_model::finding::FindingKind;
use accord_model::ledger::{Origin, Suspension};
use accord_model::mapping::{EntryId, SectionName};
use accord_model::observed::{LedgerRead, Observed};
use accord_model::plan::{EntryEdit, Plan};
use accord_model::reading::{Loss, LossCause, SectionState};
use accord_model::span::Range;
use accord_model::time::Timestamp;

use super::decide;
use crate::request::{Allow, Intent, Request};
use crate::simulator::{self, apply, edit, run, told};
use crate::testing::{claim, fragment, map, mapping, observed, used_by_nodes};

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

fn seen(map: crate::testing::MapBuilder) -> Observed {
    let mut seen = observed(map.build());
    used_by_nodes(&mut seen, "role/ng-node");
    seen
}

fn said(observed: &Observed, request: &Request) -> String {
    simulator::plan(&decide(observed, request).unwrap())
}

/// Everything reconcile does for one owner and one role, from first to last.
#[test]
fn a_claim_lives_and_goes() {
    let mut seen = seen(map().role("role/boss", "boss", &["system:masters"]));
    let mut story = Vec::new();
    for intent in [
        declare("a", &[claim("role/x", "x", &["g"])]),
        declare("a", &[claim("role/X", "x", &["g", "g"])]),
        declare("a", &[claim("role/x", "y", &["g"])]),
        Intent::Sync,
        prune("a", &[]),
        Intent::Sync,
    ] {
        let plan = run(&mut seen, intent);
        story.push(format!("{}\n--\n{}", simulator::plan(&plan), told(&seen)));
    }
    insta::assert_snapshot!(story.join("\n====\n"), @r#"
    role/x gains, a: claimed by a
      write-fragment
      write-ledger
      add-mapping
    --
    mapRoles[0] role/boss boss ["system:masters"]
    mapRoles[1] role/x x ["g"]
    ====

    --
    mapRoles[0] role/boss boss ["system:masters"]
    mapRoles[1] role/x x ["g"]
    ====
    role/x changes, a: changed by a
      write-fragment
      write-ledger
      update-mapping
    --
    mapRoles[0] role/boss boss ["system:masters"]
    mapRoles[1] role/x y ["g"]
    ====

    --
    mapRoles[0] role/boss boss ["system:masters"]
    mapRoles[1] role/x y ["g"]
    ====
    role/x loses, a: given up by a
      write-fragment
      remove-mapping
      write-ledger
    --
    mapRoles[0] role/boss boss ["system:masters"]
    ====

    --
    mapRoles[0] role/boss boss ["system:masters"]
    "#);
}
