//! The services' wire protocols: EKS speaks REST-JSON, IAM and STS speak the Query protocol with answers in XML.
//!
//! One port serves all three. A call says in its credential scope which service it is for, as it does to the real ones.
//! Signatures are not checked: there are no secrets here.

mod query;
mod rest_json;
mod routes;
mod scope;
mod xml;

use serde_json::{Map, Value};

use crate::iam::caller;
use crate::world::{AwsError, Call, World};
use crate::{eks, iam, sts};
use scope::Scope;

pub(crate) use scope::{access_key_of_token, decoded};

/// A request as it came, without the connection.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET`, …
    pub method: String,
    /// The path, still percent-encoded.
    pub path: String,
    /// What follows the question mark.
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The last header of that name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().rfind(|(n, _)| n == name);
        header.map(|(_, value)| value.as_str())
    }

    /// The query, decoded.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(self.query.as_bytes())
            .into_owned()
            .collect()
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// What was answered, and what the log may say of it.
#[derive(Clone, Debug)]
pub struct Answered {
    /// `eks`, `iam`, `sts`.
    pub service: &'static str,
    /// `CreateCluster`; `-` if it could not be told.
    pub operation: String,
    /// Who called, as an ARN; empty if it could not be told.
    pub caller: String,
    /// The code of an error.
    pub error: Option<String>,
    /// Milliseconds to wait before the answer is sent.
    pub latency: u64,
    /// The answer.
    pub response: Response,
}

/// Answers a call of EKS, IAM or STS.
pub fn answer(world: &mut World, request: &Request) -> Answered {
    let id = world.random().uuid();
    let form = form(request);
    let scope = Scope::of(request, &form);
    let mut answered = Answered {
        service: scope.service(),
        operation: "-".into(),
        caller: String::new(),
        error: None,
        latency: 0,
        response: Response {
            status: 200,
            headers: Vec::new(),
            body: Vec::new(),
        },
    };
    let answer = match answered.service {
        "eks" => rest(world, request, &scope, &mut answered),
        _ => form_call(world, form, &scope, &mut answered),
    };
    answered.error = answer.as_ref().err().map(|error| error.code.clone());
    answered.response = match answered.service {
        "eks" => rest_json::response(answer, &id),
        service => query::response(service, &answered.operation, answer, &id),
    };
    answered
}

type Form = Vec<(String, String)>;

/// The parameters of the Query protocol: of the body of a POST, else of the query.
fn form(request: &Request) -> Form {
    let is_form = request
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    let mut form = request.parameters();
    if is_form {
        form.extend(form_urlencoded::parse(&request.body).into_owned());
    }
    form
}

fn rest(
    world: &mut World,
    request: &Request,
    scope: &Scope,
    answered: &mut Answered,
) -> Result<Value, AwsError> {
    let (operation, labels) = routes::find(&request.method, &request.path)?;
    answered.operation = operation.to_owned();
    let input = rest_json::input(request, labels)?;
    perform(world, scope, operation, input, answered, eks::operation)
}

fn form_call(
    world: &mut World,
    form: Form,
    scope: &Scope,
    answered: &mut Answered,
) -> Result<Value, AwsError> {
    let mut input = query::input(form);
    let Some(Value::String(action)) = input.shift_remove("Action") else {
        return Err(AwsError::new("MissingAction", 400, "Action is missing"));
    };
    input.shift_remove("Version");
    answered.operation.clone_from(&action);
    let find = match answered.service {
        "iam" => iam::operation,
        _ => sts::operation,
    };
    perform(world, scope, &action, input, answered, find)
}

/// An operation.
pub(crate) type Operation = fn(&mut World, &Call) -> Result<Value, AwsError>;

fn perform(
    world: &mut World,
    scope: &Scope,
    name: &str,
    input: Map<String, Value>,
    answered: &mut Answered,
    find: fn(&str) -> Option<Operation>,
) -> Result<Value, AwsError> {
    let struck = world.strike(answered.service, name);
    answered.latency = struck.latency;
    let caller = match (&scope.access_key, name) {
        // The one call that nobody signs.
        (None, "AssumeRoleWithWebIdentity") => caller::nobody(world),
        (None, _) => return Err(unsigned(answered.service)),
        (Some(key), _) => caller::of_key(world, key, answered.service)?,
    };
    answered.caller.clone_from(&caller.arn);
    if let Some(error) = struck.error {
        return Err(error);
    }
    let Some(operation) = find(name) else {
        return Err(unknown(answered.service, name));
    };
    let region = match scope.region.as_deref() {
        Some(region) => region.to_owned(),
        None => world.settings.region.clone(),
    };
    let call = Call {
        caller,
        region,
        input,
    };
    operation(world, &call)
}

fn unsigned(service: &str) -> AwsError {
    let code = match service {
        "eks" => "MissingAuthenticationTokenException",
        _ => "MissingAuthenticationToken",
    };
    AwsError::new(code, 403, "Missing Authentication Token")
}

fn unknown(service: &str, name: &str) -> AwsError {
    let message = format!("The sandbox does not know the operation {name} of {service}");
    match service {
        "eks" => AwsError::new("UnknownOperationException", 404, message),
        _ => AwsError::new("InvalidAction", 400, message),
    }
}
