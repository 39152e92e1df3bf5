//! The API server crashes in the middle of `apply`.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use accord_testkit::{Request, server};

use crate::cluster::{data, stored, without_journal};
use crate::matrix::{check_again, check_half};
use crate::story::Stage;

/// Where it crashes: before it gets this request.
const PLACES: [(&str, &str); 3] = [
    ("the first read", "/namespaces/kube-system?"),
    ("the ledger's write", "/configmaps/accord-ledger?"),
    ("the map's write", "/configmaps/aws-auth?"),
];

/// A rule's answer: whether this is the request to crash at.
fn is_at(place: &str, request: &Request) -> bool {
    format!("{}?", request.path).contains(place)
        && (request.is_write() || place.contains("kube-system"))
}

#[test]
fn a_restart_that_is_quick_enough_is_waited_out_and_another_one_said() {
    let server = server();
    let stage = Stage::set(&server);
    for (what, place) in PLACES {
        for is_quick in [true, false] {
            let what = format!("crash at {what}, quick: {is_quick}");
            stage.reset();
            let (reached, at) = mpsc::channel();
            let (go_on, gone_on) = mpsc::channel();
            let mut is_over = false;
            stage.proxy.rule(move |_, request| {
                if !is_over && is_at(place, request) {
                    is_over = true;
                    let _ = reached.send(());
                    let _ = gone_on.recv();
                }
                None
            });
            let start = Instant::now();
            let story = std::thread::scope(|scope| {
                let story = scope.spawn(|| stage.tell());
                at.recv_timeout(Duration::from_secs(10)).unwrap();
                server.stop_api();
                if is_quick {
                    server.start_api();
                }
                go_on.send(()).unwrap();
                story.join().unwrap()
            });
            let took = start.elapsed();
            if !server.is_running() {
                server.start_api();
            }
            stage.proxy.heal();
            check_half(&stage, &what);
            match story.code {
                Some(0) => {
                    assert_eq!(
                        without_journal(&stored(&server)),
                        without_journal(&stage.after),
                        "{what}"
                    );
                }
                Some(1 | 6) => {
                    assert!(
                        took < Duration::from_secs(10) || is_quick,
                        "{what}: {took:?}"
                    );
                    assert!(
                        story.stderr.contains(&server_address(&stage)),
                        "{what}: {story:?}"
                    );
                    if story.code == Some(1) {
                        assert_eq!(
                            data(&stored(&server), "aws-auth"),
                            data(&stage.before, "aws-auth"),
                            "{what}"
                        );
                    }
                }
                _ => panic!("{what}: {story:?}"),
            }
            assert!(is_quick || story.code != Some(0), "{what}: {story:?}");
            check_again(&stage, &what);
        }
    }
}

fn server_address(stage: &Stage<'_>) -> String {
    stage.proxy.url()
}
