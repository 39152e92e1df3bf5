//! Everybody at once, again and again, while others write old maps over theirs.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use accord_testkit::{Output, server};
use serde_json::Value;

use crate::foreign;
use crate::history::{History, MAP, Writer, writer};
use crate::hostile::Tool;
use crate::judge::judge;
use crate::owner::{Owners, Wish};
use crate::recorder::Recorder;

/// What of it is chance: one seed for each run.
const SEEDS: [u64; 2] = [20_260_105, 4_711];

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
    let first = foreign::make(&server);
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
    let writers = maps.windows(2).map(|pair| writer(Some(pair[0]), pair[1]));
    let (ours, others): (Vec<_>, Vec<_>) = writers
        .filter(|writer| *writer != Writer::Nobody)
        .partition(|writer| *writer == Writer::Known("accord"));
    format!(
        "seed {seed}: {} owners, {} rounds: {} versions of ConfigMaps, {} of {MAP}: {} by Accord, {} by others; \
         the slowest round took {:.1} s",
        size.owners,
        size.rounds,
        history.versions.len(),
        maps.len(),
        ours.len(),
        others.len(),
        slowest.as_secs_f64()
    )
}
