//! Every mapping and access entry with its owner, and what stands between the claims and the map.

use std::collections::BTreeMap;

use accord_model::arn::{self, PrincipalKey};
use accord_model::claim::{Claim, Owner};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::ledger::{Line, Origin};
use accord_model::mapping::{EntryId, Identity};
use accord_model::observed::Observed;
use accord_model::plan::{Holder, Rights};

use crate::access::{self, Via};
use crate::holder::{Holders, key_of};
use crate::journal;
use crate::reconcile::ask::Ask;
use crate::reconcile::claims::{self, Bid, Claims};
use crate::reconcile::{self, Row, Situation};

/// The state of an entry or a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It decides, and is as claimed, if it is claimed.
    InEffect,
    /// It is claimed otherwise, and will be put right.
    Drifted,
    /// It is claimed and not there, and will be added.
    Missing,
    /// Another entry for the same principal decides.
    Shadowed,
    /// The mode does not read it, or nobody can have its ARN.
    Ignored,
    /// Nobody claims it any more, and a hazard keeps it.
    Releasing,
    /// It is not put back for a while.
    Suspended,
    /// It is claimed by a fragment that is not admitted.
    Proposed,
    /// It is claimed, and the claim is refused.
    Refused,
}

impl State {
    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InEffect => "in-effect",
            Self::Drifted => "drifted",
            Self::Missing => "missing",
            Self::Shadowed => "shadowed",
            Self::Ignored => "ignored",
            Self::Releasing => "releasing",
            Self::Suspended => "suspended",
            Self::Proposed => "proposed",
            Self::Refused => "refused",
        }
    }
}

/// One entry, or one claim without an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusEntry {
    /// The principal in canonical form where there is one; an account is its text.
    pub principal: String,
    /// What it gives, or is claimed.
    pub rights: Rights,
    /// Where it is; `None` for a claim without an entry.
    pub via: Option<Via>,
    /// Whose it is; of a claim without an entry, who claims it.
    pub owner: Holder,
    /// How it came to be the owner's.
    pub origin: Option<Origin>,
    /// How it stands.
    pub state: State,
}

/// The whole picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// `aws-auth` in its order, then access entries, then claims without an entry.
    pub entries: Vec<StatusEntry>,
    /// What reconcile has to say, and grants that nobody claims any more. Standing hazards are said by the lints.
    pub findings: Vec<Finding>,
}

/// What there is, whose it is, and how it stands.
pub fn status(observed: &Observed) -> Status {
    let situation = Situation::of(observed, None, &[]);
    let ask = Ask::default();
    let claims = Claims::gather(&situation, &ask);
    let (rows, _) = reconcile::judged(&situation, &ask, &claims);
    let picture = Picture {
        observed,
        situation: &situation,
        holders: Holders::of(observed),
        claims: &claims,
        rows: rows.iter().map(|row| (row.key, row)).collect(),
    };
    let mut entries = picture.mappings();
    entries.extend(picture.access_entries());
    entries.extend(picture.claims());
    let mut findings = situation.findings();
    findings.extend(rows.iter().flat_map(|r| r.findings.iter().cloned()));
    findings.extend(picture.orphans());
    Status { entries, findings }
}

struct Picture<'s, 'a> {
    observed: &'s Observed,
    situation: &'s Situation<'a>,
    holders: Holders<'s>,
    claims: &'s Claims<'s>,
    rows: BTreeMap<&'s PrincipalKey, &'s Row<'s>>,
}

impl Picture<'_, '_> {
    /// The map's entries that the authenticator keeps.
    fn mappings(&self) -> Vec<StatusEntry> {
        let rules = self.situation.access.rules();
        let mappings = rules.mappings().map(|(id, m)| {
            let rights = access::rights(&m.identity);
            (id, m.arn.as_str(), rights)
        });
        let accounts = rules
            .accounts()
            .map(|(id, text)| (id, text, Rights::default()));
        mappings
            .chain(accounts)
            .map(|(id, principal, rights)| {
                let key = key_of(principal);
                StatusEntry {
                    principal: arn::display_form(principal).into_owned(),
                    rights,
                    via: Some(Via::Map(id)),
                    owner: self.holders.holder(Via::Map(id)),
                    origin: self.line(&key).map(|l| l.origin),
                    state: self.state(id, principal, &key),
                }
            })
            .collect()
    }

