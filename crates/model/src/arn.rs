//! Amazon Resource Names of those who call, and the form in which the authenticator compares them.
//!
//! Sources: `pkg/arn/arn.go` and `pkg/endpoints/partitions.go` of aws-iam-authenticator v0.7.18, and `aws/arn` of the
//! AWS SDK for Go, which they parse with.

use std::borrow::Cow;
use std::fmt;

use crate::fold;
use crate::mapping::SectionName;
use crate::unknown;

/// The partitions that the authenticator knows, spelled as it wants them.
pub const PARTITIONS: [&str; 8] = [
    "aws",
    "aws-cn",
    "aws-us-gov",
    "aws-iso",
    "aws-iso-b",
    "aws-iso-e",
    "aws-iso-f",
    "aws-eusc",
];

/// The six sections of an ARN, cut as the AWS SDK cuts them: nothing else is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arn<'a> {
    /// `aws`, `aws-cn`, …
    pub partition: &'a str,
    /// `iam`, `sts`, …
    pub service: &'a str,
    /// Empty for IAM and STS.
    pub region: &'a str,
    /// Twelve digits, if it is well-formed.
    pub account: &'a str,
    /// The rest, colons included: `role/path/name`.
    pub resource: &'a str,
}

impl<'a> Arn<'a> {
    /// Cuts `text` into its sections; `None` if it does not begin with `arn:` (in this case) or has too few.
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut sections = text.strip_prefix("arn:")?.splitn(5, ':');
        Some(Self {
            partition: sections.next()?,
            service: sections.next()?,
            region: sections.next()?,
            account: sections.next()?,
            resource: sections.next()?,
        })
    }

    /// What kind of resource it is: the resource up to the first `/`.
    pub fn resource_type(&self) -> &'a str {
        self.resource.split('/').next().unwrap_or_default()
    }

    /// The resource's own name, behind the last `/`; `None` if there is no `/`.
    pub fn name(&self) -> Option<&'a str> {
        self.resource.rsplit_once('/').map(|(_, name)| name)
    }

    /// What stands between the resource's type and its name, without the slashes around it: `ci/gitlab`.
    pub fn path(&self) -> Option<&'a str> {
        let (_, rest) = self.resource.split_once('/')?;
        rest.rsplit_once('/').map(|(path, _)| path)
    }

    /// Whether the account is twelve digits, or known only after a deploy.
    pub fn has_account(&self) -> bool {
        is_account(self.account) || unknown::is_whole(self.account)
    }
}

/// Whether `text` is an AWS account id: twelve ASCII digits.
pub fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|b| b.is_ascii_digit())
}

/// Who can call, as STS tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PrincipalType {
    /// `arn:P:iam::A:role/R`
    Role,
    /// `arn:P:iam::A:user/U`
    User,
    /// `arn:P:iam::A:root`
    Root,
    /// `arn:P:sts::A:federated-user/N`
    FederatedUser,
    /// `arn:P:sts::A:assumed-role/R/S`
    AssumedRole,
}

/// Why an ARN is no caller's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotACaller {
    /// It does not have the form `arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE`.
    #[error("it is not of the form arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE")]
    NotAnArn,
    /// The partition is not one of [`PARTITIONS`].
    #[error("there is no partition `{0}`")]
    UnknownPartition(String),
    /// An assumed-role ARN without a session name.
    #[error("it names no session: the form is assumed-role/ROLE/SESSION")]
    NoSession,
    /// IAM or STS, and no kind of caller.
    #[error("nobody authenticates as `{0}`")]
    Resource(String),
    /// Neither IAM nor STS.
    #[error("`{0}` has no identities: only iam and sts have")]
    Service(String),
}

/// The form under which the authenticator looks a caller up: a session becomes its role, all else stays as it is.
///
/// STS shows no role path, so the result for a real caller has none; a path in `arn` is kept, as the authenticator
/// keeps it. Checks no more than the authenticator does: `arn:` and the service are case-sensitive, the partition must
/// be known, account and names may be anything.
pub fn canonicalize(arn: &str) -> Result<(PrincipalType, Cow<'_, str>), NotACaller> {
    let parsed = Arn::parse(arn).ok_or(NotACaller::NotAnArn)?;
    if !PARTITIONS.contains(&parsed.partition) && !unknown::is_whole(parsed.partition) {
        return Err(NotACaller::UnknownPartition(parsed.partition.to_owned()));
    }
    match (parsed.service, parsed.resource_type()) {
        ("sts", "federated-user") => Ok((PrincipalType::FederatedUser, arn.into())),
        ("sts", "assumed-role") => {
            let role = parsed.path().ok_or(NotACaller::NoSession)?;
            let canonical = format!(
                "arn:{}:iam::{}:role/{role}",
                parsed.partition, parsed.account
            );
            Ok((PrincipalType::AssumedRole, canonical.into()))
        }
        ("iam", "role") => Ok((PrincipalType::Role, arn.into())),
        ("iam", "user") => Ok((PrincipalType::User, arn.into())),
        ("iam", "root") => Ok((PrincipalType::Root, arn.into())),
        ("iam" | "sts", _) => Err(NotACaller::Resource(parsed.resource.to_owned())),
        (service, _) => Err(NotACaller::Service(service.to_owned())),
    }
}

