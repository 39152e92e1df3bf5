//! The corpus that fuzzing starts from: every text of the cases, sorted by who reads it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use accord_wire::yaml::{self, Dialect, Kind, NodeId, Tree};
use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::shell;

/// Texts of the cases.
#[derive(Default)]
struct Texts {
    /// Whole files: state files, manifests, declarations.
    files: BTreeSet<String>,
    /// Sections of `aws-auth`, each behind the letter by which the targets tell sections apart.
    sections: BTreeSet<String>,
    /// ARNs and what stands where one belongs.
    arns: BTreeSet<String>,
}

/// Writes the corpus of every target below `corpus`.
pub(super) fn corpus(corpus: &Path) -> Result<()> {
    let texts = texts()?;
    for (target, texts) in [
        ("arns", &texts.arns),
        ("declarations", &texts.files),
        ("edits", &texts.sections),
        ("map", &texts.sections),
        ("plans", &texts.files),
        ("state", &texts.files),
        ("templates", &texts.files),
        ("yaml", &texts.files),
    ] {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder)?;
        for text in texts {
            let name: String = Sha256::digest(text)
                .iter()
                .take(8)
                .map(|byte| format!("{byte:02x}"))
                .collect();
            fs::write(folder.join(name), text)?;
        }
    }
    Ok(())
}

fn texts() -> Result<Texts> {
    let mut texts = Texts::default();
    for entry in fs::read_dir(shell::root().join("tests/cases"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "yaml") {
            continue;
        }
        let case = fs::read_to_string(&path)?;
        let tree = yaml::first_document(&case, Dialect::GoYaml)
            .with_context(|| path.display().to_string())?;
        let files = tree.root().and_then(|root| tree.get(root, "files"));
        for (_, file) in files.into_iter().flat_map(|files| tree.entries(files)) {
            let file = tree.scalar(tree.target(file));
            texts.files.insert(file.to_owned());
            for document in yaml::documents(file, Dialect::Json) {
                if let Ok(tree) = &document.tree {
                    texts.collect(tree, tree.root());
                }
            }
        }
    }
    Ok(texts)
}

impl Texts {
    /// Takes what stands under the names of sections and of ARN fields, at any depth.
    fn collect(&mut self, tree: &Tree<'_>, root: Option<NodeId>) {
        let mut nodes: Vec<NodeId> = root.into_iter().collect();
        while let Some(node) = nodes.pop() {
            match tree.kind(node) {
                Kind::Sequence(_) => nodes.extend(tree.items(node)),
                Kind::Mapping(_) => {
                    for (key, value) in tree.entries(node) {
                        nodes.push(value);
                        if matches!(tree.kind(value), Kind::Scalar(_)) {
                            self.sort(tree.scalar(key), tree.scalar(value));
                        }
                    }
                }
                Kind::Scalar(_) | Kind::Alias => {}
            }
        }
    }

    fn sort(&mut self, key: &str, value: &str) {
        let section = match key {
            "mapRoles" => 'r',
            "mapUsers" => 'u',
            "mapAccounts" => 'a',
            _ => {
                if value.contains("arn:") {
                    self.arns.insert(value.to_owned());
                }
                return;
            }
        };
        self.sections.insert(format!("{section}{value}"));
        if let Ok(tree) = yaml::first_document(value, Dialect::GoYaml) {
            self.collect(&tree, tree.root());
        }
    }
}
