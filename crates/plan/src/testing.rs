//! Maps and observations for this crate's tests, built without a text.

use accord_model::mapping::{Identity, Mapping, SectionName, Sso};
use accord_model::reading::{AuthMap, Item, Kept, SectionState};
use accord_model::span::Range;

/// A map to which entries are added; ARNs are given from the resource on, in account 111122223333, or whole.
pub(crate) fn map() -> MapBuilder {
    MapBuilder(AuthMap::empty())
}

pub(crate) struct MapBuilder(AuthMap);

impl MapBuilder {
    pub(crate) fn role(self, arn: &str, username: &str, groups: &[&str]) -> Self {
        self.mapping(SectionName::Roles, mapping(arn, username, groups))
    }

    pub(crate) fn user(self, arn: &str, username: &str, groups: &[&str]) -> Self {
        self.mapping(SectionName::Users, mapping(arn, username, groups))
    }

    pub(crate) fn account(self, text: &str) -> Self {
        self.item(SectionName::Accounts, Some(Kept::Account(text.into())))
    }

    pub(crate) fn sso(self, set: &str, partition: &str) -> Self {
        let sso = Sso {
            permission_set_name: set.into(),
            account_id: "111122223333".into(),
            partition: partition.into(),
        };
        let mapping = Mapping {
            sso: Some(Box::new(sso)),
            identity: Identity {
                username: set.into(),
                groups: vec![],
            },
            ..Mapping::default()
        };
        self.mapping(SectionName::Roles, mapping)
    }

    /// A role entry that the authenticator skips.
    pub(crate) fn skipped(self) -> Self {
        self.item(SectionName::Roles, None)
    }

    pub(crate) fn build(self) -> AuthMap {
        self.0
    }

    fn mapping(self, section: SectionName, mapping: Mapping) -> Self {
        self.item(section, Some(Kept::Mapping(mapping)))
    }

    fn item(mut self, name: SectionName, kept: Option<Kept>) -> Self {
        let section = self.0.section_mut(name);
        section.state = SectionState::Read;
        section.items.push(Item {
            range: Range::new(0, 0),
            written: vec![],
            kept,
            remarks: vec![],
        });
        self
    }
}

/// An entry; see [`map`] for the form of `arn`.
pub(crate) fn mapping(arn: &str, username: &str, groups: &[&str]) -> Mapping {
    let arn = match arn.starts_with("arn:") {
        true => arn.to_owned(),
        false => format!("arn:aws:iam::111122223333:{arn}"),
    };
    Mapping {
        arn,
        identity: Identity {
            username: username.into(),
            groups: groups.iter().map(|g| (*g).to_owned()).collect(),
        },
        ..Mapping::default()
    }
}
