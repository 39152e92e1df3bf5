//! What would come of putting another text in place of the whole map.

use std::collections::BTreeMap;

use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::SectionName;
use accord_model::observed::Observed;
use accord_model::plan::{Change, Holder};
use accord_model::reading::{AuthMap, LossCause, SectionState};

use crate::access::{Access, Via};
use crate::caller::{Caller, NotAnIdentity};
use crate::diff::Touched;
use crate::hazards::{self, Hazard, Transition};
use crate::holder::{Holders, key_of};
use crate::lint::{AWS_AUTH, World};
use crate::rules::Rules;
use crate::{diff, usage::EntryShape};

/// What would come of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacement {
    /// Who would gain, lose or change access.
    pub changes: Vec<Change>,
    /// What it would break. What is wrong in the proposed text itself is said by the lints.
    pub findings: Vec<Finding>,
}

/// Judges `proposed` in place of what was observed; `None`: the map is deleted. `caller` is who does it, if known.
///
/// A section that is lost in the proposed text loses everybody in it. A text that the API server refuses (a real list
/// where a string belongs) replaces nothing.
///
/// # Errors
/// If `caller` is no identity.
pub fn against(
    observed: &Observed,
    proposed: Option<&AuthMap>,
    caller: Option<&str>,
) -> Result<Replacement, NotAnIdentity> {
    let caller = Caller::who(caller, observed)?;
    if proposed.is_some_and(|map| map.sections().any(is_no_text)) {
        return Ok(Replacement::default());
    }
    let before = Access::of(observed);
    let rules = proposed.map_or_else(Rules::empty, Rules::of);
    let after = Access::with_rules(observed, rules);
    let holders = Holders::of(observed);
    let touched = diff::everybody(&before, &after)
        .into_iter()
        .map(|principal| {
            let key = key_of(&principal);
            Touched::of(principal, key, false, &before, &after)
        });
    let (touched, changes): (Vec<Touched>, Vec<Change>) = touched
        .filter_map(|touched| {
            let change = touched.change(|| {
                let via = touched.before.first().map(|a| a.via);
                let holder = via.map_or(Holder::Unclaimed, |via| holders.holder(via));
                (holder, reason(proposed, &touched))
            })?;
            Some((touched, change))
        })
        .unzip();
    let world = World::of(observed);
    let found = hazards::hazards(&Transition {
        observed,
        then: observed,
        world: &world,
        before: &before,
        after: &after,
        caller: caller.as_ref(),
        touched: &touched,
    });
    let mut findings: Vec<Finding> = destroyed(&before, &after).into_iter().collect();
    findings.extend(found.into_iter().map(Hazard::finding));
    findings.extend(changes.iter().filter_map(of_others));
    Ok(Replacement { changes, findings })
}

fn is_no_text(section: &accord_model::reading::Section) -> bool {
    matches!(&section.state, SectionState::Lost(loss) if loss.cause == LossCause::NotText)
}

fn reason(proposed: Option<&AuthMap>, touched: &Touched) -> String {
    let Some(map) = proposed else {
        return "the map would be deleted".to_owned();
    };
    match touched.after.first().map(|a| a.via) {
        Some(Via::Map(id)) => format!("{id} of what is proposed"),
        Some(Via::Entry(_)) => "its access entry decides".to_owned(),
        None => {
            let key = &touched.key;
            let mut lost = map.sections().filter(|s| !s.is_readable());
            let in_lost = lost.find(|s| {
                s.items.iter().any(|item| {
                    item.meant.as_ref().is_some_and(|m| key_of(&m.arn) == *key)
                        || item
                            .kept
                            .as_ref()
                            .and_then(|k| k.mapping())
                            .is_some_and(|m| key_of(&m.arn) == *key)
                })
            });
            match in_lost {
                Some(section) => format!("{} of what is proposed cannot be read", section.name),
                None => "it is not in what is proposed".to_owned(),
            }
        }
    }
}

/// The map is deleted or emptied.
pub(crate) fn destroyed(before: &Access<'_>, after: &Access<'_>) -> Option<Finding> {
    let is_empty = |a: &Access<'_>| {
        a.rules().mappings().next().is_none() && a.rules().accounts().next().is_none()
    };
    if is_empty(before) || !is_empty(after) || !before.reads_map() {
        return None;
    }
    let worst = before
        .rules()
        .mappings()
        .map(|(_, m)| match EntryShape::of(&m.identity) {
            Some(_) => Severity::BreaksCluster,
            None if m.identity.is_admin() => Severity::LocksOut,
            None => Severity::SilentWrong,
        });
    let mut sections: BTreeMap<SectionName, usize> = BTreeMap::new();
    for (id, _) in before.rules().mappings() {
        *sections.entry(id.section).or_default() += 1;
    }
    for (id, _) in before.rules().accounts() {
        *sections.entry(id.section).or_default() += 1;
    }
    let counts: Vec<String> = sections
        .iter()
        .map(|(s, n)| format!("{n} in {s}"))
        .collect();
    Some(
        Finding::new(
            FindingKind::MapDestroyed,
            worst.max().unwrap_or(Severity::SilentWrong),
            format!(
                "Nothing would be left of the map: {} entries are in effect now. Everybody in it loses access within \
                 minutes.",
                counts.join(", ")
            ),
        )
        .in_object(AWS_AUTH),
    )
}

