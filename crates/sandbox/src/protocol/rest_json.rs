//! REST-JSON: parameters in the path, the query and a JSON body; answers and errors in JSON.

use serde_json::{Map, Value, json};

use super::{Request, Response};
use crate::world::AwsError;

/// Query parameters that are numbers.
const NUMBERS: &[&str] = &["maxResults"];
/// Query parameters that are true or false.
const FLAGS: &[&str] = &["defaultOnly", "includeAll", "preserve"];
/// Query parameters that may come several times.
const LISTS: &[&str] = &[
    "clusterVersions",
    "include",
    "owners",
    "publishers",
    "tagKeys",
    "types",
];

/// All parameters together. What is in the path counts most, and the body least.
pub(super) fn input(
    request: &Request,
    labels: Map<String, Value>,
) -> Result<Map<String, Value>, AwsError> {
    let mut input = match request.body.is_empty() {
        true => Map::new(),
        false => serde_json::from_slice::<Map<String, Value>>(&request.body).map_err(|error| {
            AwsError::new(
                "SerializationException",
                400,
                format!("the body is no JSON object: {error}"),
            )
        })?,
    };
    // A field that is null counts as left out.
    input.retain(|_, value| !value.is_null());
    for (name, value) in request.parameters() {
        let name = name.as_str();
        if LISTS.contains(&name) {
            let list = input.entry(name).or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                list.push(value.into());
            }
        } else {
            input.insert(name.to_owned(), scalar(name, value)?);
        }
    }
    input.extend(labels);
    Ok(input)
}

fn scalar(name: &str, value: String) -> Result<Value, AwsError> {
    let read = |kind: &str| {
        serde_json::from_str::<Value>(&value).map_err(|_| {
            AwsError::new(
                "SerializationException",
                400,
                format!("{name} is `{value}`, and {kind} was expected"),
            )
        })
    };
    if NUMBERS.contains(&name) {
        return read("a number");
    }
    if FLAGS.contains(&name) {
        return read("true or false");
    }
    Ok(value.into())
}

/// The answer with its headers.
pub(super) fn response(answer: Result<Value, AwsError>, id: &str) -> Response {
    let mut headers = vec![
        ("content-type", "application/json".to_owned()),
        ("x-amzn-requestid", id.to_owned()),
    ];
    let (status, body) = match answer {
        Ok(value) => (200, value),
        Err(error) => {
            headers.push(("x-amzn-errortype", error.code.clone()));
            let mut body = Map::new();
            body.insert("__type".into(), error.code.into());
            body.extend(
                error
                    .fields
                    .into_iter()
                    .map(|(name, value)| (name, value.into())),
            );
            body.insert("message".into(), error.message.into());
            (error.status, Value::Object(body))
        }
    };
    Response {
        status,
        headers,
        body: body.to_string().into_bytes(),
    }
}
