//! What is kept in the cluster is lost, spoiled, or older than it was: the ledger and the map.

use accord_testkit::{Output, server};
use serde_json::{Value, json};

use crate::cluster::{self, Stored, data, journal, stored, versions, without_journal};
use crate::story::{FOREIGN, ROLE, STORY, Stage};

const LEDGER: &str = "accord-ledger";
const MAP: &str = "aws-auth";

impl Stage<'_> {
    /// What was before the story, otherwise.
    fn with(&self, edit: impl FnOnce(&mut Stored)) -> Stored {
        let mut state = self.before.clone();
        edit(&mut state);
        cluster::put_back(self.server, &state);
        stored(self.server)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.accord(&[arguments, &["-o", "json"]].concat());
        serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }

    /// The kinds of what `status` finds, with their principals, if they are about any.
    fn findings(&self) -> Vec<String> {
        let status = self.json(&["status"]);
        let findings = status["findings"].as_array().unwrap().iter();
        let told = findings.map(|finding| {
            let kind = finding["kind"].as_str().unwrap();
            let principal = finding["principal"].as_str().unwrap_or_default();
            format!("{kind} {}", principal.trim_start_matches(ROLE))
                .trim()
                .to_owned()
        });
        told.collect()
    }

    /// Owner, origin and state of a principal's entry.
    fn entry(&self, name: &str) -> String {
        let status = self.json(&["status"]);
        let entries = status["entries"].as_array().unwrap().iter();
        let of = entries.filter(|entry| entry["principal"] == format!("{ROLE}{name}"));
        let told = of.map(|entry| {
            let words = [&entry["owner"], &entry["origin"], &entry["state"]];
            words.map(|word| word.as_str().unwrap_or("-")).join(" ")
        });
        told.collect::<Vec<_>>().join(", ")
    }

    /// The story is refused for exactly these reasons, and writes nothing.
    #[track_caller]
    fn is_refused(&self, reasons: &[&str]) -> Output {
        let before = stored(self.server);
        let run = self.tell();
        assert_eq!(run.code, Some(5), "{run:?}");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["outcome"], "refused", "{run:?}");
        let refusals = report["refusals"].as_array().unwrap().iter();
        let kinds: Vec<&str> = refusals.map(|r| r["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, reasons, "{run:?}");
        assert_eq!(versions(&stored(self.server)), versions(&before), "{run:?}");
        run
    }

    /// `sync` leaves the map as it is, byte for byte.
    #[track_caller]
    fn sync_leaves_the_map(&self) {
        let before = stored(self.server);
        self.accord(&["sync", "--yes"]).ok();
        let after = stored(self.server);
        assert_eq!(versions(&after)[MAP], versions(&before)[MAP]);
    }
}

#[test]
fn without_the_ledger_nothing_is_lost_and_nothing_is_changed_that_nobody_vouches_for() {
    let server = server();
    let stage = Stage::set(&server);
    stage.with(|state| drop(state.remove(LEDGER)));
    stage.is_refused(&["not-claimed"]);
    stage.sync_leaves_the_map();
    assert_eq!(stage.entry("a-stays"), "team-a found in-effect");
    stage.is_refused(&["not-claimed"]);

    // The way out that the refusal names.
    let changes = format!("{ROLE}a-changes");
    let taken = stage.accord(&[&STORY[..], &["--take-over", &changes]].concat());
    assert_eq!(taken.code, Some(0), "{taken:?}");
    assert_eq!(stage.entry("a-changes"), "team-a adopted in-effect");
    // What is given up stays, because nobody knows any more that Accord wrote it; but the journal does.
    assert_eq!(stage.entry("a-goes"), "unclaimed - in-effect");
    assert_eq!(stage.findings(), ["orphaned-grant a-goes"]);
    let map = data(&stored(&server), MAP).clone();
    let roles = map["mapRoles"].as_str().unwrap();
    assert!(roles.starts_with(FOREIGN), "{roles}");
    assert_eq!(map["note"], "keep me\n");
}

