//! Entries that nearly match an identity, and in what they differ.

use accord_model::arn::{self, Arn, PrincipalType};
use accord_model::explanation::{Difference, Near};
use accord_model::fold;
use accord_model::mapping::EntryId;
use accord_model::observed::AwsAuth;
use accord_model::reading::{Item, Kept, Section};

use crate::caller::Caller;

/// How many are told.
const MOST: usize = 5;

/// The entries of `aws-auth` that nearly match `caller`, the nearest first.
pub(crate) fn near(aws_auth: &AwsAuth, caller: &Caller) -> Vec<Near> {
    let mut found: Vec<Near> = Vec::new();
    for section in aws_auth.map.sections() {
        for (index, item) in section.items.iter().enumerate() {
            let Some(arn) = meant_arn(item) else { continue };
            if let Some(difference) = difference_of(section, item, arn, &caller.canonical) {
                found.push(Near {
                    at: EntryId::new(section.name, index).to_string(),
                    span: section.span(item.range),
                    arn: arn.to_owned(),
                    difference,
                });
            }
        }
    }
    let accounts = &aws_auth.map.accounts;
    for (index, item) in accounts.items.iter().enumerate() {
        let account = item
            .kept
            .as_ref()
            .and_then(Kept::account)
            .unwrap_or_default();
        let visible: String = account.chars().filter(|c| !is_invisible(*c)).collect();
        if visible == caller.account {
            let in_effect = accounts.is_readable() && account == visible;
            found.extend((!in_effect).then(|| Near {
                at: EntryId::new(accounts.name, index).to_string(),
                span: accounts.span(item.range),
                arn: account.to_owned(),
                difference: match account == visible {
                    true => Difference::Section,
                    false => Difference::Whitespace,
                },
            }));
        }
    }
    for stray in &aws_auth.stray_keys {
        let same = stray
            .lost
            .iter()
            .enumerate()
            .filter(|(_, lost)| fold::equal_fold(&lost.arn, &caller.canonical));
        found.extend(same.map(|(index, lost)| Near {
            at: format!("{}[{index}]", stray.key),
            span: stray.span,
            arn: lost.arn.clone(),
            difference: match stray.binary {
                true => Difference::Section,
                false => Difference::Case,
            },
        }));
    }
    found.sort_by_key(|n| n.difference);
    found.truncate(MOST);
    found
}

fn meant_arn(item: &Item) -> Option<&str> {
    match (&item.kept, &item.meant) {
        (Some(kept), _) => kept.mapping().map(|m| m.arn.as_str()),
        (None, Some(meant)) => Some(meant.arn.as_str()),
        (None, None) => None,
    }
    .filter(|arn| !arn.is_empty())
}

fn difference_of(section: &Section, item: &Item, arn: &str, canonical: &str) -> Option<Difference> {
    if fold::equal_fold(arn, canonical) {
        let in_effect = section.is_readable() && item.kept.is_some();
        return (!in_effect).then_some(Difference::Section);
    }
    let visible: String = arn.chars().filter(|c| !is_invisible(*c)).collect();
    if fold::equal_fold(&visible, canonical) {
        return Some(Difference::Whitespace);
    }
    difference(&fold::fold_key(&visible), &fold::fold_key(canonical))
}

/// In what two folded ARNs differ, if it is one thing.
fn difference(arn: &str, canonical: &str) -> Option<Difference> {
    if let Ok((PrincipalType::AssumedRole, role)) = arn::canonicalize(arn) {
        return (arn::without_role_path(&role) == canonical).then_some(Difference::SessionArn);
    }
    if arn::same_identity(arn, canonical) {
        return Some(Difference::Path);
    }
    let (a, b) = (Arn::parse(arn)?, Arn::parse(canonical)?);
    let same_resource =
        (a.service, a.resource_type(), a.name()) == (b.service, b.resource_type(), b.name());
    match (a.partition == b.partition, a.account == b.account) {
        (false, true) if same_resource => Some(Difference::Partition),
        // Every account has a root: that one of another account is mapped is no near miss.
        (true, false) if same_resource && a.name().is_some() => Some(Difference::Account),
        _ => None,
    }
}

