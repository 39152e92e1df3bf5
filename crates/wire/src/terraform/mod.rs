//! Terraform plans, as `terraform show -json PLAN` prints them (and OpenTofu's `tofu show -json`).
//!
//! ```text
//! text ── yaml ── Plan ── values (after, after_unknown) ── resource: aws, kubernetes ── accord_model::deploy
//!                   └── config: what an unknown value refers to (names), attributes that a module ignores
//! ```
//!
//! Source: the JSON output format of Terraform, versions 0.1 to 1.2. A value that is known only after apply is unknown; where
//! the configuration says that it is another resource's attribute, it is named after that.

mod aws;
mod config;
mod kubernetes;
mod names;
mod resource;
#[cfg(test)]
mod tests;
mod values;

use accord_model::deploy::{Deploy, Tool};

use crate::sources::{Misread, Sources};
use crate::state;
use crate::template::Target;
use crate::view::{Fault, View};
use crate::yaml::{self, Dialect, Tree};
use config::Config;
use resource::Plan;

/// Reads a plan; `None` if the text is something else.
///
/// # Errors
/// If it is a plan that cannot be read: cut off, of a later major version of the format, not printed as JSON, or a state
/// where a plan belongs.
pub fn read(
    name: &str,
    bytes: &[u8],
    target: &Target,
    sources: &mut Sources,
) -> Result<Option<Deploy>, Misread> {
    if bytes.starts_with(b"PK\x03\x04") {
        return Err(Misread {
            message:
                "this is a binary plan; print it with `terraform show -json PLAN`, and check that"
                    .to_owned(),
            span: None,
            place: accord_model::span::Place {
                file: Some(name.to_owned()),
                line: 1,
                column: 1,
            },
        });
    }
    let text = state::text(name, bytes)?;
    if !looks_like_one(text) {
        return Ok(None);
    }
    let tree = yaml::first_document(text, Dialect::Json);
    let id = sources.add_file(name, text);
    let misread =
        |fault: Fault, sources: &Sources| sources.misread(fault.range.of(id), fault.message);
    let tree: Tree<'_> = match tree {
        Ok(tree) => tree,
        Err(error) => return Err(misread(state::unreadable(error), sources)),
    };
    let Some(root) = View::root(&tree) else {
        return Ok(None);
    };
    version(&root).map_err(|fault| misread(fault, sources))?;
    let config = Config::of(&root);
    let plan = Plan {
        tree: &tree,
        file: id,
        target,
        config: &config,
    };
    let resources = plan
        .resources(&root, sources)
        .map_err(|fault| misread(fault, sources))?;
    Ok(Some(Deploy {
        tool: Tool::Terraform,
        name: name.to_owned(),
        stack: None,
        resources,
        ignored: config.ignored(id),
        incomplete: is_incomplete(&root),
        unread: Vec::new(),
        account: None,
        region: None,
    }))
}

/// Whether a text begins like something of Terraform's in JSON.
fn looks_like_one(text: &str) -> bool {
    let head = text.trim_start_matches('\u{feff}').trim_start();
    if !head.starts_with('{') {
        return false;
    }
    let end = head
        .char_indices()
        .nth(2048)
        .map_or(head.len(), |(at, _)| at);
    let head = head.get(..end).unwrap_or_default();
    ["\"format_version\"", "\"terraform_version\"", "\"@level\""]
        .iter()
        .any(|word| head.contains(word))
}

/// A plan, of a version whose meaning is known.
fn version(root: &View<'_>) -> Result<(), Fault> {
    if root.has("@level") {
        return Err(root.fault(
            "this is the log that `terraform plan -json` prints; check what `terraform show -json PLAN` prints of a plan \
             that was saved with -out",
        ));
    }
    let is_plan = ["resource_changes", "planned_values", "configuration"]
        .iter()
        .any(|key| root.has(key));
    if !is_plan && (root.has("values") || root.has("lineage") || root.has("terraform_version")) {
        return Err(root.fault(
            "this is a Terraform state, which says what there is and not what will be done; check what \
             `terraform show -json PLAN` prints of a plan that was saved with -out",
        ));
    }
    let version = root.text("format_version")?.unwrap_or_default();
    match version.split('.').next().unwrap_or_default() {
        "0" | "1" => Ok(()),
        _ => {
            let at = root
                .get("format_version")
                .map_or_else(|| root.range(), |v| v.range());
            Err(Fault {
                message: format!(
                    "the plan has version {version} of Terraform's format, and versions 0 and 1 are known"
                ),
                range: at,
            })
        }
    }
}

/// The plan ended in an error, or leaves something to a later one.
fn is_incomplete(root: &View<'_>) -> bool {
    let errored = root.flag("errored").unwrap_or(false);
    let complete = !root.has("complete") || root.flag("complete").unwrap_or(true);
    errored || !complete
}
