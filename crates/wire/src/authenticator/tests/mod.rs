//! Reading compared with what the authenticator's own packages answered (v0.7.18), and what is remarked.

mod lost;
mod remarks;
mod robustness;

use accord_model::mapping::SectionName;
use accord_model::reading::{Item, Kept, Remark, Section, SectionState, What};
use accord_model::span::Range;

use super::read_section;

/// A section in short form: its state; each item's text and what is kept or meant; remarks with their text.
fn print(section: SectionName, text: &str) -> String {
    let read = read_section(section, None, text);
    let mut out = match &read.state {
        SectionState::Lost(loss) => {
            let source = &text[loss.range.bytes()];
            format!("lost, {:?}: {}: {source:?}\n", loss.cause, loss.message)
        }
        state => format!("{state:?}\n").to_lowercase(),
    };
    for remark in &read.remarks {
        out += &print_remark(section.key(), text, remark);
    }
    for (index, item) in read.items.iter().enumerate() {
        out += &print_item(&read, text, index, item);
    }
    out
}

fn print_item(read: &Section, text: &str, index: usize, item: &Item) -> String {
    let at = format!("{}[{index}]", read.name);
    let mut out = format!("{at} {:?}\n", &text[item.range.bytes()]);
    match (&item.kept, &item.meant) {
        (Some(kept), _) => out += &format!("  kept {}\n", print_kept(kept)),
        (None, Some(m)) => {
            out += &format!("  meant {:?} {:?} {:?}\n", m.arn, m.username, m.groups);
        }
        (None, None) => out += "  nothing\n",
    }
    for remark in &item.remarks {
        out += &format!("  {}", print_remark(&at, text, remark));
    }
    out
}

fn print_kept(kept: &Kept) -> String {
    match kept {
        Kept::Account(account) => format!("{account:?}"),
        Kept::Mapping(m) => format!(
            "{:?} {:?} {:?}{}",
            m.arn,
            m.identity.username,
            m.identity.groups,
            m.sso.as_ref().map_or(String::new(), |s| format!(" {s:?}"))
        ),
    }
}

fn print_remark(at: &str, text: &str, remark: &Remark) -> String {
    let source = &text[remark.range.bytes()];
    format!("{at}{} {:?} at {source:?}\n", remark.at, remark.what)
}

/// The places of the fields as written: `key="…" value="…"`.
fn print_written(section: SectionName, text: &str) -> String {
    let slice = |range: Range| &text[range.bytes()];
    read_section(section, None, text)
        .items
        .iter()
        .flat_map(|item| &item.written)
        .map(|field| {
            let elements: Vec<_> = field.elements.iter().map(|e| slice(e.range)).collect();
            let fields: Vec<_> = field.fields.iter().map(|f| &*f.key).collect();
            format!(
                "{} {:?} {:?} {:?} {elements:?} {fields:?}\n",
                field.key,
                slice(field.key_range),
                slice(field.value_range),
                field.shape
            )
        })
        .collect()
}

/// Whether something is remarked on the section as a whole.
fn remarked(read: &Section, is_it: fn(&What) -> bool) -> bool {
    read.remarks.iter().any(|remark| is_it(&remark.what))
}
