//! Writes of `aws-auth`: what is wrong in them, what of them is not known, and who else writes the same thing.

use accord_model::deploy::{Action, Declared, MapWrite, MapWriter, Resource};
use accord_model::facts::AuthenticationMode;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::observed::Observed;

use super::after::States;
use super::group::Group;
use super::place::{in_write, of, whole};
use super::{served, written};
use crate::access::Access;
use crate::hazards;
use crate::lint::{self, AWS_AUTH, World, listed};
use crate::rules::Rules;
use crate::usage::EntryShape;

pub(super) fn look(group: &Group<'_>, states: &States) -> Vec<Finding> {
    let mut findings = Vec::new();
    let world = World::of(&states.after);
    for (resource, write) in group.writes() {
        if let Some(map) = &write.map {
            let found = lint::lint_map(&map.map, &map.stray_keys, AWS_AUTH, &world);
            findings.extend(found.into_iter().map(|f| in_write(f, resource, write)));
        }
        findings.extend(not_known(resource, write, &states.before));
        if resource.action != Action::Keep {
            findings.extend(made_beside(resource, write, group));
            findings.extend(others_keys(resource, write, group));
        }
    }
    findings.extend(two_writers(group));
    findings.extend(ignored(group, states));
    findings.extend(destroyed(group, states));
    findings.extend(served::compute(group, states, &world));
    findings.extend(served::shadowed(group, states, &world));
    findings.extend(served::taken_out_again(group, states));
    findings
}

/// What of the map is known only after the deploy; and who is in it now.
fn not_known(resource: &Resource, write: &MapWrite, before: &Observed) -> Vec<Finding> {
    let now = |names: &[String]| match names {
        [] => "Nobody is known to be in it now.".to_owned(),
        names => format!(
            "In it now: {}. Whether they stay cannot be told.",
            listed(names)
        ),
    };
    write
        .unknown
        .iter()
        .map(|unknown| {
            let section = unknown.value.as_str();
            let rules = before.aws_auth.as_ref().map(|a| Rules::of(&a.map));
            let in_section = rules.iter().flat_map(|rules| {
                let mappings = rules.mappings().map(|(id, m)| (id, m.arn.clone()));
                let accounts = rules.accounts().map(|(id, a)| (id, a.to_owned()));
                mappings.chain(accounts).collect::<Vec<_>>()
            });
            let whole_map = write.map.is_none();
            let names: Vec<String> = in_section
                .filter(|(id, _)| whole_map || id.section.key() == section)
                .map(|(_, name)| name)
                .collect();
            let what = match write.map {
                None => "What would be written to aws-auth".to_owned(),
                Some(_) => format!("What would be written to {section}"),
            };
            let at_path = match unknown.at.as_str() {
                path if path == section => format!("{}{path}", write.prefix),
                path => path.to_owned(),
            };
            let message = format!("{what} is known only after the deploy. {}", now(&names));
            let finding = Finding::new(FindingKind::MapContentUnknown, Severity::Warning, message);
            of(resource, finding).at(at_path, unknown.span)
        })
        .collect()
}

/// The map made as an object of its own, though EKS makes it as well: whoever comes second fails. Afterwards every deploy
/// replaces the whole of it.
fn made_beside(resource: &Resource, write: &MapWrite, group: &Group<'_>) -> Option<Finding> {
    let is_new = matches!(resource.action, Action::Create | Action::Declare);
    if write.how != MapWriter::Create || !is_new {
        return None;
    }
    let is_there = group.live.is_some_and(|live| live.aws_auth.is_some());
    let there = match (is_there, resource.action) {
        (true, Action::Create) => format!(
            "It is there already, so making it fails. Take it into the state with `terraform import '{}' \
             kube-system/aws-auth`, and look at the next plan.",
            resource.address
        ),
        (true, _) => "It is there already, so making it fails, unless this resource made it.".to_owned(),
        (false, _) => "EKS makes it with the first node group or Fargate profile: if that comes first, this fails.".to_owned(),
    };
    Some(whole(
        resource,
        FindingKind::WholeMapWriter,
        Severity::Warning,
        format!(
            "aws-auth is made as an object of its own. {there} Every later deploy replaces all of it, whoever wrote there \
             in between."
        ),
    ))
}

