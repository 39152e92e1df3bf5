//! What a migration rests on.

use std::collections::BTreeMap;

use accord_model::arn::{self, Arn};
use accord_model::facts::{AccessEntry, AuthenticationMode, Role};
use accord_model::mapping::{EntryId, Mapping};
use accord_model::observed::Observed;
use accord_model::span::Span;

use crate::access::Access;
use crate::entry;
use crate::usage::Usage;

pub(super) struct Ground<'a> {
    pub(super) observed: &'a Observed,
    pub(super) access: Access<'a>,
    pub(super) usage: Usage,
    /// The account of the cluster, if it is known.
    pub(super) account: Option<String>,
    roles: BTreeMap<String, &'a Role>,
    entries: BTreeMap<String, &'a AccessEntry>,
}

/// Where a role's real ARN may be found.
pub(super) enum RealArn {
    /// It is known.
    Known(String),
    /// The role is of another account, which was not asked.
    OtherAccount,
    /// The account's roles are listed completely, and it is not among them.
    Gone,
    /// Nobody was asked.
    Unknown,
}

impl<'a> Ground<'a> {
    pub(super) fn of(observed: &'a Observed) -> Self {
        let keyed = |arn: &str| arn::identity_key(arn);
        let roles = observed.roles.items.iter();
        let entries = observed.access_entries.items.iter();
        let cluster = observed.cluster.as_ref().and_then(|c| c.arn.as_deref());
        Self {
            observed,
            access: Access::of(observed),
            usage: Usage::of(&observed.compute),
            account: cluster.and_then(Arn::parse).map(|a| a.account.to_owned()),
            roles: roles.filter_map(|r| Some((keyed(&r.arn)?, r))).collect(),
            entries: entries
                .filter_map(|e| Some((keyed(&e.principal)?, e)))
                .collect(),
        }
    }

    pub(super) fn mode(&self) -> Option<AuthenticationMode> {
        self.access.mode()
    }

    /// Every mapping that names somebody, in the order of the map.
    pub(super) fn mappings(&self) -> Vec<(EntryId, &Mapping)> {
        let mappings = self.access.rules().mappings();
        mappings.filter(|(_, m)| !m.arn.is_empty()).collect()
    }

    /// Where an entry of the map stands.
    pub(super) fn span(&self, id: EntryId) -> Option<Span> {
        let map = &self.observed.aws_auth.as_ref()?.map;
        map.section(id.section).span(map.item(id)?.range)
    }

    /// The access entry that is there for a principal.
    pub(super) fn entry(&self, principal: &str) -> Option<&'a AccessEntry> {
        self.entries.get(&arn::identity_key(principal)?).copied()
    }

    /// Whether the entry is bound to a role that is gone.
    pub(super) fn is_stale(&self, entry: &AccessEntry) -> bool {
        let role = arn::identity_key(&entry.principal).and_then(|key| self.roles.get(&key));
        role.is_some_and(|role| entry::is_stale(entry, role))
    }

    /// A role's ARN with its path, as IAM, a node group or a Fargate profile tells it.
    pub(super) fn real_arn(&self, principal: &str) -> RealArn {
        let Some(key) = arn::identity_key(principal) else {
            return RealArn::Unknown;
        };
        if let Some(role) = self.roles.get(&key) {
            return RealArn::Known(role.arn.clone());
        }
        let compute = &self.observed.compute;
        let node_roles = compute.node_groups.items.iter().map(|g| &g.role);
        let pod_roles = compute.fargate_profiles.items.iter().map(|p| &p.role);
        let mut used = node_roles.chain(pod_roles).flatten();
        if let Some(role) = used.find(|role| arn::identity_key(role).as_ref() == Some(&key)) {
            return RealArn::Known(role.clone());
        }
        match self.is_own_account(principal) {
            Some(false) => RealArn::OtherAccount,
            Some(true) if self.observed.roles.complete => RealArn::Gone,
            Some(true) | None => RealArn::Unknown,
        }
    }

    /// Whether a principal is of the cluster's account, if that is known.
    pub(super) fn is_own_account(&self, principal: &str) -> Option<bool> {
        let account = self.account.as_deref()?;
        Some(Arn::parse(principal)?.account == account)
    }
}
