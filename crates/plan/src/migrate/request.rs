//! The access entry that stands for a mapping, or why none can.
//!
//! Sources: the EKS user guide, "Create access entries" (types, reserved names, the colon before `{{SessionName}}`) and
//! "Review access policy permissions".

use accord_model::arn::{self, Arn};
use accord_model::claim::PolicyGrant;
use accord_model::finding::FindingKind;
use accord_model::mapping::{Identity, Mapping};
use accord_model::migration::EntryRequest;

use super::ground::{Ground, RealArn};
use crate::template::Placeholder;
use crate::usage::{BOOTSTRAPPERS, EntryShape, KUBE_PROXY_WINDOWS, NODE_PROXIER, NODES, Use};

/// What an access entry's username may not begin with.
const RESERVED: [&str; 5] = ["system:", "eks:", "aws:", "amazon:", "iam:"];

/// The group that makes an administrator, and the policy that does.
pub(super) const MASTERS: &str = "system:masters";
pub(super) const CLUSTER_ADMIN: &str = "AmazonEKSClusterAdminPolicy";

/// Why there can be no access entry.
pub(super) struct Impossible {
    pub(super) kind: FindingKind,
    /// The field of the mapping: `.username`; empty for all of it.
    pub(super) field: String,
    pub(super) why: String,
}

fn no(kind: FindingKind, field: &str, why: impl Into<String>) -> Impossible {
    Impossible {
        kind,
        field: field.to_owned(),
        why: why.into(),
    }
}

pub(super) fn of(ground: &Ground<'_>, mapping: &Mapping) -> Result<EntryRequest, Impossible> {
    let principal = principal(ground, mapping)?;
    if arn::is_service_linked(&principal) || is_named_service_linked(&principal) {
        return Err(no(
            FindingKind::PrincipalServiceLinked,
            "",
            "Nobody but its service can create an access entry for a service-linked role: it stays in the map.",
        ));
    }
    let bare = |kind: &str| EntryRequest {
        principal: principal.clone(),
        kind: kind.to_owned(),
        username: None,
        groups: Vec::new(),
        policies: Vec::new(),
    };
    if let Some(kind) = compute_type(ground, mapping) {
        return match ground.is_own_account(&principal) {
            Some(false) => Err(no(
                FindingKind::FieldNotAllowedForType,
                "",
                format!(
                    "An access entry of type {kind} is for roles of the cluster's own account."
                ),
            )),
            Some(true) | None => Ok(bare(kind)),
        };
    }
    let username = username(&principal, &mapping.identity)?;
    let (groups, is_admin) = groups(&mapping.identity)?;
    let admin = PolicyGrant {
        policy: CLUSTER_ADMIN.to_owned(),
        namespaces: None,
    };
    Ok(EntryRequest {
        username: Some(username),
        groups,
        policies: is_admin.then_some(admin).into_iter().collect(),
        ..bare("STANDARD")
    })
}

/// The principal with its real path, which an access entry needs and `aws-auth` does not have.
fn principal(ground: &Ground<'_>, mapping: &Mapping) -> Result<String, Impossible> {
    let canonical = arn::display_form(&mapping.arn).into_owned();
    if Arn::parse(&canonical).is_none_or(|parsed| parsed.resource_type() != "role") {
        return Ok(canonical);
    }
    match ground.real_arn(&canonical) {
        RealArn::Known(arn) => Ok(arn),
        RealArn::OtherAccount => Err(no(
            FindingKind::CrossAccountPathUnknown,
            "",
            "The role is of another account, and whether it has a path cannot be looked up from here. An access entry \
             with a wrong ARN lets nobody in: give what `aws iam get-role` prints there with --facts.",
        )),
        RealArn::Gone => Err(no(
            FindingKind::PrincipalNotFound,
            "",
            "The account has no such role any more, so no access entry can be made. Remove the mapping if nobody needs \
             it.",
        )),
        RealArn::Unknown => Err(no(
            FindingKind::PrincipalPathMissing,
            "",
            "Whether the role has a path is not known, and an access entry with a wrong ARN lets nobody in: give what \
             `aws iam list-roles` prints with --facts.",
        )),
    }
}

