//! What EKS gives an access entry by itself, and what it refuses. Source: the EKS user guide, "Create access entries".

pub mod principal;
pub mod rules;

use accord_model::arn::Arn;
use accord_model::facts::{AccessEntry, Role};

/// Whether the role was made after the entry: the entry is bound to a role that is gone.
pub fn is_stale(entry: &AccessEntry, role: &Role) -> bool {
    match (entry.created, role.created) {
        (Some(entry), Some(role)) => role > entry,
        _ => false,
    }
}

/// The username that EKS gives a type of access entry that was made without one.
pub fn default_username(entry: &AccessEntry) -> String {
    match entry.kind.as_str() {
        "EC2_LINUX" | "EC2_WINDOWS" | "EC2" => "system:node:{{EC2PrivateDNSName}}".into(),
        "FARGATE_LINUX" | "HYBRID_LINUX" | "HYPERPOD_LINUX" => "system:node:{{SessionName}}".into(),
        _ => match Arn::parse(&entry.principal) {
            Some(role) if role.resource_type() == "role" => format!(
                "arn:{}:sts::{}:assumed-role/{}/{{{{SessionName}}}}",
                role.partition,
                role.account,
                role.name().unwrap_or_default()
            ),
            _ => entry.principal.clone(),
        },
    }
}

/// The groups that EKS gives a type of access entry by itself.
pub fn default_groups(kind: &str) -> &'static [&'static str] {
    match kind {
        "EC2_LINUX" | "EC2" | "HYBRID_LINUX" | "HYPERPOD_LINUX" => &["system:nodes"],
        "EC2_WINDOWS" => &["system:nodes", "eks:kube-proxy-windows"],
        "FARGATE_LINUX" => &["system:nodes", "system:node-proxier"],
        _ => &[],
    }
}
