//! What `-f` reads: owners' mappings, as fragments or as bare lists.
//!
//! | document | whose it is |
//! |---|---|
//! | a ConfigMap with the fragments' label, also inside a `List` | its own: no flag can change that |
//! | a list of role mappings (an entry with `userarn` is a user) | `--owner` |
//! | a mapping with `mapRoles`, `mapUsers`, `mapAccounts`, as real lists or as text | `--owner` |
//!
//! A file can hold several documents. All bare lists of one call are one declaration. [`read`] is strict, for what is
//! about to be applied; [`as_map`] reads bare lists as the authenticator would, for pointing out what is wrong in them.

mod bare;
#[cfg(test)]
mod tests;

pub use bare::{as_map, with_section};

use accord_model::claim::{Admission, Fragment, Owner};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::SectionName;
use accord_model::span::{Range, Span, TextId};

use crate::claims::Claims;
use crate::config_map::ObjectName;
use crate::sources::{Misread, Sources};
use crate::view::{Fault, View, scalar_type};
use crate::yaml::{self, Dialect, PlainType};
use crate::{aws_auth, fragment, state};

/// What was declared.
#[derive(Debug)]
pub struct Declared {
    /// One for each owner, in the order of the files. With problems it is incomplete.
    pub fragments: Vec<Fragment>,
    /// What cannot be meant as it is written. If there is any, nothing of the declaration may be written.
    pub problems: Vec<Finding>,
}

/// Why files are no declaration at all.
#[derive(Debug, thiserror::Error)]
pub enum DeclarationError {
    /// A file that cannot be read.
    #[error(transparent)]
    Misread(#[from] Misread),
    /// A bare list without `--owner`.
    #[error("{0}; say whose it is with --owner NAME")]
    OwnerNeeded(Misread),
    /// `--owner`, and only fragments.
    #[error("{0}; leave --owner out")]
    OwnerIsGiven(Misread),
}

/// Reads all files of one call together; each is a name and its bytes. `owner` is what `--owner` stands for.
///
/// # Errors
/// If a file cannot be read, holds something else than declarations, or it does not fit `owner`.
pub fn read(
    files: &[(&str, &[u8])],
    owner: Option<&Owner>,
    sources: &mut Sources,
) -> Result<Declared, DeclarationError> {
    let mut reader = Reader {
        bare: Claims::default(),
        bare_at: None,
        fragments: Vec::new(),
        problems: Vec::new(),
    };
    for (name, bytes) in files {
        let text = state::text(name, bytes)?.to_owned();
        let id = sources.add_file(*name, text.as_str());
        let read = reader.read_file(&text, id, sources);
        read.map_err(|fault| sources.misread(fault.range.of(id), fault.message))?;
    }
    reader.finish(owner, sources)
}

struct Reader {
    /// The mappings of all bare lists.
    bare: Claims,
    /// The first bare list.
    bare_at: Option<Span>,
    /// With the place of each.
    fragments: Vec<(Fragment, Span)>,
    problems: Vec<Finding>,
}

impl Reader {
    fn read_file(&mut self, text: &str, id: TextId, sources: &mut Sources) -> Result<(), Fault> {
        let mut is_empty = true;
        for document in yaml::documents(text, Dialect::Json) {
            let tree = document.tree.map_err(state::unreadable)?;
            if let Some(root) = View::root(&tree) {
                self.read_document(&root, id, sources)?;
                is_empty = false;
            }
        }
        if is_empty {
            // Never taken for an owner who wants nothing: a file that was not written looks the same.
            return Err(Fault {
                message: "the file declares nothing; write `[]` if nothing is what is meant"
                    .to_owned(),
                range: Range::new(0, 0),
            });
        }
        Ok(())
    }

    fn read_document(
        &mut self,
        root: &View<'_>,
        id: TextId,
        sources: &mut Sources,
    ) -> Result<(), Fault> {
        if root.is_mapping() && root.has("kind") && root.has("apiVersion") {
            return self.read_object(root, id, sources);
        }
        let is_map = root.is_mapping()
            && root
                .tree
                .entries(root.node)
                .any(|(key, _)| section_like(root, key).is_some());
        if !root.is_list() && !is_map {
            return Err(root.fault(
                "this declares nothing; a list of mappings, a mapping with `mapRoles`, `mapUsers` or `mapAccounts`, or \
                 a ConfigMap with the label `accord.dev/aws-auth: fragment` was expected",
            ));
        }
        self.bare_at.get_or_insert(root.range().of(id));
        if root.is_list() {
            self.bare.read_list(SectionName::Roles, root, id, true);
        } else {
            self.read_sections(root, id, sources);
        }
        Ok(())
    }

    fn read_object(
        &mut self,
        object: &View<'_>,
        id: TextId,
        sources: &mut Sources,
    ) -> Result<(), Fault> {
        let kind = object.need_text("kind")?;
        if kind.ends_with("List") && object.has("items") {
            for item in object.list("items")? {
                self.read_config_map(&item, id, sources)?;
            }
            return Ok(());
        }
        self.read_config_map(object, id, sources)
    }

