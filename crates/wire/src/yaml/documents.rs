//! Files of several documents.

use super::{Dialect, Range, Rest, Tree, YamlError, composer};

/// One document of a text of several.
#[derive(Clone, Debug)]
pub struct Document<'t> {
    /// From its `---` line, or the comments before it, up to the next `---` line or the end of the text.
    pub range: Range,
    /// Its content, with offsets into the whole text; or why it cannot be read. One bad document does not spoil the
    /// others.
    pub tree: Result<Tree<'t>, YamlError>,
}

/// All documents of `text`, those without content (blank, only comments) left out.
///
/// Unlike [`super::first_document`], a document that ends before its text does is an error. With [`Dialect::Json`],
/// documents that begin with `{` are read as JSON is, the others as go-yaml does.
pub fn documents(text: &str, dialect: Dialect) -> Vec<Document<'_>> {
    let mut documents = Vec::new();
    let mut start = 0;
    for end in boundaries(text) {
        let part = &text[start..end];
        if is_prologue(part) {
            // Comments and directives belong to what follows.
            continue;
        }
        let tree = read(text, start, end, dialect);
        if !tree.as_ref().is_ok_and(is_blank) {
            documents.push(Document {
                range: Range::new(start as u32, end as u32),
                tree,
            });
        }
        start = end;
    }
    documents
}

/// The offsets at which documents end: before each line that begins one, and at the end of the text.
fn boundaries(text: &str) -> impl Iterator<Item = usize> + '_ {
    let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
    text.match_indices(breaks)
        .map(|(at, found)| at + found.len())
        .filter(move |&line| {
            text[line..].strip_prefix("---").is_some_and(|rest| {
                rest.is_empty() || rest.starts_with([' ', '\t']) || rest.starts_with(breaks)
            })
        })
        .chain([text.len()])
}

/// Whether there are only blank lines, comments and directives.
fn is_prologue(part: &str) -> bool {
    part.trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim_end)
        .all(|line| {
            line.trim_start().is_empty()
                || line.trim_start().starts_with('#')
                || line.starts_with('%')
        })
}

fn read(text: &str, start: usize, end: usize, dialect: Dialect) -> Result<Tree<'_>, YamlError> {
    let dialect = match dialect {
        Dialect::Json if begins_with_brace(&text[start..end]) => Dialect::Json,
        Dialect::Json | Dialect::GoYaml => Dialect::GoYaml,
    };
    let mut tree = composer::compose(&text[..end], start, dialect)?;
    tree.text = text;
    match tree.rest() {
        Rest::Content(at) => Err(YamlError::new(
            Range::new(at, end as u32),
            "the document ends before this line, which is indented less than its beginning or stands behind its last bracket",
        )),
        Rest::Document(at) if !is_prologue(&text[at as usize..end].replacen("...", "", 1)) => {
            Err(YamlError::new(
                Range::new(at, end as u32),
                "text follows `...` without a `---` line before it",
            ))
        }
        Rest::Nothing | Rest::Document(_) => Ok(tree),
    }
}

/// Whether the first thing behind the `---` line, comments and directives is `{`.
fn begins_with_brace(part: &str) -> bool {
    part.trim_start_matches('\u{feff}')
        .lines()
        .filter(|line| !is_prologue(line))
        .map(|line| line.strip_prefix("---").unwrap_or(line).trim_start())
        .find(|content| !content.is_empty() && !content.starts_with('#'))
        .is_some_and(|content| content.starts_with('{'))
}

/// Whether the document holds nothing.
fn is_blank(tree: &Tree<'_>) -> bool {
    tree.root()
        .is_none_or(|root| tree.full_range(root).start == tree.full_range(root).end)
}
