//! Everybody at once, again and again, while others write old maps over theirs.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use accord_testkit::{Output, server};
use serde_json::Value;

use crate::history::{History, MAP, writer};
use crate::hostile::Tool;
use crate::judge::judge;
use crate::owner::{Owners, Wish};
use crate::recorder::Recorder;

/// What of it is chance: one seed for each run.
const SEEDS: [u64; 2] = [20_260_105, 4_711];

/// The map as others wrote it: none of it is Accord's to change.
const FOREIGN: &str = "# node groups, do not touch
- rolearn: arn:aws:iam::111122223333:role/nodes
  username: system:node:{{EC2PrivateDNSName}}
  groups:
  - system:bootstrappers
  - system:nodes

-   groups:
      - system:masters   # break glass
    rolearn: arn:aws:iam::111122223333:role/platform
    username: platform
- rolearn: arn:aws:iam::111122223333:role/pods
  username: system:node:{{SessionName}}
  groups: [ system:bootstrappers, system:nodes, system:node-proxier ]
# the end
";

/// How large it is.
struct Size {
    owners: usize,
    rounds: usize,
    /// Overwrites in each round, while owners write.
    hostile: usize,
}

#[test]
fn nothing_is_lost_whoever_writes_when() {
    let is_soak = std::env::var_os("ACCORD_SOAK").is_some_and(|value| !value.is_empty());
    let size = match is_soak {
        true => Size {
            owners: 50,
            rounds: 20,
            hostile: 6,
        },
        false => Size {
            owners: 20,
            rounds: 3,
            hostile: 3,
        },
    };
    let seeds = if is_soak { &SEEDS[..] } else { &SEEDS[..1] };
    for &seed in seeds {
        let (history, report) = storm(Path::new(env!("CARGO_BIN_EXE_accord")), &size, seed);
        println!("{report}");
        let violations = judge(&history);
        let told: Vec<String> = violations.iter().map(ToString::to_string).collect();
        assert_eq!(told, [""; 0], "seed {seed}");
    }
}

fn storm(program: &Path, size: &Size, seed: u64) -> (History, String) {
    let server = server();
    let owners = Owners::of(&server, program);
    let mut recorder = Recorder::start(&server);
    let mut chance = fastrand::Rng::with_seed(seed);
    let first = serde_json::json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "aws-auth", "namespace": "kube-system"},
        "data": {"mapRoles": FOREIGN, "note": "keep me\n"},
    });
    let create = ["create", "-f", "-"];
    server.kubectl_with_input(&create, &first.to_string()).ok();
    let mut slowest = Duration::ZERO;
    for round in 0..size.rounds {
        let start = Instant::now();
        everybody(&owners, &recorder, size, round, &mut chance);
        slowest = slowest.max(start.elapsed());
        // Then somebody takes every claim out, and anybody puts all back.
        Tool::ALL[round % 3].overwrite(&server, &first);
        owners.sync().ok();
        recorder.note_synced();
    }
    let history = recorder.finish();
    let report = report(&history, size, seed, slowest);
    (history, report)
}

/// All owners write, and others write what the map was when there were so many versions fewer.
fn everybody(
    owners: &Owners<'_>,
    recorder: &Recorder<'_>,
    size: &Size,
    round: usize,
    chance: &mut fastrand::Rng,
) {
    let is_claim = |version: &crate::history::Version| version.owner().is_some();
    let before = recorder.count(is_claim);
    let is_over = AtomicBool::new(false);
    let mut turns: Vec<usize> = (0..size.hostile)
        .map(|_| chance.usize(..size.owners))
        .collect();
    turns.sort_unstable();
    let mut tools = Tool::ALL;
    chance.shuffle(&mut tools);
    let mut ages = chance.fork();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..size.owners)
            .map(|owner| scope.spawn(move || owners.apply(Wish { owner, round })))
            .collect();
        let is_over = &is_over;
        scope.spawn(move || {
            for (turn, tool) in turns.into_iter().zip(tools.into_iter().cycle()) {
                accord_testkit::until("owners to write, or to be done", || {
                    let is_turn = recorder.count(is_claim) >= before + turn;
                    (is_turn || is_over.load(Ordering::SeqCst)).then_some(())
                });
                let old = old_map(recorder, &mut ages);
                tool.overwrite(owners.server, &old);
            }
        });
        let outputs: Vec<Output> = running.into_iter().map(|r| r.join().unwrap()).collect();
        is_over.store(true, Ordering::SeqCst);
        for (owner, output) in outputs.into_iter().enumerate() {
            assert_eq!(
                output.code,
                Some(0),
                "round {round}, owner {owner}: {}",
                output.stderr
            );
        }
    });
}

/// One of the last versions of the map, and not the last one, if there is another.
fn old_map(recorder: &Recorder<'_>, ages: &mut fastrand::Rng) -> Value {
    let history = recorder.so_far();
    let maps: Vec<_> = history.maps().collect();
    let age = ages.usize(1..8).min(maps.len() - 1);
    maps[maps.len() - 1 - age].object.clone().unwrap()
}

fn report(history: &History, size: &Size, seed: u64, slowest: Duration) -> String {
    let maps: Vec<_> = history.maps().collect();
    let writers: Vec<_> = maps
        .windows(2)
        .filter_map(|p| writer(Some(p[0]), p[1]))
        .collect();
    let ours = writers.iter().filter(|w| **w == "accord").count();
    format!(
        "seed {seed}: {} owners, {} rounds: {} versions of ConfigMaps, {} of {MAP}: {ours} by Accord, {} by others; \
         the slowest round took {:.1} s",
        size.owners,
        size.rounds,
        history.versions.len(),
        maps.len(),
        writers.len() - ours,
        slowest.as_secs_f64()
    )
}