#[test]
fn an_old_ledger_revives_nobody_and_removes_nothing_that_is_claimed() {
    let server = server();
    let stage = Stage::set(&server);
    // From when team-c's role was in, and team-b's was not yet.
    cluster::put_back(&server, &Stored::new());
    stage
        .accord(&["apply", "--yes", "--owner", "team-a", "-f", "before.yaml"])
        .ok();
    stage
        .accord(&["apply", "--yes", "--owner", "team-c", "-f", "revoked.yaml"])
        .ok();
    let old = stored(&server).remove(LEDGER).unwrap();

    stage.with(|state| drop(state.insert(LEDGER.to_owned(), old)));
    stage.sync_leaves_the_map();
    assert_eq!(stage.entry("revoked"), "");
    assert_eq!(stage.entry("b"), "team-b found in-effect");
    assert!(
        !data(&stored(&server), LEDGER)
            .to_string()
            .contains("revoked")
    );
    let run = stage.tell();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(data(&stored(&server), MAP), data(&stage.after, MAP));
}

#[test]
fn a_ledger_of_another_cluster_counts_as_absent_and_says_so() {
    let server = server();
    let stage = Stage::set(&server);
    stage.with(|state| {
        let text = &mut state.get_mut(LEDGER).unwrap()["data"]["ledger.json"];
        let (head, tail) = text
            .as_str()
            .unwrap()
            .split_once("\"cluster\": \"")
            .unwrap();
        *text = format!("{head}\"cluster\": \"0000{}", &tail[4..]).into();
    });
    assert_eq!(stage.findings(), ["ledger-of-other-cluster"]);
    stage.is_refused(&["not-claimed"]);
    stage.sync_leaves_the_map();
    assert_eq!(
        stage.findings(),
        [] as [&str; 0],
        "now it is this cluster's"
    );
    assert_eq!(stage.entry("a-goes"), "team-a found in-effect");
}

#[test]
fn a_ledger_that_cannot_be_read_is_not_overwritten() {
    let server = server();
    let stage = Stage::set(&server);
    for spoiled in [
        json!({"ledger.json": "{\"version\": 1, \"mapRo"}),
        json!({"ledger.json": "{\"version\": 2}"}),
        json!({"ledger.json": ""}),
        json!({"other": "x"}),
        Value::Null,
    ] {
        let state = stage.with(|state| state.get_mut(LEDGER).unwrap()["data"] = spoiled);
        assert_eq!(stage.findings(), ["ledger-unreadable"]);
        stage.is_refused(&["ledger-unreadable", "not-claimed"]);
        let removal = stage.accord(&["remove", "--yes", "team-a"]);
        assert_eq!(removal.code, Some(5), "{removal:?}");
        stage.sync_leaves_the_map();
        // Its way out.
        assert_eq!(versions(&stored(&server)), versions(&state));
        server
            .kubectl(&["delete", "configmap", "-n", "kube-system", LEDGER])
            .ok();
        stage.sync_leaves_the_map();
        assert_eq!(stage.findings(), [] as [&str; 0]);
    }
}

#[test]
fn a_map_that_was_deleted_gets_its_claims_again_and_nobody_who_was_revoked() {
    let server = server();
    let stage = Stage::set(&server);
    stage.with(|state| drop(state.remove(MAP)));
    assert_eq!(stage.entry("a-stays"), "team-a added missing");
    let sync = stage.json(&["sync", "--yes"]);
    assert_eq!(sync["outcome"], "done");
    let map = data(&stored(&server), MAP)["mapRoles"]
        .as_str()
        .unwrap()
        .to_owned();
    let written: Vec<&str> = map
        .lines()
        .filter_map(|line| line.split_once(ROLE))
        .map(|(_, name)| name)
        .collect();
    assert_eq!(written, ["a-changes", "a-goes", "a-stays", "b"]);

    // What nobody claims comes back from a backup; the revoked role stays out although it is in there.
    stage.with(|state| drop(state.remove(MAP)));
    stage.write("backup.yaml", &backup(&stage));
    let restored = stage.json(&["restore", "--from", "backup.yaml", "--yes"]);
    assert_eq!(restored["outcome"], "done", "{restored:#}");
    let map = data(&stored(&server), MAP)["mapRoles"]
        .as_str()
        .unwrap()
        .to_owned();
    for name in ["nodes", "platform", "a-changes", "a-goes", "a-stays", "b"] {
        assert_eq!(
            map.matches(&format!("{ROLE}{name}\n")).count(),
            1,
            "{name}: {map}"
        );
    }
    assert!(!map.contains("revoked"), "{map}");
    let told = restored["findings"].as_array().unwrap().iter();
    let mut told = told.filter(|finding| finding["principal"] == format!("{ROLE}revoked"));
    assert_eq!(told.next().unwrap()["kind"], "cannot-be-known");
}

