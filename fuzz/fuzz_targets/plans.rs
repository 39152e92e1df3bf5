//! Terraform plans: no bytes panic, neither in reading nor in judging, and every place that is read of one is in it.

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
    let cluster = accord_fuzz::cluster(&mut sources);
    for live in [None, Some(&cluster)] {
        let outlook = accord_plan::deploy::judge(std::slice::from_ref(&deploy), live, None)
            .expect("no caller");
        for finding in &outlook.findings {
            assert!(!finding.message.contains('\u{FDD0}'), "{}", finding.message);
            assert_eq!(
                finding.span.is_some(),
                finding.span.is_some_and(|s| sources.locate(s).is_some())
            );
        }
    }
    for span in deploy.resources.iter().filter_map(|r| r.span) {
        assert!(sources.locate(span).is_some());
    }
});
