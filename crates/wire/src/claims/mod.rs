//! Mappings as owners declare them, read strictly.
//!
//! The authenticator takes what it can get of an entry and drops the rest. A declaration is what somebody means, so
//! here anything that cannot be meant as it is written is a problem with its place: an unknown or repeated field, a
//! value of another type, a missing principal. Whether a principal is possible, and whether the identity makes sense,
//! is judged elsewhere, as for the map itself.

mod entry;
mod policies;

use std::collections::BTreeMap;

use accord_model::arn::PrincipalKey;
use accord_model::claim::Claim;
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::{EntryId, Identity, SectionName};
use accord_model::span::{Range, TextId};

use crate::view::{View, scalar_type};
use crate::yaml::{self, Dialect, NodeId, PlainType, Rest};
use entry::Entry;

/// What was read: if there is a problem, nothing of it may count.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    pub(crate) claims: Vec<Claim>,
    pub(crate) problems: Vec<Finding>,
}

impl Claims {
    /// Reads the text of a section.
    pub(crate) fn read_text(&mut self, section: SectionName, text: &str, id: TextId) {
        let tree = match yaml::first_document(text, Dialect::GoYaml) {
            Ok(tree) => tree,
            Err(error) => {
                let message = format!("`{section}` cannot be read, because {}.", error.message);
                self.problem(
                    FindingKind::SectionUnparseable,
                    message,
                    section.key(),
                    error.range,
                    id,
                );
                return;
            }
        };
        match tree.rest() {
            Rest::Nothing => {}
            Rest::Document(at) => {
                self.rest(FindingKind::MultiDocumentIgnored, section, text, at, id)
            }
            Rest::Content(at) => {
                self.rest(FindingKind::TrailingContentIgnored, section, text, at, id)
            }
        }
        if let Some(root) = View::root(&tree) {
            self.read_list(section, &root, id, false);
        }
    }

    fn rest(&mut self, kind: FindingKind, section: SectionName, text: &str, at: u32, id: TextId) {
        let rest = text.get(at as usize..).unwrap_or_default();
        let is_blank = |line: &str| {
            let line = line.trim();
            line.is_empty() || line == "---" || line == "..." || line.starts_with('#')
        };
        if !rest.lines().all(is_blank) {
            let line = rest.lines().next().unwrap_or_default().len() as u32;
            let message = format!("What follows in `{section}` is not read.");
            self.problem(kind, message, section.key(), Range::new(at, at + line), id);
        }
    }

    /// Reads a list of mappings. In a `bare` list, which belongs to no section yet, users go to `mapUsers`.
    pub(crate) fn read_list(
        &mut self,
        section: SectionName,
        list: &View<'_>,
        id: TextId,
        bare: bool,
    ) {
        if !list.is_list() {
            let message = format!("`{section}` must be a list of mappings.");
            self.problem(
                FindingKind::SectionNotAList,
                message,
                section.key(),
                list.range(),
                id,
            );
            return;
        }
        let tree = list.tree;
        for (index, node) in tree.items(list.node).enumerate() {
            let node = tree.target(node);
            let mut entry = Entry {
                tree,
                node,
                id,
                at: String::new(),
            };
            let section = match section {
                SectionName::Roles if bare && entry.is_user() => SectionName::Users,
                named => named,
            };
            entry.at = EntryId::new(section, index).to_string();
            match section {
                SectionName::Accounts => self.read_account(&entry),
                SectionName::Roles | SectionName::Users => self.read_entry(section, &entry),
            }
        }
    }

    fn read_account(&mut self, entry: &Entry<'_>) {
        match scalar_type(entry.tree, entry.node) {
            Some(PlainType::Null) | None => {
                let message = "An account is twelve digits in quotes.";
                self.of_entry(
                    FindingKind::AccountWrongType,
                    message,
                    entry,
                    "",
                    entry.node,
                );
            }
            // As it is written, so that an account without quotes keeps its zeros.
            Some(_) => self.claims.push(Claim {
                section: SectionName::Accounts,
                principal: entry.tree.scalar(entry.node).to_owned(),
                identity: Identity::default(),
                policies: Vec::new(),
                span: Some(entry.tree.range(entry.node).of(entry.id)),
                at: entry.at.clone(),
            }),
        }
    }

    /// Makes a problem of each principal that is claimed twice, in whatever section and spelling.
    pub(crate) fn refuse_repetition(&mut self) {
        let mut first: BTreeMap<PrincipalKey, &str> = BTreeMap::new();
        for claim in &self.claims {
            match first.get(&claim.key()) {
                None => {
                    first.insert(claim.key(), &claim.at);
                }
                Some(at) => {
                    let message = format!("`{}` is claimed twice, first at {at}.", claim.principal);
                    self.problems.push(
                        Finding::new(FindingKind::DuplicateArn, Severity::SilentWrong, message)
                            .at(claim.at.clone(), claim.span)
                            .about(claim.principal.clone()),
                    );
                }
            }
        }
    }

    fn of_entry(
        &mut self,
        kind: FindingKind,
        message: &str,
        entry: &Entry<'_>,
        below: &str,
        node: NodeId,
    ) {
        let at = format!("{}{below}", entry.at);
        let range = entry.tree.range(node);
        let principal = entry.principal();
        self.problem(kind, message, at, range, entry.id);
        if let (Some(problem), Some(principal)) = (self.problems.last_mut(), principal) {
            problem.principal = Some(principal);
        }
    }

    fn problem(
        &mut self,
        kind: FindingKind,
        message: impl Into<String>,
        at: impl Into<String>,
        range: Range,
        id: TextId,
    ) {
        let finding = Finding::new(kind, Severity::SilentWrong, message);
        self.problems.push(finding.at(at, Some(range.of(id))));
    }
}
