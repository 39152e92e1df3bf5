//! What is done with a map: read it, find who somebody is, and reconcile it with claims.

#![allow(missing_docs, reason = "criterion's macros make undocumented items")]
#![allow(clippy::panic, reason = "a bench with a broken input must stop")]

use accord_model::arn::PrincipalKey;
use accord_model::mapping::SectionName;
use accord_model::observed::Observed;
use accord_model::reading::AuthMap;
use accord_model::time::Timestamp;
use accord_plan::checker;
use accord_plan::reconcile::decide;
use accord_plan::request::{Intent, Request};
use accord_plan::rules::Rules;
use accord_wire::authenticator;
use accord_wire::sources::Sources;
use accord_wire::state::StateFile;
use bench::SIZES;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn map(text: &str) -> AuthMap {
    authenticator::read_map(&[(SectionName::Roles, None, text)])
}

fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    for entries in SIZES {
        let text = bench::roles(entries);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(entries), &text, |b, text| {
            b.iter(|| map(text));
        });
    }
}

fn resolve(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("resolve");
    for entries in SIZES {
        let map = map(&bench::roles(entries));
        let rules = Rules::of(&map);
        let principal = bench::principal(entries / 2);
        group.bench_function(BenchmarkId::from_parameter(entries), |b| {
            b.iter(|| rules.deciding(&PrincipalKey::of(&principal)));
        });
    }
}

fn reconcile(criterion: &mut Criterion) {
    const CLAIMS: usize = 5_000;
    let mut group = criterion.benchmark_group("reconcile");
    for (name, entries) in [("in-effect", CLAIMS), ("new", 0)] {
        let observed = observed(&bench::claimed_state(entries, CLAIMS));
        group.bench_function(name, |b| {
            b.iter(|| decide(&observed, &Request::new(Intent::Sync)));
        });
        if let Ok(plan) = decide(&observed, &Request::new(Intent::Sync)) {
            group.bench_function(format!("check-{name}"), |b| {
                b.iter(|| checker::check(&observed, &plan));
            });
        }
    }
}

fn observed(state: &str) -> Observed {
    let mut sources = Sources::new();
    let state = StateFile::parse("state.yaml", state.as_bytes(), &mut sources);
    state
        .and_then(|state| state.observed(Timestamp::default(), &[], &mut sources))
        .unwrap_or_else(|error| panic!("a state file of our own: {error}"))
}

criterion_group!(benches, read, resolve, reconcile);
criterion_main!(benches);
