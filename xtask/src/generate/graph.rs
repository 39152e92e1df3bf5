//! The crate graph, one line per crate.

use anyhow::Result;

use crate::check;

pub(super) fn text() -> Result<String> {
    let mut text = String::from("```text\n");
    for (name, below) in check::arrows()? {
        let line = format!("{name:<8} → {}", below.join(", "));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push_str("```\n");
    Ok(text)
}
