//! A finding as it is shown.

use accord_model::finding;
use accord_model::span::Place;
use schemars::JsonSchema;
use serde::Serialize;

/// Something wrong or risky, with its place, severity, reason and fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// The kind, stable like a compiler's code: `accord check --explain KIND` tells what it means.
    pub kind: &'static str,
    /// How bad it is; worst first: `breaks-cluster`, `locks-out`, `privilege-gain`, `breaks-workload`,
    /// `silent-wrong`, `warning`, `info`.
    pub severity: &'static str,
    /// What is the case.
    pub message: String,
    /// The object: `ConfigMap/kube-system/aws-auth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The file that a person can edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in the line, in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The place inside the object, entries counted from 0 as written: `mapRoles[2].rolearn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The principal concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The exact text to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggest: Option<String>,
    /// From where in a program it comes, where the CDK says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Origin>,
}

/// From where in a program something comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Origin {
    /// The construct that made it: `Platform/Cluster/AwsAuth/manifest`.
    pub construct: String,
    /// The program's file, as the CDK names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl From<&finding::Origin> for Origin {
    fn from(origin: &finding::Origin) -> Self {
        let place = origin.place.as_ref();
        Self {
            construct: origin.construct.clone(),
            file: place.and_then(|p| p.file.clone()),
            line: place.map(|p| p.line),
            column: place.map(|p| p.column),
        }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.construct)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, " at {file}:{line}"),
            _ => Ok(()),
        }
    }
}

impl Finding {
    /// The finding, at the place where its span lies.
    pub fn new(finding: &finding::Finding, place: Option<Place>) -> Self {
        let (file, line, column) = match place {
            Some(place) => (place.file, Some(place.line), Some(place.column)),
            None => (None, None, None),
        };
        Self {
            kind: finding.kind.name(),
            severity: finding.severity.name(),
            message: finding.message.clone(),
            object: finding.object.clone(),
            file,
            line,
            column,
            at: finding.at.clone(),
            principal: finding.principal.clone(),
            suggest: finding.suggest.clone(),
            source: finding.source.as_ref().map(Origin::from),
        }
    }
}
