//! Every request, and everything that can go wrong with it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use accord_testkit::{Fault, Output, Reply, server, until};
use serde_json::Value;

use crate::cluster::{data, journal, stored, versions, without_journal};
use crate::manner::{self, Cost, Manner};
use crate::story::{ROLE, Stage};

/// Every command ends within this time.
const LIMIT: Duration = Duration::from_secs(10);

#[test]
fn whatever_goes_wrong_a_second_run_makes_it_good() {
    let server = server();
    let stage = Stage::set(&server);
    let count = requests(&stage);
    let mut tried = 0;
    let mut failed = Vec::new();
    for manner in manner::all() {
        let numbers = (0..count).filter(|&number| match manner.cost {
            _ if is_soak() => true,
            Cost::Usual => true,
            Cost::Slow => is_chosen(number, count),
            Cost::Rare => false,
        });
        for number in numbers {
            let told = catch_unwind(AssertUnwindSafe(|| tell_with(&stage, &manner, number)));
            failed.extend(told.err().map(|_| (manner.name, number))); // it has said why
            tried += 1;
        }
    }
    println!("{count} requests, {tried} faults");
    assert_eq!(failed, []);
}

#[test]
fn whenever_it_is_killed_a_second_run_makes_it_good() {
    let server = server();
    let stage = Stage::set(&server);
    for number in 0..requests(&stage) {
        for (when, fault) in [
            ("before", Fault::before(Reply::Silence)),
            ("after", Fault::after(Reply::Silence)),
        ] {
            let what = format!("killed {when} request {number}");
            stage.reset();
            let (sender, answered) = std::sync::mpsc::channel();
            stage.proxy.rule(move |n, _| {
                (n == number).then(|| {
                    let _ = sender.send(());
                    fault.clone()
                })
            });
            let mut story = stage.begin();
            answered.recv_timeout(LIMIT).unwrap();
            if when == "after" {
                until("the API server to have answered", || {
                    stage.proxy.answered(number).then_some(())
                });
            }
            story.kill().unwrap();
            story.wait().unwrap();
            check_half(&stage, &what);
            check_again(&stage, &what);
        }
    }
}

fn is_soak() -> bool {
    std::env::var_os("ACCORD_SOAK").is_some_and(|value| !value.is_empty())
}

/// How many requests the story takes where nothing goes wrong.
fn requests(stage: &Stage<'_>) -> usize {
    stage.reset();
    stage.tell().ok();
    let requests = stage.proxy.requests();
    assert!(requests.len() > 10, "{requests:?}");
    requests.len()
}

/// Where the slow manners are tried: in the middle of the writes.
const fn is_chosen(number: usize, count: usize) -> bool {
    number + 3 == count
}

fn tell_with(stage: &Stage<'_>, manner: &Manner, number: usize) {
    let what = format!("{} at request {number}", manner.name);
    stage.reset();
    let (lasts, fault) = (manner.lasts, manner.fault.clone());
    stage
        .proxy
        .rule(move |n, _| (n == number || (lasts && n > number)).then(|| fault.clone()));
    let start = Instant::now();
    let first = stage.tell();
    let took = start.elapsed();
    assert!(took < LIMIT, "{what}: took {took:?}: {first:?}");
    let asked = stage.proxy.requests().len();
    assert!(asked > number, "{what}: only {asked} requests");
    stage.proxy.heal();
    check_end(stage, &first, &what);
    check_half(stage, &what);
    check_again(stage, &what);
}

/// The first run's exit code tells what was written, and its message says why.
fn check_end(stage: &Stage<'_>, run: &Output, what: &str) {
    let now = stored(stage.server);
    let Some(code) = run.code else {
        panic!("{what}: {run:?}");
    };
    assert!(!run.stderr.contains("token-of"), "{what}: {run:?}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let outcome = report["outcome"].as_str();
    let same = |then| without_journal(&now) == without_journal(then);
    match code {
        0 => {
            assert_eq!(outcome, Some("done"), "{what}: {run:?}");
            assert!(same(&stage.after), "{what}: not all is done: {run:?}");
            return;
        }
        1 => {
            assert_eq!(run.stdout, "", "{what}: {run:?}");
            assert!(
                same(&stage.before),
                "{what}: something was written: {run:?}"
            );
        }
        6 => {
            assert_eq!(outcome, Some("partial"), "{what}: {run:?}");
            let told = report["written"].as_array().unwrap();
            let (kept, was) = (without_journal(&now), without_journal(&stage.before));
            let changed = kept
                .iter()
                .filter(|(name, object)| was.get(*name) != Some(*object));
            let changed: Vec<Value> = changed
                .map(|(name, _)| format!("ConfigMap/kube-system/{name}").into())
                .collect();
            assert!(
                told.iter().all(|name| changed.contains(name)),
                "{what}: only {changed:?}: {run:?}"
            );
            let untold = changed.iter().filter(|name| !told.contains(name)).count();
            assert!(untold <= 1, "{what}: {changed:?}: {run:?}");
        }
        _ => panic!("{what}: {run:?}"),
    }
    let label = if code == 6 {
        "partly applied: "
    } else {
        "error: "
    };
    assert!(run.stderr.starts_with(label), "{what}: {run:?}");
}

/// What holds at any moment: the map is as before or as after, and the journal does not claim what is not so.
pub(crate) fn check_half(stage: &Stage<'_>, what: &str) {
    let now = stored(stage.server);
    let map = data(&now, "aws-auth");
    let maps = [&stage.before, &stage.after].map(|then| data(then, "aws-auth"));
    assert!(maps.contains(&map), "{what}: {map:#}");
    for entry in stage.history() {
        let change = &entry["changes"][0];
        let is_storys =
            change["principal"] == format!("{ROLE}a-changes") && change["change"] == "changes";
        if is_storys && entry["done"] == true {
            assert_eq!(
                without_journal(&now),
                without_journal(&stage.after),
                "{what}"
            );
        }
    }
    let entries = |stored| journal(stored).count();
    let (was, is) = (entries(&stage.before), entries(&now));
    assert!(
        (was..=was + 1).contains(&is),
        "{what}: {is} journal entries"
    );
}

/// A second run finishes, and a third finds nothing to do.
pub(crate) fn check_again(stage: &Stage<'_>, what: &str) {
    let second = stage.tell();
    assert_eq!(second.code, Some(0), "{what}, second run: {second:?}");
    let now = stored(stage.server);
    assert_eq!(
        without_journal(&now),
        without_journal(&stage.after),
        "{what}"
    );
    stage.proxy.heal();
    let third = stage.tell();
    assert_eq!(third.code, Some(0), "{what}, third run: {third:?}");
    assert!(
        third.stdout.contains(r#""outcome": "nothing""#),
        "{what}: {third:?}"
    );
    assert_eq!(stage.proxy.writes(), [], "{what}: the third run writes");
    assert_eq!(versions(&stored(stage.server)), versions(&now), "{what}");
}
