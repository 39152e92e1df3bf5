//! Writing a whole entry.

use accord_model::mapping::{Mapping, SectionName};

use super::scalar::{self, Around};
use super::style::{EntryStyle, FieldStyle, FlowStyle, Form, GroupsStyle, Part};
use crate::yaml::ScalarStyle;

/// An entry, without the dash before it and without the line break behind it.
pub(super) fn write(section: SectionName, mapping: &Mapping, style: &EntryStyle) -> String {
    if section == SectionName::Accounts {
        return scalar::write(&mapping.arn, style.account, Around::Flow);
    }
    let fields: Vec<&FieldStyle> = style
        .fields
        .iter()
        .filter(|f| is_wanted(mapping, f.part))
        .collect();
    match &style.form {
        Form::Flow { style: around, .. } => {
            let fields: Vec<String> = fields
                .iter()
                .map(|field| flow_field(mapping, field, style))
                .collect();
            format!(
                "{{{}{}{}}}",
                around.open,
                fields.join(&around.comma),
                around.close
            )
        }
        Form::Block => {
            let indent = " ".repeat(style.column + 1 + style.gap);
            let fields: Vec<String> = fields
                .iter()
                .map(|field| block_field(mapping, field, style))
                .collect();
            fields.join(&format!("{}{indent}", style.line_break))
        }
    }
}

/// Fields that say nothing are left out: an empty username, no groups.
fn is_wanted(mapping: &Mapping, part: Part) -> bool {
    match part {
        Part::Arn => true,
        Part::Username => !mapping.identity.username.is_empty(),
        Part::Groups => !mapping.identity.groups.is_empty(),
    }
}

/// A field of a block entry: `key: value`, without the indentation of its first line.
pub(super) fn block_field(mapping: &Mapping, field: &FieldStyle, style: &EntryStyle) -> String {
    match &style.groups {
        GroupsStyle::Block { indent } if field.part == Part::Groups => {
            let mut text = format!("{}:", field.key);
            let spaces = " ".repeat(style.column + 1 + style.gap + indent);
            for group in &mapping.identity.groups {
                let group = scalar::write(group, field.quotes, Around::Block);
                text.push_str(&format!("{}{spaces}- {group}", style.line_break));
            }
            text
        }
        _ => format!(
            "{}: {}",
            field.key,
            value(mapping, field, style, Around::Block)
        ),
    }
}

/// A field of an entry in braces: `key: value`.
pub(super) fn flow_field(mapping: &Mapping, field: &FieldStyle, style: &EntryStyle) -> String {
    let colon = match &style.form {
        Form::Flow { colon, .. } => colon.as_str(),
        Form::Block => ": ",
    };
    format!(
        "{}{colon}{}",
        field.key,
        value(mapping, field, style, Around::Flow)
    )
}

fn value(mapping: &Mapping, field: &FieldStyle, style: &EntryStyle, around: Around) -> String {
    match field.part {
        Part::Arn => scalar::write(&mapping.arn, field.quotes, around),
        Part::Username => scalar::write(&mapping.identity.username, field.quotes, around),
        Part::Groups => {
            let spaced = FlowStyle::spaced();
            let flow = match &style.groups {
                GroupsStyle::Flow(flow) => flow,
                GroupsStyle::Block { .. } => &spaced,
            };
            flow_list(&mapping.identity.groups, field.quotes, flow)
        }
    }
}

/// A list in brackets.
pub(super) fn flow_list(texts: &[String], quotes: ScalarStyle, style: &FlowStyle) -> String {
    if texts.is_empty() {
        return "[]".into();
    }
    let texts: Vec<String> = texts
        .iter()
        .map(|text| scalar::write(text, quotes, Around::Flow))
        .collect();
    format!(
        "[{}{}{}]",
        style.open,
        texts.join(&style.comma),
        style.close
    )
}
