//! Effective access: the function from principal to identity that a cluster really applies.
//!
//! An access entry decides before `aws-auth`, where the authentication mode reads both. EKS binds an entry to the
//! principal's unique id, not to its ARN: the role's path does not matter, and an entry that is older than its role
//! lets nobody in. Where the mode is not known, only `aws-auth` is spoken for.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use accord_model::arn::{self, Arn, PrincipalKey};
use accord_model::claim::PolicyGrant;
use accord_model::facts::{AccessEntry, AuthenticationMode, Role};
use accord_model::mapping::{EntryId, Identity, SectionName};
use accord_model::observed::Observed;
use accord_model::plan::{self, EntryEdit, Rights};

use crate::caller::Caller;
use crate::entry;
use crate::rules::{Deciding, Rules};

/// What gives access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Via {
    /// An access entry, by its position among those observed.
    Entry(usize),
    /// An entry of `aws-auth`.
    Map(EntryId),
}

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(_) => f.write_str("accessEntry"),
            Self::Map(id) => write!(f, "{id}"),
        }
    }
}

/// An identity that may apply, templates unfilled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What gives it.
    pub via: Via,
    /// The username.
    pub username: String,
    /// The groups, as the authenticator hands them on.
    pub groups: Vec<String>,
    /// The access policies.
    pub policies: Vec<PolicyGrant>,
}

impl Answer {
    /// The same as rights: groups without duplicates.
    pub fn rights(&self) -> Rights {
        Rights {
            username: self.username.clone(),
            groups: once(&self.groups),
            policies: self.policies.clone(),
        }
    }
}

impl Answer {
    /// Whether this is an administrator.
    pub fn is_admin(&self) -> bool {
        plan::is_admin(&self.groups, &self.policies)
    }
}

/// What a mapping gives, as rights.
pub(crate) fn rights(identity: &Identity) -> Rights {
    Rights {
        username: identity.username.clone(),
        groups: once(&identity.groups),
        policies: Vec::new(),
    }
}

/// Each group once, in the order in which it comes first.
fn once(groups: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    groups.iter().filter(|g| seen.insert(*g)).cloned().collect()
}

/// A principal as it stands in a map, read.
pub(crate) enum Principal<'p> {
    /// Whom a caller can be.
    Somebody {
        /// In canonical form.
        canonical: Cow<'p, str>,
        account: String,
    },
    /// Anything else can only be an account.
    Account(&'p str),
}

impl<'p> Principal<'p> {
    pub(crate) fn of(text: &'p str) -> Self {
        let canonical = arn::display_form(text);
        if !arn::is_presentable(&canonical) {
            return Self::Account(text);
        }
        let account = Arn::parse(&canonical).map_or_else(String::new, |a| a.account.to_owned());
        Self::Somebody { canonical, account }
    }
}

/// What a cluster answers to a caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolution {
    /// The identities that may apply: none is a denial, more than one a random choice between them.
    pub answers: Vec<Answer>,
    /// Entries for the same principal that do not decide, those of the principal's account included.
    pub shadows: Vec<Via>,
}

/// The effective access to one cluster.
#[derive(Clone, Debug)]
pub struct Access<'a> {
    rules: Rules<'a>,
    mode: Option<AuthenticationMode>,
    entries: &'a [AccessEntry],
    /// Live entries by the principal's identity.
    by_identity: BTreeMap<String, usize>,
    sso: bool,
}

impl<'a> Access<'a> {
    /// The access observed.
    pub fn of(observed: &'a Observed) -> Self {
        let rules = match &observed.aws_auth {
            Some(aws_auth) => Rules::of(&aws_auth.map),
            None => Rules::empty(),
        };
        Self::with_rules(observed, rules)
    }

    /// The access that there would be with another map and everything else as observed.
    pub fn with_rules(observed: &'a Observed, rules: Rules<'a>) -> Self {
        let roles: BTreeMap<String, &Role> = observed
            .roles
            .items
            .iter()
            .filter_map(|role| Some((arn::identity_key(&role.arn)?, role)))
            .collect();
        let mut by_identity = BTreeMap::new();
        for (index, entry) in observed.access_entries.items.iter().enumerate() {
            let Some(key) = arn::identity_key(&entry.principal) else {
                continue;
            };
            let role = roles.get(&key).copied();
            if !role.is_some_and(|role| entry::is_stale(entry, role)) {
                by_identity.entry(key).or_insert(index);
            }
        }
        Self {
            rules,
            mode: observed.cluster.as_ref().and_then(|c| c.mode),
            entries: &observed.access_entries.items,
            by_identity,
            sso: false,
        }
    }

