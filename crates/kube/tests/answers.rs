//! What each answer means, however odd: a server that says anything it likes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by it")]

use std::time::{Duration, Instant};

use accord_kube::connect::{Target, connect};
use accord_kube::resource::{Collection, Kind, Object};
use accord_kube::{Connection, KubeError};
use accord_testkit::{ADMIN, Fault, Proxy, Reply, Response};
use serde_json::{Value, json};

/// A server that answers every request with this.
fn always(response: Response) -> (Proxy, Connection) {
    let proxy = Proxy::alone();
    proxy.rule(move |_, _| Some(Fault::before(Reply::Other(response.clone()))));
    let connection = connection(&proxy);
    (proxy, connection)
}

/// A server that answers with these, one after another, and then no more.
fn in_turn(responses: Vec<Option<Response>>) -> (Proxy, Connection) {
    let proxy = Proxy::alone();
    proxy.rule(move |number, _| {
        let response = responses.get(number)?.clone();
        Some(Fault::before(response.map_or(Reply::Cut, Reply::Other)))
    });
    let connection = connection(&proxy);
    (proxy, connection)
}

fn connection(proxy: &Proxy) -> Connection {
    let target = Target {
        kubeconfig: Some(proxy.kubeconfig(ADMIN)),
        ..Target::default()
    };
    connect(&target).unwrap()
}

fn map() -> Object {
    Object::config_map("kube-system", "aws-auth")
}

fn is(value: &Value) -> Response {
    Response::new(200, "application/json", &value.to_string())
}

fn the_map() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "aws-auth", "namespace": "kube-system", "resourceVersion": "7"},
    })
}

/// A failure that is about an object.
fn about(code: u16, reason: &str, kind: &str, name: &str) -> Response {
    let body = json!({
        "apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason,
        "message": format!("{kind} \"{name}\": {reason}"), "details": {"name": name, "kind": kind},
    });
    Response::new(code, "application/json", &body.to_string())
}

/// Why the map cannot be read.
#[track_caller]
fn unread(response: Response) -> String {
    let (_proxy, connection) = always(response);
    let error = connection.get(&map()).unwrap_err();
    let text = error.to_string();
    assert!(
        !text.contains("token-of"),
        "an error with a secret in it: {text}"
    );
    text.replace(connection.server(), "SERVER")
}

#[test]
fn only_the_api_server_says_that_an_object_is_not_there() {
    let (_proxy, connection) = always(about(404, "NotFound", "configmaps", "aws-auth"));
    assert_eq!(connection.get(&map()).unwrap(), None);
    assert_eq!(
        unread(Response::html(404)),
        "`SERVER` did not answer as a Kubernetes API does, but with the status 404 and an HTML page"
    );
    assert_eq!(
        unread(Response::new(404, "text/plain", "404 page not found")),
        "`SERVER` did not answer as a Kubernetes API does, but with the status 404 and text that is no JSON"
    );
    for other in [
        about(404, "NotFound", "clusters", "shop"),
        about(404, "NotFound", "namespaces", "kube-system"),
        about(404, "NotFound", "configmaps", ""),
        Response::status(
            404,
            "NotFound",
            "the server could not find the requested resource",
        ),
        about(410, "Expired", "configmaps", "aws-auth"),
    ] {
        let why = unread(other);
        assert!(why.starts_with("the cluster refused it: "), "{why}");
    }
}

