//! What an entry is for, which decides how bad it is if it does not work.

use accord_model::arn;
use accord_model::finding::Severity;
use accord_model::mapping::Identity;
use accord_model::reading::{Item, Kept, Salvaged, Shape, What, Written};

use super::World;
use crate::usage::EntryShape;

/// What an entry is for, from harmless to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// People and programs without administrator rights.
    Other,
    /// Administrators.
    Admin,
    /// Nodes and Fargate pods.
    Compute,
}

impl Purpose {
    /// Of an entry with this ARN, username and groups, as they were *meant*.
    pub(crate) fn of(world: &World<'_>, arn: &str, username: &str, groups: &[String]) -> Self {
        let identity = Identity {
            username: username.to_owned(),
            groups: groups.to_vec(),
        };
        if world.usage.of_role(&arn::display_form(arn)).is_some() {
            Self::Compute
        } else if identity.is_admin() {
            Self::Admin
        } else if EntryShape::of(&identity).is_some() {
            Self::Compute
        } else {
            Self::Other
        }
    }

    /// Of a list item, whether the authenticator keeps it or not.
    pub(super) fn of_item(world: &World<'_>, item: &Item) -> Self {
        let meant = meant(item);
        Self::of(world, &meant.arn, &meant.username, &meant.groups)
    }

    /// Of an entry that is lost.
    pub(super) fn of_lost(world: &World<'_>, lost: &Salvaged) -> Self {
        Self::of(world, &lost.arn, &lost.username, &lost.groups)
    }

    /// How bad it is if such an entry does not work.
    pub(crate) const fn if_broken(self) -> Severity {
        match self {
            Self::Other => Severity::SilentWrong,
            Self::Admin => Severity::LocksOut,
            Self::Compute => Severity::BreaksCluster,
        }
    }
}

/// What the author of an item meant, as far as it can be told: what was kept of it, with the groups in it that were
/// read as something else put back.
pub(super) fn meant(item: &Item) -> Salvaged {
    let mut meant = match (&item.kept, &item.meant) {
        (Some(Kept::Mapping(m)), _) => Salvaged {
            arn: m.arn.clone(),
            groups: m.identity.groups.clone(),
            username: m.identity.username.clone(),
        },
        (Some(Kept::Account(account)), _) => Salvaged {
            arn: account.clone(),
            ..Salvaged::default()
        },
        (None, Some(meant)) => (**meant).clone(),
        (None, None) => Salvaged::default(),
    };
    for remark in &item.remarks {
        match &remark.what {
            What::GroupsWrongType(written) | What::GroupWrongType(written) => {
                meant.groups.push(meant_group(written));
            }
            What::UnknownField {
                near: Some("groups"),
                value,
                ..
            } => meant.groups.extend(words(&value.text)),
            _ => {}
        }
    }
    let joined: Vec<String> = meant
        .groups
        .iter()
        .flat_map(|g| g.split(" - "))
        .map(str::to_owned)
        .collect();
    meant.groups.extend(joined);
    meant
}

/// The group that somebody meant who wrote something else: `system: masters` is `system:masters`.
pub(super) fn meant_group(written: &Written) -> String {
    let text = unquoted(&written.text);
    match written.shape {
        Shape::Map => text.replace(": ", ":"),
        Shape::Null | Shape::Bool | Shape::Number | Shape::String | Shape::List => text.to_owned(),
    }
}

/// The words of a list in any style.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']'))
        .map(|word| unquoted(word).to_owned())
        .filter(|word| !word.is_empty() && word != "-")
}

/// Text without the quotes around it.
pub(super) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(text)
}
