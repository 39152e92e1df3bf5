//! How Go folds case, which decides what matches.
//!
//! Two different foldings are in use:
//! - `strings.ToLower` makes the key of a role entry (`pkg/config/mapper.go`), one rune at a time: [`to_lower`];
//! - simple folding (the orbits of `unicode.SimpleFold`) is used by `strings.EqualFold`, by which stored ARNs are
//!   compared with the caller's, and by `encoding/json` when it matches field names: [`equal_fold`], [`fold_key`].
//!
//! They differ outside ASCII: U+212A (Kelvin) is `k` in both; U+017F (long s) is `s` only in the second, U+0130
//! (dotted I) is `i` only in the first.
//!
//! Go's tables are those of Unicode 15.0, Rust's are newer: letters that got a case since then are listed here.

use std::borrow::Cow;

/// Go's `strings.ToLower`.
pub fn to_lower(text: &str) -> Cow<'_, str> {
    map_chars(text, lower)
}

/// The form under which two texts are equal exactly if Go's `strings.EqualFold` says so, and if Go's `encoding/json`
/// takes them for the same field. Of text that is all ASCII it is the lower-cased text.
pub fn fold_key(text: &str) -> Cow<'_, str> {
    map_chars(text, fold)
}

/// Go's `strings.EqualFold`.
pub fn equal_fold(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    a.chars().map(fold).eq(b.chars().map(fold))
}

fn map_chars(text: &str, map: fn(char) -> char) -> Cow<'_, str> {
    if !text.is_ascii() {
        Cow::Owned(text.chars().map(map).collect())
    } else if text.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// Go's `unicode.ToLower`.
fn lower(c: char) -> char {
    match c {
        '\u{130}' => 'i',
        // Cased only since Unicode 16 and 17.
        '\u{1C89}'
        | '\u{A7CB}'
        | '\u{A7CC}'
        | '\u{A7CE}'
        | '\u{A7D2}'
        | '\u{A7D4}'
        | '\u{A7DA}'
        | '\u{A7DC}'
        | '\u{10D50}'..='\u{10D65}'
        | '\u{16EA0}'..='\u{16EB8}' => c,
        _ => {
            let mut lowered = c.to_lowercase();
            match (lowered.next(), lowered.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        }
    }
}

/// One member of the orbit of `c` under Go's `unicode.SimpleFold`, the same for all of them: the lower-case letter.
fn fold(c: char) -> char {
    match c {
        // No orbit, though it has a lower case.
        '\u{130}' => c,
        // Letters that are lower case already, and fold to another lower-case letter.
        'ſ' => 's',
        'ẛ' => 'ṡ',
        '\u{B5}' => 'μ',
        '\u{345}' | '\u{1FBE}' => 'ι',
        'ϐ' => 'β',
        'ϵ' => 'ε',
        'ϑ' => 'θ',
        'ϰ' => 'κ',
        'ϖ' => 'π',
        'ϱ' => 'ρ',
        'ς' => 'σ',
        'ϕ' => 'φ',
        '\u{1C80}' => 'в',
        '\u{1C81}' => 'д',
        '\u{1C82}' => 'о',
        '\u{1C83}' => 'с',
        '\u{1C84}' | '\u{1C85}' => 'т',
        '\u{1C86}' => 'ъ',
        '\u{1C87}' => 'ѣ',
        '\u{1C88}' => 'ꙋ',
        _ => lower(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ascii_is_lowered_by_both() {
        assert_eq!(to_lower("Role/ABC-xyz_9"), "role/abc-xyz_9");
        assert_eq!(fold_key("Role/ABC-xyz_9"), "role/abc-xyz_9");
        assert!(matches!(to_lower("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn the_foldings_differ_where_gos_do() {
        // Kelvin sign, long s, dotted capital I.
        assert_eq!(to_lower("K"), "k");
        assert_eq!(to_lower("ſ"), "ſ");
        assert_eq!(to_lower("İ"), "i");
        assert!(equal_fold("K", "k"));
        assert!(equal_fold("ſ", "S"));
        assert!(!equal_fold("İ", "i"));
        assert!(!equal_fold("İ", "ı"));
    }

    #[test]
    fn orbits_of_more_than_two_letters_are_one() {
        for orbit in [
            "Σσς",
            "Μμµ",
            "Θθϑϴ",
            "Ιιι\u{345}",
            "Тт\u{1C84}\u{1C85}",
            "Ååå",
            "ẞß",
            "Ꙋꙋ\u{1C88}",
        ] {
            let letters: Vec<String> = orbit.chars().map(String::from).collect();
            for a in &letters {
                for b in &letters {
                    assert!(equal_fold(a, b), "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn a_letter_cased_after_unicode_15_has_no_case() {
        assert_eq!(to_lower("\u{10D50}"), "\u{10D50}");
        assert!(!equal_fold("\u{A7CB}", "\u{264}"));
    }

    #[test]
    fn full_case_mappings_do_not_apply() {
        assert!(!equal_fold("ß", "ss"));
        assert!(!equal_fold("ﬁ", "fi"));
    }

    proptest! {
        #[test]
        fn equal_fold_is_equality_of_keys(a in "\\PC{0,8}", b in "\\PC{0,8}") {
            prop_assert_eq!(equal_fold(&a, &b), fold_key(&a) == fold_key(&b));
            prop_assert_eq!(equal_fold(&a, &b), equal_fold(&b, &a));
        }

        #[test]
        fn folding_twice_is_folding_once(c in any::<char>()) {
            let (c, once, low) = (c.to_string(), fold(c), lower(c));
            prop_assert_eq!(fold(once), once);
            prop_assert_eq!(lower(low), low);
            let once_text = once.to_string();
            prop_assert!(equal_fold(&c, &once_text));
        }
    }
}