/// A principal as it is printed: its canonical form where it has one, in its own spelling, else the text as it stands.
pub fn display_form(text: &str) -> Cow<'_, str> {
    match canonicalize(text) {
        Ok((_, canonical)) => canonical,
        Err(_) => text.into(),
    }
}

/// A role's ARN as STS shows it: without the path. Any other text stays as it is.
pub fn without_role_path(arn: &str) -> Cow<'_, str> {
    match Arn::parse(arn) {
        Some(parsed) if parsed.resource_type() == "role" => match (parsed.path(), parsed.name()) {
            (Some(_), Some(name)) => format!(
                "arn:{}:{}:{}:{}:role/{name}",
                parsed.partition, parsed.service, parsed.region, parsed.account
            )
            .into(),
            _ => arn.into(),
        },
        _ => arn.into(),
    }
}

/// Whether some caller can have exactly this canonical ARN, letter case aside: a role without a path, a user, the
/// root of an account or a federated user, in a known partition, with an account and a name. Only a map entry with
/// such an ARN can let anybody in. One that is known only after a deploy is taken to be such an ARN.
pub fn is_presentable(arn: &str) -> bool {
    if unknown::is_whole(arn) {
        return true;
    }
    let folded = fold::fold_key(arn);
    let Some(parsed) = Arn::parse(&folded) else {
        return false;
    };
    let named = parsed.name().is_some_and(|n| !n.is_empty());
    let whole = parsed.region.is_empty() && parsed.has_account();
    let known = match canonicalize(&folded) {
        Ok((PrincipalType::Role, _)) => named && parsed.path().is_none(),
        Ok((PrincipalType::User | PrincipalType::FederatedUser, _)) => named,
        Ok((PrincipalType::Root, _)) => parsed.resource == "root",
        Ok((PrincipalType::AssumedRole, _)) | Err(_) => false,
    };
    whole && known
}

/// What AWS tells roles and users apart by: partition, account, kind and name, without regard to case or path (names
/// are unique in an account). `None` for anything else. Equal for a role's ARN in IAM and as STS shows it. What is known
/// only after a deploy is told apart by its name.
pub fn identity_key(arn: &str) -> Option<String> {
    if unknown::is_whole(arn) {
        return Some(arn.to_owned());
    }
    let folded = fold::fold_key(arn);
    let parsed = Arn::parse(&folded).filter(|a| a.service == "iam")?;
    let kind = Some(parsed.resource_type()).filter(|k| matches!(*k, "role" | "user"))?;
    let name = parsed.name().filter(|n| !n.is_empty())?;
    Some(format!(
        "{}:{}:{kind}/{name}",
        parsed.partition, parsed.account
    ))
}

/// Whether both are the same role or the same user, whatever the paths: see [`identity_key`].
pub fn same_identity(a: &str, b: &str) -> bool {
    identity_key(a).is_some_and(|key| identity_key(b) == Some(key))
}

/// Whether it is a service-linked role: its path begins with `aws-service-role/`.
pub fn is_service_linked(arn: &str) -> bool {
    Arn::parse(arn).is_some_and(|a| {
        a.resource_type() == "role" && a.path().is_some_and(|p| p.starts_with("aws-service-role/"))
    })
}

/// The form of a principal under which two spellings are the same entry to the authenticator: lower-cased as Go does
/// it. For an account, the text as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PrincipalKey(String);

impl PrincipalKey {
    /// The key of an ARN as it stands in a map.
    pub fn of(arn: &str) -> Self {
        Self(fold::to_lower(arn).into_owned())
    }

