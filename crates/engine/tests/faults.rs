//! The loop with a cluster that fails, or that somebody else writes to: nothing is lost, and a rerun gets there.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may write files"
)]

use std::path::{Path, PathBuf};

use accord_engine::clock::Clock;
use accord_engine::cluster::{Cluster, ClusterError, Data, Write};
use accord_engine::run::{self, Asker, Outcome, Proposal, RunError};
use accord_engine::state_file::StateFile;
use accord_model::journal::JournalEntry;
use accord_model::observed::Observed;
use accord_model::plan::Plan;
use accord_model::time::Timestamp;
use accord_plan::reconcile::decide;
use accord_plan::request::{Intent, Request, RequestError};
use accord_wire::config_map::ObjectName;
use accord_wire::sources::Sources;
use accord_wire::{declaration, fragment};

const STATE: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: aws-auth
  namespace: kube-system
data:
  mapRoles: |
    - rolearn: arn:aws:iam::111122223333:role/admin   # ask first
      username: admin
      groups: [system:masters]
";

const WANTED: &str = "\
- rolearn: arn:aws:iam::111122223333:role/a
  username: a
  groups: [a]
";

/// A state file whose `fail_at`-th call fails, or before whose commit somebody else writes.
struct Faulty {
    file: StateFile,
    path: PathBuf,
    calls: usize,
    fail_at: Option<usize>,
    others_write: usize,
    written: Vec<String>,
}

impl Faulty {
    fn call(&mut self) -> Result<(), ClusterError> {
        self.calls += 1;
        if Some(self.calls) == self.fail_at {
            let error = std::io::Error::other("injected");
            return Err(accord_engine::file::FileError::Write(self.path.clone(), error).into());
        }
        Ok(())
    }
}

impl Cluster for Faulty {
    fn observe(&mut self, now: Timestamp, sources: &mut Sources) -> Result<Observed, ClusterError> {
        self.call()?;
        self.file.observe(now, sources)
    }

    fn read_back(
        &mut self,
        before: &Observed,
        sources: &mut Sources,
    ) -> Result<Observed, ClusterError> {
        self.call()?;
        self.file.read_back(before, sources)
    }

    fn data(&self, name: &ObjectName) -> Option<Data> {
        self.file.data(name)
    }

    fn forget(&mut self, id: &str) -> Result<(), ClusterError> {
        self.call()?;
        self.file.forget(id)
    }

    fn last_entry(&self) -> Option<String> {
        self.file.last_entry()
    }

    fn writes_at_once(&self) -> bool {
        self.file.writes_at_once()
    }

    fn wait(&self, times: u32) {
        self.file.wait(times);
    }

    fn write(&mut self, write: &Write) -> Result<(), ClusterError> {
        self.call()?;
        self.written.push(write.name.name.clone());
        self.file.write(write)
    }

    fn journal(&mut self, entry: &JournalEntry, keep: usize) -> Result<(), ClusterError> {
        self.call()?;
        self.file.journal(entry, keep)
    }

    fn commit(&mut self) -> Result<(), ClusterError> {
        self.call()?;
        if self.others_write > 0 {
            self.others_write -= 1;
            let mut text = std::fs::read_to_string(&self.path).unwrap();
            text.push_str(&format!("# somebody was here {}\n", self.others_write));
            std::fs::write(&self.path, text).unwrap();
        }
        self.file.commit()
    }
}

fn faulty(path: &Path) -> Faulty {
    Faulty {
        file: StateFile::new(path, &[]),
        path: path.to_owned(),
        calls: 0,
        fail_at: None,
        others_write: 0,
        written: Vec::new(),
    }
}

fn apply(cluster: &mut Faulty) -> Result<Outcome<RequestError>, RunError<RequestError>> {
    run(cluster, &declare("team", WANTED))
}

/// A request that `owner` claims what is `wanted`.
fn declare(owner: &str, wanted: &str) -> Request {
    let owner = fragment::owner_named(owner).unwrap();
    let files = [("a.yaml", wanted.as_bytes())];
    let declared = declaration::read(&files, Some(&owner), &mut Sources::new()).unwrap();
    Request::new(Intent::Declare {
        fragments: declared.fragments,
        prune: false,
    })
}

