//! Access entries that CloudFormation made, known by the tags that it puts on what it makes.
//!
//! A template does not say what it deletes. Where a live entry's tags name this stack, what the template no longer has is
//! known to go, and a principal that only got another logical id is known to be moved.

use std::collections::BTreeMap;

use accord_model::deploy::{Declared, Resource, Tool};
use accord_model::facts::AccessEntry;
use accord_model::finding::{Finding, FindingKind, Severity};

use super::after::key;
use super::entries::display;
use super::group::Group;
use super::place::whole;

/// The tag that names the stack.
const STACK: &str = "aws:cloudformation:stack-name";
/// The tag that names the resource.
const LOGICAL_ID: &str = "aws:cloudformation:logical-id";

/// A live entry of this stack, with the logical id that it was made under.
pub(super) struct Own<'a> {
    pub(super) entry: &'a AccessEntry,
    pub(super) logical_id: &'a str,
}

fn tag<'e>(entry: &'e AccessEntry, name: &str) -> Option<&'e str> {
    let mut tags = entry.tags.iter();
    tags.find(|(key, _)| key == name)
        .map(|(_, value)| value.as_str())
}

/// The access entries that a group declares, by logical id.
fn declared<'a>(group: &Group<'a>) -> BTreeMap<&'a str, (&'a Resource, &'a str)> {
    let entries = group
        .after()
        .filter_map(|(resource, declared)| match declared {
            Declared::Entry(entry) => {
                let principal = entry.principal.as_ref()?.value.as_str();
                Some((resource.address.as_str(), (resource, principal)))
            }
            _ => None,
        });
    entries.collect()
}

/// The live entries of the stack that a template is for. Its name is given, or told by an entry that the template has
/// under the same logical id and for the same principal.
pub(super) fn own<'a>(group: &Group<'a>) -> Vec<Own<'a>> {
    let Some(live) = group.live.filter(|_| group.tool == Tool::CloudFormation) else {
        return Vec::new();
    };
    let declared = declared(group);
    let entries = || {
        live.access_entries
            .items
            .iter()
            .filter_map(|entry| Some((entry, tag(entry, STACK)?, tag(entry, LOGICAL_ID)?)))
    };
    let told = entries().find_map(|(entry, stack, id)| {
        let (_, principal) = declared.get(id)?;
        (key(principal) == key(&entry.principal)).then_some(stack)
    });
    let Some(stack) = group.stack.or(told) else {
        return Vec::new();
    };
    let of_stack = entries().filter(|(_, of, _)| *of == stack);
    of_stack
        .map(|(entry, _, logical_id)| Own { entry, logical_id })
        .collect()
}

/// Entries of the stack that the template no longer has under their logical id.
pub(super) fn gone<'a>(group: &Group<'a>) -> Vec<Own<'a>> {
    let declared = declared(group);
    let mut own = own(group);
    own.retain(|own| {
        let still = declared.get(own.logical_id);
        still.is_none_or(|(_, principal)| key(principal) != key(&own.entry.principal))
    });
    own
}

/// Entries that are there under another logical id, of this stack or of another one: the new resource meets them.
pub(super) fn look(group: &Group<'_>) -> Vec<Finding> {
    let Some(live) = group.live.filter(|_| group.tool == Tool::CloudFormation) else {
        return Vec::new();
    };
    let entries = live.access_entries.items.iter();
    let tagged: BTreeMap<String, Own<'_>> = entries
        .filter_map(|entry| {
            let logical_id = tag(entry, LOGICAL_ID)?;
            Some((key(&entry.principal), Own { entry, logical_id }))
        })
        .collect();
    let ours = own(group);
    let mut findings = Vec::new();
    for (id, (resource, principal)) in declared(group) {
        let Some(there) = tagged.get(&key(principal)) else {
            continue;
        };
        let is_ours = ours.iter().any(|own| std::ptr::eq(own.entry, there.entry));
        let is_same = id == there.logical_id && (is_ours || ours.is_empty());
        if is_same {
            continue;
        }
        let (from, who) = (there.logical_id, &there.entry.principal);
        let finding = |kind, severity, message: String| {
            whole(resource, kind, severity, message).about(display(who))
        };
        if is_ours {
            findings.push(finding(
                FindingKind::MovedEntryWillBeDeleted,
                Severity::LocksOut,
                format!(
                    "The access entry for {who} was only moved, from the logical id `{from}` to `{id}`, and the one under \
                     `{from}` would be deleted. Keep the logical id."
                ),
            ));
        }
        let of = match tag(there.entry, STACK).filter(|_| !is_ours) {
            Some(stack) => format!(" of the stack {stack}"),
            None => String::new(),
        };
        findings.push(finding(
            FindingKind::ReplacementSamePrincipal,
            Severity::BreaksWorkload,
            format!(
                "`{from}`{of} still has the access entry for {who}: CloudFormation makes `{id}` first, and EKS refuses it with \
                 409."
            ),
        ));
    }
    findings
}
