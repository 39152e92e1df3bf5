//! From values of the model to reports: places looked up, lines quoted.

use accord_engine::run::Proposal;
use accord_model::finding::Finding;
use accord_wire::report;
use accord_wire::sources::Sources;

use crate::render::finding::Quote;

/// A plan as it is reported.
pub(crate) fn plan(
    proposal: &Proposal,
    sources: &Sources,
    outcome: report::Outcome,
) -> report::Plan {
    let plan = &proposal.plan;
    report::Plan {
        version: report::Version,
        cluster: proposal.observed.heading.clone(),
        outcome,
        changes: plan.changes.iter().map(report::Change::from).collect(),
        steps: plan.steps.iter().map(report::Step::from).collect(),
        refusals: plan.refusals.iter().map(report::Refusal::from).collect(),
        pruned: plan.pruned.clone(),
        prunes: plan.prunes,
        allowed: plan.allowed.clone(),
        journal: None,
        written: None,
        printed: None,
        findings: findings(&plan.findings, sources),
    }
}

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
