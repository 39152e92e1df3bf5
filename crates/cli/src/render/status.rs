//! The table of entries.

use std::fmt::Write as _;

use accord_wire::report::Status;

use super::{finding, text};
use crate::style;

/// The cluster and its mode, one line per entry, then what stands in the way.
pub(crate) fn status(report: &Status) -> String {
    let strong = style::STRONG;
    let mode = report
        .mode
        .unwrap_or("mode unknown: this speaks for aws-auth only");
    let mut out = format!(
        "{strong}{}{strong:#} ({mode})\n\n",
        text::shown(&report.cluster)
    );
    let rows: Vec<[String; 5]> = report
        .entries
        .iter()
        .map(|entry| {
            [
                entry.via.clone().unwrap_or_else(|| "-".to_owned()),
                entry.state.to_owned(),
                match entry.origin {
                    Some(origin) => format!("{} ({origin})", entry.owner),
                    None => entry.owner.clone(),
                },
                text::shown(&entry.principal).into_owned(),
                text::identity(&entry.username, &entry.groups, &entry.policies),
            ]
        })
        .collect();
    if rows.is_empty() {
        out.push_str("No entries.\n");
    }
    out.push_str(&table(
        &["ENTRY", "STATE", "OWNER", "PRINCIPAL", "IDENTITY"],
        &rows,
    ));
    if !report.findings.is_empty() {
        out.push('\n');
        for found in &report.findings {
            out.push_str(&finding::brief(found));
        }
    }
    out
}

/// Left-aligned columns with two spaces between them. Nothing without rows.
pub(crate) fn table<const N: usize>(heads: &[&str; N], rows: &[[String; N]]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let head = heads.get(column).copied().into_iter();
        text::widest(cells.map(String::as_str).chain(head))
    });
    let line = |cells: &[&str]| {
        let padded: Vec<String> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| text::pad(cell, width))
            .collect();
        padded.join("  ").trim_end().to_owned()
    };
    let faint = style::FAINT;
    let mut out = format!("{faint}{}{faint:#}\n", line(heads));
    for row in rows {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        let _ = writeln!(out, "{}", line(&cells));
    }
    out
}
