//! Edits: whatever the section looks like, an edit either fails or does exactly what was asked and nothing else.

#![no_main]

use accord_fuzz::section;
use accord_model::mapping::{EntryId, Identity, Mapping, SectionName};
use accord_model::plan::EntryEdit;
use accord_model::reading::Kept;
use accord_wire::authenticator::read_section;
use accord_wire::edit::edit_section;
use libfuzzer_sys::fuzz_target;

/// Entries of one section that are edited, at most: the text is what varies.
const ENTRIES: usize = 3;

fuzz_target!(|input: &str| {
    let Some((name, text)) = section(input) else {
        return;
    };
    let before = kept(name, text);

    let mapping = new(name);
    let add = EntryEdit::Add {
        section: name,
        mapping: mapping.clone(),
    };
    if let Ok(edited) = edit_section(name, text, &[add]) {
        let after = kept(name, &edited);
        let (_, last) = after.last().expect("an entry was added");
        assert!(matches(last, &mapping));
        assert_eq!(values(&after[..after.len() - 1]), values(&before));
        assert!(
            before.is_empty() || is_one_splice(&edited, text),
            "only bytes were added"
        );
    }
    for (place, (id, entry)) in before.iter().take(ENTRIES).enumerate() {
        let remove = EntryEdit::Remove {
            id: *id,
            principal: String::new(),
        };
        if let Ok(edited) = edit_section(name, text, &[remove]) {
            let mut rest = before.clone();
            rest.remove(place);
            assert_eq!(values(&kept(name, &edited)), values(&rest));
            assert!(
                rest.is_empty() || is_one_splice(text, &edited),
                "only bytes were removed"
            );
        }
        if entry.mapping().is_none() {
            continue;
        }
        let update = EntryEdit::Update {
            id: *id,
            mapping: mapping.clone(),
        };
        if let Ok(edited) = edit_section(name, text, &[update]) {
            let after = kept(name, &edited);
            for (i, ((_, old), (_, new))) in before.iter().zip(&after).enumerate() {
                match (i == place, new.mapping()) {
                    (true, Some(new)) => assert!(new.identity.means_same(&mapping.identity)),
                    _ => assert_eq!(new, old),
                }
            }
        }
    }
});

/// The entries in effect.
fn kept(name: SectionName, text: &str) -> Vec<(EntryId, Kept)> {
    let section = read_section(name, None, text);
    section
        .kept()
        .map(|(id, kept)| (id, kept.clone()))
        .collect()
}

fn values(entries: &[(EntryId, Kept)]) -> Vec<&Kept> {
    entries.iter().map(|(_, kept)| kept).collect()
}

/// An entry that no corpus holds, with a username that needs quotes.
fn new(name: SectionName) -> Mapping {
    let arn = match name {
        SectionName::Accounts => "012345678901".into(),
        SectionName::Roles | SectionName::Users => "arn:aws:iam::012345678901:role/new".into(),
    };
    Mapping {
        arn,
        identity: Identity {
            username: "new:{{SessionName}}".into(),
            groups: vec!["system:new".into(), "yes".into()],
        },
        ..Mapping::default()
    }
}

fn matches(kept: &Kept, mapping: &Mapping) -> bool {
    match kept {
        Kept::Account(account) => *account == mapping.arn,
        Kept::Mapping(kept) => {
            kept.arn == mapping.arn && kept.identity.means_same(&mapping.identity)
        }
    }
}

/// Whether `short` is `long` with one piece taken out.
fn is_one_splice(long: &str, short: &str) -> bool {
    let prefix = long
        .bytes()
        .zip(short.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let suffix = long
        .bytes()
        .rev()
        .zip(short.bytes().rev())
        .take_while(|(a, b)| a == b)
        .count();
    prefix + suffix >= short.len()
}
