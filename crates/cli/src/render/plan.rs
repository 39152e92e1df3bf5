//! A plan for people: who gains, loses or changes access first, then what is refused with the way out, then the rest.

use std::fmt::Write as _;

use accord_wire::report::{Change, Outcome, Plan, Refusal};

use super::{finding, text};
use crate::style;

/// How wide prose is set. Aligned lists are as wide as they are.
const WIDTH: usize = 96;

/// The whole plan, headed by its cluster.
pub(crate) fn plan(plan: &Plan) -> String {
    let strong = style::STRONG;
    let mut out = format!("{strong}{}{strong:#}\n", text::shown(&plan.cluster));
    if !plan.changes.is_empty() {
        out.push('\n');
        out.push_str(&changes(&plan.changes));
    }
    if !plan.pruned.is_empty() {
        out.push_str(match (plan.prunes, plan.outcome) {
            (true, Outcome::Refused) => "\nNo longer in the files, and not given up:\n",
            (true, _) => "\nNo longer in the files, and given up:\n",
            (false, _) => "\nNo longer in the files; to give them up, add --prune:\n",
        });
        for principal in &plan.pruned {
            let _ = writeln!(out, "  {}", text::shown(principal));
        }
    }
    if !plan.refusals.is_empty() {
        out.push('\n');
        out.push_str(&refusals(&plan.refusals));
    }
    if !plan.findings.is_empty() {
        out.push('\n');
        for found in &plan.findings {
            out.push_str(&finding::brief(found));
        }
    }
    out.push('\n');
    out.push_str(&summary(plan));
    out
}

/// One line per person, aligned, and why; below it what they had and get.
pub(crate) fn changes(changes: &[Change]) -> String {
    let principals: Vec<_> = changes.iter().map(|c| text::shown(&c.principal)).collect();
    let width = text::widest(principals.iter().map(|principal| &**principal));
    let mut out = String::new();
    for (change, principal) in changes.iter().zip(principals) {
        let style = match change.change {
            "gains" => style::GOOD,
            "loses" => style::BAD,
            _ => style::NOTE,
        };
        let (note, faint) = (style::NOTE, style::FAINT);
        let admin = match change.admin {
            true => format!("{note}administrator{note:#}, "),
            false => String::new(),
        };
        let _ = writeln!(
            out,
            "  {style}{}{style:#}  {}  {admin}{}",
            text::pad(change.change, 7),
            text::pad(&principal, width),
            text::shown(&why(change)),
        );
        let rights = match (&change.before, &change.after) {
            (None, Some(after)) => format!("as {}", text::rights(after)),
            (Some(before), None) => format!("was {}", text::rights(before)),
            (Some(before), Some(after)) => {
                format!("{} → {}", text::rights(before), text::rights(after))
            }
            (None, None) => continue,
        };
        let _ = writeln!(out, "           {faint}{rights}{faint:#}");
    }
    out
}

/// The reason, with whose the entry is unless the reason says so.
fn why(change: &Change) -> String {
    if change.reason.contains(&change.owner) {
        change.reason.clone()
    } else {
        format!("{}; {}", change.owner, change.reason)
    }
}

fn refusals(refusals: &[Refusal]) -> String {
    let bad = style::BAD;
    let mut out = String::new();
    for refusal in refusals {
        let principal = text::shown(refusal.principal.as_deref().unwrap_or_default());
        let line = format!("  {bad}refused{bad:#}  {} {principal}", refusal.kind);
        let _ = writeln!(out, "{}", line.trim_end());
        out.push_str(&text::wrap(&refusal.message, WIDTH, "           "));
        if let Some(allow) = &refusal.allow {
            let _ = writeln!(
                out,
                "           to let it pass: --allow '{}'",
                text::shown(allow)
            );
        }
    }
    out
}

/// The last line: what came of it.
pub(crate) fn summary(plan: &Plan) -> String {
    let people = people(&plan.changes);
    match plan.outcome {
        Outcome::Nothing if plan.refusals.is_empty() => "Nothing to do.\n".to_owned(),
        Outcome::Nothing => "Nothing else to do.\n".to_owned(),
        Outcome::Pending => format!("{people} {}\n", writes(plan, "would be written")),
        Outcome::Refused => "Refused: nothing was written.\n".to_owned(),
        Outcome::Partial => match plan.written.as_deref() {
            None | Some([]) => "It is not known whether anything was written.\n".to_owned(),
            Some(names) => format!("Only partly done. Written: {}.\n", names.join(", ")),
        },
        Outcome::Done => {
            let mut out = format!("{people} {}\n", writes(plan, "written"));
            if let Some(id) = &plan.journal {
                let faint = style::FAINT;
                let _ = writeln!(out, "{faint}To undo: accord rollback {id}{faint:#}");
            }
            out
        }
    }
}

/// `1 gains access, 2 lose access.`
fn people(changes: &[Change]) -> String {
    let number = |kind: &str| changes.iter().filter(|c| c.change == kind).count();
    let parts: Vec<String> = [
        ("gains", "gains access", "gain access"),
        ("loses", "loses access", "lose access"),
        ("changes", "is changed", "are changed"),
    ]
    .into_iter()
    .filter(|(kind, ..)| number(kind) > 0)
    .map(|(kind, one, many)| text::count(number(kind), one, many))
    .collect();
    if parts.is_empty() {
        "Nobody's access changes.".to_owned()
    } else {
        format!("{}.", parts.join(", "))
    }
}

/// `2 mappings, 1 fragment and the ledger written.`
fn writes(plan: &Plan, verb: &str) -> String {
    let number = |ending: &str| {
        plan.steps
            .iter()
            .filter(|step| step.action.ends_with(ending))
            .count()
    };
    let mut parts: Vec<String> = [
        ("-mapping", "mapping", "mappings"),
        ("-fragment", "fragment", "fragments"),
    ]
    .into_iter()
    .filter(|(ending, ..)| number(ending) > 0)
    .map(|(ending, one, many)| text::count(number(ending), one, many))
    .collect();
    if number("write-ledger") > 0 {
        parts.push("the ledger".to_owned());
    }
    match parts.split_last() {
        None => String::new(),
        Some((last, [])) => format!("{} {verb}.", upper(last)),
        Some((last, rest)) => format!("{} and {last} {verb}.", upper(&rest.join(", "))),
    }
}

fn upper(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