/// A change of what owners claim: their next reconcile puts it back.
pub(crate) fn of_others(change: &Change) -> Option<Finding> {
    let Holder::Owners(_) = &change.owner else {
        return None;
    };
    Some(
        Finding::new(
            FindingKind::HeldByOther,
            Severity::Warning,
            format!(
                "{} is claimed by {}, and will be put back as claimed. Change the claim instead.",
                change.principal, change.owner
            ),
        )
        .in_object(AWS_AUTH)
        .about(change.principal.clone()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MapBuilder, map, observed, used_by_nodes};

    const NODES: (&str, &[&str]) = (
        "system:node:{{EC2PrivateDNSName}}",
        &["system:bootstrappers", "system:nodes"],
    );

    fn live() -> MapBuilder {
        map()
            .role("role/ng-node", NODES.0, NODES.1)
            .role("role/ops", "ops-old", &["system:masters"])
            .role("role/ops", "ops", &["viewers"])
            .user("user/admin", "admin", &["system:masters"])
    }

    fn told(proposed: Option<MapBuilder>, caller: Option<&str>) -> String {
        let mut seen = observed(live().build());
        used_by_nodes(&mut seen, "role/eks/ng-node");
        let proposed = proposed.map(MapBuilder::build);
        let found = against(&seen, proposed.as_ref(), caller).unwrap();
        let changes = found.changes.iter().map(|c| {
            let name = c.principal.rsplit(':').next().unwrap_or_default();
            format!("{name} {}, {}: {}", c.kind(), c.owner, c.reason)
        });
        let findings = found.findings.iter().map(|f| {
            let name = f.principal.as_deref().unwrap_or_default();
            format!(
                "{} {} {}",
                f.severity,
                f.kind,
                name.rsplit(':').next().unwrap_or_default()
            )
        });
        let lines: Vec<String> = changes.chain(findings).collect();
        lines.join("\n")
    }

    #[test]
    fn the_same_in_other_bytes_is_nothing() {
        insta::assert_snapshot!(told(Some(live()), None), @r"");
        // Nor is taking out what never decided.
        let tidy = map()
            .user("user/admin", "admin", &["system:masters"])
            .role("role/ops", "ops", &["viewers"])
            .role(
                "role/ng-node",
                NODES.0,
                &["system:nodes", "system:bootstrappers"],
            );
        insta::assert_snapshot!(told(Some(tidy), None), @r"");
    }

    #[test]
    fn a_deleted_map_takes_everything() {
        insta::assert_snapshot!(told(None, Some("arn:aws:iam::111122223333:user/admin")), @r"
        role/ng-node loses, eks: the map would be deleted
        role/ops loses, unclaimed: the map would be deleted
        user/admin loses, unclaimed: the map would be deleted
        breaks-cluster map-destroyed 
        locks-out last-admin-removed user/admin
        locks-out caller-loses-access user/admin
        breaks-cluster removal-of-eks-owned-entry role/ng-node
        breaks-cluster role-still-in-use role/ng-node
        breaks-cluster node-role-not-in-map role/ng-node
        ");
        assert_eq!(
            told(None, None).replace("the map would be deleted", ""),
            told(Some(map()), None).replace("it is not in what is proposed", "")
        );
    }

    #[test]
    fn every_hazard_of_a_change_is_said() {
        let proposed = map().role("role/ng-node", NODES.0, &["system:nodes"]).role(
            "role/ops",
            "ops-old",
            &["system:masters"],
        );
        insta::assert_snapshot!(told(Some(proposed), Some("arn:aws:iam::111122223333:user/admin")), @r"
        role/ng-node changes, eks: mapRoles[0] of what is proposed
        role/ops changes, unclaimed: mapRoles[1] of what is proposed
        user/admin loses, unclaimed: it is not in what is proposed
        locks-out caller-loses-access user/admin
        breaks-cluster role-still-in-use role/ng-node
        breaks-cluster node-role-not-in-map role/ng-node
        privilege-gain shadowed-entry-revived role/ops
        ");
    }
}
