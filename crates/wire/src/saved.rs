//! A plan kept in a file, to be applied later.
//!
//! It holds what was asked, the declarations word for word, and what that would have changed. Applying it decides
//! anew: only if the same changes and steps come out is anything written.

use accord_model::plan::Plan;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::report;

/// The plan as it is kept, a JSON document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPlan {
    /// Says what the file is: always [`SavedPlan::FORMAT`].
    pub format: String,
    /// The cluster it was decided for.
    pub cluster: String,
    /// The declarations.
    pub files: Vec<SavedFile>,
    /// `--owner`
    pub owner: Option<String>,
    /// `--prune`
    pub prune: bool,
    /// `--take-over`
    pub take_over: Vec<String>,
    /// `--allow`
    pub allow: Vec<String>,
    /// Who would gain, lose or change access, as reported.
    pub changes: Value,
    /// What would be written, as reported.
    pub steps: Value,
}

/// One declaration, word for word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedFile {
    /// The file's name as it was given.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A file that is no plan.
#[derive(Debug, thiserror::Error)]
pub enum NotAPlan {
    /// It is no JSON document of this shape.
    #[error("it is not a plan that `accord plan --out` wrote")]
    Shape(#[source] serde_json::Error),
    /// Another version of Accord wrote it.
    #[error("it is of the form `{0}`, and only `{expected}` is known here", expected = SavedPlan::FORMAT)]
    Format(String),
}

impl SavedPlan {
    /// The form of these files.
    pub const FORMAT: &str = "accord-plan/1";

    /// Reads a kept plan.
    ///
    /// # Errors
    /// If the text is no such plan, or one of another version.
    pub fn parse(text: &str) -> Result<Self, NotAPlan> {
        let plan: Self = serde_json::from_str(text).map_err(NotAPlan::Shape)?;
        if plan.format == Self::FORMAT {
            Ok(plan)
        } else {
            Err(NotAPlan::Format(plan.format))
        }
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Whether `plan` is what was decided when this was kept: the same changes and the same steps.
    pub fn fits(&self, plan: &Plan) -> bool {
        (&self.changes, &self.steps) == (&changes(plan), &steps(plan))
    }
}

/// A plan's changes as they are kept.
pub fn changes(plan: &Plan) -> Value {
    let changes = plan.changes.iter().map(report::Change::from);
    serde_json::to_value(changes.collect::<Vec<_>>()).unwrap_or_default()
}

/// A plan's steps as they are kept.
pub fn steps(plan: &Plan) -> Value {
    let steps = plan.steps.iter().map(report::Step::from);
    serde_json::to_value(steps.collect::<Vec<_>>()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn saved() -> SavedPlan {
        SavedPlan {
            format: SavedPlan::FORMAT.into(),
            cluster: "cluster.yaml".into(),
            files: vec![SavedFile {
                name: "a.yaml".into(),
                text: "- rolearn: …\n".into(),
            }],
            owner: Some("a".into()),
            prune: true,
            take_over: vec!["x".into()],
            allow: vec!["k=p".into()],
            changes: json!([]),
            steps: json!([{"do": "add-mapping", "target": "mapRoles", "principal": "p"}]),
        }
    }

    #[test]
    fn what_is_kept_is_read_again() {
        assert_eq!(SavedPlan::parse(&saved().to_text()).unwrap(), saved());
    }

    #[test]
    fn other_files_and_versions_are_told_apart() {
        assert!(matches!(
            SavedPlan::parse("- rolearn: a\n"),
            Err(NotAPlan::Shape(_))
        ));
        let mut other = saved();
        other.format = "accord-plan/9".into();
        let error = SavedPlan::parse(&other.to_text()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "it is of the form `accord-plan/9`, and only `accord-plan/1` is known here"
        );
    }
}
