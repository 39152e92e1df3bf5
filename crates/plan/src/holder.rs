//! Whose an entry is: its owners', EKS's, or nobody's.

use std::borrow::Cow;

use accord_model::arn::{self, PrincipalKey};
use accord_model::claim::Owner;
use accord_model::ledger::{Ledger, Line, Origin};
use accord_model::mapping::{EntryId, Identity, SectionName};
use accord_model::observed::{LedgerRead, Observed};
use accord_model::plan::Holder;

use crate::access::{Access, Via};
use crate::usage::Usage;

/// The key of a principal as `aws-auth` can hold it, from any form in which people name it: the role of a session, a
/// role's ARN with or without its path, a user, an account.
pub fn key_of(text: &str) -> PrincipalKey {
    PrincipalKey::of(&arn::without_role_path(&arn::display_form(text)))
}

/// Tells whose entries are.
///
/// An entry of EKS's stays EKS's when somebody claims it as it is, since giving up the claim leaves it.
pub struct Holders<'a> {
    access: Access<'a>,
    usage: Usage,
    ledger: Cow<'a, Ledger>,
    observed: &'a Observed,
}

impl<'a> Holders<'a> {
    /// For what was observed.
    pub fn of(observed: &'a Observed) -> Self {
        Self {
            access: Access::of(observed),
            usage: Usage::of(&observed.compute),
            ledger: ledger(observed),
            observed,
        }
    }

    /// Whose the entry is that gives access by `via`.
    pub fn holder(&self, via: Via) -> Holder {
        let (principal, identity) = match via {
            Via::Entry(index) => {
                let entry = self.observed.access_entries.items.get(index);
                (entry.map(|e| e.principal.clone()), None)
            }
            Via::Map(id) => match self.access.rules().mapping(id) {
                Some(mapping) => (Some(mapping.arn.clone()), Some(&mapping.identity)),
                None => (self.account(id), None),
            },
        };
        match principal {
            Some(principal) => self.of_entry(&principal, identity),
            None => Holder::Unclaimed,
        }
    }

    /// Whose an entry for `principal` is that gives `identity`; of an account or an access entry, `None`.
    pub fn of_entry(&self, principal: &str, identity: Option<&Identity>) -> Holder {
        let is_eks_written = identity.is_some_and(|i| self.usage.is_eks_written(principal, i));
        held(self.ledger.lines.get(&key_of(principal)), is_eks_written)
            .unwrap_or_else(|| self.claimed(principal, identity))
    }

    fn account(&self, id: EntryId) -> Option<String> {
        let mut accounts = self.access.rules().accounts();
        let found = accounts.find(|(other, _)| *other == id);
        found.map(|(_, text)| text.to_owned())
    }

    /// Those who claim it as it is, although the ledger does not know it yet.
    fn claimed(&self, principal: &str, identity: Option<&Identity>) -> Holder {
        let key = key_of(principal);
        let fragments = self.observed.fragments.items.iter();
        let owners: Vec<Owner> = fragments
            .filter(|f| f.owner.namespace == "kube-system")
            .filter(|f| {
                f.claims.iter().any(|c| {
                    key_of(&c.principal) == key
                        && (c.section == SectionName::Accounts
                            || identity.is_some_and(|i| i.means_same(&c.identity)))
                })
            })
            .map(|f| f.owner.clone())
            .collect();
        match owners.is_empty() {
            true => Holder::Unclaimed,
            false => Holder::Owners(owners),
        }
    }
}

/// Whose an entry is, as far as its ledger line and its shape tell.
pub(crate) fn held(line: Option<&Line>, is_eks_written: bool) -> Option<Holder> {
    match line {
        Some(line) if line.origin != Origin::Found || !is_eks_written => {
            Some(Holder::Owners(line.owners.clone()))
        }
        Some(_) | None => is_eks_written.then_some(Holder::Eks),
    }
}

/// The ledger as far as it counts: one that cannot be read, or is another cluster's, is as good as empty.
pub(crate) fn ledger(observed: &Observed) -> Cow<'_, Ledger> {
    match &observed.ledger {
        LedgerRead::Present(ledger) if !is_foreign(ledger, observed) => Cow::Borrowed(ledger),
        LedgerRead::Present(_) | LedgerRead::Absent | LedgerRead::Unreadable(_) => {
            Cow::Owned(Ledger::default())
        }
    }
}

/// Whether a ledger is known to be another cluster's: a restored backup.
pub(crate) fn is_foreign(ledger: &Ledger, observed: &Observed) -> bool {
    match (&ledger.cluster, &observed.cluster_uid) {
        (Some(of), Some(here)) => of != here,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{claim, fragment, line, map, observed, used_by_nodes};

    #[test]
    fn eks_keeps_what_is_only_found() {
        let mut seen = observed(
            map()
                .role(
                    "role/nodes",
                    "system:node:{{EC2PrivateDNSName}}",
                    &["system:bootstrappers", "system:nodes"],
                )
                .role("role/a", "a", &["g"])
                .role("role/b", "b", &["g"])
                .role("role/c", "c", &["g"])
                .account("444455556666")
                .build(),
        );
        used_by_nodes(&mut seen, "role/nodes");
        let mut ledger = Ledger::default();
        for line in [
            line("role/nodes", "one", Origin::Found),
            line("role/a", "two", Origin::Found),
        ] {
            ledger.lines.insert(line.key(), line);
        }
        seen.ledger = LedgerRead::Present(ledger);
        seen.fragments.items = vec![fragment(
            "three",
            vec![claim("role/b", "b", &["g"]), claim("role/c", "x", &[])],
        )];
        let holders = Holders::of(&seen);
        let told: Vec<String> = holders
            .access
            .rules()
            .mappings()
            .map(|(id, _)| id)
            .chain([EntryId::new(SectionName::Accounts, 0)])
            .map(|id| format!("{id} {}", holders.holder(Via::Map(id))))
            .collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        mapRoles[0] eks
        mapRoles[1] two
        mapRoles[2] three
        mapRoles[3] unclaimed
        mapAccounts[0] unclaimed
        ");
    }

    #[test]
    fn people_name_a_principal_in_many_ways() {
        for text in [
            "arn:aws:sts::111122223333:assumed-role/Ops/kim",
            "arn:aws:iam::111122223333:role/team/ops",
            "arn:aws:iam::111122223333:role/OPS",
        ] {
            assert_eq!(key_of(text).as_str(), "arn:aws:iam::111122223333:role/ops");
        }
        assert_eq!(key_of("111122223333").as_str(), "111122223333");
    }
}
