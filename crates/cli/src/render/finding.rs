//! A finding as compilers print theirs: what is the case, the place, the line quoted, the text to write instead.

use accord_model::finding::Severity;
use accord_model::span::Place;
use accord_wire::report::Finding;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::text;
use crate::style;

/// A line of a file, and the part of it that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// The line, without its end.
    pub(crate) line: String,
    /// First byte of what is meant.
    pub(crate) start: usize,
    /// One past its last byte, at most the line's length.
    pub(crate) end: usize,
    /// The beginning of the line is cut off, so that columns in `line` are not those of the file.
    pub(crate) cut: bool,
}

impl Quote {
    /// What is `marked` in a line. Long lines are cut around it.
    pub(crate) fn of(line: &str, marked: std::ops::Range<usize>) -> Self {
        let start = floor(line, marked.start.min(line.len()));
        let end = floor(line, marked.end.clamp(start, line.len()));
        let from = floor(line, start.saturating_sub(CONTEXT));
        let to = floor(line, (start + CONTEXT).min(line.len()));
        Self {
            line: line.get(from..to).unwrap_or_default().to_owned(),
            start: start - from,
            end: end.min(to) - from,
            cut: from > 0,
        }
    }
}

/// How many bytes of a long line are shown on each side.
const CONTEXT: usize = 200;

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The finding, with the quoted line if there is one, and a blank line behind it.
pub(crate) fn with_quote(finding: &Finding, quote: Option<&Quote>) -> String {
    let title = level(finding.severity)
        .with_name(finding.severity)
        .primary_title(finding.message.as_str())
        .id(finding.kind);
    let mut elements: Vec<Element<'_>> = Vec::new();
    let snippet = quote.zip(finding.line).map(|(quote, line)| {
        let mut annotation = AnnotationKind::Primary.span(quote.start..quote.end);
        if let Some(at) = &finding.at {
            annotation = annotation.label(at.as_str());
        }
        Snippet::source(quote.line.as_str())
            .line_start(line as usize)
            .annotation(annotation)
    });
    match (snippet, quote, &finding.file) {
        (Some(snippet), Some(Quote { cut: false, .. }), Some(file)) => {
            elements.push(snippet.path(file.as_str()).into());
        }
        (snippet, _, file) => {
            elements.extend(file.as_ref().map(|file| origin(finding, file).into()));
            elements.extend(snippet.map(Element::from));
        }
    }
    if let Some(suggest) = &finding.suggest {
        let text = format!("write `{suggest}`");
        elements.push(Level::HELP.message(text).into());
    }
    if let Some(source) = &finding.source {
        elements.push(Level::NOTE.message(format!("made by {source}")).into());
    }
    let group = title.elements(elements);
    let mut out = Renderer::styled().render(&[group]);
    out.push_str("\n\n");
    out
}

/// A place with its line quoted, to stand below a message.
pub(crate) fn excerpt(place: &Place, quote: Option<&Quote>) -> String {
    let file = place.file.as_deref().unwrap_or("-");
    let origin = || {
        Origin::path(file)
            .line(place.line as usize)
            .char_column(place.column as usize)
    };
    let snippet = quote.map(|quote| {
        Snippet::source(quote.line.as_str())
            .line_start(place.line as usize)
            .annotation(AnnotationKind::Primary.span(quote.start..quote.end))
    });
    let mut group = Group::with_level(Level::ERROR);
    match (snippet, quote) {
        (Some(snippet), Some(Quote { cut: false, .. })) => {
            group = group.element(snippet.path(file));
        }
        (snippet, _) => group = group.element(origin()).elements(snippet),
    }
    Renderer::styled().render(&[group])
}

fn origin<'a>(finding: &Finding, file: &'a str) -> Origin<'a> {
    let mut origin = Origin::path(file);
    if let (Some(line), Some(column)) = (finding.line, finding.column) {
        origin = origin.line(line as usize).char_column(column as usize);
    }
    origin
}

/// The finding without its line, for reports that are about something else.
pub(crate) fn brief(finding: &Finding) -> String {
    let style = match finding.severity.parse() {
        Ok(Severity::Info | Severity::Warning) => style::NOTE,
        Ok(_) | Err(_) => style::BAD,
    };
    let mut out = format!("  {style}{}{style:#}  {}", finding.severity, finding.kind);
    let named = |principal: &&String| !finding.message.contains(principal.as_str());
    if let Some(principal) = finding.principal.as_ref().filter(named) {
        out.push_str(&format!("  {}", text::shown(principal)));
    }
    if let (Some(file), Some(line), Some(column)) = (&finding.file, finding.line, finding.column) {
        out.push_str(&format!("  {file}:{line}:{column}"));
    }
    out.push('\n');
    out.push_str(&text::wrap(&finding.message, 96, "           "));
    out
}

fn level(severity: &str) -> Level<'static> {
    match severity.parse() {
        Ok(Severity::Info) => Level::INFO,
        Ok(Severity::Warning) => Level::WARNING,
        Ok(_) | Err(_) => Level::ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use accord_model::finding::FindingKind;

    fn finding() -> Finding {
        let model = accord_model::finding::Finding::new(
            FindingKind::ArnHasPath,
            Severity::LocksOut,
            "A role ARN with a path never matches, because STS shows none.",
        )
        .at("mapRoles[1].rolearn", None)
        .suggest("arn:aws:iam::111122223333:role/runner");
        Finding::new(
            &model,
            Some(Place {
                file: Some("cluster.yaml".into()),
                line: 13,
                column: 16,
            }),
        )
    }

    #[test]
    fn quotes_the_line() {
        let line = "    - rolearn: arn:aws:iam::111122223333:role/ci/runner";
        let quote = Quote::of(line, 15..line.len());
        let plain = anstream::adapter::strip_str(&with_quote(&finding(), Some(&quote))).to_string();
        insta::assert_snapshot!(plain, @r"
        locks-out[arn-has-path]: A role ARN with a path never matches, because STS shows none.
          --> cluster.yaml:13:16
           |
        13 |     - rolearn: arn:aws:iam::111122223333:role/ci/runner
           |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ mapRoles[1].rolearn
           |
           = help: write `arn:aws:iam::111122223333:role/runner`
        ");
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{{{}x{}}}", "é".repeat(1000), "ü".repeat(1000));
        let start = text.find('x').unwrap();
        let quote = Quote::of(&text, start..start + 1);
        assert_eq!(&quote.line[quote.start..quote.end], "x");
        assert!(quote.line.len() <= 2 * CONTEXT);
    }

    #[test]
    fn a_place_outside_the_line_is_its_end() {
        let quote = Quote::of("a: b", 9..12);
        assert_eq!(
            (quote.line.as_str(), quote.start, quote.end),
            ("a: b", 4, 4)
        );
    }
}
