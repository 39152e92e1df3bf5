//! Every request, and everything that can go wrong with it.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use accord_testkit::{Fault, Output, Reply, Request, server, until};
use serde_json::Value;

use crate::cluster::{data, journal, stored, versions, without_journal};
use crate::manner::{self, Cost, Manner};
use crate::story::{Stage, Story};

/// Every command ends within this time.
const LIMIT: Duration = Duration::from_secs(10);

#[test]
fn whatever_goes_wrong_a_second_run_makes_it_good() {
    let server = server();
    let stage = Stage::set(&server);
    let count = requests(&stage).len();
    let mut failed = Vec::new();
    for manner in manner::all() {
        let numbers = (0..count).filter(|&number| match manner.cost {
            _ if is_soak() => true,
            Cost::Usual => true,
            Cost::Slow => is_chosen(number, count),
            Cost::Rare => false,
        });
        failed.extend(tell_with_each(&stage, &manner, numbers));
    }
    assert_eq!(failed, []);
}

#[test]
fn whenever_it_is_killed_a_second_run_makes_it_good() {
    let server = server();
    let stage = Stage::set(&server);
    for number in 0..requests(&stage).len() {
        kill_at(&stage, number);
    }
}

/// The other stories at their writes; in a soak at every request.
#[test]
fn a_removal_and_a_first_claim_are_made_good_too() {
    let server = server();
    for story in [Story::Remove, Story::First] {
        let stage = Stage::for_story(&server, story);
        let requests = requests(&stage);
        let numbers = || (0..requests.len()).filter(|&n| is_soak() || requests[n].is_write());
        let manners = manner::all()
            .into_iter()
            .filter(|manner| match manner.cost {
                _ if is_soak() => manner.cost != Cost::Slow,
                _ => [
                    "cut after",
                    "gone after",
                    "409 although done",
                    "half an object",
                ]
                .contains(&manner.name),
            });
        for manner in manners {
            assert_eq!(tell_with_each(&stage, &manner, numbers()), [], "{story:?}");
        }
        for number in numbers() {
            kill_at(&stage, number);
        }
    }
}

fn is_soak() -> bool {
    std::env::var_os("ACCORD_SOAK").is_some_and(|value| !value.is_empty())
}

/// The requests that the story takes where nothing goes wrong.
fn requests(stage: &Stage<'_>) -> Vec<Request> {
    stage.reset();
    stage.tell().ok();
    let requests = stage.proxy.requests();
    assert!(requests.len() > 10, "{requests:?}");
    requests
}

/// Where the slow manners are tried: in the middle of the writes.
const fn is_chosen(number: usize, count: usize) -> bool {
    number + 3 == count
}

/// Tells the story once for each number, and answers where that failed; why has been printed.
fn tell_with_each(
    stage: &Stage<'_>,
    manner: &Manner,
    numbers: impl Iterator<Item = usize>,
) -> Vec<(&'static str, usize)> {
    let is_bad =
        |number| catch_unwind(AssertUnwindSafe(|| tell_with(stage, manner, number))).is_err();
    let bad = numbers.filter(|&number| is_bad(number));
    bad.map(|number| (manner.name, number)).collect()
}

/// Kills the story before and after the API server has answered a request.
fn kill_at(stage: &Stage<'_>, number: usize) {
    for (when, fault) in [
        ("before", Fault::before(Reply::Silence)),
        ("after", Fault::after(Reply::Silence)),
    ] {
        let what = format!("killed {when} request {number}");
        stage.reset();
        let (sender, asked) = std::sync::mpsc::channel();
        stage.proxy.rule(move |n, _| {
            (n == number).then(|| {
                let _ = sender.send(());
                fault.clone()
            })
        });
        let mut story = stage.begin();
        asked.recv_timeout(LIMIT).unwrap();
        if when == "after" {
            until("the API server to have answered", || {
                stage.proxy.answered(number).then_some(())
            });
        }
        story.kill().unwrap();
        story.wait().unwrap();
        check_half(stage, &what);
        check_again(stage, &what);
    }
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
            let names: BTreeSet<&str> = kept.keys().chain(was.keys()).copied().collect();
            let changed = names
                .into_iter()
                .filter(|name| kept.get(name) != was.get(name));
            let changed: Vec<Value> = changed
                .map(|name| format!("ConfigMap/kube-system/{name}").into())
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
        let name = format!("accord-journal-{}", entry["id"].as_str().unwrap());
        if entry["done"] == true && !stage.before.contains_key(&name) {
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
    for run in ["second", "third"] {
        let found = stored(stage.server);
        stage.proxy.heal();
        let again = stage.tell();
        let now = stored(stage.server);
        let what = format!("{what}, {run} run: {again:?}");
        assert_eq!(
            without_journal(&now),
            without_journal(&stage.after),
            "{what}"
        );
        let was_done = without_journal(&found) == without_journal(&stage.after);
        match again.code {
            Some(0) if was_done => {
                assert!(again.stdout.contains(r#""outcome": "nothing""#), "{what}")
            }
            Some(0) => assert!(again.stdout.contains(r#""outcome": "done""#), "{what}"),
            // Nobody has that name any more.
            Some(2) if was_done => assert!(again.stderr.contains("team-a"), "{what}"),
            _ => panic!("{what}"),
        }
        if was_done {
            assert_eq!(stage.proxy.writes(), [], "{what}");
            assert_eq!(versions(&now), versions(&found), "{what}");
        }
        assert!(was_done || run == "second", "{what}");
    }
}
