//! Stacks inside stacks: where their templates are, what goes in, what comes out.

use std::collections::BTreeMap;
use std::sync::Arc;

use accord_model::deploy::Deploy;
use accord_model::span::TextId;

use super::{Template, is_template};
use crate::deploy::{Kind, Node};
use crate::sources::Sources;
use crate::view::View;
use crate::yaml::{self, Dialect, NodeId};

/// Stacks nested deeper than this are not followed.
const MAX_LEVEL: u32 = 8;

impl Template<'_> {
    /// The resources of a nested stack; it is unread if its template is not at hand.
    pub(super) fn nested(
        &self,
        id: &str,
        resource: NodeId,
        deploy: &mut Deploy,
        sources: &mut Sources,
    ) {
        let Some((name, text)) = self.text_of_nested(resource) else {
            // The CDK's own stacks hold only the functions that talk to the cluster.
            if !id.starts_with("awscdkawseks") {
                let given = accord_model::deploy::Given {
                    value: format!("{}{id}", self.prefix),
                    at: "TemplateURL".to_owned(),
                    span: Some(self.tree.range(resource).of(self.file)),
                };
                deploy.unread.push(given);
            }
            return;
        };
        let file = sources.add_file(name, text.clone());
        self.with_nested(id, resource, &text, file, |nested| {
            nested.resources(deploy, sources)
        });
    }

    /// An output of a nested stack.
    pub(super) fn handed_by(&self, id: &str, resource: NodeId, output: &str) -> Option<Kind> {
        if let Some(outputs) = self.handed.borrow().get(id) {
            return outputs.get(output).cloned();
        }
        // Whoever asks for it while it is evaluated asks in a circle.
        self.handed
            .borrow_mut()
            .insert(id.to_owned(), BTreeMap::new());
        let (_, text) = self.text_of_nested(resource)?;
        let outputs =
            self.with_nested(id, resource, &text, self.file, |nested| nested.outputs().0)?;
        let value = outputs.get(output).cloned();
        self.handed.borrow_mut().insert(id.to_owned(), outputs);
        value
    }

    /// The template of a nested stack: named by the CDK, by the hash in its URL, or by a relative path.
    fn text_of_nested(&self, resource: NodeId) -> Option<(String, Arc<str>)> {
        let beside = |path: &str| (self.ground.beside)(path);
        let metadata = self.tree.get(resource, "Metadata");
        let named = metadata.and_then(|m| self.tree.get(self.tree.target(m), "aws:asset:path"));
        if let Some(path) = named.and_then(|node| self.plain(node)) {
            return beside(path);
        }
        let url = self.property(resource, &["TemplateURL"], 0)?.text()?;
        let hash = url.rsplit('/').next()?.split('.').next()?;
        if let Some(path) = self.ground.assets.get(hash) {
            return beside(path);
        }
        let is_path = !url.contains("://") && accord_model::unknown::is_known(&url);
        beside(&url).filter(|_| is_path)
    }

    fn with_nested<T>(
        &self,
        id: &str,
        resource: NodeId,
        text: &str,
        file: TextId,
        look: impl FnOnce(&Template<'_>) -> T,
    ) -> Option<T> {
        let level = self.level + 1;
        if level > MAX_LEVEL {
            return None;
        }
        let tree = yaml::first_document(text, Dialect::Json).ok()?;
        let root = View::root(&tree).filter(is_template)?;
        // One template may be nested many times, and nest others: each time costs.
        self.budget
            .set(self.budget.get().checked_sub(tree.len() as u32)?);
        let passed = match self.property(resource, &["Parameters"], 0) {
            Some(Node {
                kind: Kind::Map(fields),
                ..
            }) => fields.into_iter().collect(),
            _ => BTreeMap::new(),
        };
        let nested = Template {
            prefix: format!("{}{id}/", self.prefix),
            passed,
            level,
            budget: std::cell::Cell::new(self.budget.get()),
            ..Template::of(&tree, root.node, file, self.ground)
        };
        let seen = look(&nested);
        self.budget.set(nested.budget.get());
        Some(seen)
    }
}
