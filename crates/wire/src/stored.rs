//! The JSON of what the ledger and the journal keep: forms that both share.
//!
//! They are read strictly. A field that is not known is an error, because writing the object anew would lose it.

use std::collections::BTreeMap;

use accord_model::claim::{Claim, Owner, PolicyGrant};
use accord_model::mapping::{EntryId, Identity, SectionName};
use serde::{Deserialize, Serialize};

/// An owner as it is kept: always `namespace/name`, never the short name.
pub(crate) fn owner_text(owner: &Owner) -> String {
    format!("{}/{}", owner.namespace, owner.name)
}

/// An owner from `namespace/name`.
pub(crate) fn owner(text: &str) -> Option<Owner> {
    let (namespace, name) = text.split_once('/')?;
    (!namespace.is_empty() && !name.is_empty()).then(|| Owner {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    })
}

/// An access policy and its namespaces; left out, they are the whole cluster.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Policy {
    policy: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    namespaces: Option<Vec<String>>,
}

impl From<&PolicyGrant> for Policy {
    fn from(grant: &PolicyGrant) -> Self {
        Self {
            policy: grant.policy.clone(),
            namespaces: grant.namespaces.clone(),
        }
    }
}

impl From<Policy> for PolicyGrant {
    fn from(kept: Policy) -> Self {
        Self {
            policy: kept.policy,
            namespaces: kept.namespaces,
        }
    }
}

/// All claims of one owner, by section: the same shape as a declaration.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Claims(BTreeMap<Section, Vec<Entry>>);

/// A section by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Section {
    #[serde(rename = "mapRoles")]
    Roles,
    #[serde(rename = "mapUsers")]
    Users,
    #[serde(rename = "mapAccounts")]
    Accounts,
}

impl From<SectionName> for Section {
    fn from(name: SectionName) -> Self {
        match name {
            SectionName::Roles => Self::Roles,
            SectionName::Users => Self::Users,
            SectionName::Accounts => Self::Accounts,
        }
    }
}

impl From<Section> for SectionName {
    fn from(kept: Section) -> Self {
        match kept {
            Section::Roles => Self::Roles,
            Section::Users => Self::Users,
            Section::Accounts => Self::Accounts,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    principal: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    username: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    groups: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    policies: Vec<Policy>,
}

impl Claims {
    pub(crate) fn keep(claims: &[Claim]) -> Self {
        let mut kept = Self::default();
        for claim in claims {
            let section = kept.0.entry(claim.section.into()).or_default();
            section.push(Entry {
                principal: claim.principal.clone(),
                username: claim.identity.username.clone(),
                groups: claim.identity.groups.clone(),
                policies: claim.policies.iter().map(Policy::from).collect(),
            });
        }
        kept
    }

    /// The claims, numbered anew in each section.
    pub(crate) fn restore(self) -> Vec<Claim> {
        let numbered = self.0.into_iter().flat_map(|(section, entries)| {
            let section = SectionName::from(section);
            let entries = entries.into_iter().enumerate();
            entries.map(move |(index, entry)| (EntryId::new(section, index), entry))
        });
        numbered
            .map(|(id, entry)| Claim {
                section: id.section,
                principal: entry.principal,
                identity: Identity {
                    username: entry.username,
                    groups: entry.groups,
                },
                policies: entry.policies.into_iter().map(PolicyGrant::from).collect(),
                span: None,
                at: id.to_string(),
            })
            .collect()
    }
}
