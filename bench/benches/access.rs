//! What is done with a map: read it, and find who somebody is.

#![allow(missing_docs, reason = "criterion's macros make undocumented items")]

use accord_model::arn::PrincipalKey;
use accord_model::mapping::SectionName;
use accord_model::reading::AuthMap;
use accord_plan::rules::Rules;
use accord_wire::authenticator;
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

criterion_group!(benches, read, resolve);
criterion_main!(benches);