    fn state(&self, id: EntryId, principal: &str, key: &PrincipalKey) -> State {
        let is_anybody = arn::is_presentable(principal) || arn::is_account(principal);
        if !self.situation.access.reads_map() || !is_anybody {
            return State::Ignored;
        }
        let decides = self
            .situation
            .access
            .answers(principal)
            .iter()
            .any(|a| a.via == Via::Map(id));
        if !decides {
            return State::Shadowed;
        }
        self.standing(key).unwrap_or(State::InEffect)
    }

    /// How a claim stands with its entry, or giving it up; `None` if all is well, or nobody claims it.
    fn standing(&self, key: &PrincipalKey) -> Option<State> {
        let line = self.line(key);
        let row = self.rows.get(key)?;
        if row.claim.is_none() {
            let releasing = line.and_then(|l| l.releasing.as_ref());
            releasing.map(|_| State::Releasing)
        } else if row.suspended || self.situation.suspension(key).is_some() {
            Some(State::Suspended)
        } else if row.is_refused() {
            self.is_held(row).then_some(State::Refused)
        } else if !row.edits.is_empty() {
            Some(State::Drifted)
        } else {
            None
        }
    }

    /// Whether the entry is already theirs who claim it, so that one line says both.
    fn is_held(&self, row: &Row<'_>) -> bool {
        let line = self.line(row.key);
        line.is_some_and(|l| l.owners.iter().any(|o| row.owners.contains(&o)))
    }

    fn line(&self, key: &PrincipalKey) -> Option<&Line> {
        self.situation.ledger.lines.get(key)
    }

    fn access_entries(&self) -> Vec<StatusEntry> {
        let entries = self.observed.access_entries.items.iter().enumerate();
        entries
            .map(|(index, entry)| {
                let principal = arn::without_role_path(&entry.principal).into_owned();
                let decides = self
                    .situation
                    .access
                    .entry(&principal)
                    .is_some_and(|(i, _)| i == index);
                StatusEntry {
                    rights: access::entry_answer(index, entry).rights(),
                    via: Some(Via::Entry(index)),
                    owner: self.holders.holder(Via::Entry(index)),
                    origin: self.line(&key_of(&principal)).map(|l| l.origin),
                    state: match decides {
                        true => State::InEffect,
                        false => State::Ignored,
                    },
                    principal,
                }
            })
            .collect()
    }

    /// Claims that no entry stands for: the principal has none, or it is not the claimant's.
    fn claims(&self) -> Vec<StatusEntry> {
        let mut entries = Vec::new();
        for (key, row) in &self.rows {
            let Some(claim) = row.claim else { continue };
            let access = &self.situation.access;
            let is_absent =
                access.rules().all(key).is_empty() && access.entry(&row.principal).is_none();
            let owners: Vec<Owner> = row.owners.iter().copied().cloned().collect();
            if is_absent || (row.is_refused() && !self.is_held(row)) {
                let state = match self.standing(key) {
                    Some(State::Suspended) => State::Suspended,
                    _ if row.is_refused() => State::Refused,
                    _ => State::Missing,
                };
                entries.push(self.claim(claim, Holder::Owners(owners), state));
            }
            let bids = self.claims.bids.get(*key).into_iter().flatten();
            let lost = bids.filter(|bid| !row.owners.contains(&bid.owner));
            entries.extend(lost.map(|bid| self.bid(bid, State::Refused)));
        }
        entries.extend(
            self.claims
                .unfit
                .iter()
                .map(|bid| self.bid(bid, State::Refused)),
        );
        entries.extend(
            self.claims
                .proposed
                .iter()
                .map(|bid| self.bid(bid, State::Proposed)),
        );
        entries
    }

    fn bid(&self, bid: &Bid<'_>, state: State) -> StatusEntry {
        self.claim(bid.claim, Holder::Owners(vec![bid.owner.clone()]), state)
    }

    fn claim(&self, claim: &Claim, owner: Holder, state: State) -> StatusEntry {
        let line = self.line(&claims::key(claim));
        let origin = match &owner {
            Holder::Owners(owners) => line.filter(|l| l.owners.iter().any(|o| owners.contains(o))),
            Holder::Eks | Holder::Unclaimed => None,
        };
        StatusEntry {
            principal: claims::printed(claim),
            rights: reconcile::rights(claim),
            via: None,
            owner,
            origin: origin.map(|l| l.origin),
            state,
        }
    }

