//! What the proxy does to requests, seen by real clients.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by it")]

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use accord_testkit::{
    ADMIN, ApiServer, Fault, Output, Proxy, Reply, Request, Response, Validity, server,
};

const NAMESPACE: &str = "/api/v1/namespaces/kube-system";

const CREATE: [&str; 5] = [
    "create",
    "configmap",
    "accord-of-proxy",
    "-n",
    "kube-system",
];

/// The API server's answer through the proxy, as bytes, until the connection ends.
fn raw(proxy: &Proxy, server: &ApiServer, method: &str) -> String {
    let address = proxy.url().replace("http://", "");
    let mut socket = TcpStream::connect(address).unwrap();
    let token = server.token(ADMIN);
    let request = format!(
        "{method} {NAMESPACE} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-length: 0\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).unwrap();
    socket.shutdown(Shutdown::Write).unwrap(); // there will be no other request
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// kubectl through the proxy.
fn kubectl(proxy: &Proxy, server: &ApiServer, arguments: &[&str]) -> Output {
    let mut command = server.kubectl_command(ADMIN);
    command
        .env("KUBECONFIG", proxy.kubeconfig(ADMIN))
        .args(arguments);
    Output::of(&mut command, "")
}

fn is_there(server: &ApiServer) -> bool {
    let path = format!("{NAMESPACE}/configmaps/accord-of-proxy");
    server.request("GET", &path, "").code == 200
}

/// The length that an answer claims, and the length of what came.
fn lengths(answer: &str) -> (usize, usize) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let length = head
        .lines()
        .find_map(|l| l.strip_prefix("content-length: "));
    (length.unwrap().parse().unwrap(), body.len())
}

#[test]
fn what_nothing_is_done_to_passes() {
    let server = server();
    let proxy = Proxy::before(&server);
    kubectl(&proxy, &server, &CREATE).ok();
    let [create] = &proxy.writes()[..] else {
        panic!("{:?}", proxy.writes());
    };
    assert!(create.path.starts_with(&format!("{NAMESPACE}/configmaps")));
    let listed = kubectl(&proxy, &server, &["get", "configmaps", "-A"]).ok();
    assert!(listed.contains("accord-of-proxy"), "{listed}");
    assert!(is_there(&server));
}

#[test]
fn each_fault_is_what_it_says() {
    let server = server();
    let proxy = Proxy::without_tls(&server);
    let always = |fault: Fault| proxy.rule(move |_, _| Some(fault.clone()));

    let (claimed, came) = lengths(&raw(&proxy, &server, "GET"));
    assert_eq!(claimed, came);
    always(Fault::after(Reply::Half));
    let half = lengths(&raw(&proxy, &server, "GET"));
    assert_eq!(half, (claimed, claimed / 2));
    always(Fault::after(Reply::Short));
    let short = lengths(&raw(&proxy, &server, "GET"));
    assert_eq!(short, (claimed / 2, claimed / 2));
    for reply in [Reply::Cut, Reply::Silence] {
        always(Fault::before(reply));
        assert_eq!(raw(&proxy, &server, "GET"), "");
    }
    always(Fault::after(Reply::Drip(Duration::from_millis(1))));
    assert_eq!(lengths(&raw(&proxy, &server, "GET")), (claimed, claimed));
    always(Fault::before(Reply::Other(Response::status(
        429,
        "TooManyRequests",
        "slowly",
    ))));
    let answer = raw(&proxy, &server, "GET");
    assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
    assert_eq!(proxy.requests().len(), 1);
    proxy.heal();
    assert_eq!(proxy.requests(), []);
}

#[test]
fn a_request_is_done_or_not_as_the_fault_says() {
    let server = server();
    let proxy = Proxy::before(&server);
    let cut = |fault: Fault| {
        proxy.rule(move |_, request: &Request| request.is_write().then(|| fault.clone()));
        kubectl(&proxy, &server, &CREATE).err();
    };
    cut(Fault::before(Reply::Cut));
    assert!(!is_there(&server));
    cut(Fault::after(Reply::Cut));
    assert!(is_there(&server));
}

#[test]
fn a_certificate_is_valid_when_it_says() {
    let server = server();
    for (validity, complaint) in [
        (Validity::Expired, "expired or is not yet valid"),
        (Validity::NotYet, "expired or is not yet valid"),
    ] {
        let proxy = Proxy::with_certificate(&server, validity);
        let refusal = kubectl(&proxy, &server, &["get", "namespaces"]).err();
        assert!(refusal.contains(complaint), "{refusal}");
    }
}
