//! What EKS refuses in an access entry, rule by rule, so that it is said before any call.
//!
//! Sources: the EKS user guide ("Create access entries", "Review access policy permissions"), the API reference of
//! CreateAccessEntry and AssociateAccessPolicy, and the errors in aws/aws-cdk#29393, hashicorp/terraform-provider-aws#36447
//! and terraform-aws-modules/terraform-aws-eks#2915 and #2969.

use accord_model::arn::{self, Arn, PrincipalType};
use accord_model::facts::{Listing, Role};
use accord_model::finding::FindingKind;
use accord_model::unknown;

use crate::lint::{self, World};
use crate::near::is_invisible;

/// Types of access entries.
pub const TYPES: [&str; 7] = [
    "STANDARD",
    "EC2_LINUX",
    "EC2_WINDOWS",
    "FARGATE_LINUX",
    "HYBRID_LINUX",
    "EC2",
    "HYPERPOD_LINUX",
];

/// Beginnings of usernames that EKS keeps for itself.
pub const RESERVED_PREFIXES: [&str; 5] = ["system:", "eks:", "aws:", "amazon:", "iam:"];

/// The policy that makes an administrator.
pub const CLUSTER_ADMIN: &str = "AmazonEKSClusterAdminPolicy";

/// Why EKS refuses a value, or why it never does what is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub kind: FindingKind,
    /// Why, in whole sentences.
    pub message: String,
    /// What to write instead, if that is certain.
    pub instead: Option<String>,
}

impl Fault {
    fn new(kind: FindingKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            instead: None,
        }
    }

    fn or(mut self, instead: Option<String>) -> Self {
        self.instead = instead;
        self
    }
}

