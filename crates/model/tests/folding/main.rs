//! Our folding of case beside Go's own tables, for every character there is.
//!
//! `go.txt` is what `oracle fold` prints: a character that has another case, its `unicode.ToLower`, and the least
//! character of its `unicode.SimpleFold` orbit, in hexadecimal. Characters that are not listed have no other case.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;

use accord_model::fold::{equal_fold, fold_key, to_lower};

const GO: &str = include_str!("go.txt");

fn table() -> BTreeMap<char, (char, char)> {
    let number = |word: &str| char::from_u32(u32::from_str_radix(word, 16).unwrap()).unwrap();
    GO.lines()
        .map(|line| {
            let chars: Vec<char> = line.split(' ').map(number).collect();
            (chars[0], (chars[1], chars[2]))
        })
        .collect()
}

#[test]
fn every_character_folds_as_in_go() {
    let table = table();
    // From a folded form to the least character that has it: one orbit each.
    let mut orbits = BTreeMap::new();
    let mut buffer = [0; 4];
    for c in '\0'..=char::MAX {
        let (lower, least) = table.get(&c).copied().unwrap_or((c, c));
        let text: &str = c.encode_utf8(&mut buffer);
        assert_eq!(to_lower(text), lower.to_string(), "{:X}", u32::from(c));
        let orbit = orbits.entry(fold_key(text).into_owned()).or_insert(least);
        assert_eq!(*orbit, least, "{:X}", u32::from(c));
        if c != least {
            assert!(equal_fold(text, &least.to_string()), "{:X}", u32::from(c));
        }
    }
}
