//! Pages of the Query protocol: `MaxItems` and `Marker` go in, `IsTruncated` and `Marker` come out.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::world::{Answer, AwsError, Call, World};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Paging {
    max_items: Option<String>,
    marker: Option<String>,
}

/// One page of `items`, each with the key that it is sorted by, under `field`.
pub(super) fn answer(
    world: &World,
    call: &Call,
    field: &str,
    items: impl IntoIterator<Item = (String, Value)>,
) -> Answer {
    let paging: Paging = call.query()?;
    let size = match &paging.max_items {
        None => world.settings.page_size,
        Some(text) => text
            .parse()
            .ok()
            .filter(|n| (1..=1000).contains(n))
            .ok_or_else(|| AwsError::validation("MaxItems must be between 1 and 1000"))?,
    };
    let after = match &paging.marker {
        None => None,
        Some(marker) => {
            let bytes = BASE64_STANDARD.decode(marker).ok();
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            Some(text.ok_or_else(|| AwsError::validation("Invalid Marker"))?)
        }
    };
    let mut rest = items
        .into_iter()
        .filter(|(key, _)| after.as_ref().is_none_or(|after| key > after));
    let page: Vec<(String, Value)> = rest.by_ref().take(size).collect();
    let truncated = rest.next().is_some();
    let marker = page
        .last()
        .filter(|_| truncated)
        .map(|(key, _)| BASE64_STANDARD.encode(key));
    let mut answer = Map::new();
    answer.insert("IsTruncated".into(), truncated.into());
    answer.insert(
        field.to_owned(),
        page.into_iter().map(|(_, value)| value).collect(),
    );
    if let Some(marker) = marker {
        answer.insert("Marker".into(), marker.into());
    }
    Ok(Value::Object(answer))
}
