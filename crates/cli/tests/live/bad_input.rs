//! A server that cannot be reached, is slow, does not know who asks, has a certificate of another time, or is none: a
//! clear error within ten seconds, and nothing is changed.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use accord_testkit::{ADMIN, ApiServer, Fault, Output, Proxy, Reply, Response, Validity, server};
use serde_json::json;

const LIMIT: Duration = Duration::from_secs(10);

const TEAM: &str = "- rolearn: arn:aws:iam::111122223333:role/a\n  username: a\n";

/// What `accord apply` says with a kubeconfig, the server's address blanked out. It must fail in time.
#[track_caller]
fn apply(kubeconfig: &Path, address: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("team.yaml"), TEAM).unwrap();
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_accord"));
    command
        .args([
            "apply",
            "--yes",
            "--owner",
            "team",
            "-f",
            "team.yaml",
            "-o",
            "json",
        ])
        .current_dir(folder.path())
        .env_clear()
        .env("HOME", folder.path())
        .env("KUBECONFIG", kubeconfig);
    let output = Output::of(&mut command, "");
    let took = start.elapsed();
    assert!(took < LIMIT, "took {took:?}: {output:?}");
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(1), ""),
        "{output:?}"
    );
    assert!(!output.stderr.contains("token-of"), "{output:?}");
    output.stderr.replace(address, "SERVER")
}

/// What it says through a proxy that does this to every request.
#[track_caller]
fn apply_with(server: &ApiServer, fault: Fault) -> String {
    let proxy = Proxy::before(server);
    proxy.rule(move |_, _| Some(fault.clone()));
    let before = config_maps(server);
    let said = apply(&proxy.kubeconfig(ADMIN), &proxy.url());
    assert_eq!(config_maps(server), before);
    said
}

