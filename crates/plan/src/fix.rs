//! Which findings have one safe fix, and whether a fix made things better.
//!
//! A fix needs no choice and takes nothing from anybody: what it makes of an entry is what its author certainly meant.
//! So duplicates stay, names are not guessed, and nothing is removed. [`fix`] proposes; [`is_better`] judges what came
//! of it by reading the result, and whatever it does not like is not done.

use std::collections::BTreeMap;

use accord_model::arn::{self, Arn, PrincipalKey};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::fix::{Fix, With};
use accord_model::fold;
use accord_model::mapping::{EntryId, Identity, Mapping, SectionName};
use accord_model::observed::StrayKey;
use accord_model::reading::{AuthMap, Field, Item, Kept, Section, SectionState, What};
use accord_model::span::Range;

use crate::near::is_invisible;
use crate::rules::Rules;

/// A map as it was read, with everything that was found in it.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// The map.
    pub map: &'a AuthMap,
    /// Keys that were meant to be sections of it.
    pub stray: &'a [StrayKey],
    /// The findings in it.
    pub findings: &'a [Finding],
}

/// The one safe fix for a finding in the map, if it has one.
pub fn fix(checked: &Checked<'_>, finding: &Finding) -> Option<Fix> {
    let write = |with| {
        let at = finding.span?;
        Some(Fix::Write { at, with })
    };
    let suggest = || finding.suggest.clone();
    match finding.kind {
        FindingKind::ArnHasPath
        | FindingKind::ArnAssumedRole
        | FindingKind::ArnMalformed
        | FindingKind::ArnInvisibleCharacter => write(With::Text(only_arn(checked, finding)?)),
        FindingKind::UnquotedTemplate
        | FindingKind::UsernameWrongType
        | FindingKind::GroupWrongType
        | FindingKind::AccountWrongType
        | FindingKind::AccountAmbiguousNumber => write(With::Source(suggest()?)),
        // A comma may separate groups or be part of a name.
        FindingKind::GroupsWrongType => {
            write(With::Source(suggest().filter(|text| !text.contains(','))?))
        }
        FindingKind::GroupSuspicious => write(group(checked, finding)?),
        FindingKind::UnknownField => field(checked, finding),
        FindingKind::MissingArn => arn_field(checked, finding),
        FindingKind::WrongSection => {
            arn_field(checked, finding).or_else(|| elsewhere(checked, finding))
        }
        FindingKind::SectionKeyCase => {
            let mut meant = checked
                .stray
                .iter()
                .filter(|s| Some(s.meant.key()) == finding.suggest.as_deref());
            let only = meant.next().filter(|_| meant.next().is_none())?;
            let absent = matches!(checked.map.section(only.meant).state, SectionState::Absent);
            absent.then(|| write(With::Text(suggest()?)))?
        }
        _ => None,
    }
}

/// The ARN that is meant, unless another entry means the same one: which of them is to have it, nobody can tell.
fn only_arn(checked: &Checked<'_>, finding: &Finding) -> Option<String> {
    let meant = finding.suggest.as_deref()?;
    let key = PrincipalKey::of(meant);
    let means_it = |f: &Finding| f.suggest.as_deref().map(PrincipalKey::of).as_ref() == Some(&key);
    let others = checked
        .findings
        .iter()
        .filter(|f| f.object == finding.object);
    let mut others = others.filter(|f| f.span != finding.span);
    (!others.any(means_it)).then(|| meant.to_owned())
}

/// A group without the white space around it, or the groups that an odd indentation joined.
fn group(checked: &Checked<'_>, finding: &Finding) -> Option<With> {
    let (id, item) = item(checked.map, finding)?;
    let index = finding
        .at
        .as_deref()?
        .strip_prefix(&format!("{id}.groups["))?;
    let index: usize = index.strip_suffix(']')?.parse().ok()?;
    let Some(Kept::Mapping(mapping)) = &item.kept else {
        return None;
    };
    let group = mapping.identity.groups.get(index)?;
    let parts: Vec<String> = joined(group).map(str::to_owned).collect();
    match &finding.suggest {
        Some(visible) => {
            (group.trim_matches(is_invisible) == visible).then(|| With::Text(visible.clone()))
        }
        None if parts.len() > 1 && parts.iter().all(|p| !p.is_empty()) => Some(With::Items(parts)),
        None => None,
    }
}

/// The groups that a dash at an odd column joined into one.
fn joined(group: &str) -> impl Iterator<Item = &str> {
    group.split(" - ").map(str::trim)
}

/// The field that is certainly meant: another spelling of the key, with its value made a list if it is one of groups.
fn field(checked: &Checked<'_>, finding: &Finding) -> Option<Fix> {
    let suggest = finding.suggest.as_ref()?;
    let at = finding.span?;
    let Some((key, value)) = suggest.split_once(": ") else {
        return Some(Fix::Write {
            at,
            with: With::Text(suggest.clone()),
        });
    };
    let (_, item) = item(checked.map, finding)?;
    let field = item.written.iter().find(|f| f.key_range == at.range)?;
    let whole = Range::new(field.key_range.start, field.value_range.end);
    (!value.contains(',')).then(|| Fix::Write {
        at: whole.of(at.text),
        with: With::Field(key.to_owned(), value.to_owned()),
    })
}

/// The field that holds the ARN, under its right name.
fn arn_field(checked: &Checked<'_>, finding: &Finding) -> Option<Fix> {
    let (id, item) = item(checked.map, finding)?;
    let near = item.remarks.iter().find_map(|remark| match &remark.what {
        What::MissingArn { near } => near.as_deref(),
        _ => None,
    })?;
    let mut fields = item.written.iter().filter(|f| *f.key == *near);
    let field: &Field = fields.next().filter(|_| fields.next().is_none())?;
    let names_somebody = item
        .meant
        .as_ref()
        .is_some_and(|m| Arn::parse(&m.arn).is_some());
    let at = checked.map.section(id.section).span(field.key_range)?;
    names_somebody.then(|| {
        let name = id.section.arn_field().unwrap_or_default();
        Fix::Write {
            at,
            with: With::Text(name.to_owned()),
        }
    })
}