    /// The key of an account as it stands in a map: accounts are compared exactly.
    pub fn of_account(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The key of an ARN or account as it stands in `section`.
    pub fn in_section(section: SectionName, text: &str) -> Self {
        match section {
            SectionName::Roles | SectionName::Users => Self::of(text),
            SectionName::Accounts => Self::of_account(text),
        }
    }

    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PrincipalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(arn: &str) -> Result<String, NotACaller> {
        canonicalize(arn).map(|(_, c)| c.into_owned())
    }

    #[test]
    fn callers_become_what_the_authenticator_looks_up() {
        for (asked, kind, expected) in [
            (
                "arn:aws:iam::111122223333:user/Team/Bob",
                PrincipalType::User,
                None,
            ),
            ("arn:aws:iam::111122223333:root", PrincipalType::Root, None),
            (
                "arn:aws:iam::111122223333:root/x",
                PrincipalType::Root,
                None,
            ),
            ("arn:aws:iam::111122223333:role", PrincipalType::Role, None),
            (
                "arn:aws:sts::111122223333:federated-user/Ann",
                PrincipalType::FederatedUser,
                None,
            ),
            (
                "arn:aws-eusc:iam::111122223333:role/A",
                PrincipalType::Role,
                None,
            ),
            (
                "arn:aws:sts:eu-west-1:111122223333:assumed-role/p/A/s",
                PrincipalType::AssumedRole,
                Some("arn:aws:iam::111122223333:role/p/A"),
            ),
            (
                "arn:aws-cn:sts::111122223333:assumed-role/A/",
                PrincipalType::AssumedRole,
                Some("arn:aws-cn:iam::111122223333:role/A"),
            ),
            (
                "arn:aws:sts::111122223333:assumed-role//s",
                PrincipalType::AssumedRole,
                Some("arn:aws:iam::111122223333:role/"),
            ),
        ] {
            assert_eq!(
                canonicalize(asked),
                Ok((kind, expected.unwrap_or(asked).into())),
                "{asked}"
            );
        }
    }

    #[test]
    fn whoever_is_no_caller_is_refused() {
        let refused = [
            "arn:aws:iam::111122223333:instance-profile/A",
            "arn:aws:sts::111122223333:assumed-role/A",
            "ARN:aws:iam::111122223333:role/A",
            "arn:AWS:iam::111122223333:role/A",
            "arn:aws:IAM::111122223333:role/A",
            "arn:aws:eks:eu-west-1:111122223333:cluster/demo",
            "arn:aws:iam:111122223333:role/A",
            "",
        ];
        let told: Vec<String> = refused
            .iter()
            .map(|a| canonical(a).unwrap_err().to_string())
            .collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        nobody authenticates as `instance-profile/A`
        it names no session: the form is assumed-role/ROLE/SESSION
        it is not of the form arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE
        there is no partition `AWS`
        `IAM` has no identities: only iam and sts have
        `eks` has no identities: only iam and sts have
        it is not of the form arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE
        it is not of the form arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE
        ");
    }

    #[test]
    fn only_some_arns_can_be_a_callers() {
        for yes in [
            "arn:aws:iam::111122223333:role/A",
            "ARN:AWS:IAM::111122223333:ROLE/A",
            "arn:aws:iam::111122223333:user/team/bob",
            "arn:aws:iam::111122223333:root",
            "arn:aws:sts::111122223333:federated-user/ann",
            "arn:aws:iam::111122223333:role/\u{17F}ale\u{17F}",
        ] {
            assert!(is_presentable(yes), "{yes}");
        }
        for no in [
            "arn:aws:iam::111122223333:role/p/A",
            "arn:aws:iam::111122223333:role/",
            "arn:aws:iam::111122223333:role",
            "arn:aws:iam:eu-west-1:111122223333:role/A",
            "arn:aws:iam::1:role/A",
            "arn:aws:sts::111122223333:assumed-role/A/s",
            "arn:aws-xx:iam::111122223333:role/A",
            " arn:aws:iam::111122223333:role/A",
        ] {
            assert!(!is_presentable(no), "{no}");
        }
    }

    #[test]
    fn roles_are_told_apart_by_account_and_name() {
        let role = "arn:aws:iam::111122223333:role/Team/Nodes";
        assert!(same_identity(role, "arn:aws:iam::111122223333:role/nodes"));
        assert!(!same_identity(role, "arn:aws:iam::444455556666:role/nodes"));
        assert!(!same_identity(
            role,
            "arn:aws-cn:iam::111122223333:role/nodes"
        ));
        assert!(!same_identity(role, "arn:aws:iam::111122223333:user/nodes"));
        assert_eq!(
            without_role_path(role),
            "arn:aws:iam::111122223333:role/Nodes"
        );
        let user = "arn:aws:iam::111122223333:user/Team/Bob";
        assert_eq!(without_role_path(user), user);
        assert!(is_service_linked(
            "arn:aws:iam::111122223333:role/aws-service-role/batch.amazonaws.com/AWSServiceRoleForBatch"
        ));
    }

    proptest! {
        #[test]
        fn a_canonical_arn_stays_as_it_is(text in "(arn:aws:(iam|sts)::[0-9]{0,12}:(role|user|root|assumed-role|x)(/[a-zA-Z]{0,3}){0,4}|\\PC{0,20})") {
            if let Ok(once) = canonical(&text) {
                prop_assert_eq!(canonical(&once), Ok(once));
            }
            let _ = (display_form(&text), without_role_path(&text), is_presentable(&text));
        }
    }
}
