//! Findings at the resource that they are about, and as people read them.

use accord_model::deploy::{Given, List, MapWrite, Resource};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::unknown;

use crate::lint::AWS_AUTH;

/// A finding at a value of a resource.
pub(super) fn at<T>(
    resource: &Resource,
    given: &Given<T>,
    kind: FindingKind,
    severity: Severity,
    message: impl Into<String>,
) -> Finding {
    of(resource, Finding::new(kind, severity, message)).at(given.at.clone(), given.span)
}

/// A finding at a list of a resource.
pub(super) fn at_list<T>(
    resource: &Resource,
    list: &List<T>,
    kind: FindingKind,
    severity: Severity,
    message: impl Into<String>,
) -> Finding {
    of(resource, Finding::new(kind, severity, message)).at(list.at.clone(), list.span)
}

/// A finding about a resource as a whole.
pub(super) fn whole(
    resource: &Resource,
    kind: FindingKind,
    severity: Severity,
    message: impl Into<String>,
) -> Finding {
    let mut finding = of(resource, Finding::new(kind, severity, message));
    finding.span = resource.span;
    finding
}

/// The finding, about a resource and what made it.
pub(super) fn of(resource: &Resource, mut finding: Finding) -> Finding {
    finding.object = Some(resource.address.clone());
    finding.source = resource.source.clone();
    finding
}

/// A finding about the map, moved to the resource that writes it.
pub(super) fn in_write(mut finding: Finding, resource: &Resource, write: &MapWrite) -> Finding {
    if finding
        .object
        .as_deref()
        .is_none_or(|object| object == AWS_AUTH)
    {
        finding = of(resource, finding);
        finding.at = Some(match &finding.at {
            Some(at) => format!("{}{at}", write.prefix),
            None => write.prefix.trim_end_matches('.').to_owned(),
        });
        finding.span = finding.span.or(write.span).or(resource.span);
    }
    finding
}

/// Puts findings in the order of the text, and in the words of people: marks become `${NAME}`.
pub(super) fn tidy(findings: &mut Vec<Finding>) {
    for finding in findings.iter_mut() {
        finding.message = unknown::shown(&finding.message).into_owned();
        for text in [&mut finding.at, &mut finding.principal]
            .into_iter()
            .flatten()
        {
            *text = unknown::shown(text).into_owned();
        }
        if finding
            .suggest
            .as_ref()
            .is_some_and(|text| !unknown::is_known(text))
        {
            // What is not known cannot be written.
            let text = finding.suggest.take().unwrap_or_default();
            finding
                .message
                .push_str(&format!(" Write: {}", unknown::shown(&text)));
        }
    }
    findings.sort_by(|a, b| {
        let place = |f: &Finding| (f.span.is_none(), f.span);
        place(a)
            .cmp(&place(b))
            .then(b.severity.cmp(&a.severity))
            .then(a.kind.cmp(&b.kind))
            .then_with(|| a.message.cmp(&b.message))
    });
    findings.dedup();
}
