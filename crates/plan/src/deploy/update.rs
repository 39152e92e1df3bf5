//! Changes of entries that EKS never makes.

use accord_model::deploy::{Action, Declared, Entry, Given, Resource};
use accord_model::facts::AccessEntry;
use accord_model::finding::{Finding, FindingKind, Severity};

use super::after::{States, kind_of};
use super::place::of;

/// EKS updates entries of type STANDARD only, tags included (aws/aws-cdk#29393).
pub(super) fn of_non_standard(
    resource: &Resource,
    entry: &Entry,
    states: &States,
) -> Option<Finding> {
    let principal = entry.principal.as_ref()?;
    let old = states.entry_before(&principal.value)?;
    if matches!(old.kind.as_str(), "STANDARD" | "") || old.kind != kind_of(entry) {
        return None;
    }
    let changed = match resource.action {
        Action::Update => {
            Some(
                resource
                    .before
                    .as_ref()
                    .map_or_else(String::new, |before| match before {
                        Declared::Entry(before) => what_changes(before, entry),
                        _ => String::new(),
                    }),
            )
        }
        Action::Declare => new_tags(old, entry),
        _ => None,
    }?;
    let what = if changed.is_empty() {
        "It".to_owned()
    } else {
        changed
    };
    let finding = Finding::new(
        FindingKind::NonStandardEntryUpdate,
        Severity::SilentWrong,
        format!(
            "{what} would be changed on an entry of type {}, and EKS updates entries of type STANDARD only: the deploy \
             fails. Leave it as it is, or delete the entry and make it anew.",
            old.kind
        ),
    );
    let finding = match &entry.tags {
        Some(tags) => finding.at(tags.at.clone(), tags.span),
        None => Finding {
            span: resource.span,
            ..finding
        },
    };
    Some(of(resource, finding))
}

/// Tags that are not on the entry yet, in words; `None` if all are.
fn new_tags(old: &AccessEntry, entry: &Entry) -> Option<String> {
    let tags = entry.tags.as_ref()?;
    let new: Vec<String> = tags
        .items
        .iter()
        .filter(|tag| !old.tags.contains(tag))
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    (!new.is_empty()).then(|| format!("The tag {}", new.join(", ")))
}

fn what_changes(before: &Entry, after: &Entry) -> String {
    let mut parts = Vec::new();
    let text = |g: &Option<Given<String>>| g.as_ref().map(|g| g.value.clone());
    if before.tags.as_ref().map(|t| &t.items) != after.tags.as_ref().map(|t| &t.items) {
        parts.push("the tags");
    }
    if text(&before.username) != text(&after.username) {
        parts.push("the username");
    }
    let groups = |e: &Entry| -> Vec<String> {
        e.groups
            .iter()
            .flat_map(|g| &g.items)
            .map(|g| g.value.clone())
            .collect()
    };
    if groups(before) != groups(after) {
        parts.push("the groups");
    }
    let mut told = parts.join(" and ");
    if let Some(first) = told.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    told
}