fn run(
    cluster: &mut dyn Cluster,
    request: &Request,
) -> Result<Outcome<RequestError>, RunError<RequestError>> {
    let decide = |observed: &Observed| -> Result<Plan, RequestError> { decide(observed, request) };
    let mut yes = |_: &Proposal, _: &Sources| Ok(true);
    let asker = Asker {
        command: "test".into(),
        ..Asker::default()
    };
    let mut sources = Sources::new();
    run::apply(
        cluster,
        &mut sources,
        Clock::system(),
        &asker,
        &decide,
        &mut yes,
    )
}

fn state() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.yaml");
    std::fs::write(&path, STATE).unwrap();
    (folder, path)
}

#[test]
fn whatever_fails_the_file_is_as_it_was_and_a_rerun_gets_there() {
    let (_folder, path) = state();
    let mut count = faulty(&path);
    assert!(matches!(apply(&mut count), Ok(Outcome::Done(..))));
    let (calls, done) = (count.calls, std::fs::read_to_string(&path).unwrap());
    assert!(
        calls >= 6,
        "observe, journal, writes, observe, journal, commit: {calls}"
    );
    for fail_at in 1..=calls {
        let (_folder, path) = state();
        let mut cluster = faulty(&path);
        cluster.fail_at = Some(fail_at);
        assert!(apply(&mut cluster).is_err(), "call {fail_at}");
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            STATE,
            "call {fail_at}"
        );
        assert!(matches!(apply(&mut faulty(&path)), Ok(Outcome::Done(..))));
        let again = std::fs::read_to_string(&path).unwrap();
        // All but the journal, whose entries have ids of their own.
        let without_journal = |text: &str| text.split("accord-journal-").next().unwrap().to_owned();
        assert_eq!(
            without_journal(&again),
            without_journal(&done),
            "call {fail_at}"
        );
    }
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_kept() {
    let (_folder, path) = state();
    let mut cluster = faulty(&path);
    cluster.others_write = 2;
    assert!(matches!(apply(&mut cluster), Ok(Outcome::Done(..))));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("# somebody was here 0") && text.contains("# somebody was here 1"));
    assert!(text.contains("role/a\n") && text.contains("# ask first"));
}

#[test]
fn a_storm_of_writers_ends_in_an_error_and_loses_nothing() {
    let (_folder, path) = state();
    let mut cluster = faulty(&path);
    cluster.others_write = usize::MAX;
    let error = apply(&mut cluster).unwrap_err();
    assert!(
        matches!(error, RunError::Cluster(ClusterError::Conflict(_))),
        "{error}"
    );
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(STATE) && !text.contains("role/a\n"));
}

#[test]
fn many_at_once_all_get_their_entry() {
    let (_folder, path) = state();
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let path = &path;
            scope.spawn(move || one(path, name));
        }
    });
    let text = std::fs::read_to_string(&path).unwrap();
    for name in ["a", "b", "c", "d"] {
        assert!(text.contains(&format!("role/{name}\n")), "{text}");
    }
}

/// One owner of many, who tries until nobody is in the way.
fn one(path: &Path, name: &str) {
    let request = declare(name, &WANTED.replace("role/a", &format!("role/{name}")));
    for _ in 0..50 {
        match run(&mut StateFile::new(path, &[]), &request) {
            Ok(Outcome::Done(..) | Outcome::Nothing(_)) => return,
            Err(RunError::Cluster(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    panic!("{name} never got there");
}

#[test]
fn the_ledger_knows_every_entry_that_may_be_there() {
    let (_folder, path) = state();
    let mut cluster = faulty(&path);
    assert!(matches!(apply(&mut cluster), Ok(Outcome::Done(..))));
    assert_eq!(
        cluster.written,
        ["accord-team", "accord-ledger", "aws-auth"]
    );
    let mut cluster = faulty(&path);
    let owner = fragment::owner_named("team").unwrap();
    let removed = run(&mut cluster, &Request::new(Intent::Remove(owner)));
    assert!(matches!(removed, Ok(Outcome::Done(..))));
    // Written ahead it says what it said before, so that the first write is none.
    assert_eq!(
        cluster.written,
        ["accord-team", "aws-auth", "accord-ledger"]
    );
}
