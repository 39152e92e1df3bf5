//! What the authentication mode, access entries and compute make of the map: standing hazards.

use accord_model::arn;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::observed::{AwsAuth, Observed};

use super::purpose::Purpose;
use super::{AWS_AUTH, World, listed};
use crate::access::Access;
use crate::usage::UsedRole;

/// Above this, `kubectl apply` cannot keep its copy of the object in an annotation (the API server's limit for all
/// annotations of an object, `TotalAnnotationSizeLimitB`).
const ANNOTATION_LIMIT: usize = 256 * 1024;
/// The API server's limit for the data of a ConfigMap (`MaxSecretSize`).
const DATA_LIMIT: usize = 1024 * 1024;

pub(super) fn look(observed: &Observed, world: &World<'_>) -> Vec<Finding> {
    let access = Access::of(observed);
    let standing = Standing {
        observed,
        world,
        access: &access,
    };
    let mut findings: Vec<Finding> = world
        .usage
        .roles()
        .flat_map(|role| standing.used_role(role))
        .collect();
    findings.extend(standing.stale_entries());
    findings.extend(standing.entries_without_rights());
    if let Some(aws_auth) = &observed.aws_auth {
        findings.extend(standing.ignored(aws_auth));
        findings.extend(standing.shadowed(aws_auth));
        findings.extend(size(aws_auth));
    }
    findings
}

/// Mappings of the map that access entries decide for instead.
pub(crate) fn shadowed(
    observed: &Observed,
    world: &World<'_>,
    access: &Access<'_>,
) -> Vec<Finding> {
    let standing = Standing {
        observed,
        world,
        access,
    };
    let map = observed.aws_auth.as_ref();
    map.map(|aws_auth| standing.shadowed(aws_auth))
        .unwrap_or_default()
}

/// What a role in use lacks under `access`, with everything else as observed.
pub(crate) fn role_in_use(
    observed: &Observed,
    world: &World<'_>,
    access: &Access<'_>,
    role: &UsedRole,
) -> Vec<Finding> {
    let standing = Standing {
        observed,
        world,
        access,
    };
    standing.used_role(role)
}

/// A cluster as it stands, or as it would stand.
pub(super) struct Standing<'a> {
    pub(super) observed: &'a Observed,
    pub(super) world: &'a World<'a>,
    pub(super) access: &'a Access<'a>,
}

impl Standing<'_> {
    /// A map that is not read.
    fn ignored(&self, aws_auth: &AwsAuth) -> Option<Finding> {
        if self.access.reads_map() {
            return None;
        }
        let rules = self.access.rules();
        let without_entry: Vec<(String, Purpose)> = rules
            .mappings()
            .filter(|(_, m)| arn::is_presentable(&m.arn) && self.access.entry(&m.arn).is_none())
            .map(|(_, m)| {
                let purpose =
                    Purpose::of(self.world, &m.arn, &m.identity.username, &m.identity.groups);
                (m.arn.clone(), purpose)
            })
            .collect();
        if rules.mappings().next().is_none() && rules.accounts().next().is_none() {
            return None;
        }
        let names: Vec<String> = without_entry.iter().map(|(name, _)| name.clone()).collect();
        let (severity, lost) = match without_entry.iter().map(|(_, p)| *p).max() {
            None => (
                Severity::Info,
                "Everybody in it has an access entry.".to_owned(),
            ),
            Some(worst) => (
                worst.if_broken(),
                format!(
                    "Without an access entry, and so without access: {}.",
                    listed(&names)
                ),
            ),
        };
        let mut finding = Finding::new(
            FindingKind::AwsAuthIgnored,
            severity,
            format!("The authentication mode is API: aws-auth is not read at all. {lost}"),
        )
        .in_object(AWS_AUTH);
        finding.span = aws_auth.span;
        Some(finding)
    }
}

fn size(aws_auth: &AwsAuth) -> Option<Finding> {
    let (kind, severity, what) = if aws_auth.size > DATA_LIMIT {
        (
            FindingKind::TooLarge,
            Severity::BreaksCluster,
            "the API server refuses the object",
        )
    } else if aws_auth.size > ANNOTATION_LIMIT {
        (
            FindingKind::SizeNearLimit,
            Severity::Warning,
            "`kubectl apply` cannot keep its copy of it in an annotation, and fails; use server-side apply",
        )
    } else {
        return None;
    };
    let limit = match kind {
        FindingKind::TooLarge => DATA_LIMIT,
        _ => ANNOTATION_LIMIT,
    };
    let message = format!(
        "The map has {} bytes, over the limit of {limit}: {what}.",
        aws_auth.size
    );
    let mut finding = Finding::new(kind, severity, message).in_object(AWS_AUTH);
    finding.span = aws_auth.span;
    Some(finding)
}
