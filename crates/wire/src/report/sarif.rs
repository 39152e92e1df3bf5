//! Findings as SARIF 2.1.0, which code-scanning services read.

use std::collections::BTreeMap;

use accord_model::finding::{FindingKind, Severity};
use serde_json::{Value, json};

use super::Finding;

/// The findings as one SARIF log. `tool_version` is the program's version.
///
/// `breaks-cluster` to `silent-wrong` become `error`, then `warning`, then `note`.
pub fn log(findings: &[Finding], tool_version: &str) -> Value {
    let used: BTreeMap<&str, FindingKind> = FindingKind::ALL
        .iter()
        .filter(|kind| findings.iter().any(|f| f.kind == kind.name()))
        .map(|kind| (kind.name(), *kind))
        .collect();
    let rules: Vec<Value> = used
        .iter()
        .map(|(name, kind)| json!({"id": name, "shortDescription": {"text": kind.meaning()}}))
        .collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "accord", "version": tool_version, "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let mut location = serde_json::Map::new();
    if let Some(file) = &finding.file {
        let mut physical = json!({"artifactLocation": {"uri": uri(file)}});
        if let (Some(line), Some(column)) = (finding.line, finding.column) {
            physical["region"] = json!({"startLine": line, "startColumn": column});
        }
        location.insert("physicalLocation".into(), physical);
    }
    if finding.object.is_some() || finding.at.is_some() {
        let name: Vec<&str> = [finding.object.as_deref(), finding.at.as_deref()]
            .into_iter()
            .flatten()
            .collect();
        location.insert(
            "logicalLocations".into(),
            json!([{"fullyQualifiedName": name.join(" ")}]),
        );
    }
    let message = match &finding.suggest {
        Some(suggest) => format!("{} Write: {suggest}", finding.message),
        None => finding.message.clone(),
    };
    let mut result = json!({
        "ruleId": finding.kind,
        "level": level(finding.severity),
        "message": {"text": message},
        "properties": {"severity": finding.severity},
    });
    if !location.is_empty() {
        result["locations"] = json!([location]);
    }
    if let Some(source) = &finding.source {
        let mut related = json!({"message": {"text": format!("made by {}", source.construct)}});
        if let Some(file) = &source.file {
            let mut physical = json!({"artifactLocation": {"uri": uri(file)}});
            if let Some(line) = source.line {
                physical["region"] =
                    json!({"startLine": line, "startColumn": source.column.unwrap_or(1)});
            }
            related["physicalLocation"] = physical;
        }
        result["relatedLocations"] = json!([related]);
    }
    result
}

fn level(severity: &str) -> &'static str {
    match severity.parse() {
        Ok(Severity::Info) => "note",
        Ok(Severity::Warning) => "warning",
        Ok(_) | Err(_) => "error",
    }
}

/// A file name as a relative or absolute URI reference: the bytes that a path may not hold are escaped.
fn uri(file: &str) -> String {
    let mut out = String::with_capacity(file.len());
    for byte in file.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_becomes_a_result_with_its_rule() {
        let model = accord_model::finding::Finding::new(
            FindingKind::ArnHasPath,
            Severity::LocksOut,
            "A path.",
        )
        .in_object("ConfigMap/kube-system/aws-auth")
        .at("mapRoles[0].rolearn", None)
        .suggest("arn:aws:iam::111122223333:role/a");
        let place = accord_model::span::Place {
            file: Some("my map.yaml".into()),
            line: 3,
            column: 7,
        };
        let log = log(&[Finding::new(&model, Some(place))], "1.0.0");
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "arn-has-path");
        let result = &run["results"][0];
        assert_eq!(result["level"], "error");
        assert_eq!(
            result["locations"][0]["physicalLocation"],
            json!({"artifactLocation": {"uri": "my%20map.yaml"}, "region": {"startLine": 3, "startColumn": 7}})
        );
        assert_eq!(
            result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
            "ConfigMap/kube-system/aws-auth mapRoles[0].rolearn"
        );
    }

    #[test]
    fn severities_become_levels() {
        let levels: Vec<_> = Severity::ALL.iter().map(|s| level(s.name())).collect();
        assert_eq!(
            levels,
            [
                "note", "warning", "error", "error", "error", "error", "error"
            ]
        );
    }
}
