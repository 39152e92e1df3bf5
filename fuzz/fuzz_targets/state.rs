//! State files: no bytes panic, and what is read of one is observed alike every time.

#![no_main]

use accord_model::time::Timestamp;
use accord_wire::sources::Sources;
use accord_wire::state::StateFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut sources = Sources::new();
    let Ok(state) = StateFile::parse("state.yaml", bytes, &mut sources) else {
        return;
    };
    let now = Timestamp {
        millis: 1_800_000_000_000,
    };
    let first = state.observed(now, &[], &mut sources);
    let second = state.observed(now, &[], &mut sources);
    assert_eq!(first.is_ok(), second.is_ok());
});
