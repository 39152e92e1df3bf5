//! Tags of everything that has an ARN.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::world::{Answer, AwsError, Call, World};

/// Tags by key.
pub(crate) type Tags = BTreeMap<String, String>;

/// Checks tags: at most 50, and none of AWS's own.
pub(super) fn check(tags: &Tags) -> Result<(), AwsError> {
    if tags.len() > 50 {
        return Err(AwsError::invalid_parameter(
            "A resource can have at most 50 tags.",
        ));
    }
    let reserved = tags
        .keys()
        .find(|key| key.to_ascii_lowercase().starts_with("aws:"));
    match reserved {
        Some(key) => Err(AwsError::invalid_parameter(format!(
            "The tag key {key} is invalid: it begins with aws:"
        ))),
        None => Ok(()),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    resource_arn: String,
    #[serde(default)]
    tags: Tags,
    #[serde(default)]
    tag_keys: Vec<String>,
}

/// The tags of the resource with that ARN, which the caller can see.
fn find<'w>(world: &'w mut World, call: &Call, arn: &str) -> Result<&'w mut Tags, AwsError> {
    let prefix = call.cluster_prefix();
    let clusters = world.clusters.iter_mut();
    clusters
        .filter(|(key, _)| key.starts_with(&prefix))
        .find_map(|(_, cluster)| cluster.tags_of(arn))
        .ok_or_else(|| {
            let message = format!("The resource {arn} could not be found.");
            AwsError::new("NotFoundException", 404, message)
        })
}

pub(super) fn tag(world: &mut World, call: &Call) -> Answer {
    let input: Input = call.input()?;
    let bad = |error: AwsError| AwsError::new("BadRequestException", 400, error.message);
    check(&input.tags).map_err(bad)?;
    let there = find(world, call, &input.resource_arn)?;
    let mut all = there.clone();
    all.extend(input.tags);
    check(&all).map_err(bad)?;
    *there = all;
    Ok(json!({}))
}

pub(super) fn untag(world: &mut World, call: &Call) -> Answer {
    let input: Input = call.input()?;
    let tags = find(world, call, &input.resource_arn)?;
    tags.retain(|key, _| !input.tag_keys.contains(key));
    Ok(json!({}))
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let input: Input = call.input()?;
    let tags: &Tags = find(world, call, &input.resource_arn)?;
    let tags: Value = json!(tags);
    Ok(json!({"tags": tags}))
}
