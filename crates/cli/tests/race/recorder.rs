//! Records every stored version of every ConfigMap with the real kubectl, which knows nothing of Accord.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use accord_testkit::{ADMIN, ApiServer, until};
use serde_json::{Value, json};

use crate::history::{History, MAP, Version};

/// What is watched.
const ALL: &str = "/api/v1/configmaps";

/// Where marks are set, to know how far the recording is.
const MARKS: &str = "/api/v1/namespaces/default/configmaps";

/// A recording that goes on until it is dropped.
pub(crate) struct Recorder<'s> {
    server: &'s ApiServer,
    tape: Arc<Mutex<Tape>>,
    synced: Vec<u64>,
}

/// What is recorded.
#[derive(Default)]
struct Tape {
    versions: Vec<Version>,
    /// Who watches now.
    kubectl: Option<Child>,
    is_over: bool,
}

impl<'s> Recorder<'s> {
    /// Records from now on.
    pub(crate) fn start(server: &'s ApiServer) -> Self {
        let list = server.request("GET", &format!("{ALL}?limit=1"), "");
        let list: Value = serde_json::from_slice(&list.body).unwrap();
        let start = revision(&list);
        let tape = Arc::new(Mutex::new(Tape::default()));
        let shared = Arc::clone(&tape);
        let model = server.kubectl_command(ADMIN);
        std::thread::spawn(move || watch(&shared, &model, start));
        Self {
            server,
            tape,
            synced: Vec::new(),
        }
    }

    /// Waits until everything is recorded that is stored by now, and returns the revision reached.
    pub(crate) fn mark(&self) -> u64 {
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mark"}});
        let made = self.server.request("POST", MARKS, &body.to_string());
        assert_eq!(made.code, 201, "{}", made.text());
        let made: Value = serde_json::from_slice(&made.body).unwrap();
        let revision = revision(&made);
        until("the recording to be there", || {
            let tape = lock(&self.tape);
            let is_there = tape.versions.iter().rev().any(|v| v.revision == revision);
            is_there.then_some(())
        });
        let gone = self.server.request("DELETE", &format!("{MARKS}/mark"), "");
        assert_eq!(gone.code, 200, "{}", gone.text());
        revision
    }

    /// Notes that a `sync` has ended, and nobody else writes.
    pub(crate) fn note_synced(&mut self) {
        let revision = self.mark();
        self.synced.push(revision);
    }

    /// What is recorded so far.
    pub(crate) fn so_far(&self) -> History {
        History {
            versions: lock(&self.tape).versions.clone(),
            synced: self.synced.clone(),
        }
    }

    /// How many versions are recorded so far that `wanted` takes.
    pub(crate) fn count(&self, wanted: impl Fn(&Version) -> bool) -> usize {
        let tape = lock(&self.tape);
        tape.versions.iter().filter(|v| wanted(v)).count()
    }

    /// Everything, with nothing missing: as many versions of the map, and of what Accord keeps, as etcd has counted.
    pub(crate) fn finish(self) -> History {
        self.mark();
        let prefix = "/registry/configmaps/";
        let counted = self.server.times_written(&format!("{prefix}kube-system/"));
        let history = self.so_far();
        let mut recorded: BTreeMap<String, usize> = BTreeMap::new();
        for version in &history.versions {
            let key = format!("{prefix}{}", version.name);
            match version.object {
                Some(_) => *recorded.entry(key).or_default() += 1,
                None => drop(recorded.remove(&key)),
            }
        }
        for (key, times) in &recorded {
            let counted = counted.get(key);
            let is_meant = key.contains("/kube-system/accord-") || key.ends_with(MAP);
            assert!(
                !is_meant || counted == Some(times),
                "{key} was written {counted:?} times, and recorded {times} times"
            );
        }
        history
    }
}

impl Drop for Recorder<'_> {
    fn drop(&mut self) {
        let mut tape = lock(&self.tape);
        tape.is_over = true;
        if let Some(kubectl) = &mut tape.kubectl {
            let _ = kubectl.kill();
            let _ = kubectl.wait();
        }
    }
}

/// Watches until it is over. The API server ends a watch that it finds too slow: another one goes on where it ended.
fn watch(tape: &Mutex<Tape>, model: &Command, start: u64) {
    let mut last = start;
    loop {
        let mut kubectl = Command::new(model.get_program());
        kubectl.envs(
            model
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        let path = format!("{ALL}?watch=true&resourceVersion={last}");
        kubectl.args(["get", "--raw", &path]).stdin(Stdio::null());
        let mut kubectl = kubectl.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(kubectl.stdout.take().unwrap()).lines();
        {
            let mut tape = lock(tape);
            if tape.is_over {
                let _ = kubectl.kill();
                let _ = kubectl.wait();
                return;
            }
            tape.kubectl = Some(kubectl);
        }
        for line in lines.map_while(Result::ok) {
            let Ok(event) = serde_json::from_str::<Value>(&line) else {
                break; // cut off
            };
            let version = Version::of_event(&event);
            let version = version.unwrap_or_else(|| panic!("a watch tells {line}"));
            last = version.revision;
            lock(tape).versions.push(version);
        }
        let mut tape = lock(tape);
        if let Some(mut kubectl) = tape.kubectl.take() {
            let _ = kubectl.wait();
        }
        if tape.is_over {
            return;
        }
    }
}

fn revision(object: &Value) -> u64 {
    let revision = object["metadata"]["resourceVersion"].as_str();
    revision.and_then(|text| text.parse().ok()).unwrap()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