/// The principal: a role or a user that exists, by its real ARN. `roles` is what is known of IAM. None if it is fine.
pub fn principal(text: &str, roles: &Listing<Role>) -> Vec<Fault> {
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

/// The type.
pub fn kind(text: &str) -> Option<Fault> {
    if !unknown::is_known(text) || TYPES.contains(&text) {
        return None;
    }
    let near = text.to_ascii_uppercase().replace('-', "_");
    let instead = TYPES.contains(&near.as_str()).then_some(near);
    let message = format!(
        "There is no type `{text}`; the types are {}.",
        TYPES.join(", ")
    );
    Some(Fault::new(FindingKind::EntryInvalid, message).or(instead))
}

/// Whether entries of this type may have a username and groups.
pub fn may_have_identity(kind: &str) -> bool {
    kind == "STANDARD" || !unknown::is_known(kind)
}

/// Whether entries of this type may have access policies: those of Auto Mode's nodes have one.
pub fn may_have_policies(kind: &str) -> bool {
    matches!(kind, "STANDARD" | "EC2") || !unknown::is_known(kind)
}

/// Why an entry of this type may not have `field`.
pub fn field_not_allowed(kind: &str, field: &str) -> Fault {
    Fault::new(
        FindingKind::FieldNotAllowedForType,
        format!(
            "An entry of type {kind} may not have `{field}`: EKS gives it username and groups by itself. Take the field \
             out."
        ),
    )
}

/// The username.
pub fn username(text: &str) -> Option<Fault> {
    let reserved = RESERVED_PREFIXES
        .iter()
        .find(|prefix| text.starts_with(**prefix));
    if let Some(prefix) = reserved {
        return Some(Fault::new(
            FindingKind::UsernameReserved,
            format!("The username `{text}` begins with `{prefix}`, which EKS keeps for itself."),
        ));
    }
    let template = text.find("{{SessionName")?;
    let before = text.get(..template).unwrap_or_default();
    (!before.contains(':') && unknown::is_known(before)).then(|| {
        Fault::new(
            FindingKind::UsernameNeedsColon,
            format!(
                "In the username `{text}` there must be a colon somewhere before {{{{SessionName}}}}, or EKS refuses the \
                 entry."
            ),
        )
    })
}

/// One group.
pub fn group(text: &str) -> Option<Fault> {
    if !text.starts_with("system:") {
        return None;
    }
    let instead = match text {
        "system:masters" => format!(
            "Associate the access policy {CLUSTER_ADMIN} for the whole cluster instead, which does the same."
        ),
        _ => "Bind a group of your own to the same role, or use an access policy.".to_owned(),
    };
    Some(Fault::new(
        FindingKind::EntryGroupReserved,
        format!(
            "The group `{text}` begins with `system:`, which EKS refuses in an access entry. {instead}"
        ),
    ))
}

/// The ARN of an access policy.
pub fn policy(text: &str) -> Option<Fault> {
    if !unknown::is_known(text) && !text.ends_with("Policy") {
        return None;
    }
    let parsed = Arn::parse(text);
    let right = parsed.is_some_and(|a| {
        a.service == "eks" && a.account == "aws" && a.resource_type() == "cluster-access-policy"
    });
    if right && parsed.and_then(|a| a.name()).is_some_and(|n| !n.is_empty()) {
        return None;
    }
    let why = match parsed {
        _ if text.is_empty() => "The access policy is empty.".to_owned(),
        Some(a) if a.service == "iam" => {
            format!(
                "`{}` is an IAM policy, which means nothing inside a cluster.",
                unknown::shown(text)
            )
        }
        _ => format!(
            "`{}` is not the ARN of an access policy.",
            unknown::shown(text)
        ),
    };
    Some(Fault::new(
        FindingKind::EntryInvalid,
        format!(
            "{why} An access policy is arn:PARTITION:eks::aws:cluster-access-policy/NAME, with a name as \
             {CLUSTER_ADMIN}."
        ),
    ))
}

/// The scope of an access policy. `namespaces` is how many there are; `None` if that is not known.
pub fn scope(kind: Option<&str>, namespaces: Option<usize>) -> Option<Fault> {
    let fault = |kind, message: String| Some(Fault::new(kind, message));
    match kind {
        None => fault(
            FindingKind::EntryInvalid,
            "The access policy has no scope; write `cluster`, or `namespace` with the namespaces.".into(),
        ),
        Some(text) if !unknown::is_known(text) => None,
        Some("cluster") if namespaces.is_some_and(|n| n > 0) => fault(
            FindingKind::AccessScopeInvalid,
            "The scope is the whole cluster, and names namespaces: write `namespace`, or take them out.".into(),
        ),
        Some("namespace") if namespaces == Some(0) => fault(
            FindingKind::AccessScopeInvalid,
            "The scope is `namespace` and names none: list the namespaces, or write `cluster`.".into(),
        ),
        Some("cluster" | "namespace") => None,
        Some(other) => {
            let near = other.to_ascii_lowercase();
            let instead = matches!(near.as_str(), "cluster" | "namespace").then_some(near);
            let message = format!("There is no scope `{other}`; it is `cluster` or `namespace`.");
            Some(Fault::new(FindingKind::EntryInvalid, message).or(instead))
        }
    }
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
        let faults = asked
            .into_iter()
            .flat_map(|text| match principal(text, &known) {
                faults if faults.is_empty() => vec![(text, None)],
                faults => faults
                    .into_iter()
                    .map(|fault| (text, Some(fault)))
                    .collect(),
            });
        insta::assert_snapshot!(told(faults), @r"
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
        assert_eq!(
            principal("arn:aws:iam::111122223333:role/gone", &unseen),
            []
        );
        assert_eq!(principal(&unknown::mark("Role.Arn"), &known), []);
    }

    #[test]
    fn usernames_and_groups_keep_off_what_is_reserved() {
        let names = [
            "system:ops",
            "eks:ops",
            "amazon:x",
            "jan{{SessionName}}",
            "ja:n{{SessionName}}",
            ":{{SessionNameRaw}}",
            "{{SessionName}}",
            "ops",
            "systemic",
        ];
        insta::assert_snapshot!(told(names.map(|n| (n, username(n)))), @r"
        system:ops: username-reserved
        eks:ops: username-reserved
        amazon:x: username-reserved
        jan{{SessionName}}: username-needs-colon
        ja:n{{SessionName}}: fine
        :{{SessionNameRaw}}: fine
        {{SessionName}}: username-needs-colon
        ops: fine
        systemic: fine
        ");
        let groups = ["system:masters", "system:authenticated", "ops"];
        insta::assert_snapshot!(told(groups.map(|g| (g, group(g)))), @r"
        system:masters: entry-group-reserved
        system:authenticated: entry-group-reserved
        ops: fine
        ");
    }

    #[test]
    fn types_policies_and_scopes_exist() {
        let kinds = ["STANDARD", "EC2", "ec2-linux", "NODE"];
        insta::assert_snapshot!(told(kinds.map(|k| (k, kind(k)))), @r"
        STANDARD: fine
        EC2: fine
        ec2-linux: entry-invalid -> EC2_LINUX
        NODE: entry-invalid
        ");
        let policies = [
            "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
            "arn:aws:iam::aws:policy/AdministratorAccess",
            "AmazonEKSViewPolicy",
            "arn:aws:eks::aws:cluster-access-policy/",
            "",
        ];
        insta::assert_snapshot!(told(policies.map(|p| (p, policy(p)))), @r"
        arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy: fine
        arn:aws:iam::aws:policy/AdministratorAccess: entry-invalid
        AmazonEKSViewPolicy: entry-invalid
        arn:aws:eks::aws:cluster-access-policy/: entry-invalid
        : entry-invalid
        ");
        let scopes = [
            ("none", scope(None, Some(0))),
            ("cluster with namespaces", scope(Some("cluster"), Some(1))),
            ("namespace without", scope(Some("namespace"), Some(0))),
            ("namespace, not known", scope(Some("namespace"), None)),
            ("Namespace", scope(Some("Namespace"), Some(1))),
            ("global", scope(Some("global"), Some(0))),
        ];
        insta::assert_snapshot!(told(scopes), @r"
        none: entry-invalid
        cluster with namespaces: access-scope-invalid
        namespace without: access-scope-invalid
        namespace, not known: fine
        Namespace: entry-invalid -> namespace
        global: entry-invalid
        ");
    }
}
