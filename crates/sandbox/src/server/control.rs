//! The sandbox's own endpoints, below `/_sandbox/`: for tests that move the clock, set faults and look inside.

use accord_model::time::Timestamp;
use accord_wire::time;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Shared, lock};
use crate::dump::{Part, dump};
use crate::protocol::{Request, Response};
use crate::world::Settings;

type Answer = Result<Value, String>;

/// Answers a request for `path`, which no longer has its prefix.
pub(super) fn answer(shared: &Shared, path: &str, request: &Request) -> Response {
    let method = request.method.as_str();
    if (method, path) == ("GET", "state") {
        return state(shared, request);
    }
    let answer = match (method, path.trim_end_matches('/')) {
        ("GET", "health") => Ok(json!({"status": "ok"})),
        ("GET", "clock") => Ok(clock(shared)),
        ("POST", "clock") => set_clock(shared, &request.body),
        ("GET", "settings") => Ok(json!(shared.world().settings)),
        ("PATCH" | "POST", "settings") => set_settings(shared, &request.body),
        ("GET", "log") => Ok(json!(lock(&shared.log).entries())),
        ("DELETE", "log") => {
            lock(&shared.log).clear();
            Ok(json!({}))
        }
        ("GET", "world") => Ok(json!(*shared.world())),
        _ => return respond(404, &json!({"error": "there is no such endpoint"})),
    };
    match answer {
        Ok(value) => respond(200, &value),
        Err(error) => respond(400, &json!({"error": error})),
    }
}

fn respond(status: u16, value: &Value) -> Response {
    let mut body = value.to_string().into_bytes();
    body.push(b'\n');
    Response {
        status,
        headers: vec![("content-type", "application/json".into())],
        body,
    }
}

/// A cluster as a state file.
fn state(shared: &Shared, request: &Request) -> Response {
    let parameters = request.parameters();
    let parameter = |wanted: &str| {
        let found = parameters.iter().find(|(key, _)| key == wanted);
        found.map(|(_, value)| value.as_str())
    };
    let part = match parameter("of") {
        None => Part::Whole,
        Some("aws") => Part::Aws,
        Some(_) => return respond(400, &json!({"error": "`of` can only be `aws`"})),
    };
    match dump(&shared.world(), parameter("cluster"), part) {
        Some(text) => Response {
            status: 200,
            headers: vec![("content-type", "application/yaml".into())],
            body: text.into_bytes(),
        },
        None => respond(404, &json!({"error": "there is no such cluster"})),
    }
}

fn clock(shared: &Shared) -> Value {
    let clock = lock(&shared.clock);
    json!({"now": time::print(clock.now()), "frozen": clock.is_frozen()})
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetClock {
    /// Milliseconds.
    advance: Option<u64>,
    /// RFC 3339.
    set: Option<String>,
    frozen: Option<bool>,
}

fn set_clock(shared: &Shared, body: &[u8]) -> Answer {
    let wanted: SetClock = serde_json::from_slice(body).map_err(|e| e.to_string())?;
    {
        let mut clock = lock(&shared.clock);
        if let Some(frozen) = wanted.frozen {
            clock.freeze(frozen);
        }
        if let Some(text) = wanted.set {
            clock.set(time::parse(&text).ok_or_else(|| format!("`{text}` is no time"))?);
        }
        if let Some(millis) = wanted.advance {
            let now = clock.now().millis;
            clock.set(Timestamp {
                millis: now.saturating_add(millis),
            });
        }
    }
    drop(shared.world());
    shared.touch();
    Ok(clock(shared))
}

/// Settings are merged: what is left out stays, and `null` puts back the default.
fn set_settings(shared: &Shared, body: &[u8]) -> Answer {
    let patch: Map<String, Value> = serde_json::from_slice(body).map_err(|e| e.to_string())?;
    let settings = {
        let mut world = shared.world();
        let mut merged = json!(world.settings);
        merge(&mut merged, Value::Object(patch));
        let settings: Settings = serde_json::from_value(merged).map_err(|e| e.to_string())?;
        world.settings = settings;
        json!(world.settings)
    };
    shared.touch();
    Ok(settings)
}

/// RFC 7386.
fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Some(fields) = target.as_object_mut() else {
        return;
    };
    for (name, value) in patch {
        if value.is_null() {
            fields.shift_remove(&name);
        } else {
            merge(fields.entry(name).or_insert(Value::Null), value);
        }
    }
}
