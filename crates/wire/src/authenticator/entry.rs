//! One entry of `mapRoles` or `mapUsers`: from the fields of a list item to what is kept.

use accord_model::mapping::{Identity, Mapping, SectionName};
use accord_model::reading::{Item, Kept, Remark, Shape, What};
use accord_model::span::Range;

use super::fields::{Applied, Clash, applied};
use super::sso::SsoBlock;
use super::value::{shape, text};
use super::written::{self, written};
use crate::teeth::{Rule, holds};
use crate::yaml::{NodeId, Tree};

/// The fields of `config.RoleMapping`.
const ROLE_FIELDS: &[&str] = &["rolearn", "sso", "username", "groups", "userid"];
/// The fields of `config.UserMapping`.
const USER_FIELDS: &[&str] = &["userarn", "username", "groups", "userid"];

/// The fields that the entries of a section have; the ARN's first. Accounts have none.
pub(super) const fn known_fields(section: SectionName) -> &'static [&'static str] {
    match section {
        SectionName::Roles => ROLE_FIELDS,
        SectionName::Users => USER_FIELDS,
        SectionName::Accounts => &[],
    }
}

/// The items of a section that has passed [`super::check::check`].
pub(super) fn read_list(section: SectionName, tree: &Tree<'_>, list: NodeId) -> Vec<Item> {
    let mut items = Vec::with_capacity(tree.count(list));
    items.extend(tree.items(list).map(|item| read_item(section, tree, item)));
    items
}

fn read_item(section: SectionName, tree: &Tree<'_>, node: NodeId) -> Item {
    let mut item = Item {
        range: tree.full_range(node),
        written: written::fields(tree, node),
        kept: None,
        meant: None,
        remarks: Vec::new(),
    };
    match shape(tree, node) {
        Shape::Map => item.kept = read_mapping(section, tree, node, &mut item.remarks),
        _ => item.remarks.push(Remark {
            what: What::EntryWrongType(written(tree, node)),
            range: item.range,
            at: String::new(),
        }),
    }
    if item.kept.is_none() {
        item.meant = Some(Box::new(written::meant(section, tree, node)));
    }
    item
}

fn read_mapping(
    section: SectionName,
    tree: &Tree<'_>,
    node: NodeId,
    remarks: &mut Vec<Remark>,
) -> Option<Kept> {
    let known = known_fields(section);
    let (fields, clashes) = applied(tree, tree.target(node), known);
    for (clash, field, key) in clashes {
        remarks.push(remark_clash(tree, &fields, clash, field, key));
    }
    written::remark_unknown(section, tree, node, remarks);
    let mut entry = Entry::default();
    for field in &fields {
        entry.apply(tree, field, remarks);
    }
    let here = tree.full_range(node);
    entry.validate(here, remarks, || written::missing_arn(section, tree, node))
}

/// What Go's decoder has put into the entry so far.
#[derive(Default)]
struct Entry {
    arn: String,
    /// Something else than text stands in the ARN's place, which is remarked.
    arn_fault: bool,
    sso: Option<SsoBlock>,
    username: String,
    groups: Groups,
    user_id: Option<Box<str>>,
}

impl Entry {
    fn apply(&mut self, tree: &Tree<'_>, field: &Applied<'_>, remarks: &mut Vec<Remark>) {
        let value = field.value;
        let range = tree.full_range(value);
        let mut remark = |what| {
            remarks.push(Remark {
                what,
                range,
                at: format!(".{}", field.field),
            });
        };
        match (field.field, shape(tree, value)) {
            ("groups", Shape::List) => self.groups.lay_over(tree, value, remarks),
            ("groups", Shape::Null) => self.groups.reset(),
            ("groups", _) => remark(What::GroupsWrongType(written(tree, value))),
            ("sso", Shape::Null) => self.sso = None,
            ("sso", _) => self
                .sso
                .get_or_insert_with(|| SsoBlock::new(range))
                .apply(tree, value, remarks),
            // Null leaves a text as it is.
            (_, Shape::Null) => {}
            ("username", Shape::String) => self.username = owned(tree, value),
            ("username", _) => remark(What::UsernameWrongType(written(tree, value))),
            ("userid", Shape::String) => self.user_id = Some(owned(tree, value).into()),
            ("userid", _) => remark(What::UserIdWrongType(written(tree, value))),
            (_, Shape::String) => self.arn = owned(tree, value),
            (_, _) => {
                self.arn_fault = true;
                remark(What::ArnWrongType(written(tree, value)));
            }
        }
    }