    /// The same with the authenticator's feature gate `SSORoleMatch` switched on or off. On EKS it is off.
    #[must_use]
    pub fn sso_matcher(mut self, on: bool) -> Self {
        self.sso = on;
        self
    }

    /// The access that there would be after `edits` of the map.
    pub fn after<'b>(&'b self, edits: impl IntoIterator<Item = &'b EntryEdit>) -> Access<'b> {
        Access {
            rules: self.rules.after(edits),
            mode: self.mode,
            entries: self.entries,
            by_identity: self.by_identity.clone(),
            sso: self.sso,
        }
    }

    /// The map's entries in effect.
    pub fn rules(&self) -> &Rules<'a> {
        &self.rules
    }

    /// The authentication mode; `None` if it is not known, and then this speaks for `aws-auth` only.
    pub fn mode(&self) -> Option<AuthenticationMode> {
        self.mode
    }

    /// What the cluster answers to `caller`.
    pub fn resolve(&self, caller: &Caller) -> Resolution {
        let lookup = self.lookup(&caller.canonical, &caller.account);
        let answers = lookup.answers(self, &caller.canonical);
        let shadows = lookup.shadows(self, &caller.canonical, &answers);
        Resolution { answers, shadows }
    }

    /// What a principal has, templates unfilled; `None` if it has no access. Where the answer is random, the first in
    /// the order of the text: compare [`Access::answers`] where that matters.
    ///
    /// Of an account it is an identity without username or groups: each caller gets its own ARN as username.
    pub fn rights(&self, principal: &str) -> Option<Rights> {
        self.answers(principal).first().map(Answer::rights)
    }

    /// The identities that a principal, as it stands in a map, may have.
    pub fn answers(&self, principal: &str) -> Vec<Answer> {
        self.answers_to(&Principal::of(principal))
    }

    /// The same for a principal that has been read once.
    pub(crate) fn answers_to(&self, principal: &Principal<'_>) -> Vec<Answer> {
        let text = match principal {
            Principal::Somebody { canonical, account } => {
                return self.lookup(canonical, account).answers(self, canonical);
            }
            Principal::Account(text) => text,
        };
        let account = self.reads_map().then(|| self.rules.account(text));
        let answer = |id| Answer {
            via: Via::Map(id),
            username: String::new(),
            groups: Vec::new(),
            policies: Vec::new(),
        };
        account.flatten().map(answer).into_iter().collect()
    }

    /// Who has access, each once, in canonical form, spelled as where it is first named.
    pub fn principals(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let entries = self
            .by_identity
            .values()
            .filter(|_| self.reads_entries())
            .filter_map(|i| self.entries.get(*i))
            .map(|e| arn::without_role_path(&e.principal).into_owned());
        let mappings = self
            .rules
            .mappings()
            .map(|(_, m)| m.arn.as_str())
            .filter(|a| arn::is_presentable(a))
            // Beyond ASCII an entry can be replaced by one that matches nobody.
            .filter(|a| !self.rules.deciding(&PrincipalKey::of(a)).ids().is_empty());
        let accounts = self
            .rules
            .accounts()
            .map(|(_, a)| a)
            .filter(|a| arn::is_account(a));
        let in_map = mappings
            .chain(accounts)
            .filter(|_| self.reads_map())
            .map(str::to_owned);
        entries
            .chain(in_map)
            .filter(|p| seen.insert(PrincipalKey::of(p)))
            .collect()
    }

    /// Who certainly or possibly is an administrator.
    pub fn administrators(&self) -> Vec<String> {
        let admin = |p: &String| self.answers(p).iter().any(|a| a.rights().is_admin());
        self.principals().into_iter().filter(admin).collect()
    }

    /// Whether `aws-auth` is read. Where the mode is not known it is taken to be.
    pub fn reads_map(&self) -> bool {
        self.mode.is_none_or(AuthenticationMode::reads_aws_auth)
    }

    /// Whether access entries are read. Where the mode is not known they are not spoken for.
    pub fn reads_entries(&self) -> bool {
        self.mode.is_some_and(AuthenticationMode::reads_entries)
    }

    /// The live access entry for a principal, whatever the path of either; with its position.
    pub fn entry(&self, principal: &str) -> Option<(usize, &'a AccessEntry)> {
        if !self.reads_entries() {
            return None;
        }
        let index = *self.by_identity.get(&arn::identity_key(principal)?)?;
        self.entries.get(index).map(|e| (index, e))
    }

    fn lookup(&self, canonical: &str, account: &str) -> Lookup<'a> {
        let entry = self.entry(canonical);
        if !self.reads_map() {
            return Lookup {
                entry,
                deciding: Deciding::None,
                account: None,
            };
        }
        let key = PrincipalKey::of(canonical);
        Lookup {
            entry,
            deciding: match self.sso {
                true => self.rules.deciding_with_sso(&key),
                false => self.rules.deciding(&key),
            },
            account: self.rules.account(account),
        }
    }
}

