//! Who gains, loses or changes access between two readings of a cluster.
//!
//! Compared is effective access: reordered or repeated groups, other quoting and entries that decide nothing are no
//! change.

use std::collections::BTreeSet;

use accord_model::arn::PrincipalKey;
use accord_model::plan::{Change, Holder, Rights};

use crate::access::{Access, Answer};

/// The changes for `principals`, in their order and spelling. `told` says whose the entry is and why it changes.
///
/// Where the answer is random before or after, a change of any of the chances is one, and what differs is shown.
pub(crate) fn changes<'a>(
    before: &Access<'_>,
    after: &Access<'_>,
    principals: impl IntoIterator<Item = &'a str>,
    told: impl Fn(&str) -> (Holder, String),
) -> Vec<Change> {
    let one = |principal: &str| {
        let (before, after) = (chances(before, principal), chances(after, principal));
        let gone = novel(&before, &after);
        let come = novel(&after, &before);
        if gone.is_none() && come.is_none() {
            return None;
        }
        let admin = before.iter().chain(&after).any(Rights::is_admin);
        let (owner, reason) = told(principal);
        Some(Change {
            principal: principal.to_owned(),
            before: gone.or(before.first()).cloned(),
            after: come.or(after.first()).cloned(),
            admin,
            owner,
            reason,
        })
    };
    principals.into_iter().filter_map(one).collect()
}

/// Everybody who has access before or after, each once, in the spelling of where it is first named.
pub(crate) fn everybody(before: &Access<'_>, after: &Access<'_>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all = before.principals().into_iter().chain(after.principals());
    all.filter(|p| seen.insert(PrincipalKey::of(p))).collect()
}

/// What a principal may have; nothing, if it has no access.
pub(crate) fn chances(access: &Access<'_>, principal: &str) -> Vec<Rights> {
    let answers = access.answers(principal);
    answers.iter().map(Answer::rights).collect()
}

/// The first of `these` that is not among `those`.
fn novel<'r>(these: &'r [Rights], those: &[Rights]) -> Option<&'r Rights> {
    let known = |r: &&Rights| those.iter().any(|other| other.means_same(r));
    these.iter().find(|r| !known(r))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{map, observed};

    fn told(before: crate::testing::MapBuilder, after: crate::testing::MapBuilder) -> String {
        let (before, after) = (observed(before.build()), observed(after.build()));
        let (before, after) = (Access::of(&before), Access::of(&after));
        let principals = everybody(&before, &after);
        let holder = |_: &str| (Holder::Unclaimed, String::new());
        let changes = changes(
            &before,
            &after,
            principals.iter().map(String::as_str),
            holder,
        );
        let lines = changes.iter().map(|c| {
            let rights = |r: &Option<Rights>| match r {
                Some(r) => format!("{} {:?}", r.username, r.groups),
                None => "nothing".to_owned(),
            };
            let admin = if c.admin { " (admin)" } else { "" };
            format!(
                "{} {}{admin}: {} -> {}",
                c.principal,
                c.kind(),
                rights(&c.before),
                rights(&c.after)
            )
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn only_what_people_have_counts() {
        let before = map()
            .role("role/a", "a", &["x", "y"])
            .role("role/never/matches", "p", &["g"])
            .user("user/admin", "admin", &["system:masters"])
            .account("444455556666");
        let after = map()
            .role("role/never/other", "p", &["g"])
            .role("ROLE/A", "a", &["y", "x", "y"])
            .role("role/b", "b", &[])
            .user("user/admin", "admin", &[]);
        insta::assert_snapshot!(told(before, after), @r#"
        arn:aws:iam::111122223333:user/admin changes (admin): admin ["system:masters"] -> admin []
        444455556666 loses:  [] -> nothing
        arn:aws:iam::111122223333:role/b gains: nothing -> b []
        "#);
    }

    #[test]
    fn a_chance_that_comes_or_goes_is_a_change() {
        let one = || map().user("user/u", "one", &[]);
        insta::assert_snapshot!(told(one(), one().user("user/U", "two", &[])), @"arn:aws:iam::111122223333:user/u changes: one [] -> two []");
        insta::assert_snapshot!(told(one().user("user/U", "two", &[]), one()), @"arn:aws:iam::111122223333:user/u changes: two [] -> one []");
        assert_eq!(told(one(), one().user("user/U", "one", &[])), "");
    }
}
