//! `mapAccounts`: a list that go-yaml decodes straight into texts, with no JSON in between.

use accord_model::mapping::SectionName;
use accord_model::reading::{Item, Kept, Loss, LossCause, Remark, Shape, What};

use super::check::{MAX_REPEATED, too_much};
use super::loss;
use super::value::{binary, is_binary, raw_text, scalar_type, shape};
use super::written;
use crate::teeth::{Rule, holds};
use crate::yaml::resolve::PlainType;
use crate::yaml::{Kind, NodeId, ScalarStyle, Tree};

/// The items of `mapAccounts`.
///
/// # Errors
/// If the document is no list.
pub(super) fn read(tree: &Tree<'_>, root: NodeId) -> Result<Vec<Item>, Loss> {
    match tree.kind(root) {
        Kind::Sequence(_) => {}
        Kind::Scalar(_) if scalar_type(tree, root) == Ok(PlainType::Null) => return Ok(Vec::new()),
        Kind::Scalar(_) | Kind::Mapping(_) | Kind::Alias => {
            return Err(loss::of_no_list(SectionName::Accounts, tree, root));
        }
    }
    let mut items = Vec::with_capacity(tree.count(root));
    let mut voided = false;
    let mut repeated = 0;
    for node in tree.items(root) {
        let mut item = Item {
            range: tree.full_range(node),
            written: Vec::new(),
            kept: None,
            meant: None,
            remarks: Vec::new(),
        };
        let mut remark = |what| {
            item.remarks.push(Remark {
                what,
                range: item.range,
                at: String::new(),
            });
        };
        match account(tree, node) {
            // What comes behind the fault is never filled in.
            _ if voided => item.kept = Some(Kept::Account(String::new())),
            Account::Text(text) => {
                if tree.kind(node) == Kind::Alias {
                    repeated += text.len();
                }
                if repeated > MAX_REPEATED {
                    return Err(too_much(tree, node));
                }
                if is_ambiguous(tree, node) {
                    remark(What::AccountAmbiguousNumber { text: text.clone() });
                }
                item.kept = Some(Kept::Account(text));
            }
            Account::WrongType(shape) => {
                let inside = twelve_digits(&tree.text()[item.range.bytes()]);
                remark(What::AccountWrongType { shape, inside });
            }
            Account::Misfit if holds(Rule::AccountVoiding) => {
                voided = true;
                remark(What::AccountsVoidedFromHere);
                item.kept = Some(Kept::Account(String::new()));
            }
            Account::Misfit => {
                return Err(Loss {
                    cause: LossCause::Unparseable,
                    message: "an account does not fit its tag".into(),
                    range: item.range,
                });
            }
        }
        if item.kept.is_none() || voided {
            let meant = written::meant(SectionName::Accounts, tree, node);
            item.meant = Some(Box::new(meant));
        }
        items.push(item);
    }
    if voided {
        // The list keeps its full length, so what was dropped leaves an empty account, which nobody has.
        for item in &mut items {
            item.kept
                .get_or_insert_with(|| Kept::Account(String::new()));
        }
    }
    Ok(items)
}

/// What one item is to go-yaml.
enum Account {
    Text(String),
    /// A list or mapping, whatever is in it.
    WrongType(Shape),
    /// A text that does not fit its tag.
    Misfit,
}

fn account(tree: &Tree<'_>, node: NodeId) -> Account {
    let target = tree.target(node);
    if !matches!(tree.kind(target), Kind::Scalar(_)) {
        return Account::WrongType(shape(tree, target));
    }
    if is_binary(tree, target) && binary(tree.scalar(target)).is_none() {
        return Account::Misfit;
    }
    match scalar_type(tree, target) {
        Err(_) => Account::Misfit,
        Ok(PlainType::Null) => Account::Text(String::new()),
        Ok(PlainType::Int(number)) if !holds(Rule::AccountText) => {
            Account::Text(number.to_string())
        }
        Ok(_) => Account::Text(raw_text(tree, target).into_owned()),
    }
}

/// Whether other readers take the account for a number and print it differently.
fn is_ambiguous(tree: &Tree<'_>, node: NodeId) -> bool {
    let target = tree.target(node);
    let text = tree.scalar(target);
    tree.kind(target) == Kind::Scalar(ScalarStyle::Plain)
        && match scalar_type(tree, target) {
            Ok(PlainType::Int(number)) => number.to_string() != text,
            Ok(PlainType::Uint(_) | PlainType::Float(_)) => true,
            _ => false,
        }
}

/// The first run of exactly twelve digits.
fn twelve_digits(text: &str) -> Option<String> {
    text.split(|c: char| !c.is_ascii_digit())
        .find(|run| run.len() == 12)
        .map(String::from)
}
