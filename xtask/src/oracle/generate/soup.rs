//! Words of YAML in no order, inside entries that are otherwise sound: whatever becomes of the words, the entries around
//! them tell it.

use super::Pen;

const WORDS: &[&str] = &[
    "a", "b", "a", "b c", "x: y", "a", "- ", "-", "? ", "?", ": ", ":", ",", ", ", "[", "]", "{",
    "}", "[a]", "{a: b}", "&a ", "*a", "&b", "*b ", "!!str ", "!x ", "!!int ", "! ", "'", "''",
    "\"", "\"\"", "'a'", "\"a\"", "|", ">", "|-", ">-", "|+", "|2", " # c", "#", " ", " ", "  ",
    "\t", "~", "12", "yes", "<<: ", "%", "@", "`", "\\", "---", "...", "=", "\u{e9}", "\u{feff}",
];

/// Breaks, with the indentation that follows.
const BREAKS: &[&str] = &[
    "\n",
    "\n  ",
    "\n    ",
    "\n    ",
    "\n      ",
    "\n     ",
    "\n\n    ",
    "\n  - ",
    "\n    - ",
    "\n    ? ",
    "\n    : ",
    "\n    x: ",
    "\n    # c\n    ",
    "\n    \t",
    "\n\t",
    "\r\n    ",
    "\r    ",
    "\u{85}    ",
    "\u{2028}    ",
    "\n---\n",
    "\n...\n",
];

/// A list of entries, with words where a value or a key stands, or behind them all.
pub(super) fn section(pen: &mut Pen) -> String {
    pen.note("words in no order");
    let arn = "arn:aws:iam::111122223333:role/";
    let words = words(pen);
    match pen.below(9) {
        0 | 1 => format!("- rolearn: {arn}A\n  username: {words}\n- rolearn: {arn}B\n"),
        2 | 3 => format!(
            "- rolearn: {arn}A\n  username: u\n  groups:\n    - {words}\n    - g\n- rolearn: {arn}B\n"
        ),
        4 => format!("- rolearn: {arn}A\n  username: u\n  groups: [a, {words}, b]\n"),
        5 => format!(
            "- {{rolearn: '{arn}A', username: u, {words}, groups: [a]}}\n- rolearn: {arn}B\n"
        ),
        6 => format!("- rolearn: {arn}A\n  {words}\n  username: u\n"),
        7 => format!("- rolearn: {arn}A\n  username: u\n{words}"),
        _ => format!("[{{\"rolearn\": \"{arn}A\", \"username\": {words}}}]\n"),
    }
}

fn words(pen: &mut Pen) -> String {
    let breaks = if pen.chance(0.5) { 0.25 } else { 0.05 };
    let mut text = String::new();
    for _ in 0..1 + pen.below(8) {
        text.push_str(if pen.chance(breaks) {
            pen.pick(BREAKS)
        } else {
            pen.pick(WORDS)
        });
    }
    if pen.chance(0.6) {
        close(&mut text);
    }
    text
}

/// Closes what is open, so that more of the texts can be read.
fn close(text: &mut String) {
    for quote in ['\'', '"'] {
        if text.matches(quote).count() % 2 == 1 {
            text.push(quote);
        }
    }
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '[' => open.push(']'),
            '{' => open.push('}'),
            ']' | '}' => {
                open.pop();
            }
            _ => {}
        }
    }
    text.extend(open.into_iter().rev());
}
