//! An explanation as a short story: who it is, by which entry, whose that is, and what stands beside it.

use std::fmt::Write as _;

use accord_wire::report::{Explain, ExplainedIdentity, ExplainedOutcome};

use super::{finding, text};
use crate::style;

/// All identities asked about, then the findings.
pub(crate) fn explain(report: &Explain) -> String {
    let mut out = report
        .identities
        .iter()
        .map(identity)
        .collect::<Vec<_>>()
        .join("\n");
    if !report.findings.is_empty() {
        out.push('\n');
        for found in &report.findings {
            out.push_str(&finding::brief(found));
        }
    }
    out
}

fn identity(it: &ExplainedIdentity) -> String {
    let strong = style::STRONG;
    let mut out = format!("{strong}{}{strong:#}\n", text::shown(&it.asked));
    let (style, verdict) = match it.outcome {
        ExplainedOutcome::Mapped => (style::GOOD, mapped(it)),
        ExplainedOutcome::Denied => (style::BAD, "does not get in".to_owned()),
        ExplainedOutcome::Ambiguous => {
            (style::NOTE, "gets in as one of these, at random".to_owned())
        }
        ExplainedOutcome::Invalid => (style::BAD, "is no identity".to_owned()),
    };
    let _ = writeln!(out, "  {style}{verdict}{style:#}");
    for alternative in &it.alternatives {
        let who = text::identity(&alternative.username, &alternative.groups, &[]);
        let _ = writeln!(out, "  - {who}, by {}", alternative.via);
    }
    if let Some(reason) = &it.reason {
        out.push_str(&text::wrap(reason, 96, "  "));
    }
    if let Some(via) = &it.via {
        let mut line = format!("by {}", via_in_words(via));
        if let (Some(file), Some(number)) = (&it.file, it.line) {
            let _ = write!(line, " ({file}:{number})");
        }
        if let Some(owner) = &it.owner {
            let _ = write!(line, ", {}", owner_in_words(owner));
        }
        let _ = writeln!(out, "  {line}");
    }
    if let Some(canonical) = it.canonical.as_ref().filter(|c| **c != it.asked) {
        let _ = writeln!(out, "  compared as {}", text::shown(canonical));
    }
    if !it.shadows.is_empty() {
        let _ = writeln!(out, "  which shadows {}", it.shadows.join(", "));
    }
    for note in &it.notes {
        out.push_str(&text::wrap(note, 96, "  "));
    }
    for near in &it.near {
        let _ = writeln!(
            out,
            "  nearly: {}, which differs in {}",
            near.at,
            difference_in_words(near.difference)
        );
    }
    out
}

fn mapped(it: &ExplainedIdentity) -> String {
    let groups = it.groups.clone().unwrap_or_default();
    let who = text::identity(
        it.username.as_deref().unwrap_or_default(),
        &groups,
        &it.policies,
    );
    match it.admin {
        Some(true) => format!("is {who}: an administrator"),
        _ => format!("is {who}"),
    }
}

fn via_in_words(via: &str) -> &str {
    match via {
        "accessEntry" => "its access entry",
        other => other,
    }
}

fn owner_in_words(owner: &str) -> String {
    match owner {
        "eks" => "which EKS wrote".to_owned(),
        "unclaimed" => "which nobody claims".to_owned(),
        owner => format!("claimed by {owner}"),
    }
}

fn difference_in_words(difference: &str) -> &str {
    match difference {
        "path" => "its path, which a role ARN in aws-auth must not have",
        "case" => "letter case",
        "session-arn" => "being a session's ARN instead of the role's",
        "whitespace" => "white space or invisible characters",
        "section" => "being in the other section",
        other => other,
    }
}
