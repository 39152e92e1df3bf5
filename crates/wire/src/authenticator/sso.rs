//! The `sso` block of a role entry: `config.SSOARNMatcher` and its validation.

use accord_model::arn::PARTITIONS;
use accord_model::mapping::Sso;
use accord_model::reading::{Remark, Shape, What, Written};
use accord_model::span::Range;

use super::fields::applied;
use super::value::{shape, text};
use super::written::written;
use crate::yaml::{NodeId, Tree};

/// The fields of `config.SSOARNMatcher`.
pub(super) const SSO_FIELDS: &[&str] = &["permissionSetName", "accountID", "partition"];

/// A block as decoded so far. It is there as soon as `sso` holds anything but null.
pub(super) struct SsoBlock {
    range: Range,
    sso: Sso,
    /// Where each field's value stands, in the order of [`SSO_FIELDS`].
    places: [Option<Range>; 3],
    /// An unquoted number where the account belongs.
    account_number: Option<Written>,
}

impl SsoBlock {
    /// An empty block whose value stands at `range`.
    pub(super) fn new(range: Range) -> Self {
        Self {
            range,
            sso: Sso {
                permission_set_name: String::new(),
                account_id: String::new(),
                partition: String::new(),
            },
            places: [None; 3],
            account_number: None,
        }
    }

    /// Decodes a value of `sso` that is not null into the block. A value that is no mapping changes nothing.
    pub(super) fn apply(&mut self, tree: &Tree<'_>, value: NodeId, remarks: &mut Vec<Remark>) {
        self.range = tree.full_range(value);
        if shape(tree, value) != Shape::Map {
            return;
        }
        let (fields, clashes) = applied(tree, tree.target(value), SSO_FIELDS);
        for (_, field, key) in clashes {
            remarks.push(Remark {
                what: What::DuplicateKey {
                    key: tree.scalar(tree.target(key)).into(),
                    effect: "one of them counts".into(),
                },
                range: tree.full_range(key),
                at: format!(".sso.{field}"),
            });
        }
        for field in fields {
            let (place, into) = match field.field {
                "permissionSetName" => (0, &mut self.sso.permission_set_name),
                "accountID" => (1, &mut self.sso.account_id),
                _ => (2, &mut self.sso.partition),
            };
            self.places[place] = Some(tree.full_range(field.value));
            match shape(tree, field.value) {
                Shape::String => *into = text(tree, field.value).unwrap_or_default().into_owned(),
                Shape::Null => {}
                Shape::Number if place == 1 => {
                    self.account_number = Some(written(tree, field.value));
                }
                Shape::Bool | Shape::Number | Shape::List | Shape::Map => remarks.push(Remark {
                    what: What::SsoFieldWrongType(written(tree, field.value)),
                    range: tree.full_range(field.value),
                    at: format!(".sso.{}", field.field),
                }),
            }
        }
    }

    /// `Validate` of `config.RoleMapping`, as far as the block is concerned. If the authenticator drops the entry, it is
    /// remarked why.
    pub(super) fn validate(self, remarks: &mut Vec<Remark>) -> Option<Sso> {
        let Sso {
            permission_set_name: name,
            account_id: account,
            partition,
        } = &self.sso;
        let is_account = account.len() == 12 && account.bytes().all(|b| b.is_ascii_digit());
        let is_name = (1..=32).contains(&name.len())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_+=,.@-".contains(&b));
        let is_partition = partition.is_empty() || PARTITIONS.contains(&partition.as_str());
        if let Some(number) = &self.account_number {
            let what = if account.is_empty() {
                What::SsoAccountNumber {
                    text: number.text.clone(),
                }
            } else {
                What::SsoFieldWrongType(number.clone())
            };
            remarks.push(self.remark_field(1, what));
        }
        let invalid = if !is_account {
            let told = account.is_empty() && self.account_number.is_some();
            (!told).then(|| (1, format!("accountID is `{account}`, not twelve digits")))
        } else if !is_name {
            let reason = format!(
                "permissionSetName is `{name}`, not 1 to 32 letters, digits or any of `_+=,.@-`"
            );
            Some((0, reason))
        } else if !is_partition {
            Some((2, format!("partition `{partition}` does not exist")))
        } else {
            return Some(self.sso);
        };
        remarks.extend(
            invalid.map(|(field, reason)| self.remark_field(field, What::SsoInvalid { reason })),
        );
        None
    }

    /// Why the whole block makes the authenticator drop the entry.
    pub(super) fn remark(&self, reason: impl Into<String>) -> Remark {
        Remark {
            what: What::SsoInvalid {
                reason: reason.into(),
            },
            range: self.range,
            at: ".sso".into(),
        }
    }

    /// Something about one field; if it is not there, about the block.
    fn remark_field(&self, field: usize, what: What) -> Remark {
        match (self.places[field], SSO_FIELDS.get(field)) {
            (Some(range), Some(name)) => Remark {
                what,
                range,
                at: format!(".sso.{name}"),
            },
            _ => Remark {
                what,
                range: self.range,
                at: ".sso".into(),
            },
        }
    }
}
