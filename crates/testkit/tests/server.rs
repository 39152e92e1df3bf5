//! What a test may rely on.

#![allow(clippy::panic, reason = "a test fails by it")]

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use accord_testkit::{ADMIN, ApiServer, User, server, until};

const MAP: &str =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: aws-auth, namespace: kube-system}}";

/// Names of the ConfigMaps in all namespaces, one a line.
fn config_maps(server: &ApiServer) -> String {
    server
        .kubectl(&["get", "configmaps", "--all-namespaces", "-o", "name"])
        .ok()
}

#[test]
fn the_administrator_may_do_everything_and_a_user_nothing() {
    let server = server();
    server.kubectl_with_input(&["create", "-f", "-"], MAP).ok();
    let read = ["get", "configmap", "aws-auth", "-n", "kube-system"];
    assert!(server.kubectl_as(ADMIN, &read).ok().contains("aws-auth"));
    let refusal = server.kubectl_as("user-7", &read).err();
    assert!(
        refusal.contains(r#"User "user-7" cannot get resource "configmaps""#),
        "{refusal}"
    );
}

#[test]
fn a_grant_is_what_it_says_until_the_reset() {
    let server = server();
    let [here, there] =
        ["default", "kube-system"].map(|namespace| ["get", "configmaps", "--namespace", namespace]);
    server.grant("user-3", Some("default"), &["list"], &["configmaps"]);
    server.kubectl_as("user-3", &here).ok();
    server.kubectl_as("user-3", &there).err();
    server.kubectl_as("user-4", &here).err();
    server.grant(
        "user-4",
        None,
        &["list"],
        &["configmaps", "leases.coordination.k8s.io"],
    );
    server.kubectl_as("user-4", &there).ok();
    server
        .kubectl_as("user-4", &["get", "leases", "--all-namespaces"])
        .ok();
    server.reset();
    server.kubectl_as("user-3", &here).err();
    server.kubectl_as("user-4", &there).err();
}

#[test]
fn an_unknown_token_is_nobodys() {
    let server = server();
    let refusal = server
        .kubectl(&["get", "namespaces", "--token=stolen"])
        .err();
    assert!(refusal.contains("logged in"), "{refusal}");
}

#[test]
fn the_certificate_is_of_the_authority_that_is_named() {
    let server = server();
    assert_eq!(server.ca_pem().matches("BEGIN CERTIFICATE").count(), 1);
    let other = server.folder().join("other.yaml");
    let config = std::fs::read_to_string(server.kubeconfig(ADMIN)).unwrap();
    let config = config.replace("certificate-authority", "unknown-field");
    std::fs::write(&other, config).unwrap();
    let other = format!("--kubeconfig={}", other.display());
    let refusal = server.kubectl(&[&other, "get", "namespaces"]).err();
    assert!(refusal.contains("unknown authority"), "{refusal}");
}

#[test]
fn what_was_stored_outlives_the_api_server() {
    let server = server();
    let url = server.url();
    server.kubectl_with_input(&["create", "-f", "-"], MAP).ok();
    server.stop_api();
    assert!(!server.is_running());
    let refusal = server.kubectl(&["get", "namespaces"]).err();
    assert!(refusal.contains("refused"), "{refusal}");
    server.start_api();
    assert_eq!(server.url(), url);
    assert!(config_maps(&server).contains("configmap/aws-auth"));
}

#[test]
fn a_stopped_server_is_started_for_the_next_test() {
    server().stop_api();
    server().kubectl(&["get", "namespaces"]).ok();
}

#[test]
fn a_reset_takes_the_map_what_accord_keeps_and_fragments_and_no_more() {
    let server = server();
    let fresh = config_maps(&server);
    for (namespace, name, label) in [
        ("kube-system", "aws-auth", ""),
        ("kube-system", "accord-ledger", ""),
        (
            "default",
            "testkit-fragment",
            "accord.dev/aws-auth: fragment",
        ),
        ("default", "aws-auth", ""),
        ("default", "accord-of-somebody", ""),
    ] {
        let object = format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: {namespace}, labels: {{{label}}}}}}}"
        );
        server
            .kubectl_with_input(&["create", "-f", "-"], &object)
            .ok();
    }
    assert_eq!(
        config_maps(&server).lines().count(),
        fresh.lines().count() + 5
    );
    server.reset();
    let foreign = ["configmap/aws-auth", "configmap/accord-of-somebody"];
    let left = config_maps(&server);
    let left: Vec<&str> = left.lines().filter(|name| foreign.contains(name)).collect();
    assert_eq!(left.len(), 2);
    server
        .kubectl(&[
            "delete",
            "configmaps",
            "-n",
            "default",
            "aws-auth",
            "accord-of-somebody",
        ])
        .ok();
    assert_eq!(config_maps(&server), fresh);
}

#[test]
fn a_server_of_ones_own_has_users_of_ones_own_and_goes_with_its_test() {
    let server = ApiServer::with_users(&[User::new("ann", &["team-a"])]);
    let who = server
        .kubectl_as(
            "ann",
            &["auth", "whoami", "-o", "jsonpath={.status.userInfo.groups}"],
        )
        .ok();
    assert_eq!(who, r#"["team-a","system:authenticated"]"#);
    let (ports, folder) = (ports(&server), server.folder().to_owned());
    drop(server);
    assert_gone(ports, &folder);
}

/// The test runs itself as a process of its own, whose shared server it then orphans.
#[test]
fn a_killed_test_leaves_nothing() {
    const ROLE: &str = "TESTKIT_VICTIM";
    if std::env::var_os(ROLE).is_some() {
        let server = server();
        let [api, etcd] = ports(&server);
        println!("\nvictim {api} {etcd} {}", server.folder().display());
        std::io::stdin().read_line(&mut String::new()).unwrap(); // until it is killed
        return;
    }
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_killed_test_leaves_nothing", "--nocapture"])
        .env(ROLE, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = BufReader::new(victim.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .find(|line| line.starts_with("victim "))
        .unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    let [_, api, etcd, folder] = words[..] else {
        panic!("{line}");
    };
    let ports = [api, etcd].map(|port| port.parse().unwrap());
    assert!(ports.iter().all(|&port| is_open(port)) && Path::new(folder).exists());
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert_gone(ports, Path::new(folder));
}

fn ports(server: &ApiServer) -> [u16; 2] {
    [server.url(), server.etcd_url()].map(|url| {
        let port = url.rsplit(':').next().and_then(|port| port.parse().ok());
        port.unwrap_or_else(|| panic!("no port: {url}"))
    })
}

fn is_open(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}

fn assert_gone(ports: [u16; 2], folder: &Path) {
    until("the server to be gone", || {
        let open = ports.iter().any(|&port| is_open(port));
        (!open && !folder.exists()).then_some(())
    });
}