/// The administrator's kubeconfig with another address, and the folder that it is in.
fn elsewhere(server: &ApiServer, url: &str) -> (tempfile::TempDir, PathBuf) {
    let text = std::fs::read_to_string(server.kubeconfig(ADMIN)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config");
    std::fs::write(&path, text.replace(&server.url(), url)).unwrap();
    (folder, path)
}

fn config_maps(server: &ApiServer) -> String {
    let list = server.request("GET", "/api/v1/configmaps", "");
    let list: serde_json::Value = serde_json::from_slice(&list.body).unwrap();
    list["items"].to_string()
}

#[test]
fn nobody_listens() {
    let url = "https://127.0.0.1:1"; // nobody may but the system, which does not
    let (_folder, kubeconfig) = elsewhere(&server(), url);
    insta::assert_snapshot!(apply(&kubeconfig, url), @r"
    error: could not reach `SERVER`
      because Connection refused (os error 111)
    hint: is this the right context (`kubectl config current-context`), and is the endpoint reachable from here? A private endpoint needs the VPN or a proxy
    ");
}

#[test]
fn somebody_listens_and_says_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap(); // the kernel takes connections, and nobody answers
    let url = format!("https://{}", listener.local_addr().unwrap());
    let (_folder, kubeconfig) = elsewhere(&server(), &url);
    insta::assert_snapshot!(apply(&kubeconfig, &url), @r"
    error: `SERVER` did not answer within 8 seconds
    hint: is this the right context (`kubectl config current-context`), and is the endpoint reachable from here? A private endpoint needs the VPN or a proxy
    ");
}

#[test]
fn a_server_is_slow() {
    let server = server();
    let said = apply_with(&server, Fault::before(Reply::Silence));
    let dripping = Fault::after(Reply::Drip(Duration::from_millis(100)));
    assert_eq!(apply_with(&server, dripping), said);
    insta::assert_snapshot!(said, @r"
    error: `SERVER` did not answer within 8 seconds
    hint: is this the right context (`kubectl config current-context`), and is the endpoint reachable from here? A private endpoint needs the VPN or a proxy
    ");
}

#[test]
fn the_credentials_have_expired() {
    let server = server();
    let proxy = Proxy::before(&server);
    let kubeconfig = proxy.kubeconfig_with("kim", "expired");
    insta::assert_snapshot!(apply(&kubeconfig, &proxy.url()), @r"
    error: `SERVER` does not know who is asking (401 Unauthorized)
    hint: if the credentials have expired, sign in to AWS again; `aws sts get-caller-identity` says who you are
    hint: the identity that created the cluster gets in unless that was switched off, and so does everybody in aws-auth or with an access entry; `accord explain --state FILE ARN` tells it of a snapshot
    hint: where the authentication mode is API or API_AND_CONFIG_MAP, somebody with rights in AWS can let you in: `aws eks create-access-entry --cluster-name NAME --principal-arn ARN`, then `aws eks associate-access-policy --cluster-name NAME --principal-arn ARN --access-scope type=cluster --policy-arn arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`
    ");
}

#[test]
fn the_certificate_is_of_another_time() {
    let server = server();
    let said = |validity| {
        let proxy = Proxy::with_certificate(&server, validity);
        apply(&proxy.kubeconfig(ADMIN), &proxy.url())
    };
    insta::assert_snapshot!(said(Validity::Expired), @r"
    error: the certificate of `SERVER` is not valid now, by the clock of this machine
      because it was valid until 2000-12-31T00:00:00Z
    hint: set the clock of this machine; if it is right, the cluster's certificate must be renewed
    ");
    insta::assert_snapshot!(said(Validity::NotYet), @r"
    error: the certificate of `SERVER` is not valid now, by the clock of this machine
      because it is not valid before 3000-01-01T00:00:00Z
    hint: set the clock of this machine; if it is right, the cluster's certificate must be renewed
    ");
}

#[test]
fn the_certificate_is_of_somebody_else() {
    let server = server();
    let proxy = Proxy::before(&server);
    let (_folder, kubeconfig) = elsewhere(&server, &proxy.url());
    insta::assert_snapshot!(apply(&kubeconfig, &proxy.url()), @r"
    error: the certificate of `SERVER` cannot be believed
      because it is signed by another authority than the one that the kubeconfig names
    hint: `aws eks update-kubeconfig --name CLUSTER` writes address and authority anew; if that does not help, something in between answers in the cluster's place
    ");
    assert_eq!(proxy.requests(), []);
}

#[test]
fn something_else_answers() {
    let server = server();
    let says = |fault| apply_with(&server, fault);
    let told = |response| Fault::before(Reply::Other(response));
    for (fault, what) in [
        (told(Response::html(200)), "an HTML page"),
        (told(Response::html(404)), "the status 404 and an HTML page"),
        (Fault::after(Reply::Short), "half an object"),
        (
            Fault::after(Reply::Half),
            "half an answer: the connection broke off",
        ),
        (
            told(Response::new(302, "text/html", "").with("location", "https://login.example/")),
            "a redirect (302)",
        ),
    ] {
        let said = says(fault);
        let (error, hint) = said.split_once('\n').unwrap();
        assert_eq!(
            error,
            format!("error: `SERVER` did not answer as a Kubernetes API does, but with {what}")
        );
        insta::allow_duplicates! {
            insta::assert_snapshot!(hint, @"hint: look at `server` in the kubeconfig and at `HTTPS_PROXY`: something else answers there");
        }
    }
    insta::assert_snapshot!(says(told(Response::html(503))), @r"
    error: `SERVER` answered 503 5 times: an HTML page
    hint: run it again when the cluster is less busy
    ");
    // Another API of the same kind.
    let other = json!({
        "kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404,
        "message": "clusters.management \"c-1\" not found", "details": {"name": "c-1", "kind": "clusters"},
    });
    let other = Response::new(404, "application/json", &other.to_string());
    insta::assert_snapshot!(says(told(other)), @r#"error: the cluster refused it: clusters.management "c-1" not found"#);
}
