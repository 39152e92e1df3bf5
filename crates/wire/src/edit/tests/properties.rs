//! What holds for every list and every edit. That the result means what was intended is checked by `edit_section`
//! itself; here it must also succeed, and leave the rest alone.

use accord_model::reading::Kept;
use proptest::prelude::*;

use super::lists::{APART, identities, lists, lists_with_aliases};
use super::*;
use crate::authenticator::read_section;

fn new(identity: Identity) -> Mapping {
    Mapping {
        arn: "arn:aws:iam::1:role/new".into(),
        identity,
        ..Mapping::default()
    }
}

fn kept(text: &str) -> Vec<EntryId> {
    let section = read_section(SectionName::Roles, None, text);
    section.kept().map(|(id, _)| id).collect()
}

/// Edits as somebody may want them at once: for each entry, in order, and at the end.
fn wishes() -> impl Strategy<Value = (Vec<Option<Option<Identity>>>, Vec<Identity>)> {
    let one = prop_oneof![
        2 => Just(None),
        1 => Just(Some(None)),
        2 => identities().prop_map(|i| Some(Some(i))),
    ];
    (
        prop::collection::vec(one, 6),
        prop::collection::vec(identities(), 0..3),
    )
}

fn edits(
    text: &str,
    (each, added): (Vec<Option<Option<Identity>>>, Vec<Identity>),
) -> Vec<EntryEdit> {
    let section = read_section(SectionName::Roles, None, text);
    let of_entries = section.kept().zip(each).filter_map(|((id, kept), wish)| {
        let principal = String::new();
        Some(match wish? {
            None => EntryEdit::Remove { id, principal },
            Some(identity) => EntryEdit::Update {
                id,
                mapping: Mapping {
                    identity,
                    ..kept.mapping()?.clone()
                },
            },
        })
    });
    let added = added.into_iter().map(|identity| EntryEdit::Add {
        section: SectionName::Roles,
        mapping: new(identity),
    });
    of_entries.chain(added).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_was_added_can_be_taken_out_again(text in lists(), identity in identities()) {
        let add = EntryEdit::Add { section: SectionName::Roles, mapping: new(identity) };
        let added = edit_section(SectionName::Roles, &text, &[add]).unwrap();
        let last = *kept(&added).last().unwrap();
        let back = EntryEdit::Remove { id: last, principal: String::new() };
        prop_assert_eq!(edit_section(SectionName::Roles, &added, &[back]).unwrap(), text);
    }

    #[test]
    fn an_update_changes_no_other_entry(text in lists(), identity in identities(), which in any::<prop::sample::Index>()) {
        let ids = kept(&text);
        prop_assume!(!ids.is_empty());
        let id = *which.get(&ids);
        let section = read_section(SectionName::Roles, None, &text);
        let update = EntryEdit::Update { id, mapping: new(identity) };
        let edited = edit_section(SectionName::Roles, &text, &[update]).unwrap();
        // Everything before the item, and everything from the next item on, is as it was.
        let start = section.items[id.index].range.start as usize;
        prop_assert_eq!(edited.get(..start), text.get(..start));
        if let Some(next) = section.items.get(id.index + 1) {
            prop_assert!(edited.ends_with(&text[next.range.start as usize..]));
        }
    }

    #[test]
    fn an_update_to_what_is_there_changes_nothing(text in lists_with_aliases()) {
        let section = read_section(SectionName::Roles, None, &text);
        let edits: Vec<EntryEdit> = section
            .kept()
            .filter_map(|(id, kept)| Some(EntryEdit::Update { id, mapping: kept.mapping()?.clone() }))
            .collect();
        match edit_section(SectionName::Roles, &text, &edits) {
            Ok(edited) => prop_assert_eq!(edited, text),
            Err(error) => prop_assert!(matches!(error, EditError::Anchored { .. } | EditError::Unreadable { .. }), "{}", error),
        }
    }

    #[test]
    fn any_edits_at_once_do_just_what_is_wanted(text in lists(), wishes in wishes()) {
        let edits = edits(&text, wishes);
        let edited = edit_section(SectionName::Roles, &text, &edits);
        let edited = edited.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(edited.matches(APART).count(), text.matches(APART).count());
    }

    #[test]
    fn aliases_are_kept_or_said_to_be_in_the_way(text in lists_with_aliases(), wishes in wishes()) {
        let edits = edits(&text, wishes);
        match edit_section(SectionName::Roles, &text, &edits) {
            Ok(edited) => {
                let before = read_section(SectionName::Roles, None, &text);
                let after = read_section(SectionName::Roles, None, &edited);
                let untouched = |id: EntryId| !edits.iter().any(|e| matches!(e,
                    EntryEdit::Update { id: other, .. } | EntryEdit::Remove { id: other, .. } if *other == id));
                let mut left: Vec<&Kept> = after.kept().map(|(_, kept)| kept).collect();
                for (_, kept) in before.kept().filter(|(id, _)| untouched(*id)) {
                    let at = left.iter().position(|other| *other == kept);
                    prop_assert!(at.is_some(), "{:?} is gone", kept);
                    left.remove(at.unwrap_or_default());
                }
            }
            Err(error) => prop_assert!(
                matches!(error, EditError::Anchored { .. } | EditError::CannotUpdate { .. } | EditError::Unreadable { .. }),
                "{}", error
            ),
        }
    }

    #[test]
    fn nothing_panics(text in "[-\\[\\]{}:,#&*! \n\ta-c'\"|>]{0,40}", identity in identities(), index in 0..3usize) {
        let id = EntryId::new(SectionName::Roles, index);
        let mapping = new(identity);
        for edits in [
            vec![EntryEdit::Add { section: SectionName::Roles, mapping: mapping.clone() }],
            vec![EntryEdit::Update { id, mapping: mapping.clone() }],
            vec![EntryEdit::Remove { id, principal: String::new() }],
            vec![EntryEdit::Remove { id, principal: String::new() }, EntryEdit::Add { section: SectionName::Roles, mapping }],
        ] {
            let _ = edit_section(SectionName::Roles, &text, &edits);
        }
    }
}
