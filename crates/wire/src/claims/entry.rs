//! One mapping: a principal, its identity, its policies.

use accord_model::claim::Claim;
use accord_model::finding::FindingKind;
use accord_model::fold::equal_fold;
use accord_model::mapping::{Identity, SectionName};
use accord_model::span::TextId;

use super::Claims;
use crate::view::{View, scalar_type};
use crate::yaml::{NodeId, PlainType, Tree};

/// The fields of a mapping, in any letter case. `sso` is known only to be refused with its reason.
const FIELDS: [&str; 6] = [
    "rolearn", "userarn", "username", "groups", "policies", "sso",
];

/// A list item, where it stands, and what to call it.
pub(super) struct Entry<'a> {
    pub(super) tree: &'a Tree<'a>,
    /// Never an alias.
    pub(super) node: NodeId,
    pub(super) id: TextId,
    pub(super) at: String,
}

impl<'a> Entry<'a> {
    /// The value of a field, in whatever letter case.
    fn field(&self, name: &str) -> Option<NodeId> {
        let is_it = |key: NodeId| equal_fold(self.tree.scalar(self.tree.target(key)), name);
        let mut entries = self.tree.entries(self.node);
        entries.find(|&(key, _)| is_it(key)).map(|(_, value)| value)
    }

    pub(super) fn is_user(&self) -> bool {
        self.field("userarn").is_some() && self.field("rolearn").is_none()
    }

    pub(super) fn principal(&self) -> Option<String> {
        let value = self.field("rolearn").or_else(|| self.field("userarn"))?;
        let text = text(self.tree, self.tree.target(value))?;
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// What to do about a value that must be text: YAML takes `12`, `on` and `n` for something else.
pub(super) fn in_quotes(what: &str, written: &str) -> String {
    if written.is_empty() {
        format!("{what} must be text.")
    } else {
        format!("{what} must be text; write it in quotes: `\"{written}\"`.")
    }
}

/// A scalar that is text.
pub(super) fn text<'a>(tree: &'a Tree<'_>, node: NodeId) -> Option<&'a str> {
    let is_text = scalar_type(tree, node) == Some(PlainType::String);
    is_text.then(|| tree.scalar(node))
}

impl Claims {
    pub(super) fn read_entry(&mut self, section: SectionName, entry: &Entry<'_>) {
        let Entry { tree, node, id, .. } = *entry;
        let Some(view) = View::of(tree, node, String::new()).filter(View::is_mapping) else {
            let message = "An entry must be a mapping with a principal, a username and groups.";
            self.of_entry(FindingKind::EntryWrongType, message, entry, "", node);
            return;
        };
        let before = self.problems.len();
        let mut claim = Claim {
            section,
            principal: String::new(),
            identity: Identity::default(),
            policies: Vec::new(),
            span: Some(tree.range(node).of(id)),
            at: entry.at.clone(),
        };
        let mut seen: Vec<&str> = Vec::new();
        for (key, value) in tree.entries(view.node) {
            let key = tree.target(key);
            let written = tree.scalar(key);
            let Some(field) = FIELDS.iter().find(|f| equal_fold(f, written)) else {
                let message = match written {
                    "<<" => "Merge keys are not read here; write the fields out.".to_owned(),
                    _ => format!("`{written}` is no field of a mapping."),
                };
                self.of_entry(
                    FindingKind::UnknownField,
                    &message,
                    entry,
                    &format!(".{written}"),
                    key,
                );
                continue;
            };
            if seen.contains(field) {
                let message = format!("`{written}` is here for the second time.");
                self.of_entry(
                    FindingKind::DuplicateKey,
                    &message,
                    entry,
                    &format!(".{written}"),
                    key,
                );
                continue;
            }
            seen.push(field);
            self.read_field(&mut claim, field, entry, value);
        }
        if claim.principal.is_empty() && self.problems.len() == before {
            let field = section.arn_field().unwrap_or_default();
            let message = format!("The entry has no `{field}`, so it is nobody's.");
            self.of_entry(FindingKind::MissingArn, &message, entry, "", node);
        }
        if self.problems.len() == before {
            self.claims.push(claim);
        }
    }

    fn read_field(&mut self, claim: &mut Claim, field: &str, entry: &Entry<'_>, value: NodeId) {
        let tree = entry.tree;
        let value = tree.target(value);
        let at = format!(".{field}");
        let view = View::of(tree, value, String::new());
        match field {
            "rolearn" | "userarn" if Some(field) != claim.section.arn_field() => {
                let (wanted, section) = match claim.section {
                    SectionName::Users => ("userarn", SectionName::Roles),
                    SectionName::Roles | SectionName::Accounts => ("rolearn", SectionName::Users),
                };
                let message = format!(
                    "`{}` takes `{wanted}`; an entry with `{field}` belongs in `{section}`.",
                    claim.section
                );
                self.of_entry(FindingKind::WrongSection, &message, entry, &at, value);
            }
            "rolearn" | "userarn" => match text(tree, value) {
                Some(arn) if !arn.is_empty() => claim.principal = arn.to_owned(),
                _ => {
                    let message = format!("`{field}` must be an ARN.");
                    self.of_entry(FindingKind::MissingArn, &message, entry, &at, value);
                }
            },
            "username" => match (view, text(tree, value)) {
                (None, _) => {}
                (_, Some(username)) => claim.identity.username = username.to_owned(),
                _ => {
                    let message = in_quotes("A username", tree.scalar(value));
                    self.of_entry(FindingKind::UsernameWrongType, &message, entry, &at, value);
                }
            },
            "groups" => match view {
                None => {}
                Some(list) if list.is_list() => self.read_groups(claim, entry, &list),
                Some(_) => {
                    let message = format!("`groups` must be a list: `[{}]`.", tree.scalar(value));
                    self.of_entry(FindingKind::GroupsWrongType, &message, entry, &at, value);
                }
            },
            "policies" => match view {
                None => {}
                Some(list) if list.is_list() => self.read_policies(claim, entry, &list),
                Some(_) => {
                    let message = "`policies` must be a list of access policies.";
                    self.of_entry(FindingKind::EntryInvalid, message, entry, &at, value);
                }
            },
            // `sso`
            _ => {
                let message = "EKS does not match `sso` blocks; name the role itself.";
                self.of_entry(FindingKind::SsoMatcherInactive, message, entry, &at, value);
            }
        }
    }

    /// The groups without repetition, in the order in which each comes first.
    fn read_groups(&mut self, claim: &mut Claim, entry: &Entry<'_>, list: &View<'_>) {
        let tree = entry.tree;
        for (index, node) in tree.items(list.node).enumerate() {
            let node = tree.target(node);
            match text(tree, node) {
                Some(group) if !group.is_empty() => {
                    if !claim.identity.groups.iter().any(|g| g == group) {
                        claim.identity.groups.push(group.to_owned());
                    }
                }
                _ => {
                    let at = format!(".groups[{index}]");
                    let message = in_quotes("A group", tree.scalar(node));
                    self.of_entry(FindingKind::GroupWrongType, &message, entry, &at, node);
                }
            }
        }
    }
}
