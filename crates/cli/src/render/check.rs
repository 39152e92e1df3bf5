//! The findings of a check, each with its line quoted, then what the change would do to people.

use accord_wire::report::Check;

use super::finding::{self, Quote};
use super::{plan, text};

/// The whole report; `quotes` has one for each finding.
pub(crate) fn check(report: &Check, quotes: &[Option<Quote>]) -> String {
    let mut out = String::new();
    for (found, quote) in report.findings.iter().zip(quotes) {
        out.push_str(&finding::with_quote(found, quote.as_ref()));
    }
    if !report.changes.is_empty() {
        out.push_str("Putting it in place would change access:\n\n");
        out.push_str(&plan::changes(&report.changes));
        out.push('\n');
    }
    for file in &report.fixed {
        out.push_str(&format!("Mended {file}.\n"));
    }
    out.push_str(&summary(report));
    out
}

/// `2 findings: 1 locks-out, 1 warning.`
fn summary(report: &Check) -> String {
    if report.findings.is_empty() {
        return "No findings.\n".to_owned();
    }
    let total = text::count(report.findings.len(), "finding", "findings");
    let by_severity: Vec<String> = accord_model::finding::Severity::ALL
        .iter()
        .rev()
        .filter_map(|severity| {
            let n = report
                .findings
                .iter()
                .filter(|f| f.severity == severity.name())
                .count();
            (n > 0).then(|| format!("{n} {severity}"))
        })
        .collect();
    format!("{total}: {}.\n", by_severity.join(", "))
}