/// What is there for a principal.
struct Lookup<'a> {
    entry: Option<(usize, &'a AccessEntry)>,
    deciding: Deciding,
    /// The entry for the principal's account.
    account: Option<EntryId>,
}

impl Lookup<'_> {
    /// Those that may apply: of the access entry, the mappings and the account the first that is there.
    fn answers(&self, access: &Access<'_>, canonical: &str) -> Vec<Answer> {
        if let Some((index, entry)) = self.entry {
            return vec![entry_answer(index, entry)];
        }
        let by_account = self.account.filter(|_| self.deciding.ids().is_empty());
        self.deciding
            .ids()
            .iter()
            .copied()
            .chain(by_account)
            .map(|id| {
                let identity = access.rules.mapping(id).map(|m| &m.identity);
                Answer {
                    via: Via::Map(id),
                    username: match id.section {
                        SectionName::Accounts => canonical.to_owned(),
                        SectionName::Roles | SectionName::Users => {
                            identity.map(|i| i.username.clone()).unwrap_or_default()
                        }
                    },
                    groups: identity.map(|i| i.groups.clone()).unwrap_or_default(),
                    policies: Vec::new(),
                }
            })
            .collect()
    }

    /// Entries for the same principal that are not among `answers`.
    fn shadows(&self, access: &Access<'_>, canonical: &str, answers: &[Answer]) -> Vec<Via> {
        if !access.reads_map() {
            return Vec::new();
        }
        let all = access.rules.all(&PrincipalKey::of(canonical));
        let ids = self.deciding.ids().iter().copied();
        let mut shadows: Vec<Via> = ids
            .chain(all)
            .chain(self.account)
            .map(Via::Map)
            .filter(|via| answers.iter().all(|a| a.via != *via))
            .collect();
        shadows.sort_unstable();
        shadows.dedup();
        shadows
    }
}

