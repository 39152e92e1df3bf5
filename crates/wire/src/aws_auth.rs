//! A ConfigMap read as `aws-auth`.

use accord_model::mapping::SectionName;
use accord_model::observed::{AwsAuth, StrayKey};
use accord_model::reading::{AuthMap, Kept, Loss, LossCause, Salvaged, Section, SectionState};
use accord_model::span::Range;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::authenticator;
use crate::config_map::{ConfigMap, Datum, Value};

/// Reads the object as the authenticator would, whatever its name.
pub fn read(object: &ConfigMap) -> AwsAuth {
    let mut map = AuthMap::empty();
    for section in SectionName::ALL {
        if let Some(datum) = object.datum(section.key()) {
            *map.section_mut(section) = read_section(section, &datum.value);
        }
    }
    let strays = object.data.iter().filter_map(|d| stray(d, false));
    let binary = object.binary_data.iter().filter_map(|d| stray(d, true));
    AwsAuth {
        map,
        immutable: object.immutable,
        stray_keys: strays.chain(binary).collect(),
        size: size(object),
        managers: object.managers.clone(),
        span: object.span,
    }
}

/// Reads a section's value. One that is no text has the entries that it would have as text, but none is in effect.
pub(crate) fn read_section(name: SectionName, value: &Value) -> Section {
    match value {
        Value::Text { text, id } => authenticator::read_section(name, *id, text),
        Value::Other { text, id, what } => {
            let mut section = authenticator::read_section(name, Some(*id), text);
            let start = text.len() - text.trim_start().len();
            section.state = SectionState::Lost(Loss {
                cause: LossCause::NotText,
                message: format!("it is {what} and not a string"),
                range: Range::new(start as u32, text.len() as u32),
            });
            section
        }
    }
}

/// A key that the authenticator does not read though somebody meant it to: another spelling, or under `binaryData`.
fn stray(datum: &Datum, binary: bool) -> Option<StrayKey> {
    let meant = meant(&datum.key)?;
    if datum.key == meant.key() && !binary {
        return None;
    }
    let lost = match &datum.value {
        Value::Text { text, .. } if binary => {
            let compact: String = text.split_ascii_whitespace().collect();
            let bytes = BASE64_STANDARD.decode(compact).unwrap_or_default();
            entries(&authenticator::read_section(
                meant,
                None,
                &String::from_utf8_lossy(&bytes),
            ))
        }
        value => entries(&read_section(meant, value)),
    };
    Some(StrayKey {
        key: datum.key.clone(),
        meant,
        binary,
        span: datum.span,
        lost,
    })
}

/// The section whose key this is, but for case, hyphens, underscores and the final `s`.
pub(crate) fn meant(key: &str) -> Option<SectionName> {
    let plain = |text: &str| {
        let text = text.to_ascii_lowercase().replace(['-', '_', ' ', '.'], "");
        text.strip_suffix('s').unwrap_or(&text).to_owned()
    };
    SectionName::ALL
        .into_iter()
        .find(|section| plain(section.key()) == plain(key))
}

/// What a section holds, in effect or not.
fn entries(section: &Section) -> Vec<Salvaged> {
    let kept = section.items.iter().filter_map(|item| item.kept.as_ref());
    kept.map(|kept| match kept {
        Kept::Mapping(mapping) => Salvaged {
            arn: mapping.arn.clone(),
            groups: mapping.identity.groups.clone(),
            username: mapping.identity.username.clone(),
        },
        Kept::Account(account) => Salvaged {
            arn: account.clone(),
            ..Salvaged::default()
        },
    })
    .collect()
}

/// What the API server counts against its limit: the bytes of all values (`ValidateConfigMap` in
/// `pkg/apis/core/validation` of Kubernetes).
fn size(object: &ConfigMap) -> usize {
    let data = object.data.iter().map(|d| match &d.value {
        Value::Text { text, .. } | Value::Other { text, .. } => text.len(),
    });
    let binary = object.binary_data.iter().map(|d| {
        let encoded = d.value.text().unwrap_or_default();
        let digits = encoded
            .bytes()
            .filter(|b| b.is_ascii_alphanumeric() || b"+/".contains(b));
        digits.count() * 3 / 4
    });
    data.chain(binary).sum()
}
