//! How large a ConfigMap may be.

use accord_model::arn::PrincipalKey;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::observed::Observed;
use accord_model::plan::Refusal;
use accord_plan::rules::Rules;

use crate::cluster::{Data, Write};

/// The API server takes no ConfigMap whose values have more bytes than this in all (`MaxSecretSize`, which
/// `ValidateConfigMap` in pkg/apis/core/validation also uses).
pub const MAX_CONFIG_MAP: usize = 1_048_576;

/// `kubectl apply` keeps the whole object in an annotation, and all annotations of an object may have no more bytes
/// than this (`TotalAnnotationSizeLimitB` in apimachinery).
pub const MAX_ANNOTATIONS: usize = 262_144;

/// Refuses a map that the API server would not take.
pub fn refusal(write: &Write, observed: &Observed) -> Option<Refusal> {
    let (before, after) = (bytes(write.before.as_ref()), bytes(write.after.as_ref()));
    if after <= MAX_CONFIG_MAP || after <= before {
        return None;
    }
    let mut message = format!(
        "The map would have {after} bytes (it has {before}), and the API server takes at most {MAX_CONFIG_MAP}. \
         Give up entries, or map a role instead of many users."
    );
    let idle = idle_duplicates(observed);
    if !idle.is_empty() {
        message.push_str(&format!(
            " These entries do nothing, because a later one for the same principal decides: {}.",
            idle.join(", ")
        ));
    }
    Some(Refusal {
        kind: FindingKind::TooLarge,
        principal: None,
        message,
        held_by: None,
        allow: None,
        askers: true,
    })
}

/// Warns of a map that `kubectl apply` could no longer hold.
pub fn warning(write: &Write) -> Option<Finding> {
    let after = bytes(write.after.as_ref());
    let is_near = after > MAX_ANNOTATIONS && after <= MAX_CONFIG_MAP;
    (is_near && after > bytes(write.before.as_ref())).then(|| {
        Finding::new(
            FindingKind::SizeNearLimit,
            Severity::Warning,
            format!(
                "The map would have {after} bytes. A client-side `kubectl apply` of it fails above {MAX_ANNOTATIONS}, \
                 because it keeps a copy in an annotation; the map itself may have {MAX_CONFIG_MAP}."
            ),
        )
        .in_object(write.name.to_string())
    })
}

fn bytes(data: Option<&Data>) -> usize {
    data.map_or(0, |data| data.iter().map(|(_, value)| value.len()).sum())
}

/// Entries that never decide, because another one for the same principal does. At most a few are named.
fn idle_duplicates(observed: &Observed) -> Vec<String> {
    const NAMED: usize = 10;
    let Some(aws_auth) = &observed.aws_auth else {
        return Vec::new();
    };
    let rules = Rules::of(&aws_auth.map);
    rules
        .mappings()
        .filter(|(id, mapping)| {
            let key = PrincipalKey::of(&mapping.arn);
            !mapping.arn.is_empty() && !rules.deciding(&key).ids().contains(id)
        })
        .map(|(id, _)| id.to_string())
        .take(NAMED)
        .collect()
}
