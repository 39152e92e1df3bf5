//! The API of one cluster, as kubectl and other clients call it.
//!
//! 1. [`path`]: what a path means. [`identity`]: who calls, and what they may.
//! 2. [`read`]: get, list, and from where a watch begins. [`mod@write`]: create, replace, delete.
//! 3. [`patch`]: what a patch makes of an object; [`managed`]: who owns which of its fields.
//! 4. [`form`]: how objects are sent. [`discovery`]: what there is. [`status`]: errors.

mod discovery;
pub(crate) mod form;
mod identity;
pub(crate) mod managed;
mod patch;
mod path;
mod protobuf;
mod read;
mod review;
mod status;
mod write;

use serde_json::Value;

use super::access::User;
use super::resource::Resource;
use crate::protocol::{Request, Response};
use crate::world::{AwsError, World};
use form::Form;
use path::{Path, Target};
use status::Status;

pub(crate) use identity::ADMINISTRATOR;
pub(crate) use read::Selection;

/// What is answered.
pub(crate) enum Reply {
    /// A whole answer.
    Whole(Response),
    /// The changes of what is selected, from a version on, as long as the client stays.
    Watch(Box<Selection>),
}

/// An answer, and what the log may say of it.
pub(crate) struct Answered {
    /// The verb and the path.
    pub(crate) operation: String,
    /// The username.
    pub(crate) caller: String,
    /// Milliseconds to wait before the answer is sent.
    pub(crate) latency: u64,
    pub(crate) reply: Reply,
}

type Outcome<T = Value> = Result<T, Box<Status>>;

/// Answers a request whose path begins behind the cluster's endpoint.
pub(crate) fn answer(world: &mut World, key: &str, path: &str, request: &Request) -> Answered {
    let mut answered = Answered {
        operation: format!("{} {path}", request.method),
        caller: String::new(),
        latency: 0,
        reply: Reply::Whole(respond(200, &Value::Null)),
    };
    let reply = perform(world, key, path, request, &mut answered);
    answered.reply =
        reply.unwrap_or_else(|status| Reply::Whole(respond(status.code, &status.value())));
    answered
}

fn perform(
    world: &mut World,
    key: &str,
    path: &str,
    request: &Request,
    answered: &mut Answered,
) -> Outcome<Reply> {
    let is_up = world
        .clusters
        .get(key)
        .is_some_and(|c| c.about.endpoint.is_some());
    if !is_up {
        return Err(Status::new(
            503,
            "ServiceUnavailable",
            "there is no such cluster, or it is not up",
        ));
    }
    let user = identity::authenticate(world, key, request)?;
    answered.caller.clone_from(&user.username);
    let parsed = Path::parse(path).ok_or_else(Status::no_such_path)?;
    let verb = parsed.verb(&request.method, &request.parameters());
    let struck = match &parsed {
        Path::Object(target) => world.strike(
            "kubernetes",
            &format!("{verb} {}", target.resource.plural()),
        ),
        _ => world.strike("kubernetes", "discovery"),
    };
    answered.latency = struck.latency;
    if let Some(error) = struck.error {
        return Err(fault(&error));
    }
    let value = match parsed {
        Path::Discovery(what) => discovery::answer(world, key, what),
        Path::Text(text) => return Ok(Reply::Whole(plain(text))),
        Path::Review(kind) => review::answer(kind, &user, &body(request)?),
        Path::Object(target) => {
            identity::authorize(&user, verb, &target)?;
            return object(world, key, verb, &target, &user, request);
        }
    };
    Ok(Reply::Whole(respond(200, &value)))
}

fn object(
    world: &mut World,
    key: &str,
    verb: &str,
    target: &Target,
    user: &User,
    request: &Request,
) -> Outcome<Reply> {
    let parameters = request.parameters();
    let form = Form::of(request.header("accept").unwrap_or_default());
    let (code, value) = match verb {
        "get" => (200, read::get(world, key, target)?),
        "list" => (200, read::list(world, key, target, &parameters)?),
        "watch" => {
            let mut selection = read::watch(world, key, target, &parameters)?;
            selection.form = form;
            return Ok(Reply::Watch(Box::new(selection)));
        }
        "create" => (201, write::create(world, key, target, request)?),
        "update" => (200, write::replace(world, key, target, request)?),
        "patch" => write::patch(world, key, target, request)?,
        "delete" => (200, write::delete(world, key, target, request)?),
        "deletecollection" => (200, write::delete_all(world, key, target, &parameters)?),
        _ => {
            let message = format!("{} cannot do this here", user.username);
            return Err(Status::new(405, "MethodNotAllowed", &message));
        }
    };
    let value = match verb {
        "get" | "list" => form.shape(target.resource, value, world.now()),
        _ => value,
    };
    Ok(Reply::Whole(respond(code, &value)))
}

/// The object in a request's body, in JSON or in Kubernetes' protobuf.
fn body(request: &Request) -> Outcome {
    let kind = request.header("content-type").unwrap_or("application/json");
    if kind.contains("protobuf") {
        return protobuf::decode(&request.body).ok_or_else(|| {
            let message = "the sandbox reads this kind in JSON only";
            Status::new(415, "UnsupportedMediaType", message)
        });
    }
    serde_json::from_slice(&request.body).map_err(|e| Status::bad_request(&e.to_string()))
}

/// A fault that a test asked for.
fn fault(error: &AwsError) -> Box<Status> {
    Status::new(error.status, &error.code, &error.message)
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

fn plain(text: &str) -> Response {
    Response {
        status: 200,
        headers: vec![("content-type", "text/plain; charset=utf-8".into())],
        body: text.as_bytes().to_vec(),
    }
}

/// A parameter of the query.
fn parameter<'p>(parameters: &'p [(String, String)], name: &str) -> Option<&'p str> {
    let found = parameters.iter().rfind(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str())
}

/// Whether a parameter of the query is set to yes.
fn is_set(parameters: &[(String, String)], name: &str) -> bool {
    matches!(parameter(parameters, name), Some("true" | "1"))
}

/// Everything that is held, for messages.
fn object_name(resource: Resource, name: &str) -> String {
    format!("{} \"{name}\"", resource.plural())
}
