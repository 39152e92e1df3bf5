//! What is live for one principal: the entries that decide, as the authenticator reads them.

use accord_model::arn::PrincipalKey;
use accord_model::ledger::{Digest, Door, Line};
use accord_model::mapping::{EntryId, Identity, Mapping};
use accord_model::plan::{EntryEdit, Rights};

use super::situation::Situation;
use super::table::Live;
use crate::access::Via;

/// What gives a principal access.
pub(crate) enum Found<'a> {
    /// The map, or nothing.
    Map(Entries<'a>),
    /// An access entry decides, and the map has none.
    Entry(Rights),
}

/// The entries of the map that may decide: none, one, or several of which one is picked at random. An account's entry
/// has no mapping.
pub(crate) struct Entries<'a>(Vec<(EntryId, Option<&'a Mapping>)>);

impl<'a> Found<'a> {
    /// What is live for the principal with this key; `line` tells at which door it is.
    pub(crate) fn of(
        situation: &'a Situation<'_>,
        key: &PrincipalKey,
        principal: &str,
        line: Option<&Line>,
    ) -> Self {
        let rules = situation.access.rules();
        let deciding = rules.deciding(key);
        let entries: Vec<_> = deciding
            .ids()
            .iter()
            .map(|id| (*id, rules.mapping(*id)))
            .collect();
        let by_entry = line.is_none_or(|l| l.door == Door::AccessEntry) && entries.is_empty();
        if by_entry && situation.access.entry(principal).is_some() {
            let answers = situation.access.answers(principal);
            if let Some(answer) = answers.first().filter(|a| matches!(a.via, Via::Entry(_))) {
                return Self::Entry(answer.rights());
            }
        }
        Self::Map(Entries(entries))
    }
}

impl<'a> Entries<'a> {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first one's id.
    pub(crate) fn first(&self) -> Option<EntryId> {
        self.0.first().map(|(id, _)| *id)
    }

    /// The mappings among them.
    pub(crate) fn mappings(&self) -> impl Iterator<Item = &'a Mapping> {
        self.0.iter().filter_map(|(_, mapping)| *mapping)
    }

    /// What they are to the claim and to the line. Of several, each has to be it.
    pub(crate) fn compare(
        &self,
        key: &PrincipalKey,
        claimed: Option<&Identity>,
        line: Option<&Line>,
    ) -> Live {
        let none = Identity::default();
        let identities = || self.0.iter().map(|(_, m)| m.map_or(&none, |m| &m.identity));
        let written = |identity: &Identity| {
            line.is_some_and(|l| l.digests.contains(&Digest::of_entry(key, identity)))
        };
        if self.0.is_empty() {
            Live::Absent
        } else if claimed.is_some_and(|c| identities().all(|i| i.means_same(c))) {
            Live::Same
        } else if identities().all(written) {
            Live::AsWritten
        } else {
            Live::Edited
        }
    }

    /// Edits that give each this identity, where it has another.
    pub(crate) fn updates(&self, identity: &Identity) -> Vec<EntryEdit> {
        let differing = self.0.iter().filter_map(|(id, mapping)| {
            let mapping = mapping.filter(|m| !m.identity.means_same(identity))?;
            Some(EntryEdit::Update {
                id: *id,
                mapping: Mapping {
                    identity: identity.clone(),
                    ..mapping.clone()
                },
            })
        });
        differing.collect()
    }

    /// Edits that take them out.
    pub(crate) fn removals(&self, principal: &str) -> Vec<EntryEdit> {
        let remove = |(id, _): &(EntryId, _)| EntryEdit::Remove {
            id: *id,
            principal: principal.to_owned(),
        };
        self.0.iter().map(remove).collect()
    }

    /// In words: which they are, and what they give.
    pub(crate) fn told(&self) -> String {
        let each = self.0.iter().map(|(id, mapping)| match mapping {
            Some(mapping) => format!("{id} {}", as_identity(&mapping.identity)),
            None => id.to_string(),
        });
        let each: Vec<String> = each.collect();
        match each.len() {
            1 => each.concat(),
            _ => format!("one of {} at random", each.join(" and ")),
        }
    }
}

/// An identity in words.
pub(crate) fn as_identity(identity: &Identity) -> String {
    match identity.groups.as_slice() {
        [] => format!("as `{}` without groups", identity.username),
        groups => format!("as `{}` in {}", identity.username, groups.join(", ")),
    }
}