    /// Entries that no owner claims and no ledger line names, and of which the journal knows better: Accord wrote them for
    /// somebody, or took them away.
    fn orphans(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (id, mapping) in self.situation.access.rules().mappings() {
            let key = key_of(&mapping.arn);
            let claimed = self.rows.get(&key).is_some_and(|r| r.claim.is_some());
            if claimed || self.line(&key).is_some() {
                continue;
            }
            let principal = arn::display_form(&mapping.arn);
            let Some((severity, message)) = self.remembered(&key, &mapping.identity, &principal)
            else {
                continue;
            };
            findings.push(
                Finding::new(FindingKind::OrphanedGrant, severity, message)
                    .in_object(crate::lint::AWS_AUTH)
                    .at(id.to_string(), None)
                    .about(principal),
            );
        }
        findings
    }

    /// What the journal knows of an entry that nobody claims.
    fn remembered(
        &self,
        key: &PrincipalKey,
        identity: &Identity,
        principal: &str,
    ) -> Option<(Severity, String)> {
        let (entry, change) = journal::last_change(self.observed, key)?;
        let Some(after) = &change.after else {
            return Some((
                Severity::PrivilegeGain,
                format!(
                    "The access of {principal} was taken away by plan {}, and somebody has brought the entry back, perhaps \
                     with an older copy of the map. Nobody claims it, so no command of Accord's touches it. If it shall \
                     not be, remove it by hand; if it shall, claim it with `accord adopt`.",
                    entry.id
                ),
            ));
        };
        let owners = match &change.owner {
            owners @ Holder::Owners(_) if gives(after, identity) => owners,
            Holder::Owners(_) | Holder::Eks | Holder::Unclaimed => return None,
        };
        Some((
            Severity::Warning,
            format!(
                "Accord wrote the entry for {principal} for {owners}, by plan {}, and nobody claims it any more. If nobody \
                 needs it, adopt it and remove the owner.",
                entry.id
            ),
        ))
    }
}

fn gives(rights: &Rights, identity: &Identity) -> bool {
    rights.means_same(&Rights {
        policies: rights.policies.clone(),
        ..access::rights(identity)
    })
}

#[cfg(test)]
mod tests {
    use accord_model::claim::{Admission, Fragment};
    use accord_model::facts::AuthenticationMode::ApiAndConfigMap;
    use accord_model::journal::JournalEntry;
    use accord_model::ledger::Suspension;
    use accord_model::mapping::SectionName;
    use accord_model::observed::LedgerRead;
    use accord_model::plan::EntryEdit;
    use accord_model::time::Timestamp;

    use super::*;
    use crate::request::Intent;
    use crate::simulator::{self, run};
    use crate::testing::{claim, entry, fragment, in_mode, map, observed, used_by_nodes};

    fn told(observed: &Observed) -> String {
        let status = status(observed);
        let entries = status.entries.iter().map(|e| {
            let via = e.via.map_or_else(|| "-".to_owned(), |v| v.to_string());
            let origin = e.origin.map_or_else(String::new, |o| format!(" {o:?}"));
            let name = e.principal.rsplit(':').next().unwrap_or_default();
            let rights = format!("{} {:?}", e.rights.username, e.rights.groups);
            format!(
                "{via} {name} {rights}, {}{origin}: {}",
                e.owner,
                e.state.name()
            )
        });
        let findings = status.findings.iter().map(|f| format!("? {}", f.kind));
        let lines: Vec<String> = entries.chain(findings).collect();
        lines.join("\n")
    }

    fn declare(owner: &str, claims: Vec<accord_model::claim::Claim>) -> Intent {
        Intent::Declare {
            fragments: vec![fragment(owner, claims)],
            prune: false,
        }
    }

    fn at(index: usize) -> EntryId {
        EntryId::new(SectionName::Roles, index)
    }

