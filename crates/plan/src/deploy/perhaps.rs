//! Who somebody may turn out to be who is known only after the deploy.

use std::collections::BTreeSet;

use accord_model::arn::Arn;
use accord_model::plan::Rights;
use accord_model::unknown;

/// Whether a text that is not all known may turn out to be `text`.
pub(super) fn may_be(unknown: &str, text: &str) -> bool {
    if unknown::is_known(unknown) {
        return unknown == text;
    }
    if unknown::is_whole(unknown) {
        return true;
    }
    let made_up = Arn::parse(unknown)
        .and_then(|a| a.name())
        .filter(|name| unknown::is_whole(name));
    if let Some((made_up, name)) = made_up.zip(Arn::parse(text).and_then(|a| a.name()))
        && !is_made_from(made_up, name)
    {
        return false;
    }
    fits(unknown, text)
}

/// Whether CloudFormation may have made up a name for this logical id: the stack's name, the logical id (each cut where
/// the whole would be too long) and random letters, joined by hyphens. A mark with dots in its name is no logical id.
fn is_made_from(mark: &str, name: &str) -> bool {
    let Some(id) = unknown::names(mark).pop() else {
        return true;
    };
    let id = id.rsplit('/').next().unwrap_or_default().to_owned();
    if !id.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return true;
    }
    const SHORTEST: usize = 8;
    let head = id.get(..id.len().min(SHORTEST)).unwrap_or(&id);
    name.match_indices('-').any(|(at, _)| {
        name.get(at + 1..)
            .is_some_and(|rest| starts_alike(rest, head))
    })
}

fn starts_alike(text: &str, head: &str) -> bool {
    text.get(..head.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(head))
}

/// Whether the known parts of `unknown` stand in `text` in their order, with something for each mark in between.
fn fits(unknown: &str, text: &str) -> bool {
    let mut known = unknown::known_parts(unknown);
    let Some(mut rest) = known.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut known = known.peekable();
    while let Some(part) = known.next() {
        // The mark before it stands for at least one character.
        let Some(from) = rest.chars().next().map(char::len_utf8) else {
            return false;
        };
        let behind = rest.get(from..).unwrap_or_default();
        if known.peek().is_none() {
            return behind.ends_with(part);
        }
        let Some(at) = behind.find(part) else {
            return false;
        };
        rest = behind.get(at + part.len()..).unwrap_or_default();
    }
    rest.is_empty()
}

/// Whether rights that are not all known may turn out to be these.
pub(super) fn may_give(gives: &Rights, had: &Rights) -> bool {
    let groups_known = gives.groups.iter().all(|g| unknown::is_known(g));
    let same_groups = !groups_known
        || gives.groups.iter().collect::<BTreeSet<_>>()
            == had.groups.iter().collect::<BTreeSet<_>>();
    same_groups && may_be(&gives.username, &had.username) && {
        let named = |rights: &Rights| -> BTreeSet<String> {
            rights.policies.iter().map(|p| p.policy.clone()).collect()
        };
        named(gives) == named(had)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The role that a stack makes under this logical id, in an account that is known.
    fn made(id: &str) -> String {
        format!("arn:aws:iam::111122223333:role/{}", unknown::mark(id))
    }

    #[test]
    fn a_made_up_name_holds_its_logical_id() {
        let role = |name: &str| format!("arn:aws:iam::111122223333:role/{name}");
        let masters = made("MastersEA6F689C");
        for yes in [
            "Owner-MastersEA6F689C-1ABCDEFGHIJK",
            "a-very-long-stack-name-cu-MastersEA6F689C-X",
            "x-masterse-Y",
        ] {
            assert!(may_be(&masters, &role(yes)), "{yes}");
        }
        for no in [
            "MastersEA6F689C",
            "Owner-Dev4FA30A25-1ABC",
            "l1-pods",
            "Owner-Mast-1ABC",
        ] {
            assert!(!may_be(&masters, &role(no)), "{no}");
        }
        assert!(!may_be(
            &masters,
            "arn:aws:iam::444455556666:role/Owner-MastersEA6F689C-1ABC"
        ));
        assert!(!may_be(
            &masters,
            "arn:aws:iam::111122223333:user/Owner-MastersEA6F689C-1ABC"
        ));
        // Of a nested stack, and of a name that Terraform makes up.
        assert!(may_be(
            &made("Nested/Dev4FA30A25"),
            &role("Owner-Nested-1AB-Dev4FA30A25-1ABC")
        ));
        assert!(may_be(&made("aws_iam_role.dev.name"), &role("anything")));
    }

    #[test]
    fn what_is_wholly_unknown_may_be_anybody_and_gives_what_it_gives() {
        assert!(may_be(
            &unknown::mark("AdminArn"),
            "arn:aws:iam::111122223333:user/dana"
        ));
        let rights = |username: &str, groups: &[&str]| Rights {
            username: username.into(),
            groups: groups.iter().map(|g| (*g).to_owned()).collect(),
            policies: vec![],
        };
        let had = rights("arn:aws:iam::111122223333:role/x", &["a", "b"]);
        assert!(may_give(&rights(&unknown::mark("X"), &["b", "a"]), &had));
        assert!(may_give(
            &rights(&had.username, &[&unknown::mark("Groups")]),
            &had
        ));
        assert!(!may_give(&rights(&had.username, &["a"]), &had));
        assert!(!may_give(&rights("else", &["a", "b"]), &had));
    }

    proptest! {
        #[test]
        fn whatever_a_mark_becomes_it_may_be(before in "[a-z:/]{0,6}", middle in "[a-z:/]{0,6}", after in "[a-z:/]{0,6}", one in "[a-z]{1,6}", two in "[a-z]{1,6}") {
            let mark = unknown::mark("x.y");
            let text = format!("{before}{mark}{middle}{mark}{after}");
            let becomes = format!("{before}{one}{middle}{two}{after}");
            prop_assert!(may_be(&text, &becomes), "{} {becomes}", unknown::shown(&text));
        }
    }
}