/// An entry in effect goes to the section of its kind of principal, if all that it says can go with it.
fn elsewhere(checked: &Checked<'_>, finding: &Finding) -> Option<Fix> {
    let (entry, item) = item(checked.map, finding)?;
    let Some(Kept::Mapping(mapping)) = &item.kept else {
        return None;
    };
    let to = match Arn::parse(&mapping.arn)?.resource_type() {
        "role" => SectionName::Roles,
        "user" => SectionName::Users,
        _ => return None,
    };
    let known = [
        entry.section.arn_field().unwrap_or_default(),
        "username",
        "groups",
    ];
    let goes_along = |f: &Field| known.iter().any(|k| fold::equal_fold(k, &f.key));
    let whole = item.written.iter().all(goes_along) && item.remarks.is_empty();
    let open = checked.map.section(to).is_writable() && entry.section != to;
    (whole && open && mapping.sso.is_none() && mapping.user_id.is_none()).then(|| Fix::Move {
        entry,
        to,
        mapping: Mapping::clone(mapping),
    })
}

/// The list item that a finding is about.
fn item<'a>(map: &'a AuthMap, finding: &Finding) -> Option<(EntryId, &'a Item)> {
    let at = finding.at.as_deref()?;
    let (section, rest) = at.split_once('[')?;
    let section = SectionName::ALL.into_iter().find(|s| s.key() == section)?;
    let (index, _) = rest.split_once(']')?;
    let id = EntryId::new(section, index.parse().ok()?);
    Some((id, map.item(id)?))
}

/// Whether a map is better after fixes than before them: everybody who had something still has it, no principal comes
/// to be there twice, each of the `fixed` findings is gone, and what is left is less. Where something is read that was
/// not read before, more may be found in it; and of several faults that lose a section only the first is ever found.
pub fn is_better(before: &Checked<'_>, after: &Checked<'_>, fixed: &[Finding]) -> bool {
    let gone = |finding: &Finding| {
        let left = count(after.findings, finding);
        left < count(before.findings, finding)
    };
    takes_nothing(before.map, after.map)
        && fixed.iter().all(gone)
        && duplicates(after.findings) <= duplicates(before.findings)
        && (comes_to_life(before.map, after.map)
            || weight(after.findings) < weight(before.findings)
            || weight(after.findings) == weight(before.findings) && fixed.iter().all(hides_others))
}

/// Whether it is one of the faults of a section of which only the first is found.
fn hides_others(finding: &Finding) -> bool {
    finding.kind == FindingKind::UnquotedTemplate
}

/// How many findings there are of the same kind, and as bad, about the same principal or place.
fn count(findings: &[Finding], like: &Finding) -> usize {
    let same = |f: &&Finding| {
        (f.kind, f.severity) == (like.kind, like.severity)
            && match &like.principal {
                Some(_) => f.principal == like.principal,
                None => f.at == like.at,
            }
    };
    findings.iter().filter(same).count()
}

fn duplicates(findings: &[Finding]) -> usize {
    let is_duplicate = |f: &&Finding| {
        matches!(
            f.kind,
            FindingKind::DuplicateArn | FindingKind::DuplicateArnCaseOnly
        )
    };
    findings.iter().filter(is_duplicate).count()
}

/// How many findings there are of each severity, the worst first.
fn weight(findings: &[Finding]) -> Vec<usize> {
    let of = |severity| findings.iter().filter(|f| f.severity == severity).count();
    Severity::ALL.into_iter().rev().map(of).collect()
}

fn comes_to_life(before: &AuthMap, after: &AuthMap) -> bool {
    let more =
        |section: &Section| after.section(section.name).kept().count() > section.kept().count();
    before.sections().any(more)
}

/// Whether everybody whom the map gives something gets at least that from the other one.
fn takes_nothing(before: &AuthMap, after: &AuthMap) -> bool {
    let (old, new) = (Rules::of(before), Rules::of(after));
    let principals: BTreeMap<PrincipalKey, &str> = old
        .mappings()
        .map(|(_, m)| m.arn.as_str())
        .filter(|a| arn::is_presentable(a))
        .map(|a| (PrincipalKey::of(a), a))
        .collect();
    let kept = principals.keys().all(|key| {
        let identities = |rules: &Rules<'_>| -> Vec<Identity> {
            let ids = rules.deciding(key);
            let mappings = ids.ids().iter().filter_map(|id| rules.mapping(*id));
            mappings.map(|m| m.identity.clone()).collect()
        };
        let (had, has) = (identities(&old), identities(&new));
        had.is_empty() || !has.is_empty() && has.iter().all(|h| had.iter().any(|o| holds(h, o)))
    });
    let mut accounts = old.accounts().filter(|(_, a)| arn::is_account(a));
    kept && accounts.all(|(_, account)| new.account(account).is_some())
}

/// Whether `new` gives all that `old` gives: its username, unless it had none, and its groups as they were meant.
fn holds(new: &Identity, old: &Identity) -> bool {
    let has = |group: &str| new.groups.iter().any(|g| g == group);
    let still = |group: &String| {
        has(group) || has(group.trim_matches(is_invisible)) || joined(group).all(has)
    };
    (old.username.is_empty() || old.username == new.username)
        && old.groups.iter().filter(|g| !g.is_empty()).all(still)
}
