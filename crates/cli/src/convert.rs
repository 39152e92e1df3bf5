//! From values of the model to reports: places looked up, lines quoted.

use accord_model::finding::Finding;
use accord_wire::report;
use accord_wire::sources::Sources;

use crate::render::finding::Quote;

/// Findings with their places.
pub(crate) fn findings(findings: &[Finding], sources: &Sources) -> Vec<report::Finding> {
    findings
        .iter()
        .map(|finding| {
            let place = finding.span.and_then(|span| sources.locate(span));
            report::Finding::new(finding, place)
        })
        .collect()
}

/// For each finding the line that it is about, if it is in a file.
pub(crate) fn quotes(findings: &[Finding], sources: &Sources) -> Vec<Option<Quote>> {
    findings
        .iter()
        .map(|finding| {
            let line = sources.line(finding.span?)?;
            Some(Quote::of(line.text, line.marked))
        })
        .collect()
}
