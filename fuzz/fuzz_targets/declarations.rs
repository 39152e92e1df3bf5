//! Declarations: no bytes panic, and what is read without a problem names every principal once.

#![no_main]

use accord_model::claim::Owner;
use accord_wire::declaration;
use accord_wire::sources::Sources;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for owner in [None, Some(Owner::named("team"))] {
        let mut sources = Sources::new();
        let files = [("claims.yaml", bytes)];
        let Ok(declared) = declaration::read(&files, owner.as_ref(), &mut sources) else {
            continue;
        };
        if !declared.problems.is_empty() {
            continue;
        }
        for fragment in &declared.fragments {
            for (i, claim) in fragment.claims.iter().enumerate() {
                let earlier = &fragment.claims[..i];
                assert!(
                    earlier
                        .iter()
                        .all(|other| other.principal != claim.principal)
                );
            }
        }
    }
});
