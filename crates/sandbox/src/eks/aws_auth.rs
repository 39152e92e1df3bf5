//! What EKS itself writes into `aws-auth` for node groups and Fargate profiles.
//!
//! It adds and removes single entries, with the same editor that Accord writes with. What cannot be read is not written.

use accord_model::arn::{same_identity, without_role_path};
use accord_model::mapping::{EntryId, Identity, Mapping, SectionName};
use accord_model::plan::EntryEdit;
use accord_model::reading::Kept;
use accord_plan::usage::Use;
use accord_wire::authenticator::read_section;
use accord_wire::edit::edit_section;

use super::access_entry;
use crate::kubernetes::config_map;
use crate::world::World;

/// Makes sure that a role which a new node group or profile uses gets in: by an access entry or by a mapping, as the
/// authentication mode and the switches say.
pub(super) fn admit(world: &mut World, key: &str, role: &str, used: Use) {
    let Some(cluster) = world.clusters.get(key) else {
        return;
    };
    let mode = cluster.mode();
    let by_entry = mode.reads_entries()
        && (world.settings.switches.compute_gets_entries || !mode.reads_aws_auth());
    match by_entry {
        true => access_entry::ensure(world, key, role, access_entry::kind_for(used)),
        false => add(world, key, role, used),
    }
}

/// What EKS writes for a role.
fn written(role: &str, used: Use) -> Mapping {
    Mapping {
        arn: without_role_path(role).into_owned(),
        sso: None,
        identity: Identity {
            username: used.username().into(),
            groups: used.groups().iter().map(|g| (*g).to_owned()).collect(),
        },
        user_id: None,
    }
}

/// The entries of `mapRoles` that are what EKS writes for the role.
fn entries(text: &str, role: &str, used: Use) -> Vec<EntryId> {
    let section = read_section(SectionName::Roles, None, text);
    let wanted = written(role, used);
    let is_it = |kept: &Kept| match kept {
        Kept::Mapping(mapping) => {
            same_identity(&mapping.arn, &wanted.arn)
                && mapping.identity.means_same(&wanted.identity)
        }
        Kept::Account(_) => false,
    };
    let kept = section.kept();
    kept.filter(|(_, kept)| is_it(kept))
        .map(|(id, _)| id)
        .collect()
}

fn add(world: &mut World, key: &str, role: &str, used: Use) {
    let text = config_map::aws_auth_roles(world, key);
    let there = entries(text.as_deref().unwrap_or_default(), role, used);
    if !there.is_empty() && !world.settings.switches.adds_although_mapped {
        return;
    }
    let edit = EntryEdit::Add {
        section: SectionName::Roles,
        mapping: written(role, used),
    };
    let before = text.unwrap_or_default();
    if let Ok(after) = edit_section(SectionName::Roles, &before, &[edit]) {
        config_map::set_aws_auth_roles(world, key, after);
    }
}

/// Takes the mapping of a role out, as EKS does when a node group or profile goes.
pub(super) fn remove(world: &mut World, key: &str, role: &str, used: Use) {
    let Some(text) = config_map::aws_auth_roles(world, key) else {
        return;
    };
    let principal = without_role_path(role).into_owned();
    let edits: Vec<EntryEdit> = entries(&text, role, used)
        .into_iter()
        .map(|id| EntryEdit::Remove {
            id,
            principal: principal.clone(),
        })
        .collect();
    if edits.is_empty() {
        return;
    }
    if let Ok(after) = edit_section(SectionName::Roles, &text, &edits) {
        config_map::set_aws_auth_roles(world, key, after);
    }
}
