//! Other tools that write the same section: the API server knows them as field managers.

use std::collections::BTreeSet;

use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::SectionName;
use accord_model::observed::Observed;

/// Who applies a section that is about to be written as a whole. Such a tool puts its own text back when it next runs.
pub(crate) fn managers(observed: &Observed, written: &BTreeSet<SectionName>) -> Vec<Finding> {
    let managers = observed.aws_auth.iter().flat_map(|a| &a.managers);
    let applies = managers.filter(|m| {
        m.name != "accord" && (m.operation == "Apply" || m.name == "kubectl-client-side-apply")
    });
    applies
        .flat_map(|manager| {
            let owned = written
                .iter()
                .filter(|s| manager.keys.iter().any(|k| k == s.key()));
            owned.map(|section| {
                let message = format!(
                    "`{}` owns the whole of {section} by {}, and will put its own text back when it next runs. Let it \
                     leave the section alone, or declare the same mappings there.",
                    manager.name, manager.operation
                );
                Finding::new(FindingKind::SectionOwnedByOtherManager, Severity::Warning, message)
                    .in_object(crate::lint::AWS_AUTH)
                    .at(section.key(), None)
            })
        })
        .collect()
}
