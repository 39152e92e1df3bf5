//! Who gets into a cluster: asked of Accord's own reading of `aws-auth` and access entries, which is the same that
//! `accord explain` answers with.

use accord_model::arn::Arn;
use accord_model::claim::PolicyGrant;
use accord_model::facts::{Cluster, ComputeFacts, Listing};
use accord_model::observed::{LedgerRead, Observed};
use accord_plan::access::{Access, Answer, Via};
use accord_plan::caller::Caller;
use accord_plan::template::Filling;
use accord_plan::usage::Use;

use super::config_map;
use crate::eks::access_entry::AccessEntry;
use crate::world::World;

/// What a cluster applies at this moment. Entries that are not in effect yet, and those whose principal was deleted or
/// made anew, are not there.
pub(crate) fn observed(world: &World, key: &str) -> Option<Observed> {
    let cluster = world.clusters.get(key)?;
    let live = cluster
        .access_entries
        .values()
        .filter(|e| is_live(world, e));
    let aws_auth = config_map::aws_auth(world, key);
    Some(Observed {
        now: world.now(),
        heading: cluster.about.arn.clone(),
        cluster: Some(Cluster {
            name: Some(cluster.about.name.clone()),
            arn: Some(cluster.about.arn.clone()),
            mode: Some(cluster.mode()),
        }),
        cluster_uid: None,
        aws_auth: aws_auth.map(|object| accord_wire::aws_auth::read(&config_map::read(object))),
        fragments: Listing::default(),
        ledger: LedgerRead::Absent,
        compute: ComputeFacts::default(),
        access_entries: Listing {
            items: live.map(AccessEntry::as_fact).collect(),
            complete: true,
        },
        // Which entry is bound to which role is decided above, by unique ids.
        roles: Listing::default(),
        caller: None,
        journal: Vec::new(),
        findings: Vec::new(),
    })
}

fn is_live(world: &World, entry: &AccessEntry) -> bool {
    let Some(arn) = Arn::parse(&entry.principal_arn) else {
        return false;
    };
    // Nobody calls as the account itself (aws-iam-authenticator#797).
    if arn.resource == "root" || entry.hidden.effective.0 > world.now() {
        return false;
    }
    let Some(bound) = &entry.hidden.unique_id else {
        return true;
    };
    let Some(account) = world.accounts.get(arn.account) else {
        return false;
    };
    let roles = account.roles.values().map(|r| (&r.arn, &r.role_id));
    let users = account.users.values().map(|u| (&u.arn, &u.user_id));
    roles
        .chain(users)
        .any(|(arn, id)| *arn == entry.principal_arn && id == bound)
}

/// Whether a role gets what it needs for a use, whichever of its entries decides.
pub(super) fn serves(access: &Access<'_>, role: &str, used: Use) -> bool {
    let answers = access.answers(role);
    let fits = |answer: &Answer| match answer.via {
        Via::Entry(_) => access
            .entry(role)
            .is_some_and(|(_, entry)| used.is_served_by_entry(&entry.kind)),
        Via::Map(_) => used.is_served_by(&answer.username, &answer.groups),
    };
    !answers.is_empty() && answers.iter().all(fits)
}

/// Who somebody is in a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) username: String,
    pub(crate) groups: Vec<String>,
    pub(crate) policies: Vec<PolicyGrant>,
}

impl User {
    /// The sandbox's own administrator, and the creator of a cluster that has no access entries.
    pub(crate) fn administrator(username: &str) -> Self {
        Self {
            username: username.to_owned(),
            groups: vec!["system:masters".into(), "system:authenticated".into()],
            policies: Vec::new(),
        }
    }
}

/// Who the caller with that ARN is in a cluster; `None` if it does not get in.
pub(crate) fn user(world: &World, key: &str, caller: &crate::world::Caller) -> Option<User> {
    let cluster = world.clusters.get(key)?;
    let observed = observed(world, key)?;
    let access = Access::of(&observed);
    let asked = Caller::parse(&caller.arn).ok()?;
    let Some(answer) = access.resolve(&asked).answers.into_iter().next() else {
        // Without access entries the creator is an administrator whom no list shows.
        let is_creator = !cluster.mode().reads_entries() && cluster.creator == caller.principal;
        return is_creator.then(|| User::administrator("kubernetes-admin"));
    };
    let filling = Filling {
        caller: &asked,
        ec2_private_dns: None,
    };
    let mut unfilled = Vec::new();
    let mut fill = |text: &str| filling.fill(text, &mut unfilled).ok();
    let username = fill(&answer.username)?;
    let mut groups: Vec<String> = answer.groups.iter().filter_map(|g| fill(g)).collect();
    groups.push("system:authenticated".into());
    Some(User {
        username,
        groups,
        policies: answer.policies,
    })
}
