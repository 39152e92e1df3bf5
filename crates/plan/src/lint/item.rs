//! How one list item was read, where that is not what was written.

use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::{EntryId, SectionName};
use accord_model::reading::{Item, Remark, Section, Shape, What, Written};

use super::purpose::{self, Purpose, unquoted};
use super::{Look, World, written};

pub(super) fn look(look: &Look<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for section in look.map.sections().filter(|s| s.is_readable()) {
        for (index, item) in section.items.iter().enumerate() {
            let read = Read {
                world: look.world,
                section,
                item,
                id: EntryId::new(section.name, index),
            };
            findings.extend(item.remarks.iter().filter_map(|remark| read.judge(remark)));
        }
    }
    findings
}

struct Read<'a> {
    world: &'a World<'a>,
    section: &'a Section,
    item: &'a Item,
    id: EntryId,
}

impl Read<'_> {
    fn judge(&self, remark: &Remark) -> Option<Finding> {
        let broken = Purpose::of_item(self.world, self.item).if_broken();
        let name = self.section.name;
        let (kind, severity, message, suggest) = match &remark.what {
            What::EntryWrongType(what) => {
                if let Some(finding) = self.outdented_group(what, remark) {
                    return Some(finding);
                }
                (
                    FindingKind::EntryWrongType,
                    broken,
                    format!(
                        "This list item is {} and not a mapping with `{}`: it is skipped; the other entries are not \
                         affected.",
                        noun(what.shape),
                        name.arn_field().unwrap_or_default()
                    ),
                    self.whole_entry(what),
                )
            }
            What::MissingArn { near } => return Some(self.missing_arn(near.as_deref(), broken, remark)),
            What::ArnWrongType(what) if self.item.kept.is_some() => (
                FindingKind::ArnMalformed,
                Severity::SilentWrong,
                format!("The ARN is {} and not text: it counts for nothing.", noun(what.shape)),
                None,
            ),
            What::ArnWrongType(what) => (
                FindingKind::MissingArn,
                broken,
                format!("The ARN is {} and not text: the entry is skipped.", noun(what.shape)),
                None,
            ),
            What::UnknownField { key, near, value } => {
                return self.unknown_field(key, *near, value, remark);
            }
            // A field behind a merge key overrides it, as it is meant to.
            What::DuplicateKey { key, .. } if self.times_written(key) < 2 => return None,
            What::DuplicateKey { key, effect } => (
                FindingKind::DuplicateKey,
                Severity::SilentWrong,
                format!("`{key}` is given more than once: {effect}."),
                None,
            ),
            What::MergeOverrides { key } => (
                FindingKind::DuplicateKey,
                Severity::SilentWrong,
                format!(
                    "The merge key overrides `{key}` written before it: the authenticator applies `<<` where it stands. \
                     Write it first in the entry."
                ),
                None,
            ),
            What::GroupsWrongType(what) => (
                FindingKind::GroupsWrongType,
                broken,
                format!(
                    "`groups` is {} and not a list: the entry has no groups at all, and no error is shown to anybody.",
                    noun(what.shape)
                ),
                (what.shape != Shape::Map).then(|| format!("[{}]", quoted_if_needed(what))),
            ),
            What::GroupWrongType(what) => self.group(what, broken),
            What::UsernameWrongType(what) => (
                FindingKind::UsernameWrongType,
                Severity::SilentWrong,
                format!(
                    "The username `{}` is {} to YAML 1.1 and not text: the username is empty.",
                    unquoted(&what.text),
                    noun(what.shape)
                ),
                is_scalar(what.shape).then(|| format!("\"{}\"", unquoted(&what.text))),
            ),
            What::AccountWrongType { shape, inside } => (
                FindingKind::AccountWrongType,
                Severity::SilentWrong,
                format!(
                    "mapAccounts is a list of account ids as text, and this item is {}: it is dropped.",
                    noun(*shape)
                ),
                inside.as_ref().map(|account| format!("\"{account}\"")),
            ),
            // Not an account at all, which is told elsewhere.
            What::AccountAmbiguousNumber { text } if !accord_model::arn::is_account(text) => return None,
            What::AccountAmbiguousNumber { text } => (
                FindingKind::AccountAmbiguousNumber,
                Severity::Warning,
                format!(
                    "The authenticator keeps `{text}` as text; other tools read a number, and write it back as another. \
                     Put it in quotes."
                ),
                Some(format!("\"{text}\"")),
            ),
            What::AccountsVoidedFromHere => (
                FindingKind::AccountWrongType,
                Severity::SilentWrong,
                "The tag of this item does not fit its text: this account and all that follow are read as empty.".into(),
                None,
            ),
            What::SsoAccountNumber { text } => (
                FindingKind::AccountAmbiguousNumber,
                broken,
                format!("`{text}` without quotes is a number, and an `accountID` must be text: the entry is dropped."),
                Some(format!("\"{text}\"")),
            ),
            What::SsoFieldWrongType(what) => (
                FindingKind::SsoInvalid,
                Severity::SilentWrong,
                format!(
                    "`{}` is {} and not text: the field is read as if it were not there.",
                    unquoted(&what.text),
                    noun(what.shape)
                ),
                is_scalar(what.shape).then(|| format!("\"{}\"", unquoted(&what.text))),
            ),
            What::SsoInvalid { reason } => (
                FindingKind::SsoInvalid,
                broken,
                format!("The authenticator drops this entry: {reason}."),
                None,
            ),
            // `userid` is not looked at; the rest concerns whole sections.
            What::UserIdWrongType(_)
            | What::SecondDocument { .. }
            | What::TrailingContent { .. }
            | What::ByteOrderMark => return None,
        };
        let finding = self.place(remark, kind, severity, message);
        Some(match suggest {
            Some(text) => finding.suggest(text),
            None => finding,
        })
    }

    fn times_written(&self, key: &str) -> usize {
        let fields = self.item.written.iter();
        fields
            .filter(|f| accord_model::fold::equal_fold(&f.key, key))
            .count()
    }

    fn place(
        &self,
        remark: &Remark,
        kind: FindingKind,
        severity: Severity,
        message: String,
    ) -> Finding {
        let meant = purpose::meant(self.item);
        let at = format!("{}{}", self.id, remark.at);
        let finding = Finding::new(kind, severity, message).at(at, self.section.span(remark.range));
        match meant.arn.as_str() {
            "" => finding,
            arn => finding.about(accord_model::arn::display_form(arn)),
        }
    }

    /// A group that is indented less than the `groups` it belongs to, and so became an entry of its own.
    fn outdented_group(&self, what: &Written, remark: &Remark) -> Option<Finding> {
        let before = self.section.items.get(self.id.index.checked_sub(1)?)?;
        let above = before.kept.is_none()
            || written(before, "groups").is_some_and(|f| f.shape == Shape::Null);
        let group = unquoted(&what.text);
        if what.shape != Shape::String || group.starts_with("arn:") || !above {
            return None;
        }
        let meant = purpose::meant(before);
        let groups = [meant.groups, vec![group.to_owned()]].concat();
        let severity = Purpose::of(self.world, &meant.arn, &meant.username, &groups).if_broken();
        let message = format!(
            "`{group}` is indented less than the entry above, so it is an entry of its own and is skipped. As a group of \
             that entry it must be indented deeper than the entry's dash."
        );
        Some(self.place(remark, FindingKind::EntryWrongType, severity, message))
    }

    fn missing_arn(&self, near: Option<&str>, broken: Severity, remark: &Remark) -> Finding {
        let name = self.section.name;
        let field = name.arn_field().unwrap_or_default();
        let other = match name {
            SectionName::Roles => SectionName::Users,
            SectionName::Users | SectionName::Accounts => SectionName::Roles,
        };
        let in_other = near
            .filter(|n| accord_model::fold::equal_fold(n, other.arn_field().unwrap_or_default()));
        let (kind, message) = match (in_other, near) {
            (Some(near), _) => (
                FindingKind::WrongSection,
                format!(
                    "An entry with `{near}` belongs in {other}; in {name} it has no `{field}`, and is skipped."
                ),
            ),
            (None, Some(near)) => (
                FindingKind::MissingArn,
                format!(
                    "The entry has no `{field}`, and is skipped; `{near}` is not read, and seems to mean it."
                ),
            ),
            (None, None) => (
                FindingKind::MissingArn,
                format!("The entry has no `{field}`, and is skipped."),
            ),
        };
        let whole = Remark {
            range: self.item.range,
            at: String::new(),
            what: remark.what.clone(),
        };
        self.place(&whole, kind, broken, message)
    }

    fn unknown_field(
        &self,
        key: &str,
        near: Option<&'static str>,
        value: &Written,
        remark: &Remark,
    ) -> Option<Finding> {
        let arn_is_missing = self.item.kept.is_none();
        let is_arn = matches!(near, Some("rolearn" | "userarn"));
        if arn_is_missing && (is_arn || near.is_none()) {
            // Told as the missing ARN, or of no weight beside it.
            return None;
        }
        let there = near.filter(|n| written(self.item, n).is_some());
        let (severity, message) = match (near, there) {
            (Some(near), None) if near == "groups" => (
                Purpose::of_item(self.world, self.item).if_broken(),
                format!(
                    "The authenticator ignores `{key}`; `{near}` is meant. The entry has no groups."
                ),
            ),
            (Some(near), None) => (
                Severity::SilentWrong,
                format!("The authenticator ignores `{key}`; `{near}` is meant, and is missing."),
            ),
            (_, Some(near)) => (
                Severity::Warning,
                format!("The authenticator ignores `{key}`, and reads `{near}` beside it."),
            ),
            (None, None) => (
                Severity::Warning,
                format!("The authenticator ignores `{key}`."),
            ),
        };
        let finding = self.place(remark, FindingKind::UnknownField, severity, message);
        Some(match (near, there) {
            (Some("groups"), None) if value.shape == Shape::String => {
                finding.suggest(format!("groups: [{}]", value.text.trim()))
            }
            (Some(near), None) => finding.suggest(near),
            _ => finding,
        })
    }

    fn group(
        &self,
        what: &Written,
        broken: Severity,
    ) -> (FindingKind, Severity, String, Option<String>) {
        let meant = purpose::meant_group(what);
        let text = unquoted(&what.text);
        let (severity, why, suggest) = match what.shape {
            Shape::Null => (
                Severity::Warning,
                "This group is nothing, and is read as an empty group.".to_owned(),
                None,
            ),
            Shape::Map => (
                broken,
                format!(
                    "`{text}` is a mapping, because a space follows the colon, and is read as an empty group. \
                     `{meant}` is meant."
                ),
                Some(meant),
            ),
            Shape::List => (
                broken,
                format!("`{text}` is a list inside the list, and is read as an empty group."),
                None,
            ),
            Shape::Bool | Shape::Number | Shape::String => (
                broken,
                format!(
                    "`{text}` is {} to YAML 1.1 and not text: it is read as an empty group.",
                    noun(what.shape)
                ),
                Some(format!("\"{meant}\"")),
            ),
        };
        (FindingKind::GroupWrongType, severity, why, suggest)
    }

    /// The entry that a bare ARN in the list is meant as.
    fn whole_entry(&self, what: &Written) -> Option<String> {
        let text = unquoted(&what.text);
        let field = self.section.name.arn_field()?;
        (what.shape == Shape::String && text.starts_with("arn:"))
            .then(|| format!("{field}: {text}"))
    }
}

fn is_scalar(shape: Shape) -> bool {
    match shape {
        Shape::Bool | Shape::Number | Shape::String => true,
        Shape::Null | Shape::List | Shape::Map => false,
    }
}

/// A value as one element of a list in flow style.
fn quoted_if_needed(what: &Written) -> String {
    let text = what.text.trim();
    match what.shape {
        Shape::Bool | Shape::Number => format!("\"{text}\""),
        Shape::Null | Shape::String | Shape::List | Shape::Map => text.to_owned(),
    }
}

/// A shape in words, with its article.
fn noun(shape: Shape) -> &'static str {
    match shape {
        Shape::Null => "nothing",
        Shape::Bool => "a boolean",
        Shape::Number => "a number",
        Shape::String => "a string",
        Shape::List => "a list",
        Shape::Map => "a mapping",
    }
}
