//! Whom an access entry can be for: a role or a user that exists, by its real ARN.
//!
//! Sources: the EKS user guide ("Create access entries"), hashicorp/terraform-provider-aws#36447 and
//! terraform-aws-modules/terraform-aws-eks#2969.

use accord_model::arn::{self, Arn, PrincipalType};
use accord_model::facts::{Listing, Role};
use accord_model::finding::FindingKind;
use accord_model::unknown;

use super::rules::Fault;
use crate::lint::{self, World};
use crate::near::is_invisible;

/// Why EKS refuses a principal, or why it never does what is meant; none if it is fine. `roles` is what is known of IAM.
pub fn faults(text: &str, roles: &Listing<Role>) -> Vec<Fault> {
    // What is no ARN because of how it is written: the same mistakes as in a map.
    const OF_WRITING: [FindingKind; 4] = [
        FindingKind::PlaceholderLeft,
        FindingKind::ArnWildcard,
        FindingKind::ArnInvisibleCharacter,
        FindingKind::UnknownPartition,
    ];
    let written = lint::faults(text, &World::default());
    if unknown::is_known(text) && written.iter().any(|f| OF_WRITING.contains(&f.kind)) {
        let faults = written.into_iter().map(|f| {
            let instead = match f.kind {
                // Unlike a map's, an entry's ARN keeps its path.
                FindingKind::ArnInvisibleCharacter => {
                    Some(text.chars().filter(|c| !is_invisible(*c)).collect())
                }
                _ => f.instead,
            };
            Fault::new(f.kind, f.why).or(instead)
        });
        return faults.collect();
    }
    meant(text, roles).into_iter().collect()
}

fn meant(text: &str, roles: &Listing<Role>) -> Option<Fault> {
    if text.is_empty() {
        return Some(Fault::new(
            FindingKind::EntryInvalid,
            "The principal is empty; it must be the ARN of a role or a user.",
        ));
    }
    if arn::is_service_linked(text) {
        return Some(Fault::new(
            FindingKind::PrincipalServiceLinked,
            "EKS lets nobody make an entry for a service-linked role; only the service itself may. In the mode \
             API_AND_CONFIG_MAP map it in aws-auth, without the role's path.",
        ));
    }
    if !unknown::is_known(text) {
        return None;
    }
    let real = |name: &str| real_arn(name, text, roles);
    match arn::canonicalize(text) {
        Ok((PrincipalType::Role | PrincipalType::User, _)) => {
            let parsed = Arn::parse(text)?;
            let name = parsed.name().unwrap_or_default();
            if name.is_empty() || !parsed.has_account() || !parsed.region.is_empty() {
                return Some(Fault::new(
                    FindingKind::ArnMalformed,
                    format!("`{text}` is not the ARN of a role or a user."),
                ));
            }
            if parsed.resource_type() == "role" {
                role(text, parsed, roles)
            } else {
                None
            }
        }
        Ok((PrincipalType::AssumedRole, canonical)) => {
            let name = Arn::parse(&canonical)
                .and_then(|a| a.name())
                .unwrap_or_default();
            let instead = real(name).unwrap_or_else(|| canonical.into_owned());
            Some(
                Fault::new(
                    FindingKind::ArnAssumedRole,
                    "This is the ARN of a session; an access entry needs the role's, with its path.",
                )
                .or(Some(instead)),
            )
        }
        Ok((PrincipalType::Root, _)) => Some(Fault::new(
            FindingKind::ArnNotAPrincipal,
            "An entry for the root of an account lets nobody in: EKS takes it, and it matches only the root user.",
        )),
        Ok((PrincipalType::FederatedUser, _)) => Some(Fault::new(
            FindingKind::ArnNotAPrincipal,
            "A federated user is a session; an access entry needs the ARN of a role or a user.",
        )),
        Err(_) if Arn::parse(text).is_some() => Some(Fault::new(
            FindingKind::ArnNotAPrincipal,
            format!(
                "This is {}: an access entry needs the ARN of a role or a user.",
                crate::caller::noun(text)
            ),
        )),
        Err(_) => Some(Fault::new(
            FindingKind::ArnMalformed,
            format!("`{text}` is not an ARN; an access entry needs the ARN of a role or a user."),
        )),
    }
}

/// A role's ARN: its path must be the real one.
fn role(text: &str, parsed: Arn<'_>, roles: &Listing<Role>) -> Option<Fault> {
    let name = parsed.name().unwrap_or_default();
    if roles.items.iter().any(|r| r.arn == text) {
        return None;
    }
    if let Some(real) = real_arn(name, text, roles) {
        let message = match arn::without_role_path(&real) == arn::without_role_path(text) {
            true => format!(
                "The role is {real}: unlike aws-auth, an access entry needs the role's ARN with its path."
            ),
            false => format!("The role is {real}, in another letter case."),
        };
        return Some(Fault::new(FindingKind::PrincipalPathMissing, message).or(Some(real)));
    }
    if roles.complete
        && roles
            .items
            .iter()
            .any(|r| account_of(&r.arn) == Some(parsed.account))
    {
        return Some(Fault::new(
            FindingKind::PrincipalNotFound,
            format!(
                "There is no role `{name}` in account {}: an access entry is made for a role that exists.",
                parsed.account
            ),
        ));
    }
    let path = parsed.path().unwrap_or_default();
    (name.starts_with("AWSReservedSSO_") && path.is_empty()).then(|| {
        Fault::new(
            FindingKind::PrincipalPathMissing,
            format!(
                "A role of IAM Identity Center has a path, and an access entry needs it: \
                 arn:{}:iam::{}:role/aws-reserved/sso.amazonaws.com/REGION/{name}, without REGION/ where Identity Center \
                 is in us-east-1.",
                parsed.partition, parsed.account
            ),
        )
    })
}

