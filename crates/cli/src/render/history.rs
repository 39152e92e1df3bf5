//! The journal, newest first.

use accord_wire::report::{History, HistoryEntry};

use super::{plan, text};
use crate::style;
use std::fmt::Write as _;

/// The cluster, then one paragraph per applied plan.
pub(crate) fn history(report: &History) -> String {
    let strong = style::STRONG;
    let mut out = format!("{strong}{}{strong:#}\n", text::shown(&report.cluster));
    if report.entries.is_empty() {
        out.push_str("\nNothing was applied yet.\n");
    }
    for entry in &report.entries {
        out.push('\n');
        out.push_str(&applied(entry));
    }
    out
}

fn applied(entry: &HistoryEntry) -> String {
    let (strong, note) = (style::STRONG, style::NOTE);
    let mut out = format!(
        "{strong}{}{strong:#} {} {}",
        entry.id, entry.at, entry.command
    );
    if let Some(caller) = &entry.caller {
        let _ = write!(out, " by {}", text::shown(caller));
    }
    if let Some(undone) = &entry.undoes {
        let _ = write!(out, ", undoing {undone}");
    }
    if !entry.done {
        let _ = write!(out, " {note}not finished{note:#}");
    }
    out.push('\n');
    if let Some(reason) = &entry.reason {
        out.push_str(&text::wrap(reason, 96, "  "));
    }
    for allowed in &entry.allowed {
        let _ = writeln!(out, "  {note}allowed{note:#} {}", text::shown(allowed));
    }
    if entry.changes.is_empty() {
        out.push_str("  Nobody's access changed.\n");
    }
    out.push_str(&plan::changes(&entry.changes));
    out
}
