//! Identities and principals: any text has a key, and the canonical form is its own canonical form.

#![no_main]

use accord_model::arn::{self, PrincipalKey};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let key = PrincipalKey::of(text);
    assert_eq!(PrincipalKey::of(key.as_str()), key);

    if let Ok((_, canonical)) = arn::canonicalize(text) {
        let (_, again) = arn::canonicalize(&canonical).expect("a canonical form is a principal");
        assert_eq!(again, canonical);
    }
    let bare = arn::without_role_path(text);
    assert_eq!(arn::without_role_path(&bare), bare);
});