/// Keys that another manager owns: without force the apply ends in a conflict.
fn others_keys(resource: &Resource, write: &MapWrite, group: &Group<'_>) -> Vec<Finding> {
    let Some(live) = group.live else {
        return Vec::new();
    };
    let MapWriter::Keys { force } = write.how else {
        return Vec::new();
    };
    let sections = written::sections(write).into_iter().collect();
    hazards::managers(live, &sections)
        .into_iter()
        .filter(|f| !f.message.starts_with("`Terraform`"))
        .map(|finding| {
            let mut finding = in_write(finding, resource, write);
            if !force {
                finding
                    .message
                    .push_str(" Without `force`, the apply ends in a conflict.");
            }
            finding
        })
        .collect()
}

/// Two resources that each write the whole map: the later one erases what the other wrote (aws/aws-cdk#28333).
fn two_writers(group: &Group<'_>) -> Vec<Finding> {
    let writers: Vec<(&Resource, &MapWrite)> = group
        .writes()
        .filter(|(r, w)| r.action != Action::Forget && !matches!(w.how, MapWriter::Keys { .. }))
        .collect();
    let Some(((first, _), others)) = writers.split_first() else {
        return Vec::new();
    };
    others
        .iter()
        .map(|(resource, write)| {
            let finding = whole(
                resource,
                FindingKind::WholeMapWriter,
                Severity::BreaksCluster,
                format!(
                    "`{}` and `{}` both write the whole of aws-auth, each with its own entries only: whichever comes later \
                     erases the other's, in every deploy anew.",
                    first.address, resource.address
                ),
            );
            in_write(finding, resource, write)
        })
        .collect()
}

/// A map written for a cluster that does not read it.
fn ignored(group: &Group<'_>, states: &States) -> Vec<Finding> {
    let mode = states.after.cluster.as_ref().and_then(|c| c.mode);
    if mode != Some(AuthenticationMode::Api) {
        return Vec::new();
    }
    let writes = group.writes().filter(|(r, _)| r.action != Action::Keep);
    writes
        .map(|(resource, write)| {
            let finding = whole(
                resource,
                FindingKind::AwsAuthIgnored,
                Severity::SilentWrong,
                "The authentication mode is API: aws-auth is not read at all, and nobody in it gets in by it.",
            );
            in_write(finding, resource, write)
        })
        .collect()
}

/// A plan that deletes the map, or the keys that it wrote.
fn destroyed(group: &Group<'_>, states: &States) -> Vec<Finding> {
    let reads = Access::of(&states.before).reads_map();
    let gone = group
        .resources
        .iter()
        .filter_map(|r| match (r.action, &r.before) {
            (Action::Delete | Action::DeleteThenCreate, Some(Declared::Map(write))) => {
                Some((*r, write))
            }
            _ => None,
        });
    gone.map(|(resource, write)| {
        let mut sections = written::sections(write);
        if !matches!(write.how, MapWriter::Keys { .. }) {
            sections = accord_model::mapping::SectionName::ALL.to_vec();
        }
        let map = states.before.aws_auth.as_ref().map(|a| &a.map);
        let rules = map.map_or_else(Rules::empty, Rules::of);
        let lost = rules.mappings().filter(|(id, _)| sections.contains(&id.section));
        let (mut names, mut worst) = (Vec::new(), Severity::SilentWrong);
        for (_, mapping) in lost {
            names.push(mapping.arn.clone());
            worst = worst.max(match EntryShape::of(&mapping.identity) {
                _ if !reads => Severity::SilentWrong,
                Some(_) => Severity::BreaksCluster,
                None if mapping.identity.is_admin() => Severity::LocksOut,
                None => Severity::SilentWrong,
            });
        }
        let what = match (write.how, sections.as_slice()) {
            (MapWriter::Keys { .. }, sections) => {
                let keys: Vec<String> = sections.iter().map(|s| s.key().to_owned()).collect();
                format!("drops {} from aws-auth, whoever wrote what is in there", listed(&keys))
            }
            _ => "deletes aws-auth as a whole, whoever wrote what is in there".to_owned(),
        };
        let again = match resource.action {
            Action::DeleteThenCreate => " It is made anew afterwards, with a gap in between.",
            _ => "",
        };
        let lost = match names.as_slice() {
            [] => String::new(),
            names => format!(" Lost with it: {}.", listed(names)),
        };
        let finding = whole(
            resource,
            FindingKind::MapDestroyed,
            worst,
            format!(
                "Destroying `{}` {what}.{again}{lost} To let go of it without that: `terraform state rm '{}'`, or a \
                 `removed` block with `destroy = false`.",
                resource.address, resource.address
            ),
        );
        in_write(finding, resource, write)
    })
    .collect()
}
