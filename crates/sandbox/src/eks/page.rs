//! Pages: `maxResults` and `nextToken` go in, `nextToken` comes out.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::world::{Answer, AwsError, Call, World};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paging {
    max_results: Option<i64>,
    next_token: Option<String>,
}

/// One page of `items` under `field`. The items come with the keys that they are sorted by; a token names the last one
/// of the page before, so pages stay right while items come and go.
pub(super) fn answer(
    world: &World,
    call: &Call,
    field: &str,
    items: impl IntoIterator<Item = (String, Value)>,
) -> Answer {
    let paging: Paging = call.input()?;
    let size = match paging.max_results {
        None => world.settings.page_size,
        Some(size) => usize::try_from(size)
            .ok()
            .filter(|size| (1..=100).contains(size))
            .ok_or_else(|| {
                AwsError::invalid_parameter("maxResults needs to be between 1 and 100.")
            })?,
    };
    let after = match &paging.next_token {
        None => None,
        Some(token) => {
            let bytes = BASE64_STANDARD.decode(token).ok();
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            let key = text.and_then(|text| text.strip_prefix("after:").map(str::to_owned));
            Some(key.ok_or_else(|| AwsError::invalid_parameter("The nextToken is invalid."))?)
        }
    };
    let mut rest = items
        .into_iter()
        .filter(|(key, _)| after.as_ref().is_none_or(|after| key > after));
    let page: Vec<(String, Value)> = rest.by_ref().take(size).collect();
    let last = page.last().map(|(key, _)| format!("after:{key}"));
    let next = last.filter(|_| rest.next().is_some());
    let mut answer = Map::new();
    answer.insert(
        field.to_owned(),
        page.into_iter().map(|(_, value)| value).collect(),
    );
    if let Some(next) = next {
        answer.insert("nextToken".into(), BASE64_STANDARD.encode(next).into());
    }
    Ok(Value::Object(answer))
}

/// A page of names.
pub(super) fn names<'n>(
    world: &World,
    call: &Call,
    field: &str,
    names: impl IntoIterator<Item = &'n String>,
) -> Answer {
    let items = names.into_iter().map(|n| (n.clone(), n.clone().into()));
    answer(world, call, field, items)
}
