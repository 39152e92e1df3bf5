//! What EKS refuses in an access entry, rule by rule, so that it is said before any call. Principals are in
//! [`super::principal`].
//!
//! Sources: the EKS user guide ("Create access entries", "Review access policy permissions"), the API reference of
//! CreateAccessEntry and AssociateAccessPolicy, and the errors in aws/aws-cdk#29393, hashicorp/terraform-provider-aws#36447
//! and terraform-aws-modules/terraform-aws-eks#2915 and #2969.

use accord_model::arn::Arn;
use accord_model::finding::FindingKind;
use accord_model::unknown;

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
    pub(super) fn new(kind: FindingKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            instead: None,
        }
    }

    pub(super) fn or(mut self, instead: Option<String>) -> Self {
        self.instead = instead;
        self
    }
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