    fn read_config_map(
        &mut self,
        object: &View<'_>,
        id: TextId,
        sources: &mut Sources,
    ) -> Result<(), Fault> {
        let kind = object
            .text("kind")?
            .unwrap_or_else(|| "ConfigMap".to_owned());
        let expected = "a ConfigMap with the label `accord.dev/aws-auth: fragment` was expected";
        if kind != "ConfigMap" {
            return Err(object.fault(format!("this is a {kind}; {expected}")));
        }
        let name = state::config_map_name(object)?;
        if name == ObjectName::aws_auth() {
            return Err(object.fault(
                "this is a whole aws-auth, which many share, and no declaration of one owner; give the mappings that \
                 are yours as a list with --owner NAME, or compare the whole with `accord check FILE --against STATE`",
            ));
        }
        let object_map = state::config_map(object, name, id, sources)?;
        if !fragment::is_labelled(&object_map.labels) {
            return Err(object.fault(format!("{} has no such label; {expected}", object_map.name)));
        }
        if object
            .get("metadata")
            .is_some_and(|m| m.get("namespace").is_none())
        {
            return Err(object.fault(format!(
                "`metadata.namespace` is missing in {}; whose the mappings are depends on it",
                object_map.name.name
            )));
        }
        let span = object.range().of(id);
        let (read, mut problems) = fragment::read_strictly(&object_map, sources);
        if let Some((_, first)) = self.fragments.iter().find(|(f, _)| f.owner == read.owner) {
            let first = sources.locate(*first).map_or(0, |p| p.line);
            return Err(object.fault(format!(
                "{} is declared for the second time, first in line {first}",
                object_map.name
            )));
        }
        self.problems.append(&mut problems);
        self.fragments.push((read, span));
        Ok(())
    }

    /// A mapping with sections, each a list or a text.
    fn read_sections(&mut self, root: &View<'_>, id: TextId, sources: &mut Sources) {
        let tree = root.tree;
        let mut seen = Vec::new();
        for (key, value) in tree.entries(root.node) {
            let key = tree.target(key);
            let written = tree.scalar(key);
            let problem = |kind, message: String| {
                let span = tree.range(key).of(id);
                Finding::new(kind, Severity::SilentWrong, message).at(written, Some(span))
            };
            let Some(section) = SectionName::ALL.into_iter().find(|s| s.key() == written) else {
                self.bare.problems.push(match section_like(root, key) {
                    Some(meant) => problem(
                        FindingKind::SectionKeyCase,
                        format!("`{written}` is no section; `{meant}` is."),
                    )
                    .suggest(meant.key()),
                    None => problem(
                        FindingKind::UnknownField,
                        format!("`{written}` is no section; `mapRoles`, `mapUsers` and `mapAccounts` are."),
                    ),
                });
                continue;
            };
            if seen.contains(&section) {
                let message = format!("`{written}` is here for the second time.");
                self.bare
                    .problems
                    .push(problem(FindingKind::DuplicateKey, message));
                continue;
            }
            seen.push(section);
            let Some(value) = View::of(tree, value, written.to_owned()) else {
                continue;
            };
            if scalar_type(tree, value.node) == Some(PlainType::String) {
                let inner =
                    sources.add_inner(id, tree.offset_map(value.node), tree.scalar(value.node));
                self.bare.read_text(section, tree.scalar(value.node), inner);
            } else {
                self.bare.read_list(section, &value, id, false);
            }
        }
    }

    fn finish(
        mut self,
        owner: Option<&Owner>,
        sources: &Sources,
    ) -> Result<Declared, DeclarationError> {
        let misread = |span, message: &str| sources.misread(span, message);
        match (owner, self.bare_at) {
            (None, Some(at)) => {
                let bare = misread(at, "a bare list of mappings has no owner of its own");
                return Err(DeclarationError::OwnerNeeded(bare));
            }
            (Some(_), None) if let Some((_, at)) = self.fragments.first() => {
                let fragment = misread(
                    *at,
                    "a fragment has its own owner, which no flag can change",
                );
                return Err(DeclarationError::OwnerIsGiven(fragment));
            }
            (Some(owner), _) => {
                self.bare.refuse_repetition();
                self.problems.append(&mut self.bare.problems);
                let bare = Fragment {
                    owner: owner.clone(),
                    admission: Admission::Trusted,
                    created: None,
                    claims: self.bare.claims,
                    unreadable: Vec::new(),
                };
                if let Some((_, at)) = self.fragments.iter().find(|(f, _)| f.owner == *owner) {
                    let twice = misread(
                        *at,
                        "this fragment is also what --owner names; give one of them",
                    );
                    return Err(twice.into());
                }
                self.fragments.extend(self.bare_at.map(|at| (bare, at)));
            }
            (None, None) => {}
        }
        Ok(Declared {
            fragments: self.fragments.into_iter().map(|(f, _)| f).collect(),
            problems: self.problems,
        })
    }
}

/// The section that a key of the mapping means, however it is spelled.
fn section_like(root: &View<'_>, key: yaml::NodeId) -> Option<SectionName> {
    let written = root.tree.scalar(root.tree.target(key));
    aws_auth::meant(written)
}
