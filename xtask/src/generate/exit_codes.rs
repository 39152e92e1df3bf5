//! The exit codes, from the documented constants of the command line.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::shell;

pub(super) fn text() -> Result<String> {
    let path = shell::root().join("crates/cli/src/exit.rs");
    let source = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    table(&source)
}

/// A row for each `const NAME: u8 = CODE;`, with the comment above it.
fn table(source: &str) -> Result<String> {
    let mut table = String::from("| code | meaning |\n|---:|---|\n");
    let mut meaning: Vec<&str> = Vec::new();
    let mut rows = 0;
    for line in source.lines() {
        if let Some(comment) = line.strip_prefix("/// ") {
            meaning.push(comment);
            continue;
        }
        if let Some((_, code)) = line.split_once(": u8 = ") {
            table.push_str(&format!(
                "| {} | {} |\n",
                code.trim_end_matches(';'),
                meaning.join(" ")
            ));
            rows += 1;
        }
        meaning.clear();
    }
    if rows == 0 {
        bail!("no exit codes found");
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_the_lines_of_a_comment() {
        let source =
            "//! Codes.\n\n/// Done, or\n/// nothing to do.\npub(crate) const DONE: u8 = 0;\n";
        assert_eq!(
            table(source).unwrap(),
            "| code | meaning |\n|---:|---|\n| 0 | Done, or nothing to do. |\n"
        );
    }
}