    /// `Validate` of `config.RoleMapping` and `config.UserMapping`. `near` tells which unknown field seems to be meant
    /// as the ARN's.
    fn validate(
        self,
        here: Range,
        remarks: &mut Vec<Remark>,
        near: impl FnOnce() -> Option<String>,
    ) -> Option<Kept> {
        let sso = match (self.sso, self.arn.is_empty()) {
            (None, false) => None,
            (None, true) => {
                if !self.arn_fault {
                    remarks.push(Remark {
                        what: What::MissingArn { near: near() },
                        range: here,
                        at: String::new(),
                    });
                }
                return None;
            }
            (Some(block), false) if holds(Rule::SsoBesideArn) => {
                remarks.push(block.remark("both `rolearn` and `sso` are given"));
                return None;
            }
            (Some(_), false) => None,
            (Some(block), true) => Some(Box::new(block.validate(remarks)?)),
        };
        Some(Kept::Mapping(Mapping {
            arn: self.arn,
            sso,
            identity: Identity {
                username: self.username,
                groups: self.groups.finish(),
            },
            user_id: self.user_id,
        }))
    }
}

fn owned(tree: &Tree<'_>, value: NodeId) -> String {
    text(tree, value).unwrap_or_default().into_owned()
}

/// The groups, as a Go slice: a shorter list leaves the elements behind its end where they are, and a longer one brings
/// them back.
#[derive(Default)]
struct Groups {
    elements: Vec<String>,
    length: usize,
}

impl Groups {
    fn reset(&mut self) {
        if holds(Rule::NullResetsList) {
            *self = Self::default();
        }
    }

    /// Decodes a list into the slice; null and wrong types leave an element as it was.
    fn lay_over(&mut self, tree: &Tree<'_>, value: NodeId, remarks: &mut Vec<Remark>) {
        let list = tree.target(value);
        self.length = tree.count(list);
        if self.length == 0 || !holds(Rule::ListOverlay) {
            self.elements.clear();
        }
        self.elements
            .reserve_exact(self.length.saturating_sub(self.elements.len()));
        for (index, item) in tree.items(list).enumerate() {
            if index == self.elements.len() {
                self.elements.push(String::new());
            }
            match shape(tree, item) {
                Shape::String => self.elements[index] = owned(tree, item),
                Shape::Null => {}
                Shape::Bool | Shape::Number | Shape::List | Shape::Map => remarks.push(Remark {
                    what: What::GroupWrongType(written(tree, item)),
                    range: tree.full_range(item),
                    at: format!(".groups[{index}]"),
                }),
            }
        }
    }

    fn finish(mut self) -> Vec<String> {
        self.elements.truncate(self.length);
        self.elements
    }
}

fn remark_clash(
    tree: &Tree<'_>,
    fields: &[Applied<'_>],
    clash: Clash,
    field: &'static str,
    key: NodeId,
) -> Remark {
    let what = match clash {
        Clash::Merge => What::MergeOverrides { key: field.into() },
        Clash::SameSpelling => What::DuplicateKey {
            key: tree.scalar(tree.target(key)).into(),
            effect: "the last one counts".into(),
        },
        Clash::OtherSpelling => What::DuplicateKey {
            key: tree.scalar(tree.target(key)).into(),
            effect: effect_of_spellings(tree, fields, field),
        },
    };
    Remark {
        what,
        range: tree.full_range(key),
        at: format!(".{field}"),
    }
}

fn effect_of_spellings(tree: &Tree<'_>, fields: &[Applied<'_>], field: &'static str) -> String {
    let mut of_field = fields.iter().filter(|f| f.field == field);
    match field {
        "groups" => {
            let spellings: Vec<_> = of_field.map(|f| format!("`{}`", f.spelling)).collect();
            format!(
                "the lists are laid over each other: {}",
                spellings.join(", then ")
            )
        }
        _ => match of_field.rfind(|f| shape(tree, f.value) == Shape::String) {
            Some(last) => format!("`{}` counts, wherever it stands", last.spelling),
            None => "none of them is text".into(),
        },
    }
}
