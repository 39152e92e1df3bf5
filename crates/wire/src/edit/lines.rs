//! Lines as YAML 1.1 counts them: LF, CR, CRLF, NEL (U+0085), LS and PS (U+2028, U+2029) end one.

/// The length in bytes of the line break at `at`; 0 if there is none.
pub(super) fn break_at(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    if rest.starts_with("\r\n") {
        return 2;
    }
    match rest.chars().next() {
        Some(c @ ('\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')) => c.len_utf8(),
        _ => 0,
    }
}

/// Where the content of the line at `at` ends: its line break, or the end of the text.
pub(super) fn content_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let found = rest.find(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
    found.map_or(text.len(), |offset| at + offset)
}

/// Where the line behind the one at `at` begins, or the end of the text.
pub(super) fn next_start(text: &str, at: usize) -> usize {
    let end = content_end(text, at);
    end + break_at(text, end)
}

/// Where the line at `at` begins. A byte order mark belongs to no line.
pub(super) fn start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let line = before
        .char_indices()
        .rev()
        .find(|(_, c)| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'))
        .map_or(0, |(offset, c)| offset + c.len_utf8());
    if line == 0 && text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8().min(at)
    } else {
        line
    }
}

/// Where the line before the one that begins at `start` begins; `None` if that is the first.
pub(super) fn previous_start(text: &str, line: usize) -> Option<usize> {
    let before = text.get(..line)?;
    let last = before.chars().next_back()?;
    let mut end = line - last.len_utf8();
    if last == '\n' && before.ends_with("\r\n") {
        end -= 1;
    }
    (break_at(text, end) > 0).then(|| start(text, end))
}

/// The number of spaces that the line at `start` begins with.
pub(super) fn indent(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    rest.len() - rest.trim_start_matches(' ').len()
}

/// The line break that the text uses: its first one, or LF.
pub(super) fn line_break(text: &str) -> &str {
    let end = content_end(text, 0);
    match break_at(text, end) {
        0 => "\n",
        length => text.get(end..end + length).unwrap_or("\n"),
    }
}

/// Whether the last line has no line break behind it.
pub(super) fn ends_open(text: &str) -> bool {
    !text.ends_with(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
}

/// These lines with a line break behind each.
pub(super) fn whole(lines: &[String], line_break: &str) -> String {
    lines
        .iter()
        .map(|line| format!("{line}{line_break}"))
        .collect()
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Blank,
    Comment,
    Other,
}

/// What the line at `start` is.
pub(super) fn what(text: &str, start: usize) -> Line {
    let line = text
        .get(start..content_end(text, start))
        .unwrap_or_default();
    match line.trim_start_matches([' ', '\t']).chars().next() {
        None => Line::Blank,
        Some('#') => Line::Comment,
        Some(_) => Line::Other,
    }
}