    #[test]
    fn every_state_has_its_line() {
        let nodes = (
            "system:node:{{EC2PrivateDNSName}}",
            &["system:bootstrappers", "system:nodes"][..],
        );
        let mut seen = in_mode(
            observed(
                map()
                    .role("role/ng-node", nodes.0, nodes.1)
                    .role("role/free", "free", &["g"])
                    .role("role/free", "free2", &["g"])
                    .role("role/with/path", "never", &[])
                    .role("role/entry", "mapped", &[])
                    .account("444455556666")
                    .build(),
            ),
            Some(ApiAndConfigMap),
        );
        used_by_nodes(&mut seen, "role/ng-node");
        seen.access_entries.items = vec![entry("role/entry", "STANDARD", Some("entry"))];
        run(
            &mut seen,
            declare(
                "a",
                vec![
                    claim("role/drifts", "u", &[]),
                    claim("role/goes", "u", &[]),
                    claim("role/out", "u", &[]),
                    claim("role/ng-node", nodes.0, nodes.1),
                    claim("role/stays", "u", &[]),
                ],
            ),
        );
        run(
            &mut seen,
            declare("b", vec![claim("role/last", "boss", &["system:masters"])]),
        );
        // `b` vanishes with the last administrator.
        seen.fragments
            .items
            .retain(|f| f.owner != Owner::named("b"));
        run(&mut seen, Intent::Sync);
        run(
            &mut seen,
            Intent::Suspend(Suspension {
                principal: Some(key_of("arn:aws:iam::111122223333:role/out")),
                until: Timestamp { millis: 1 },
                reason: "leak".into(),
            }),
        );
        let edited = crate::testing::mapping("role/drifts", "edited", &[]);
        simulator::edit(
            &mut seen,
            &[
                EntryEdit::Update {
                    id: at(5),
                    mapping: edited,
                },
                EntryEdit::Remove {
                    id: at(6),
                    principal: String::new(),
                },
            ],
        );
        seen.fragments.items.push(Fragment {
            owner: Owner {
                namespace: "team".into(),
                name: "grants".into(),
            },
            admission: Admission::Asked { uid: None },
            ..fragment("", vec![claim("role/wants", "w", &[])])
        });
        seen.fragments.items.push(fragment(
            "c",
            vec![
                claim("role/free", "mine", &[]),
                claim("role/stays", "other", &[]),
            ],
        ));
        insta::assert_snapshot!(told(&seen), @r#"
        mapRoles[0] role/ng-node system:node:{{EC2PrivateDNSName}} ["system:bootstrappers", "system:nodes"], eks Found: in-effect
        mapRoles[1] role/free free ["g"], unclaimed: shadowed
        mapRoles[2] role/free free2 ["g"], unclaimed: in-effect
        mapRoles[3] role/with/path never [], unclaimed: ignored
        mapRoles[4] role/entry mapped [], unclaimed: shadowed
        mapRoles[5] role/drifts edited [], a Added: drifted
        mapRoles[6] role/out u [], a Added: suspended
        mapRoles[7] role/stays u [], a Added: in-effect
        mapRoles[8] role/last boss ["system:masters"], b Added: releasing
        mapAccounts[0] 444455556666  [], unclaimed: in-effect
        accessEntry role/entry entry [], unclaimed: in-effect
        - role/free mine [], c: refused
        - role/goes u [], a Added: missing
        - role/stays other [], c: refused
        - role/wants w [], team/grants: proposed
        ? last-admin-removed
        "#);
    }

    #[test]
    fn what_accord_wrote_and_nobody_claims_is_found_in_the_journal() {
        let mut seen = observed(map().build());
        let plan = run(
            &mut seen,
            declare(
                "a",
                vec![claim("role/x", "x", &["g"]), claim("role/y", "y", &[])],
            ),
        );
        seen.journal.push(JournalEntry {
            id: "0190".into(),
            at: seen.now,
            command: "apply".into(),
            caller: None,
            reason: None,
            allowed: vec![],
            done: true,
            changes: plan.changes,
            refusals: vec![],
            objects: vec![],
            undoes: None,
        });
        // Ledger and fragments are lost, and somebody made something else of one entry.
        seen.ledger = LedgerRead::Absent;
        seen.fragments.items.clear();
        let edited = crate::testing::mapping("role/y", "edited", &[]);
        simulator::edit(
            &mut seen,
            &[EntryEdit::Update {
                id: at(1),
                mapping: edited,
            }],
        );
        insta::assert_snapshot!(told(&seen), @r#"
        mapRoles[0] role/x x ["g"], unclaimed: in-effect
        mapRoles[1] role/y edited [], unclaimed: in-effect
        ? orphaned-grant
        "#);
        // The access of the other one was taken away, by a process that died before it could note that this was done.
        let mut taken = seen.journal[0].clone();
        taken.id = "0191".into();
        taken.done = false;
        taken.changes.retain(|c| c.principal.ends_with("role/y"));
        taken.changes[0].before = taken.changes[0].after.take();
        seen.journal.push(taken);
        insta::assert_snapshot!(told(&seen), @r#"
        mapRoles[0] role/x x ["g"], unclaimed: in-effect
        mapRoles[1] role/y edited [], unclaimed: in-effect
        ? orphaned-grant
        ? orphaned-grant
        "#);
        let findings = status(&seen).findings;
        let back = findings
            .iter()
            .find(|f| f.severity == Severity::PrivilegeGain);
        let back = back.map(|f| f.message.as_str()).unwrap_or_default();
        assert!(back.contains("was taken away by plan 0191"), "{back}");
    }
}
