//! Every kind of finding, with its meaning.

use accord_model::finding::FindingKind;
use anyhow::Result;

pub(super) fn text() -> Result<String> {
    let mut text = String::from("| kind | meaning |\n|---|---|\n");
    for kind in FindingKind::ALL {
        text.push_str(&format!("| `{kind}` | {} |\n", kind.meaning()));
    }
    Ok(text)
}
