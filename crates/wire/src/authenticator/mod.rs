//! `aws-auth` as the authenticator reads it.
//!
//! Rules and sources, all of aws-iam-authenticator v0.7.18 and what it is built from: `ParseMap` in
//! `pkg/mapper/configmap/configmap.go` (which sections are skipped, that each is read alone), `ToJSON` in
//! k8s.io/apimachinery `pkg/util/yaml` (a text that begins with `{` is taken for JSON), `YAMLToJSON` in
//! sigs.k8s.io/yaml (go-yaml v2 to untyped values, to JSON), Go's `encoding/json` into `config.RoleMapping` and
//! `config.UserMapping`, and their `Validate` in `pkg/config/mapper.go`. `mapAccounts` has no JSON stage.
//!
//! ```text
//! section text → yaml tree → check → items: fields → entry → Kept
//!                    └── lost ──→ salvage, so that people can be told who is lost
//! ```
//!
//! 1. `check`: what go-yaml and the printing as JSON reject after parsing, which loses the section.
//! 2. `value`, `fields`: what a node is in the words of JSON; the fields that apply to an entry, and in which order.
//! 3. `entry`, `sso`, `accounts`: one list item.
//! 4. `written`, `near`, `salvage`, `loss`: what the author wrote and seems to have meant.
//!
//! Reading decides nothing: each deviation from what the author wrote becomes a [`Remark`], without a judgement.

mod accounts;
mod check;
mod entry;
mod fields;
mod loss;
mod near;
mod salvage;
mod sso;
mod value;
mod written;

#[cfg(test)]
mod tests;

pub use crate::teeth;

use accord_model::mapping::SectionName;
use accord_model::reading::{
    AuthMap, Item, Loss, LossCause, Remark, Salvaged, Section, SectionState, Shape, What,
};
use accord_model::span::{Range, TextId};

use crate::teeth::{Rule, holds};
use crate::yaml::{Dialect, Kind, NodeId, Rest, Tree, first_document};
use value::shape;

/// Reads a whole map: each section's name, its text's id (where its ranges point) and its text. A section that is not
/// given is absent; of one given twice the last counts.
pub fn read_map(texts: &[(SectionName, Option<TextId>, &str)]) -> AuthMap {
    let mut map = AuthMap::empty();
    for &(name, id, text) in texts {
        *map.section_mut(name) = read_section(name, id, text);
    }
    map
}

/// Reads the text of one section.
///
/// Never fails: a section that the authenticator cannot read is [`SectionState::Lost`], and its items are salvaged.
/// Takes time and memory linear in the text, aliases aside, whose expansion is limited as the authenticator limits it.
pub fn read_section(name: SectionName, text_id: Option<TextId>, text: &str) -> Section {
    let mut section = Section {
        text: text_id,
        ..Section::absent(name)
    };
    if text.starts_with('\u{feff}') {
        section.remarks.push(Remark {
            what: What::ByteOrderMark,
            range: Range::new(0, '\u{feff}'.len_utf8() as u32),
            at: String::new(),
        });
    }
    match read(name, text, &mut section.remarks) {
        Ok(items) if items.is_empty() => section.state = SectionState::Empty,
        Ok(items) => {
            section.state = SectionState::Read;
            section.items = items;
        }
        Err(loss) => {
            section.items = salvage::items(name, text);
            section.state = SectionState::Lost(loss);
        }
    }
    section
}

fn read(name: SectionName, text: &str, remarks: &mut Vec<Remark>) -> Result<Vec<Item>, Loss> {
    if matches!(text.trim(), "" | "``" | "\"\"" | "''") {
        return Ok(Vec::new());
    }
    if name != SectionName::Accounts && text.trim_start().starts_with('{') {
        return Err(loss::of_json_object(text));
    }
    let tree = first_document(text, Dialect::GoYaml).map_err(|e| loss::of_syntax(text, e))?;
    let items = match tree.root() {
        None => Vec::new(),
        Some(root) if name == SectionName::Accounts => accounts::read(&tree, root)?,
        Some(root) => {
            check::check(&tree, root)?;
            match tree.kind(root) {
                Kind::Sequence(_) => entry::read_list(name, &tree, root),
                Kind::Scalar(_) if shape(&tree, root) == Shape::Null => Vec::new(),
                Kind::Scalar(_) | Kind::Mapping(_) | Kind::Alias => {
                    return Err(loss::of_no_list(name, &tree, root));
                }
            }
        }
    };
    remark_rest(name, &tree, remarks)?;
    Ok(items)
}

/// Says what follows the first document, which nobody reads.
fn remark_rest(name: SectionName, tree: &Tree<'_>, remarks: &mut Vec<Remark>) -> Result<(), Loss> {
    let (at, rule) = match tree.rest() {
        Rest::Nothing => return Ok(()),
        Rest::Document(at) => (at, Rule::SecondDocument),
        Rest::Content(at) => (at, Rule::TrailingContent),
    };
    let rest = &tree.text()[at as usize..];
    let line = Range::new(
        at,
        at + rest.lines().next().unwrap_or(rest).trim_end().len() as u32,
    );
    if !holds(rule) {
        return Err(Loss {
            cause: LossCause::Unparseable,
            message: "text follows the list".into(),
            range: line,
        });
    }
    let lost: Vec<Salvaged> = salvage::entries(name, rest);
    let what = match rule {
        Rule::SecondDocument if salvage::is_blank(rest) => return Ok(()),
        Rule::SecondDocument => What::SecondDocument { lost },
        _ => What::TrailingContent { lost },
    };
    remarks.push(Remark {
        what,
        range: line,
        at: String::new(),
    });
    Ok(())
}

/// The node that `id` stands for, if it is a list or a mapping.
fn collection(tree: &Tree<'_>, id: NodeId) -> Option<NodeId> {
    let target = tree.target(id);
    matches!(tree.kind(target), Kind::Sequence(_) | Kind::Mapping(_)).then_some(target)
}