pub(crate) fn entry_answer(index: usize, entry: &AccessEntry) -> Answer {
    let groups = match entry.groups.is_empty() {
        true => entry::default_groups(&entry.kind)
            .iter()
            .map(|g| (*g).to_owned())
            .collect(),
        false => entry.groups.clone(),
    };
    let policies = entry.policies.iter().flatten();
    Answer {
        via: Via::Entry(index),
        username: entry
            .username
            .clone()
            .unwrap_or_else(|| entry::default_username(entry)),
        groups,
        policies: policies
            .map(|p| PolicyGrant {
                policy: p.name.clone(),
                namespaces: p.namespaces.clone(),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, entry, map, observed};
    use accord_model::facts::AuthenticationMode::{Api, ApiAndConfigMap, ConfigMap};
    use accord_model::time::Timestamp;

    fn said(access: &Access<'_>, asked: &str) -> String {
        let found = access.resolve(&Caller::parse(asked).unwrap());
        let answers: Vec<String> = found
            .answers
            .iter()
            .map(|a| format!("{} {} {:?}", a.via, a.username, a.groups))
            .collect();
        let shadows: Vec<String> = found.shadows.iter().map(Via::to_string).collect();
        format!("{} / {}", answers.join(" or "), shadows.join(" "))
    }

    const KIM: &str = "arn:aws:sts::111122223333:assumed-role/ops/kim";
    const DANA: &str = "arn:aws:iam::111122223333:user/team/dana";

    #[test]
    fn the_mode_decides_what_is_read() {
        let mut seen = observed(map().role("role/ops", "map", &["g"]).build());
        seen.access_entries.items = vec![entry("role/path/OPS", "STANDARD", Some("entry"))];
        let told: Vec<String> = [None, Some(ConfigMap), Some(ApiAndConfigMap), Some(Api)]
            .into_iter()
            .map(|mode| {
                let seen = testing::in_mode(seen.clone(), mode);
                said(&Access::of(&seen), KIM)
            })
            .collect();
        insta::assert_snapshot!(told.join("\n"), @r#"
        mapRoles[0] map ["g"] / 
        mapRoles[0] map ["g"] / 
        accessEntry entry [] / mapRoles[0]
        accessEntry entry [] /
        "#);
    }

    #[test]
    fn roles_users_and_the_account_come_in_this_order() {
        let seen = observed(
            map()
                .role("user/team/dana", "as-role", &[])
                .user("user/team/dana", "as-user", &[])
                .account("111122223333")
                .build(),
        );
        let access = Access::of(&seen);
        insta::assert_snapshot!(said(&access, DANA), @r"mapRoles[0] as-role [] / mapUsers[0] mapAccounts[0]");
        insta::assert_snapshot!(said(&access, KIM), @r"mapAccounts[0] arn:aws:iam::111122223333:role/ops [] /");
        insta::assert_snapshot!(said(&access, "arn:aws:iam::444455556666:root"), @r" /");
    }

    #[test]
    fn an_entry_older_than_its_role_lets_nobody_in() {
        let mut seen = testing::in_mode(observed(map().build()), Some(Api));
        seen.access_entries.items = vec![AccessEntry {
            created: Some(Timestamp { millis: 5 }),
            ..entry("role/ops", "STANDARD", None)
        }];
        let role = |millis| Role {
            arn: "arn:aws:iam::111122223333:role/x/ops".into(),
            id: None,
            created: Some(Timestamp { millis }),
        };
        seen.roles.items = vec![role(4)];
        insta::assert_snapshot!(said(&Access::of(&seen), KIM), @r"accessEntry arn:aws:sts::111122223333:assumed-role/ops/{{SessionName}} [] /");
        seen.roles.items = vec![role(6)];
        insta::assert_snapshot!(said(&Access::of(&seen), KIM), @r" /");
    }

    #[test]
    fn eks_names_whom_nobody_named() {
        let mut seen = testing::in_mode(observed(map().build()), Some(Api));
        seen.access_entries.items = vec![
            entry("role/p/ops", "STANDARD", None),
            entry("user/team/dana", "STANDARD", None),
            entry("role/linux", "EC2_LINUX", None),
            entry("role/windows", "EC2_WINDOWS", None),
            entry("role/pods", "FARGATE_LINUX", None),
            // Accepted by EKS, and without effect.
            entry("root", "STANDARD", Some("root")),
        ];
        let access = Access::of(&seen);
        let told: Vec<String> = access
            .principals()
            .iter()
            .map(|p| {
                let rights = access.rights(p).unwrap();
                format!("{p}: {} {:?}", rights.username, rights.groups)
            })
            .collect();
        insta::assert_snapshot!(told.join("\n"), @r#"
        arn:aws:iam::111122223333:role/linux: system:node:{{EC2PrivateDNSName}} ["system:nodes"]
        arn:aws:iam::111122223333:role/ops: arn:aws:sts::111122223333:assumed-role/ops/{{SessionName}} []
        arn:aws:iam::111122223333:role/pods: system:node:{{SessionName}} ["system:nodes", "system:node-proxier"]
        arn:aws:iam::111122223333:role/windows: system:node:{{EC2PrivateDNSName}} ["system:nodes", "eks:kube-proxy-windows"]
        arn:aws:iam::111122223333:user/team/dana: arn:aws:iam::111122223333:user/team/dana []
        "#);
    }

    #[test]
    fn only_whom_somebody_can_be_has_access() {
        let seen = observed(
            map()
                .role("role/ops", "first", &["system:masters"])
                .role("role/OPS", "last", &["a", "a"])
                .role("role/ci/runner", "never", &["system:masters"])
                .role(
                    "arn:aws:sts::111122223333:assumed-role/x/s",
                    "never",
                    &["system:masters"],
                )
                .user("user/boss", "boss", &["system:masters"])
                .account("444455556666")
                .account("12345678901")
                .build(),
        );
        let access = Access::of(&seen);
        assert_eq!(
            access.principals(),
            [
                "arn:aws:iam::111122223333:role/ops",
                "arn:aws:iam::111122223333:user/boss",
                "444455556666"
            ]
        );
        assert_eq!(
            access.administrators(),
            ["arn:aws:iam::111122223333:user/boss"]
        );
        let ops = access.rights("arn:aws:iam::111122223333:role/Ops").unwrap();
        assert_eq!(
            (&*ops.username, &*ops.groups),
            ("last", &["a".to_owned()][..])
        );
        assert_eq!(
            access.rights("arn:aws:iam::111122223333:role/ci/runner"),
            None
        );
        assert_eq!(access.rights("444455556666"), Some(Rights::default()));
    }

    #[test]
    fn what_edits_do_is_seen_before_they_are_made() {
        let seen = observed(
            map()
                .role("role/ops", "ops", &[])
                .account("111122223333")
                .build(),
        );
        let access = Access::of(&seen);
        let edits = [EntryEdit::Remove {
            id: EntryId::new(SectionName::Roles, 0),
            principal: String::new(),
        }];
        insta::assert_snapshot!(said(&access.after(&edits), KIM), @r"mapAccounts[0] arn:aws:iam::111122223333:role/ops [] /");
        insta::assert_snapshot!(said(&access, KIM), @r"mapRoles[0] ops [] / mapAccounts[0]");
    }
}