#[test]
fn what_is_no_whole_object_is_none() {
    let half = the_map().to_string();
    let half = &half[..half.len() / 2];
    let odd = |body: &[u8]| Response {
        body: body.to_vec(),
        ..Response::new(200, "application/json", "")
    };
    for (answer, what) in [
        (odd(half.as_bytes()), "half an object"),
        (odd(b""), "nothing"),
        (odd(b"\xef\xbb\xbf \n"), "nothing"),
        (odd(b"hello"), "text that is no JSON"),
        (
            odd(b"{\"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"aws-auth\xff\"}}"),
            "text that is no UTF-8",
        ),
        (odd(b"{\"kind\": \"ConfigMap\"} {}"), "text that is no JSON"),
        (odd("[".repeat(1000).as_bytes()), "text that is no JSON"),
        (odd(b"{\"a\": 1}"), "JSON that is no object of Kubernetes"),
        (Response::html(200), "an HTML page"),
        (
            Response::html(200).with("content-encoding", "gzip"),
            "an answer in the encoding `gzip`, which was not asked for",
        ),
        (
            Response::new(302, "text/html", "")
                .with("location", "https://login/?secret=token-of-x"),
            "a redirect (302)",
        ),
        (Response::new(204, "text/plain", ""), "nothing"),
    ] {
        assert_eq!(
            unread(answer),
            format!("`SERVER` did not answer as a Kubernetes API does, but with {what}")
        );
    }
    let mut other = the_map();
    other["metadata"]["name"] = json!("other");
    assert!(unread(is(&other)).contains("another object than was asked for"));
    let mut other = the_map();
    other["kind"] = json!("Secret");
    assert!(unread(is(&other)).contains("another object than was asked for"));
    let mut other = the_map();
    other["metadata"]["resourceVersion"] = Value::Null;
    assert!(unread(is(&other)).contains("an object without a version"));
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Proxy::alone();
    let to = elsewhere.url() + "/api/v1/namespaces/kube-system/configmaps/aws-auth";
    for code in [301, 302, 303, 307, 308] {
        let why = unread(Response::new(code, "text/html", "").with("location", &to));
        assert!(why.contains("a redirect"), "{why}");
    }
    assert_eq!(elsewhere.requests(), []);
}

#[test]
fn a_server_that_is_busy_is_asked_again_as_late_as_it_asks_for() {
    let busy = Response::status(429, "TooManyRequests", "slowly").with("retry-after", "1");
    let (proxy, connection) = in_turn(vec![Some(busy), None, Some(is(&the_map()))]);
    let start = Instant::now();
    assert_eq!(connection.get(&map()).unwrap(), Some(the_map()));
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(proxy.requests().len(), 3);
}

#[test]
fn a_server_that_asks_for_too_much_time_is_given_up_at_once() {
    for wait in ["3600", "18446744073709551615", "99999999999999999999999"] {
        let busy = Response::status(503, "ServiceUnavailable", "slowly").with("retry-after", wait);
        let (proxy, connection) = always(busy);
        let start = Instant::now();
        let error = connection.get(&map()).unwrap_err();
        assert!(
            matches!(error, KubeError::Busy { code: 503, .. }),
            "{error}"
        );
        assert!(start.elapsed() < Duration::from_secs(5));
        assert!(proxy.requests().len() <= 5);
    }
}

