//! The same principal twice: which entry wins, and what is lost with the others.

use std::borrow::Cow;
use std::collections::BTreeMap;

use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::fold;
use accord_model::mapping::SectionName;

use super::purpose::Purpose;
use super::{Entry, Look, World, listed};
use crate::usage::EntryShape;

pub(super) fn look(look: &Look<'_>) -> Vec<Finding> {
    let mut same: BTreeMap<String, Vec<Entry<'_>>> = BTreeMap::new();
    for entry in look.entries().filter(|e| !e.mapping.arn.is_empty()) {
        same.entry(key(&entry.mapping.arn)).or_default().push(entry);
    }
    same.values()
        .filter(|entries| entries.len() > 1)
        .flat_map(|entries| judge(entries, look))
        .collect()
}

/// Entries that meet, in one way or another: equal by folding, or (only beyond ASCII) by the lower-cased key.
fn key(arn: &str) -> String {
    fold::fold_key(&fold::to_lower(arn)).into_owned()
}

fn judge(entries: &[Entry<'_>], look: &Look<'_>) -> Vec<Finding> {
    let (roles, users): (Vec<Entry<'_>>, Vec<Entry<'_>>) = entries
        .iter()
        .partition(|e| e.id.section == SectionName::Roles);
    let mut findings = within(&roles, fold::to_lower, look.world);
    findings.extend(within(&users, |arn| Cow::Borrowed(arn), look.world));
    if let (Some(winner), Some(user)) = (roles.last(), users.last()) {
        findings.push(shadowed(winner, user, look.world));
    }
    findings
}

/// Within a section: of entries that are kept under the same key the last replaces the others; those that remain are
/// searched in random order.
fn within<'a>(
    entries: &[Entry<'a>],
    key: fn(&str) -> Cow<'_, str>,
    world: &World<'_>,
) -> Vec<Finding> {
    let mut kept: BTreeMap<Cow<'a, str>, Vec<Entry<'a>>> = BTreeMap::new();
    for entry in entries {
        let copies = kept.entry(key(&entry.mapping.arn)).or_default();
        copies.push(*entry);
    }
    let mut findings: Vec<Finding> = kept
        .values()
        .filter_map(|copies| last_wins(copies, world))
        .collect();
    let last = kept.values().filter_map(|copies| copies.last().copied());
    let mut living: Vec<Entry<'a>> = last.collect();
    living.sort_by_key(|entry| entry.id);
    findings.extend(random(&living, world));
    findings
}

/// Copies of which the last replaces the others as a whole.
fn last_wins(copies: &[Entry<'_>], world: &World<'_>) -> Option<Finding> {
    let (winner, losers) = copies.split_last()?;
    if losers.is_empty() {
        return None;
    }
    let names: Vec<String> = losers.iter().map(|l| l.id.to_string()).collect();
    let severity = worst_loss(losers, winner, world);
    let message = format!(
        "{} {} for the same principal, and of equal ones the last wins as a whole: {}.{}",
        listed(&names),
        match losers.len() {
            1 => "is",
            _ => "are",
        },
        effect(winner),
        lost(losers, winner)
    );
    Some(winner.finding(
        winner.arn_field(),
        FindingKind::DuplicateArn,
        severity,
        message,
    ))
}

/// Entries that are kept apart and compare equal: users that differ in letter case, and beyond ASCII roles too.
fn random(living: &[Entry<'_>], world: &World<'_>) -> Option<Finding> {
    let (last, others) = living
        .split_last()
        .filter(|(_, others)| !others.is_empty())?;
    let names: Vec<String> = others.iter().map(|o| o.id.to_string()).collect();
    let severity =
        worst_loss(others, last, world).max(worst_loss(&[*last], others.first()?, world));
    let message = format!(
        "{} differs only in letter case. Entries that are spelled differently are kept apart and compared without case, so \
         which of them answers is random, from one request to the next. Keep one.",
        listed(&names)
    );
    Some(last.finding(
        last.arn_field(),
        FindingKind::DuplicateArnCaseOnly,
        severity,
        message,
    ))
}

/// A user entry for somebody whom a role entry already maps.
fn shadowed(winner: &Entry<'_>, user: &Entry<'_>, world: &World<'_>) -> Finding {
    let severity = worst_loss(&[*user], winner, world);
    let message = format!(
        "{} is for the same principal, and mapRoles is asked first: {}.{}",
        winner.id,
        effect(winner),
        lost(&[*user], winner)
    );
    user.finding(
        user.arn_field(),
        FindingKind::DuplicateArn,
        severity,
        message,
    )
}

fn effect(winner: &Entry<'_>) -> String {
    let identity = &winner.mapping.identity;
    let username = match identity.username.as_str() {
        "" => "no username".to_owned(),
        name => format!("the username `{name}`"),
    };
    match identity.groups.as_slice() {
        [] => format!("in effect are {username} and no groups"),
        groups => format!(
            "in effect are {username} and the groups {}",
            groups.join(", ")
        ),
    }
}

/// The groups that the losing entries would have given.
fn lost(losers: &[Entry<'_>], winner: &Entry<'_>) -> String {
    let kept = &winner.mapping.identity.groups;
    let mut gone: Vec<String> = losers
        .iter()
        .flat_map(|l| &l.mapping.identity.groups)
        .filter(|g| !kept.contains(g))
        .cloned()
        .collect();
    gone.dedup();
    match gone.is_empty() {
        true => String::new(),
        false => format!(" Lost: {}.", listed(&gone)),
    }
}

fn worst_loss(losers: &[Entry<'_>], winner: &Entry<'_>, world: &World<'_>) -> Severity {
    losers
        .iter()
        .map(|loser| loss(loser, winner, world))
        .max()
        .unwrap_or(Severity::Warning)
}

fn loss(loser: &Entry<'_>, winner: &Entry<'_>, world: &World<'_>) -> Severity {
    let (lost, kept) = (&loser.mapping.identity, &winner.mapping.identity);
    if lost.means_same(kept) {
        return Severity::Warning;
    }
    let purpose = Purpose::of(world, &loser.mapping.arn, &lost.username, &lost.groups);
    let survives = match purpose {
        Purpose::Other => false,
        Purpose::Admin => kept.is_admin(),
        Purpose::Compute => {
            EntryShape::of(lost) == EntryShape::of(kept)
                && lost.username == kept.username
                && lost.groups.iter().all(|g| kept.groups.contains(g))
        }
    };
    match survives {
        true => Severity::SilentWrong,
        false => purpose.if_broken(),
    }
}
