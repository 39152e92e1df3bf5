//! OpenID Connect providers: the issuers of service accounts' tokens.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Tag, tags};
use crate::world::{Answer, AwsError, Call, Iso, World};

/// A provider.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Provider {
    /// The issuer, without `https://`.
    pub(crate) url: String,
    #[serde(rename = "ClientIDList")]
    pub(crate) client_ids: Vec<String>,
    #[serde(rename = "ThumbprintList")]
    pub(crate) thumbprints: Vec<String>,
    pub(crate) create_date: Iso,
    #[serde(default)]
    pub(crate) tags: Vec<Tag>,
}

fn missing(arn: &str) -> AwsError {
    AwsError::no_such_entity(format!("OpenIDConnect Provider not found for arn {arn}"))
}

fn find<'w>(world: &'w mut World, call: &Call, arn: &str) -> Result<&'w mut Provider, AwsError> {
    let provider = world.account(&call.caller.account).providers.get_mut(arn);
    provider.ok_or_else(|| missing(arn))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Create {
    url: String,
    #[serde(rename = "ClientIDList", default)]
    client_ids: Vec<String>,
    #[serde(rename = "ThumbprintList", default)]
    thumbprints: Vec<String>,
    #[serde(default)]
    tags: Vec<Tag>,
}

pub(super) fn create(world: &mut World, call: &Call) -> Answer {
    let input: Create = call.query()?;
    let Some(url) = input.url.strip_prefix("https://").filter(|u| !u.is_empty()) else {
        return Err(AwsError::validation("Invalid Open ID Connect Provider URL"));
    };
    let url = url.trim_end_matches('/').to_owned();
    let arn = format!(
        "arn:{}:iam::{}:oidc-provider/{url}",
        world.settings.partition, call.caller.account
    );
    if world
        .account(&call.caller.account)
        .providers
        .contains_key(&arn)
    {
        return Err(AwsError::already_exists(format!(
            "Provider with url {} already exists.",
            input.url
        )));
    }
    let provider = Provider {
        url,
        client_ids: input.client_ids,
        thumbprints: input.thumbprints,
        create_date: Iso(world.now()),
        tags: tags(&[], input.tags)?,
    };
    let mut answer = json!({"OpenIDConnectProviderArn": arn});
    if !provider.tags.is_empty() {
        answer["Tags"] = json!(provider.tags);
    }
    world
        .account(&call.caller.account)
        .providers
        .insert(arn, provider);
    Ok(answer)
}

#[derive(Deserialize)]
struct Named {
    #[serde(rename = "OpenIDConnectProviderArn")]
    arn: String,
    #[serde(rename = "ClientID")]
    client_id: Option<String>,
    #[serde(rename = "ThumbprintList", default)]
    thumbprints: Vec<String>,
    #[serde(rename = "Tags", default)]
    tags: Vec<Tag>,
}

pub(super) fn get(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let provider = find(world, call, &input.arn)?;
    Ok(json!({
        "Url": provider.url,
        "ClientIDList": provider.client_ids,
        "ThumbprintList": provider.thumbprints,
        "CreateDate": provider.create_date,
        "Tags": provider.tags,
    }))
}

pub(super) fn list(world: &mut World, call: &Call) -> Answer {
    let arns = world.account(&call.caller.account).providers.keys();
    let list: Vec<Value> = arns.map(|arn| json!({"Arn": arn})).collect();
    Ok(json!({"OpenIDConnectProviderList": list}))
}

pub(super) fn delete(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let providers = &mut world.account(&call.caller.account).providers;
    providers
        .remove(&input.arn)
        .ok_or_else(|| missing(&input.arn))?;
    Ok(Value::Null)
}

pub(super) fn add_client(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let provider = find(world, call, &input.arn)?;
    provider.client_ids.extend(input.client_id);
    provider.client_ids.sort();
    provider.client_ids.dedup();
    Ok(Value::Null)
}

pub(super) fn remove_client(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let provider = find(world, call, &input.arn)?;
    provider
        .client_ids
        .retain(|id| Some(id) != input.client_id.as_ref());
    Ok(Value::Null)
}

pub(super) fn update_thumbprints(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    find(world, call, &input.arn)?.thumbprints = input.thumbprints;
    Ok(Value::Null)
}

pub(super) fn tag(world: &mut World, call: &Call) -> Answer {
    let input: Named = call.query()?;
    let provider = find(world, call, &input.arn)?;
    provider.tags = tags(&provider.tags, input.tags)?;
    Ok(Value::Null)
}
