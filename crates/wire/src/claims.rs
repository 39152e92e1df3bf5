//! Mappings as owners declare them, read strictly.
//!
//! The authenticator takes what it can get of an entry and drops the rest. A declaration is what somebody means, so
//! here anything that cannot be meant as it is written is a problem with its place: an unknown or repeated field, a
//! value of another type, a missing principal. Whether a principal is possible, and whether the identity makes sense,
//! is judged elsewhere, as for the map itself.

use std::collections::BTreeMap;

use accord_model::arn::PrincipalKey;
use accord_model::claim::{Claim, PolicyGrant};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::fold::equal_fold;
use accord_model::mapping::{EntryId, Identity, SectionName};
use accord_model::span::{Range, TextId};

use crate::view::{View, scalar_type};
use crate::yaml::{self, Dialect, NodeId, PlainType, Rest, Tree};

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

    fn read_entry(&mut self, section: SectionName, entry: &Entry<'_>) {
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
                let message = format!("`{written}` is no field of a mapping.");
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

    fn read_policies(&mut self, claim: &mut Claim, entry: &Entry<'_>, list: &View<'_>) {
        let tree = entry.tree;
        for (index, node) in tree.items(list.node).enumerate() {
            let at = format!(".policies[{index}]");
            let node = tree.target(node);
            match self.read_policy(entry, &at, node) {
                Some(grant) if claim.policies.iter().any(|p| p.policy == grant.policy) => {
                    let message = format!("`{}` is here for the second time.", grant.policy);
                    self.of_entry(FindingKind::DuplicatePolicy, &message, entry, &at, node);
                }
                Some(grant) => claim.policies.push(grant),
                None => {}
            }
        }
    }

    fn read_policy(&mut self, entry: &Entry<'_>, at: &str, node: NodeId) -> Option<PolicyGrant> {
        let tree = entry.tree;
        let (mut policy, mut namespaces) = (None, None);
        for (key, value) in tree.entries(node) {
            let (key, value) = (tree.target(key), tree.target(value));
            match tree.scalar(key) {
                "policy" if policy.is_none() => policy = text(tree, value),
                "namespaces" if namespaces.is_none() => {
                    namespaces = Some(self.read_namespaces(entry, at, value)?);
                }
                "policy" | "namespaces" => {
                    let message = format!("`{}` is here for the second time.", tree.scalar(key));
                    self.of_entry(FindingKind::DuplicateKey, &message, entry, at, key);
                    return None;
                }
                other => {
                    let message = format!(
                        "`{other}` is no field of a policy; it has `policy` and `namespaces`."
                    );
                    let at = format!("{at}.{other}");
                    self.of_entry(FindingKind::UnknownField, &message, entry, &at, key);
                    return None;
                }
            }
        }
        // The name alone, also where the whole ARN is given.
        let name = policy
            .and_then(|p| p.rsplit('/').next())
            .filter(|p| !p.is_empty());
        if name.is_none() {
            let message = "A policy must be named: `policy: AmazonEKSViewPolicy`.";
            self.of_entry(FindingKind::EntryInvalid, message, entry, at, node);
        }
        Some(PolicyGrant {
            policy: name?.to_owned(),
            namespaces,
        })
    }

    fn read_namespaces(
        &mut self,
        entry: &Entry<'_>,
        at: &str,
        list: NodeId,
    ) -> Option<Vec<String>> {
        let tree = entry.tree;
        let at = format!("{at}.namespaces");
        if tree.items(list).next().is_none() {
            let message = "`namespaces` must name at least one namespace; without the field the policy is for the \
                           whole cluster.";
            self.of_entry(FindingKind::AccessScopeInvalid, message, entry, &at, list);
            return None;
        }
        let mut names = Vec::new();
        for node in tree.items(list) {
            let node = tree.target(node);
            match text(tree, node).filter(|name| !name.is_empty()) {
                Some(name) => names.push(name.to_owned()),
                None => {
                    let message = in_quotes("A namespace", tree.scalar(node));
                    self.of_entry(FindingKind::AccessScopeInvalid, &message, entry, &at, node);
                    return None;
                }
            }
        }
        Some(names)
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

/// The fields of a mapping, in any letter case. `sso` is known only to be refused with its reason.
const FIELDS: [&str; 6] = [
    "rolearn", "userarn", "username", "groups", "policies", "sso",
];

/// A list item, where it stands, and what to call it.
struct Entry<'a> {
    tree: &'a Tree<'a>,
    /// Never an alias.
    node: NodeId,
    id: TextId,
    at: String,
}

impl<'a> Entry<'a> {
    /// The text of the first field that holds the ARN.
    fn field(&self, name: &str) -> Option<NodeId> {
        let is_it = |key: NodeId| equal_fold(self.tree.scalar(self.tree.target(key)), name);
        let mut entries = self.tree.entries(self.node);
        entries.find(|&(key, _)| is_it(key)).map(|(_, value)| value)
    }

    fn is_user(&self) -> bool {
        self.field("userarn").is_some() && self.field("rolearn").is_none()
    }

    fn principal(&self) -> Option<String> {
        let value = self.field("rolearn").or_else(|| self.field("userarn"))?;
        let text = text(self.tree, self.tree.target(value))?;
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// What to do about a value that must be text: YAML takes `12`, `on` and `n` for something else.
fn in_quotes(what: &str, written: &str) -> String {
    if written.is_empty() {
        format!("{what} must be text.")
    } else {
        format!("{what} must be text; write it in quotes: `\"{written}\"`.")
    }
}

/// A scalar that is text.
fn text<'a>(tree: &'a Tree<'_>, node: NodeId) -> Option<&'a str> {
    let is_text = scalar_type(tree, node) == Some(PlainType::String);
    is_text.then(|| tree.scalar(node))
}
