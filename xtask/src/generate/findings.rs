//! Every kind of finding: a table of the meanings, then a section for each with its page.

use accord_model::finding::FindingKind;
use accord_plan::lint;
use anyhow::Result;

pub(super) fn text() -> Result<String> {
    let mut text = String::from("| kind | meaning |\n|---|---|\n");
    for kind in FindingKind::ALL {
        text.push_str(&format!("| [`{kind}`](#{kind}) | {} |\n", kind.meaning()));
    }
    for kind in FindingKind::ALL {
        text.push('\n');
        text.push_str(&nested(lint::page(*kind)));
    }
    Ok(text)
}

/// A page as a section: its headings one level lower.
fn nested(page: &str) -> String {
    let mut inside_code = false;
    let mut text = String::new();
    for line in page.trim_end().lines() {
        inside_code ^= line.starts_with("```");
        if line.starts_with('#') && !inside_code {
            text.push('#');
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowers_headings_and_not_comments_in_code() {
        assert_eq!(
            nested("# a\n\n```yaml\n# b\n```\n## c\n\n"),
            "## a\n\n```yaml\n# b\n```\n### c\n"
        );
    }
}