#[test]
fn an_immutable_map_is_left_alone() {
    let server = server();
    let stage = Stage::set(&server);
    stage.with(|state| state.get_mut(MAP).unwrap()["immutable"] = json!(true));
    stage.is_refused(&["immutable", "immutable", "immutable"]);
    stage.sync_leaves_the_map();
    let removal = stage.accord(&["remove", "--yes", "team-b"]);
    assert_eq!(removal.code, Some(5), "{removal:?}");
    assert!(removal.stdout.contains("immutable"), "{removal:?}");
}

#[test]
fn last_weeks_map_brings_nobody_back_unseen() {
    let server = server();
    let stage = Stage::set(&server);
    // Team-a's entries were not there yet, and the revoked role still was: kubectl puts that map back.
    let manifest = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": MAP, "namespace": "kube-system"},
        "data": {"mapRoles": format!("{}{}", FOREIGN, entry("revoked"))},
    });
    stage.with(|_| ());
    let replace = ["replace", "-f", "-"];
    server
        .kubectl_with_input(&replace, &manifest.to_string())
        .ok();

    let status = stage.json(&["status"]);
    let findings = status["findings"].as_array().unwrap();
    let back = findings
        .iter()
        .find(|finding| finding["principal"] == format!("{ROLE}revoked"));
    let back = back.unwrap_or_else(|| panic!("it is not shown: {status:#}"));
    assert_eq!(
        (&back["kind"], &back["severity"]),
        (&json!("orphaned-grant"), &json!("privilege-gain"))
    );
    assert!(
        back["message"]
            .as_str()
            .unwrap()
            .contains("was taken away by plan"),
        "{back:#}"
    );
    assert_eq!(stage.entry("a-stays"), "team-a added missing");

    // Every claim comes back; the revoked role is nobody's, and stays in the way it was put.
    let sync = stage.json(&["sync", "--yes"]);
    let changes = sync["changes"].as_array().unwrap().iter();
    let gained: Vec<&str> = changes
        .map(|change| change["principal"].as_str().unwrap())
        .collect();
    assert_eq!(
        gained,
        ["a-changes", "a-goes", "a-stays", "b"].map(|name| format!("{ROLE}{name}"))
    );
    assert_eq!(stage.entry("revoked"), "unclaimed - in-effect");
    assert!(
        !data(&stored(&server), LEDGER)
            .to_string()
            .contains("revoked")
    );
    let map = data(&stored(&server), MAP)["mapRoles"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(map.starts_with(FOREIGN), "{map}");

    // The way out that the finding names.
    server
        .kubectl_with_input(
            &replace,
            &manifest
                .to_string()
                .replace(&entry("revoked").replace('\n', "\\n"), ""),
        )
        .ok();
    stage.accord(&["sync", "--yes"]).ok();
    assert_eq!(stage.entry("revoked"), "");
    assert_eq!(stage.findings(), [] as [&str; 0]);
}

#[test]
fn the_journal_may_be_lost() {
    let server = server();
    let stage = Stage::set(&server);
    stage.with(|state| {
        let names: Vec<String> = journal(state).cloned().collect();
        state.retain(|name, _| !names.contains(name));
    });
    let run = stage.tell();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(
        without_journal(&stored(&server)),
        without_journal(&stage.after)
    );
    assert_eq!(stage.history().len(), 1);
}

/// An entry as other tools write it.
fn entry(name: &str) -> String {
    format!("- rolearn: {ROLE}{name}\n  username: {name}\n  groups: [viewers]\n")
}

/// The map of last week as a state file.
fn backup(stage: &Stage<'_>) -> String {
    let roles = data(&stage.before, MAP)["mapRoles"]
        .as_str()
        .unwrap()
        .to_owned()
        + &entry("revoked");
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": MAP, "namespace": "kube-system"},
        "data": {"mapRoles": roles},
    })
    .to_string()
}