/// The role's name is one that IAM gives to service-linked roles only.
fn is_named_service_linked(principal: &str) -> bool {
    let name = Arn::parse(principal).and_then(|a| a.name().map(str::to_owned));
    name.is_some_and(|name| name.starts_with("AWSServiceRoleFor"))
}

/// The type for compute that gives just what the mapping gives.
fn compute_type(ground: &Ground<'_>, mapping: &Mapping) -> Option<&'static str> {
    let identity = &mapping.identity;
    let of_nodes = [BOOTSTRAPPERS, NODES, NODE_PROXIER, KUBE_PROXY_WINDOWS];
    let has = |group: &str| identity.groups.iter().any(|g| g == group);
    if !has(NODES)
        || !identity
            .groups
            .iter()
            .all(|g| of_nodes.contains(&g.as_str()))
    {
        return None;
    }
    let used = ground.usage.of_role(&mapping.arn);
    let is_for_pods = used.is_some_and(|role| role.uses().contains(&Use::FargatePods));
    match EntryShape::of(identity)? {
        EntryShape::Nodes if identity.username != Use::LinuxNodes.username() => None,
        EntryShape::Nodes if has(KUBE_PROXY_WINDOWS) => Some("EC2_WINDOWS"),
        EntryShape::Nodes => Some("EC2_LINUX"),
        EntryShape::Fargate if identity.username != Use::FargatePods.username() => None,
        EntryShape::Fargate if has(NODE_PROXIER) || is_for_pods => Some("FARGATE_LINUX"),
        EntryShape::Fargate => Some("HYBRID_LINUX"),
    }
}

fn username(principal: &str, identity: &Identity) -> Result<String, Impossible> {
    let wrong = |kind, why: String| Err(no(kind, ".username", why));
    if identity.username.is_empty() {
        return wrong(
            FindingKind::UsernameMissing,
            "It has no username, and EKS would give the access entry one.".to_owned(),
        );
    }
    // The account stands in the ARN, so this template is a constant.
    let account = Arn::parse(principal).map_or("", |a| a.account);
    let username = identity
        .username
        .replace(Placeholder::AccountId.text(), account);
    if let Some(prefix) = RESERVED.iter().find(|p| username.starts_with(*p)) {
        return wrong(
            FindingKind::UsernameReserved,
            format!(
                "EKS takes no access entry whose username begins with `{prefix}`. Choose another name in the map first, \
                 such as `{}`, and bind that in RBAC beside the old one.",
                username.replacen(prefix, "", 1)
            ),
        );
    }
    if let Some(other) = Placeholder::in_text(&username).find(|p| *p != Placeholder::SessionName) {
        return wrong(
            FindingKind::TemplateUnknown,
            format!(
                "An access entry does not fill `{}`; it knows `{{{{SessionName}}}}` alone.",
                other.text()
            ),
        );
    }
    let session = username.find(Placeholder::SessionName.text());
    if session.is_some_and(|at| !username[..at].contains(':')) {
        return wrong(
            FindingKind::UsernameNeedsColon,
            "EKS takes no access entry whose username has `{{SessionName}}` without a colon before it. Put one into the \
             map first, and bind the new names in RBAC beside the old ones."
                .to_owned(),
        );
    }
    Ok(username)
}

/// The groups beside `system:masters`, and whether that was among them.
fn groups(identity: &Identity) -> Result<(Vec<String>, bool), Impossible> {
    let mut groups: Vec<String> = Vec::new();
    let mut is_admin = false;
    for (index, group) in identity.groups.iter().enumerate() {
        let field = format!(".groups[{index}]");
        if group == MASTERS {
            is_admin = true;
        } else if group.starts_with("system:") {
            let why = format!("EKS takes no access entry with the group `{group}`.");
            return Err(no(FindingKind::EntryGroupReserved, &field, why));
        } else if group.contains("{{") {
            let why = format!("An access entry does not fill the template in the group `{group}`.");
            return Err(no(FindingKind::TemplateUnknown, &field, why));
        } else if !groups.contains(group) {
            groups.push(group.clone());
        }
    }
    Ok((groups, is_admin))
}
