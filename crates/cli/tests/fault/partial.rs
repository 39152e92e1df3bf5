//! What is said when only a part was written: exit code 6.

use accord_testkit::{Fault, Reply, Request, Response, server};
use serde_json::{Value, json};

use crate::cluster::{data, stored};
use crate::story::{STORY, Stage};

/// The map's write fails like this; the exit code is 6, and the map is as before.
fn text(stage: &Stage<'_>, fault: Fault) -> String {
    stage.reset();
    stage.proxy.rule(move |_, request| {
        let is_map = request.is_write() && request.path.contains("/aws-auth?");
        is_map.then(|| fault.clone())
    });
    let (in_text, _) = STORY.split_at(STORY.len() - 2);
    let run = stage.accord(in_text);
    assert_eq!(run.code, Some(6), "{run:?}");
    let told = run.stdout.lines().last().unwrap_or_default().to_owned();
    assert_eq!(
        data(&stored(stage.server), "aws-auth"),
        data(&stage.before, "aws-auth")
    );
    format!("{told}\n---\n{}", run.stderr).replace(&stage.proxy.url(), "SERVER")
}

#[test]
fn people_are_told_what_was_written_why_not_all_of_it_and_what_to_do() {
    let server = server();
    let stage = Stage::set(&server);
    let told = |response| Fault::before(Reply::Other(response));
    let denied = Response::status(422, "Invalid", "the guard does not like it");
    insta::assert_snapshot!(text(&stage, told(denied)), @r"
    Only partly done. Written: ConfigMap/kube-system/accord-team-a, ConfigMap/kube-system/accord-ledger.
    ---
    partly applied: the cluster refused it: the guard does not like it
    hint: written before: ConfigMap/kube-system/accord-team-a, ConfigMap/kube-system/accord-ledger; run the same command again, and it goes on from there
    ");
    insta::assert_snapshot!(text(&stage, Fault::before(Reply::Cut)), @r"
    Only partly done. Written: ConfigMap/kube-system/accord-team-a, ConfigMap/kube-system/accord-ledger.
    ---
    partly applied: it is not known whether ConfigMap/kube-system/aws-auth was changed
      because could not reach `SERVER`
      because the connection broke off
    hint: is this the right context (`kubectl config current-context`), and is the endpoint reachable from here? A private endpoint needs the VPN or a proxy
    hint: written before: ConfigMap/kube-system/accord-team-a, ConfigMap/kube-system/accord-ledger; run the same command again, and it goes on from there
    ");
}

#[test]
fn programs_are_told_the_same() {
    let server = server();
    let stage = Stage::set(&server);
    stage.proxy.rule(|_, request| {
        let is_ledger = request.is_write() && request.path.contains("/accord-ledger?");
        is_ledger.then(|| Fault::before(Reply::Other(Response::status(401, "Unauthorized", "no"))))
    });
    stage.reset_cluster();
    let run = stage.tell();
    assert_eq!(run.code, Some(6), "{run:?}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["outcome"], "partial");
    assert_eq!(
        report["written"],
        json!(["ConfigMap/kube-system/accord-team-a"])
    );
    assert!(
        report.get("journal").is_none(),
        "there is nothing to undo: {report:#}"
    );
    // The journal says that it is not finished, and nothing that is not finished can be undone.
    stage.proxy.heal();
    let newest = &stage.history()[0];
    assert_eq!(newest["done"], false);
    let undo = stage.accord(&["rollback", "--yes", newest["id"].as_str().unwrap()]);
    assert!(
        !undo.succeeded() && undo.stderr.contains("never finished"),
        "{undo:?}"
    );
}

#[test]
fn a_conflict_without_end_is_given_up() {
    let server = server();
    let stage = Stage::set(&server);
    let conflict = Response::status(409, "Conflict", "the object has been modified");
    let said = text(&stage, Fault::before(Reply::Other(conflict)));
    let is_map = |request: &&Request| request.path.contains("/aws-auth?");
    let tries = stage.proxy.writes().iter().filter(is_map).count();
    assert_eq!(tries, 20);
    insta::assert_snapshot!(said, @r"
    Only partly done. Written: ConfigMap/kube-system/accord-team-a, ConfigMap/kube-system/accord-ledger.
    ---
    partly applied: somebody else changed ConfigMap/kube-system/aws-auth meanwhile
    hint: written before: ConfigMap/kube-system/accord-team-a, ConfigMap/kube-system/accord-ledger; run the same command again, and it goes on from there
    ");
}
