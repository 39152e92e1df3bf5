//! The judge has teeth: it finds what a program does that breaks one of the rules, and nothing where none is broken.
//!
//! The programs are `accord` built with the feature `teeth`, where a rule can be switched off. Nothing is left to
//! chance: between two requests of one owner's run, another owner's whole run takes place.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use accord_testkit::{ADMIN, Output, Proxy, Request, server};

use crate::foreign;
use crate::history::Version;
use crate::judge::{Rule, judge};
use crate::owner::{Owners, Wish};
use crate::recorder::Recorder;

/// Before which of the late owner's requests the early owner's run takes place.
type When = fn(&Request) -> bool;

/// When the ledger is read: claims that were listed before it are out of date.
fn reads_ledger(request: &Request) -> bool {
    request.method == "GET" && request.path.ends_with("/accord-ledger")
}

/// When the map is written: it is not what was read any more.
fn writes_map(request: &Request) -> bool {
    request.method == "PATCH" && request.path.contains("/aws-auth")
}

#[test]
fn claims_listed_before_the_map_lose_a_claim() {
    let rule = "claims are listed after the map";
    assert_eq!(broken(None, reads_ledger), []);
    assert_eq!(broken(Some(rule), reads_ledger), [Rule::ClaimedStays]);
}

#[test]
fn a_write_without_a_version_loses_a_claim() {
    let rule = "a write carries the version that was read";
    assert_eq!(broken(None, writes_map), []);
    assert_eq!(broken(Some(rule), writes_map), [Rule::ClaimedStays]);
}

#[test]
fn an_old_decision_after_a_conflict_loses_a_claim() {
    let rule = "after a conflict everything is decided anew";
    assert_eq!(broken(Some(rule), writes_map), [Rule::ClaimedStays]);
}

/// The rules that the judge finds broken, when one owner's run takes place within another's in which `off` is off.
fn broken(off: Option<&str>, when: When) -> Vec<Rule> {
    let server = server();
    let owners = Owners::of(&server, program());
    let recorder = Recorder::start(&server);
    foreign::make(&server);
    let [before, early, late] = [1, 2, 3].map(|owner| Wish { owner, round: 0 });
    owners.apply(before).ok();
    let proxy = Proxy::before(&server);
    let mut between = Some(owners.command(&server.kubeconfig(ADMIN), early));
    proxy.rule(move |_, request| {
        if when(request)
            && let Some(mut early) = between.take()
        {
            Output::of(&mut early, "").ok();
        }
        None
    });
    let mut run = owners.command(&proxy.kubeconfig(ADMIN), late);
    if let Some(off) = off {
        run.env("ACCORD_TEETH", off);
    }
    Output::of(&mut run, "").ok();
    let history = recorder.finish();
    let writers: Vec<_> = history.versions.iter().filter_map(Version::owner).collect();
    assert_eq!(
        writers.len(),
        3,
        "each has stored its claims once: {writers:?}"
    );
    let found = judge(&history);
    found.into_iter().map(|violation| violation.rule).collect()
}

/// The program, built with the feature.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let usual = Path::new(env!("CARGO_BIN_EXE_accord"));
        let profile = usual.parent().unwrap();
        let target = profile.parent().unwrap();
        let own = target.join("teeth");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .args(["build", "--quiet", "--locked", "--package", "accord-cli"])
            .args(["--bin", "accord", "--features", "teeth", "--target-dir"])
            .arg(&own)
            // What is compiled already is shared; only the program goes elsewhere.
            .env("CARGO_BUILD_BUILD_DIR", target)
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        Output::of(&mut cargo, "").ok();
        own.join(profile.file_name().unwrap()).join("accord")
    })
}