#[test]
fn every_request_ends() {
    let proxy = Proxy::alone();
    let connection = connection(&proxy);
    for reply in [
        Reply::Silence,
        Reply::Other(Response::status(500, "InternalError", "etcd").with("retry-after", "7")),
    ] {
        proxy.rule(move |_, _| Some(Fault::before(reply.clone())));
        let start = Instant::now();
        connection.get(&map()).unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn a_list_that_never_ends_is_given_up() {
    let pods = Collection::all(Kind::ConfigMap);
    let page = |next: &str| {
        is(&json!({"kind": "ConfigMapList", "metadata": {"continue": next}, "items": []}))
    };
    let (proxy, connection) = always(page("again"));
    let error = connection.list(&pods).unwrap_err();
    assert!(
        error.to_string().contains("a list that never ends"),
        "{error}"
    );
    assert!(proxy.requests().len() < 10);

    let gone = Response::status(410, "Expired", "The provided continue parameter is too old");
    let proxy = Proxy::alone();
    proxy.rule(move |number, _| {
        let answer = if number % 2 == 0 {
            page("more")
        } else {
            gone.clone()
        };
        Some(Fault::before(Reply::Other(answer)))
    });
    let error = self::connection(&proxy).list(&pods).unwrap_err();
    assert!(
        error.to_string().contains("a list that never ends"),
        "{error}"
    );
    assert!(proxy.requests().len() < 20);
}

#[test]
fn a_page_that_is_too_large_is_asked_for_in_parts() {
    let proxy = Proxy::alone();
    let large = " ".repeat(65 << 20);
    proxy.rule(move |_, request| {
        let limit = request
            .path
            .split(['?', '&'])
            .find_map(|pair| pair.strip_prefix("limit="));
        let limit: usize = limit.unwrap().parse().unwrap();
        let (items, next) = match request.path.contains("continue=") {
            false => (json!([{"metadata": {"name": "a"}}]), "b"),
            true => (json!([{"metadata": {"name": "b"}}]), ""),
        };
        let list = json!({"kind": "ConfigMapList", "metadata": {"continue": next}, "items": items});
        let padding = if limit > 50 { large.as_str() } else { "" };
        let page = Response::new(200, "application/json", &(list.to_string() + padding));
        Some(Fault::before(Reply::Other(page)))
    });
    let list = connection(&proxy)
        .list(&Collection::all(Kind::ConfigMap))
        .unwrap();
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    let limits = proxy
        .requests()
        .into_iter()
        .map(|request| request.path.contains("limit=500"));
    assert_eq!(limits.collect::<Vec<_>>(), [true, false, false]);

    let (_proxy, connection) = always(is(&json!({"kind": "x", "long": " ".repeat(65 << 20)})));
    let error = connection.get(&map()).unwrap_err();
    assert_eq!(
        error.to_string().replace(connection.server(), "SERVER"),
        "`SERVER` answered with more than 64 MiB"
    );
}

#[test]
fn a_list_is_read_anew_when_its_pages_are_gone() {
    let page = |next: &str, name: &str| {
        let items = json!([{"metadata": {"name": name}}]);
        Some(is(
            &json!({"kind": "ConfigMapList", "metadata": {"continue": next}, "items": items}),
        ))
    };
    let gone = Response::status(410, "Expired", "The provided continue parameter is too old");
    let (_proxy, connection) = in_turn(vec![
        page("more", "old"),
        Some(gone),
        page("more", "a"),
        page("", "b"),
    ]);
    let list = connection.list(&Collection::all(Kind::ConfigMap)).unwrap();
    let names: Vec<&Value> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| &i["metadata"]["name"])
        .collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn a_list_of_something_else_is_none() {
    let list = |value: Value| {
        let (_proxy, connection) = always(is(&value));
        connection.list(&Collection::all(Kind::ConfigMap))
    };
    let metadata = json!({"resourceVersion": "7"});
    for odd in [
        json!({"kind": "Status", "metadata": metadata, "status": "Success"}),
        json!({"kind": "ConfigMapList", "metadata": metadata, "items": {}}),
        json!({"kind": "Table", "metadata": metadata, "rows": []}),
        json!({"kind": "SecretList", "metadata": metadata, "items": []}),
        json!({"kind": "ConfigMapList", "metadata": metadata, "items": [{"data": {}}]}),
        json!({"kind": "ConfigMapList", "metadata": metadata, "items": [null]}),
    ] {
        let error = list(odd.clone()).expect_err(&odd.to_string());
        assert!(
            matches!(error, KubeError::NotKubernetes { .. }),
            "{odd}: {error}"
        );
    }
    for empty in [
        json!({"kind": "ConfigMapList", "metadata": metadata, "items": []}),
        json!({"kind": "ConfigMapList", "metadata": metadata, "items": null}),
    ] {
        assert_eq!(list(empty).unwrap()["items"], json!([]));
    }
}

#[test]
fn what_is_forbidden_is_told_as_a_right_and_what_is_refused_in_the_servers_words() {
    let say = |message: &str| {
        let body = json!({"kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403, "message": message});
        unread(Response::new(403, "application/json", &body.to_string()))
    };
    assert_eq!(
        say(
            "configmaps \"aws-auth\" is forbidden: User \"kim\" cannot get resource \"configmaps\" in API group \"\" in \
             the namespace \"kube-system\""
        ),
        "these rights are missing: get configmaps `aws-auth` in namespace kube-system"
    );
    let told = "users \"kim\" is forbidden: User \"sam\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope";
    assert_eq!(say(told), format!("the cluster refused it: {told}"));
    let told = "admission webhook \"guard\" denied the request: you cannot do this on a Friday";
    assert_eq!(say(told), format!("the cluster refused it: {told}"));
    assert!(unread(Response::html(403)).contains("the status 403 and an HTML page"));
}

#[test]
fn what_a_server_says_is_shown_on_one_line_and_in_part() {
    let long = format!("\u{1b}[2Jfirst\r\nsecond\u{7}{}", "x".repeat(5000));
    let body = json!({"kind": "Status", "status": "Failure", "reason": "Invalid", "code": 422, "message": long});
    let shown = unread(Response::new(422, "application/json", &body.to_string()));
    assert!(!shown.contains(char::is_control), "{shown:?}");
    assert!(shown.contains("first second"), "{shown}");
    assert!(shown.len() < 1200, "{}", shown.len());
}

#[test]
fn what_becomes_of_a_write_is_known_or_said_to_be_unknown() {
    let patch = json!({"data": {"mapRoles": "[]"}});
    let try_with = |responses: Vec<Option<Response>>| {
        let (_proxy, connection) = in_turn(responses);
        connection.patch(&map(), "6", &patch)
    };
    let conflict = || Some(about(409, "Conflict", "configmaps", "aws-auth"));
    assert!(try_with(vec![Some(is(&the_map()))]).is_ok());
    assert!(matches!(
        try_with(vec![conflict()]),
        Err(KubeError::Conflict(_))
    ));
    // Rejected unseen: a second try is the first.
    let busy = || Some(Response::status(429, "TooManyRequests", "slowly").with("retry-after", "0"));
    assert!(matches!(
        try_with(vec![busy(), conflict()]),
        Err(KubeError::Conflict(_))
    ));
    // Perhaps done at the first try, and then the version is no longer the one that was read.
    assert!(matches!(
        try_with(vec![None, conflict()]),
        Err(KubeError::SentTwice(_))
    ));
    let error = Some(Response::status(
        500,
        "InternalError",
        "etcdserver: request timed out",
    ));
    assert!(matches!(
        try_with(vec![error, conflict()]),
        Err(KubeError::SentTwice(_))
    ));
    // Perhaps done.
    for odd in [
        Response::html(200),
        is(&json!({"kind": "Status", "status": "Success"})),
        Response::new(200, "text/plain", ""),
    ] {
        let error = try_with(vec![Some(odd)]).unwrap_err();
        assert!(matches!(error, KubeError::MaybeWritten { .. }), "{error}");
    }
    let error = try_with(vec![]).unwrap_err();
    assert!(matches!(error, KubeError::MaybeWritten { .. }), "{error}");
    // Not done.
    let invalid = Response::status(
        422,
        "Invalid",
        "data: Forbidden: field is immutable when `immutable` is set",
    );
    assert!(matches!(
        try_with(vec![Some(invalid)]),
        Err(KubeError::Refused(_))
    ));
    let busy = Response::status(429, "TooManyRequests", "slowly").with("retry-after", "60");
    assert!(matches!(
        try_with(vec![Some(busy)]),
        Err(KubeError::Busy { .. })
    ));
    let expired = Response::status(401, "Unauthorized", "Unauthorized");
    assert!(matches!(
        try_with(vec![Some(expired)]),
        Err(KubeError::Unauthorized { .. })
    ));
}

#[test]
fn a_write_that_was_never_sent_is_not_done() {
    let proxy = Proxy::alone();
    let kubeconfig = proxy.kubeconfig(ADMIN);
    let text = std::fs::read_to_string(&kubeconfig).unwrap();
    // Nobody may listen there but the system, which does not.
    let nobody = text.replace(&proxy.url(), "http://127.0.0.1:1");
    std::fs::write(&kubeconfig, nobody).unwrap();
    let target = Target {
        kubeconfig: Some(kubeconfig),
        ..Target::default()
    };
    let connection = connect(&target).unwrap();
    let error = connection.patch(&map(), "6", &json!({})).unwrap_err();
    assert!(matches!(error, KubeError::Unreachable { .. }), "{error}");
}