fn account_of(arn: &str) -> Option<&str> {
    Arn::parse(arn).map(|a| a.account)
}

/// The ARN of the role of that name that is there, in the account of `text`.
fn real_arn(name: &str, text: &str, roles: &Listing<Role>) -> Option<String> {
    let asked = Arn::parse(text)?;
    let asked = format!("arn:{}:iam::{}:role/{name}", asked.partition, asked.account);
    let mut roles = roles.items.iter();
    let found = roles.find(|r| arn::same_identity(&r.arn, &asked));
    found.map(|r| r.arn.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(arns: &[&str], complete: bool) -> Listing<Role> {
        let role = |arn: &&str| Role {
            arn: (*arn).to_owned(),
            id: None,
            created: None,
        };
        Listing {
            items: arns.iter().map(role).collect(),
            complete,
        }
    }

    fn told(faults: impl IntoIterator<Item = (&'static str, Option<Fault>)>) -> String {
        let lines = faults.into_iter().map(|(text, fault)| match fault {
            None => format!("{text}: fine"),
            Some(f) => {
                let instead = f.instead.map_or_else(String::new, |i| format!(" -> {i}"));
                format!("{text}: {}{instead}", f.kind)
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_principal_is_a_role_or_user_by_its_real_arn() {
        let known = roles(
            &[
                "arn:aws:iam::111122223333:role/teams/ops",
                "arn:aws:iam::111122223333:role/plain",
            ],
            true,
        );
        let asked = [
            "arn:aws:iam::111122223333:role/teams/ops",
            "arn:aws:iam::111122223333:role/ops",
            "arn:aws:iam::111122223333:role/other/ops",
            "arn:aws:sts::111122223333:assumed-role/ops/kim",
            "arn:aws:sts::111122223333:assumed-role/gone/kim",
            "arn:aws:iam::111122223333:role/gone",
            "arn:aws:iam::444455556666:role/theirs",
            "arn:aws:iam::444455556666:role/AWSReservedSSO_Admin_0123456789abcdef",
            "arn:aws:iam::111122223333:user/team/dana",
            "arn:aws:iam::111122223333:root",
            "arn:aws:iam::111122223333:group/admins",
            "arn:aws:iam::111122223333:role/aws-service-role/batch.amazonaws.com/AWSServiceRoleForBatch",
            "arn:aws:iam::1:role/ops",
            "arn:aws:iam::${AWS::AccountId}:role/ops",
            "arn:aws:iam::111122223333:role/*",
            "arn:aws-xx:iam::111122223333:role/ops",
            " arn:aws:iam::111122223333:role/p/ops",
            "ops",
            "",
        ];
        let judged = asked
            .into_iter()
            .flat_map(|text| match faults(text, &known) {
                none if none.is_empty() => vec![(text, None)],
                some => some.into_iter().map(|fault| (text, Some(fault))).collect(),
            });
        insta::assert_snapshot!(told(judged), @r"
        arn:aws:iam::111122223333:role/teams/ops: fine
        arn:aws:iam::111122223333:role/ops: principal-path-missing -> arn:aws:iam::111122223333:role/teams/ops
        arn:aws:iam::111122223333:role/other/ops: principal-path-missing -> arn:aws:iam::111122223333:role/teams/ops
        arn:aws:sts::111122223333:assumed-role/ops/kim: arn-assumed-role -> arn:aws:iam::111122223333:role/teams/ops
        arn:aws:sts::111122223333:assumed-role/gone/kim: arn-assumed-role -> arn:aws:iam::111122223333:role/gone
        arn:aws:iam::111122223333:role/gone: principal-not-found
        arn:aws:iam::444455556666:role/theirs: fine
        arn:aws:iam::444455556666:role/AWSReservedSSO_Admin_0123456789abcdef: principal-path-missing
        arn:aws:iam::111122223333:user/team/dana: fine
        arn:aws:iam::111122223333:root: arn-not-a-principal
        arn:aws:iam::111122223333:group/admins: arn-not-a-principal
        arn:aws:iam::111122223333:role/aws-service-role/batch.amazonaws.com/AWSServiceRoleForBatch: principal-service-linked
        arn:aws:iam::1:role/ops: arn-malformed
        arn:aws:iam::${AWS::AccountId}:role/ops: placeholder-left
        arn:aws:iam::${AWS::AccountId}:role/ops: arn-malformed
        arn:aws:iam::111122223333:role/*: arn-wildcard
        arn:aws-xx:iam::111122223333:role/ops: unknown-partition
         arn:aws:iam::111122223333:role/p/ops: arn-invisible-character -> arn:aws:iam::111122223333:role/p/ops
        ops: arn-malformed
        : entry-invalid
        ");
        let unseen = Listing::default();
        assert_eq!(faults("arn:aws:iam::111122223333:role/gone", &unseen), []);
        assert_eq!(faults(&unknown::mark("Role.Arn"), &known), []);
    }
}
