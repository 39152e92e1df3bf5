//! Which resources belong to which cluster.

use accord_model::arn::Arn;
use accord_model::deploy::{Declared, Deploy, MapWrite, Resource, Tool};
use accord_model::observed::Observed;
use accord_model::unknown;

/// The resources of one cluster.
pub(super) struct Group<'a> {
    pub(super) tool: Tool,
    /// The stack's name, where it is known.
    pub(super) stack: Option<&'a str>,
    pub(super) resources: Vec<&'a Resource>,
    /// Roles that are made anew under the ARN that they had.
    pub(super) remade_roles: Vec<(&'a Resource, &'a str)>,
    /// The cluster as it is, if that is known.
    pub(super) live: Option<&'a Observed>,
}

impl<'a> Group<'a> {
    /// The resources with what they shall be.
    pub(super) fn after(&self) -> impl Iterator<Item = (&'a Resource, &'a Declared)> + '_ {
        self.resources
            .iter()
            .filter_map(|r| Some((*r, r.after.as_ref()?)))
    }

    /// The writes of `aws-auth`.
    pub(super) fn writes(&self) -> impl Iterator<Item = (&'a Resource, &'a MapWrite)> + '_ {
        self.after()
            .filter_map(|(resource, declared)| match declared {
                Declared::Map(write) => Some((resource, &**write)),
                _ => None,
            })
    }
}

/// The name of an observed cluster.
pub(super) fn name_of(live: &Observed) -> Option<&str> {
    let cluster = live.cluster.as_ref()?;
    let of_arn = || Arn::parse(cluster.arn.as_deref()?)?.name();
    cluster.name.as_deref().or_else(of_arn)
}

/// The resources by cluster, in the order in which clusters come first. What names no cluster belongs to the one that is
/// there, or to the only one that is named.
pub(super) fn groups<'a>(deploy: &'a Deploy, live: Option<&'a Observed>) -> Vec<Group<'a>> {
    let concerns = |r: &&Resource| !matches!(r.declared(), Some(Declared::Role(_)) | None);
    let resources: Vec<&Resource> = deploy.resources.iter().filter(concerns).collect();
    let mut names: Vec<&str> = Vec::new();
    for name in resources.iter().filter_map(|r| cluster(r)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let here = live.and_then(name_of);
    let known_here = here.is_some_and(|here| names.contains(&here));
    let unknown_names = names.iter().filter(|n| !unknown::is_known(n)).count();
    // A cluster whose name is not known yet may be the one that is there, if no other one is.
    let is_here = |name: &str| match here {
        _ if live.is_none() => false,
        Some(here) if unknown::is_known(name) => here == name,
        Some(_) => unknown_names == 1 && !known_here,
        None => names.len() == 1,
    };
    let single = (names.len() == 1).then(|| names.first().copied()).flatten();
    let group_of = |r: &'a Resource| -> Option<&'a str> {
        match cluster_of(r) {
            Some(name) if is_here(name) => None,
            Some(name) => Some(name),
            None if live.is_some() => None,
            None => single,
        }
    };
    let mut groups: Vec<(Option<&str>, Group<'a>)> = Vec::new();
    for resource in resources {
        let name = group_of(resource);
        match groups.iter_mut().find(|(n, _)| *n == name) {
            Some((_, group)) => group.resources.push(resource),
            None => groups.push((
                name,
                Group {
                    tool: deploy.tool,
                    stack: deploy.stack.as_deref(),
                    resources: vec![resource],
                    remade_roles: remade_roles(deploy),
                    live: live.filter(|_| name.is_none()),
                },
            )),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn cluster<'a>(resource: &&'a Resource) -> Option<&'a str> {
    cluster_of(resource)
}

fn cluster_of(resource: &Resource) -> Option<&str> {
    let given = resource.declared()?.cluster()?;
    Some(given.value.as_str())
}

fn remade_roles(deploy: &Deploy) -> Vec<(&Resource, &str)> {
    let replaced = deploy
        .resources
        .iter()
        .filter(|r| r.action.is_replacement());
    let roles = replaced.filter_map(|resource| match (&resource.before, &resource.after) {
        (Some(Declared::Role(before)), Some(Declared::Role(after))) => {
            // Of the new ARN perhaps only the name is known.
            let same =
                !unknown::is_whole(&after.arn) && super::perhaps::may_be(&after.arn, &before.arn);
            same.then_some((resource, before.arn.as_str()))
        }
        _ => None,
    });
    roles.collect()
}
