//! Maps and observations for this crate's tests, built without a text.

use accord_model::claim::{Admission, Claim, Fragment, Owner};
use accord_model::facts::{
    AccessEntry, AuthenticationMode, Cluster, ComputeFacts, Listing, NodeGroup,
};
use accord_model::ledger::{Digest, Door, Line, Origin};
use accord_model::mapping::{Identity, Mapping, SectionName, Sso};
use accord_model::observed::{AwsAuth, LedgerRead, Observed};
use accord_model::reading::{
    AuthMap, Field, Item, Kept, Loss, LossCause, Remark, Salvaged, SectionState, Shape, What,
};
use accord_model::span::Range;
use accord_model::time::Timestamp;

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

    /// The last item of a section gets a remark, at a path below the item.
    pub(crate) fn remark(mut self, section: SectionName, at: &str, what: What) -> Self {
        if let Some(item) = self.0.section_mut(section).items.last_mut() {
            item.remarks.push(remark(at, what));
        }
        self
    }

    /// The last item of a section was written with these keys.
    pub(crate) fn written(mut self, section: SectionName, keys: &[&str]) -> Self {
        if let Some(item) = self.0.section_mut(section).items.last_mut() {
            item.written = keys.iter().map(|key| field(key)).collect();
        }
        self
    }

    /// The section itself gets a remark.
    pub(crate) fn section_remark(mut self, section: SectionName, what: What) -> Self {
        self.0.section_mut(section).remarks.push(remark("", what));
        self
    }

    /// The section is lost; what was added to it before are the salvaged items.
    pub(crate) fn lost(mut self, section: SectionName, cause: LossCause, message: &str) -> Self {
        self.0.section_mut(section).state = SectionState::Lost(Loss {
            cause,
            message: message.into(),
            range: Range::new(0, 0),
        });
        self
    }

    /// A role entry that the authenticator skips, which names `arn` under another key.
    pub(crate) fn meant(self, arn: &str) -> Self {
        let arn = mapping(arn, "", &[]).arn;
        let mut map = self.skipped();
        if let Some(item) = map.0.roles.items.last_mut() {
            item.meant = Some(Box::new(Salvaged {
                arn,
                ..Salvaged::default()
            }));
        }
        map
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
            meant: None,
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

fn field(key: &str) -> Field {
    Field {
        key: key.into(),
        key_range: Range::new(0, 0),
        value_range: Range::new(0, 0),
        shape: Shape::String,
        elements: vec![],
        fields: vec![],
    }
}

fn remark(at: &str, what: What) -> Remark {
    Remark {
        what,
        range: Range::new(0, 0),
        at: at.into(),
    }
}

/// A cluster with this map, of which nothing else is known.
pub(crate) fn observed(map: AuthMap) -> Observed {
    Observed {
        now: Timestamp { millis: 0 },
        heading: "cluster.yaml".into(),
        cluster: None,
        cluster_uid: None,
        aws_auth: Some(AwsAuth {
            map,
            immutable: false,
            stray_keys: vec![],
            size: 0,
            managers: vec![],
            span: None,
        }),
        fragments: Listing {
            items: vec![],
            complete: true,
        },
        ledger: LedgerRead::Absent,
        compute: ComputeFacts::default(),
        access_entries: Listing::default(),
        roles: Listing::default(),
        caller: None,
        journal: vec![],
        findings: vec![],
    }
}

/// The same in another authentication mode.
pub(crate) fn in_mode(mut observed: Observed, mode: Option<AuthenticationMode>) -> Observed {
    observed.cluster = Some(Cluster {
        name: Some("demo".into()),
        arn: Some("arn:aws:eks:eu-west-1:111122223333:cluster/demo".into()),
        mode,
    });
    observed
}

/// An access entry; see [`map`] for the form of `arn`.
pub(crate) fn entry(arn: &str, kind: &str, username: Option<&str>) -> AccessEntry {
    AccessEntry {
        principal: mapping(arn, "", &[]).arn,
        kind: kind.into(),
        username: username.map(str::to_owned),
        groups: vec![],
        policies: None,
        tags: vec![],
        created: None,
    }
}

/// A claim on a role or user; see [`map`] for the form of `arn`. Twelve digits are an account.
pub(crate) fn claim(arn: &str, username: &str, groups: &[&str]) -> Claim {
    let (section, principal) = match accord_model::arn::is_account(arn) {
        true => (SectionName::Accounts, arn.to_owned()),
        false if arn.contains("user/") => (SectionName::Users, mapping(arn, "", &[]).arn),
        false => (SectionName::Roles, mapping(arn, "", &[]).arn),
    };
    Claim {
        section,
        principal,
        identity: mapping("", username, groups).identity,
        policies: vec![],
        span: None,
        at: format!("{section}[0]"),
    }
}

/// The fragment that `--owner owner` stands for.
pub(crate) fn fragment(owner: &str, claims: Vec<Claim>) -> Fragment {
    Fragment {
        owner: Owner::named(owner),
        admission: Admission::Trusted,
        created: None,
        claims,
        unreadable: vec![],
    }
}

/// The line of an entry with this username and the group `g`.
pub(crate) fn line(arn: &str, owner: &str, origin: Origin) -> Line {
    let claim = claim(arn, "u", &["g"]);
    let digest = Digest::of_entry(&claim.key(), &claim.identity);
    Line {
        section: claim.section,
        principal: claim.principal,
        owners: vec![Owner::named(owner)],
        door: Door::AwsAuth,
        origin,
        digests: vec![digest.clone()],
        claimed: digest,
        releasing: None,
    }
}

/// Makes the compute facts complete, with one node group, `ng`, under this role.
pub(crate) fn used_by_nodes(observed: &mut Observed, role: &str) {
    observed.compute = ComputeFacts {
        node_groups: Listing {
            items: vec![NodeGroup {
                name: "ng".into(),
                role: Some(mapping(role, "", &[]).arn),
                windows: false,
                instance_profile: None,
            }],
            complete: true,
        },
        fargate_profiles: Listing {
            items: vec![],
            complete: true,
        },
        nodes: Listing {
            items: vec![],
            complete: true,
        },
    };
}
