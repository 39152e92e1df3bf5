//! Templates: no bytes panic, neither in reading nor in judging, and what is read of one is read alike every time.

#![no_main]

use accord_wire::sources::Sources;
use accord_wire::template::{self, Target};
use libfuzzer_sys::fuzz_target;

/// What a nested stack is, wherever one is looked for.
const NESTED: &str = "Resources: {E: {Type: AWS::EKS::AccessEntry, Properties: {PrincipalArn: !Ref P}}}\nOutputs: {O: {Value: !Ref P}}";

fuzz_target!(|bytes: &[u8]| {
    let mut sources = Sources::new();
    let target = Target::of_arn("arn:aws:eks:eu-west-1:111122223333:cluster/demo");
    let beside = |_: &str| Some(("nested".to_owned(), NESTED.into()));
    let Ok(Some(deploy)) = template::read("template", bytes, &target, &beside, &mut sources) else {
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
    let again = template::read("template", bytes, &target, &beside, &mut sources);
    let count = again.ok().flatten().map(|d| d.resources.len());
    assert_eq!(count, Some(deploy.resources.len()));
});
