//! Who gains, loses or changes access between two readings of a cluster.
//!
//! Compared is effective access: reordered or repeated groups, other quoting and entries that decide nothing are no
//! change.

use std::collections::BTreeSet;

use accord_model::arn::PrincipalKey;
use accord_model::plan::{Change, Holder, Rights};

use crate::access::{Access, Answer, Principal};

/// A principal whose entries change, and what it may have before and after.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    /// As it is printed; an account is its text.
    pub(crate) principal: String,
    /// The key of its entry.
    pub(crate) key: PrincipalKey,
    /// Its access is given up: nothing may be left of it.
    pub(crate) given_up: bool,
    /// The identities that it may have now.
    pub(crate) before: Vec<Answer>,
    /// The identities that it may have then.
    pub(crate) after: Vec<Answer>,
}

impl Touched {
    /// Looks up what `principal` has and would have.
    pub(crate) fn of(
        principal: String,
        key: PrincipalKey,
        given_up: bool,
        before: &Access<'_>,
        after: &Access<'_>,
    ) -> Self {
        let read = Principal::of(&principal);
        Self {
            before: before.answers_to(&read),
            after: after.answers_to(&read),
            principal,
            key,
            given_up,
        }
    }

    /// The change, if there is one; `told` says whose the entry is and why it changes.
    ///
    /// Where the answer is random before or after, a change of any of the chances is one, and what differs is shown.
    pub(crate) fn change(&self, told: impl FnOnce() -> (Holder, String)) -> Option<Change> {
        let rights = |answers: &[Answer]| answers.iter().map(Answer::rights).collect();
        let (mut before, mut after): (Vec<Rights>, Vec<Rights>) =
            (rights(&self.before), rights(&self.after));
        let (gone, come) = (novel(&before, &after), novel(&after, &before));
        if gone.is_none() && come.is_none() {
            return None;
        }
        let admin = before.iter().chain(&after).any(Rights::is_admin);
        let shown = |rights: &mut Vec<Rights>, at: Option<usize>| {
            (!rights.is_empty()).then(|| rights.swap_remove(at.unwrap_or(0)))
        };
        let (owner, reason) = told();
        Some(Change {
            principal: self.principal.clone(),
            before: shown(&mut before, gone),
            after: shown(&mut after, come),
            admin,
            owner,
            reason,
        })
    }
}

/// Everybody who has access before or after, each once, in the spelling of where it is first named.
pub(crate) fn everybody(before: &Access<'_>, after: &Access<'_>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all = before.principals().into_iter().chain(after.principals());
    all.filter(|p| seen.insert(PrincipalKey::of(p))).collect()
}

/// Where the first of `these` is that is not among `those`.
fn novel(these: &[Rights], those: &[Rights]) -> Option<usize> {
    let known = |r: &Rights| those.iter().any(|other| other.means_same(r));
    these.iter().position(|r| !known(r))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{map, observed};

    fn told(before: crate::testing::MapBuilder, after: crate::testing::MapBuilder) -> String {
        let (before, after) = (observed(before.build()), observed(after.build()));
        let (before, after) = (Access::of(&before), Access::of(&after));
        let changes = everybody(&before, &after)
            .into_iter()
            .filter_map(|principal| {
                let key = PrincipalKey::of(&principal);
                let touched = Touched::of(principal, key, false, &before, &after);
                touched.change(|| (Holder::Unclaimed, String::new()))
            });
        let lines = changes.map(|c| {
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
