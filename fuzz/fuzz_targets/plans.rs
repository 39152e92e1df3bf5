//! Terraform plans: no bytes panic, and every place that is read of one is in it.

#![no_main]

use accord_wire::sources::Sources;
use accord_wire::template::Target;
use accord_wire::terraform;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut sources = Sources::new();
    let Ok(Some(deploy)) = terraform::read("plan.json", bytes, &Target::default(), &mut sources)
    else {
        return;
    };
    for span in deploy.resources.iter().filter_map(|r| r.span) {
        assert!(sources.locate(span).is_some());
    }
});