/// White space, control characters, and characters that are not seen: joiners, marks of direction, the byte order mark.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206F}' | '\u{FEFF}')
}

/// What to write instead, or why it does not match, in one sentence.
pub(crate) fn told(near: &Near, canonical: &str) -> String {
    let at = &near.at;
    match near.difference {
        Difference::Whitespace if !near.arn.contains(':') => {
            format!("{at} is for the whole account, and has white space in it.")
        }
        Difference::Whitespace => {
            format!(
                "{at} has white space or an invisible character in its ARN; write `{canonical}`."
            )
        }
        Difference::SessionArn => {
            format!(
                "{at} holds the ARN of a session, which never matches; write the role's, `{canonical}`."
            )
        }
        Difference::Path if canonical.contains(":role/") => {
            format!(
                "{at} holds the role's ARN with its path, which STS does not show; write `{canonical}`."
            )
        }
        Difference::Path => format!(
            "{at} is for the same name under another path, `{}`.",
            near.arn
        ),
        Difference::Section => format!("{at} names it, but is not in effect."),
        Difference::Case => {
            format!("{at} names it, but the authenticator does not read a key of that spelling.")
        }
        Difference::Partition => format!(
            "{at} is for the same name in another partition, `{}`.",
            near.arn
        ),
        Difference::Account => format!(
            "{at} is for the same name in another account, `{}`.",
            near.arn
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{map, observed};

    fn found(map: accord_model::reading::AuthMap, asked: &str) -> Vec<String> {
        let seen = observed(map);
        let caller = Caller::parse(asked).unwrap();
        let near = near(seen.aws_auth.as_ref().unwrap(), &caller);
        near.iter()
            .map(|n| format!("{} {}", n.at, n.difference.name()))
            .collect()
    }

    #[test]
    fn each_difference_is_told_nearest_first() {
        let entries = map()
            .role("arn:aws:iam::444455556666:role/ops", "", &[])
            .role("arn:aws-cn:iam::111122223333:role/ops", "", &[])
            .role("role/team/OPS", "", &[])
            .role("arn:aws:sts::111122223333:assumed-role/ops/kim", "", &[])
            .role("role/ops ", "", &[])
            .role("role/op", "", &[])
            .role("arn:aws-cn:iam::444455556666:role/ops", "", &[])
            .build();
        assert_eq!(
            found(entries, "arn:aws:sts::111122223333:assumed-role/ops/lee"),
            [
                "mapRoles[4] whitespace",
                "mapRoles[3] session-arn",
                "mapRoles[2] path",
                "mapRoles[1] partition",
                "mapRoles[0] account"
            ]
        );
    }

    #[test]
    fn users_have_paths_and_roots_have_no_names() {
        let entries = map()
            .user("user/other/dana", "", &[])
            .user("arn:aws:iam::444455556666:root", "", &[])
            .build();
        assert_eq!(
            found(entries.clone(), "arn:aws:iam::111122223333:user/dana"),
            ["mapUsers[0] path"]
        );
        assert_eq!(
            found(entries, "arn:aws:iam::111122223333:root"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn an_account_with_a_blank_is_near() {
        let entries = map()
            .account(" 111122223333")
            .account("111122223334")
            .build();
        assert_eq!(
            found(entries, "arn:aws:iam::111122223333:user/dana"),
            ["mapAccounts[0] whitespace"]
        );
    }

    #[test]
    fn what_is_not_in_effect_is_found_too() {
        let entries = map().meant("user/dana").build();
        assert_eq!(
            found(entries, "arn:aws:iam::111122223333:user/dana"),
            ["mapRoles[0] section"]
        );
    }
}
