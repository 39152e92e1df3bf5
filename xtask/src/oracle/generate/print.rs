//! Trees as text: in block, flow and JSON style and all mixtures, with every way to write a scalar.

use super::Pen;
use super::tree::{Node, What};

/// How deep below its parent a value stands, and how its text begins there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the start of the text.
    Root,
    /// Behind a dash.
    Item,
    /// Behind a colon.
    Value,
}

/// The text of a section.
pub(super) fn section(pen: &mut Pen, root: &Node) -> String {
    pen.note("printed tree");
    if pen.chance(0.15) {
        pen.note("flow style");
        return flow(pen, root, 0) + pen.pick(&["", "\n"]);
    }
    let mut out = String::new();
    let indent = pen.pick(&[0, 0, 0, 0, 1, 2, 3]);
    block(pen, &mut out, root, indent, Place::Root);
    if pen.chance(0.1) {
        pen.note("CRLF");
        out = out.replace('\n', "\r\n");
    }
    out
}

/// Writes a value behind its dash or colon, up to the end of its last line. `indent` is its parent's column.
fn block(pen: &mut Pen, out: &mut String, node: &Node, indent: usize, place: Place) {
    let children = match &node.what {
        What::List(items) => items.len(),
        What::Map(fields) => fields.len(),
        What::Text(_) | What::Token(_) => 0,
    };
    if children == 0 || pen.chance(0.12) && place != Place::Root {
        let text = match &node.what {
            What::Text(text) if pen.chance(0.3) => block_scalar(pen, node, text, indent),
            _ => flow(pen, node, indent + 1),
        };
        out.push_str(pen.pick(&[" ", " ", " ", " ", "  "]));
        out.push_str(&text);
        end(pen, out);
        return;
    }
    let is_map = matches!(node.what, What::Map(_));
    let compact = place == Place::Item && node.properties.is_empty() && pen.chance(0.9);
    let column = match place {
        Place::Root => indent,
        Place::Item => indent + pen.pick(&[2, 2, 2, 2, 3, 4]),
        // A list may stand right below its key.
        Place::Value => {
            indent
                + if is_map {
                    pen.pick(&[2, 2, 1, 4])
                } else {
                    pen.pick(&[0, 0, 2, 2, 1])
                }
        }
    };
    if compact {
        out.push_str(&" ".repeat(column - indent - 1));
    } else if place != Place::Root || !node.properties.is_empty() {
        out.push_str(pen.pick(&[" ", " ", "  "]));
        out.push_str(node.properties.trim_end());
        end(pen, out);
    }
    for number in 0..children {
        if number > 0 || !compact {
            let slip = if pen.wild(0.01) { pen.pick(&[1, 2]) } else { 0 };
            out.push_str(&" ".repeat(column + slip));
        }
        match &node.what {
            What::List(items) => {
                out.push('-');
                block(pen, out, &items[number], column, Place::Item);
            }
            What::Map(fields) => {
                let (key, value) = &fields[number];
                if pen.wild(0.03) {
                    pen.note("explicit key");
                    out.push('?');
                    block(pen, out, key, column, Place::Item);
                    out.push_str(&" ".repeat(column));
                } else {
                    let key = flow(pen, key, column);
                    out.push_str(&key);
                    if pen.chance(0.05) {
                        out.push_str(pen.pick(&[" ", "  ", "\t"]));
                    }
                }
                out.push(':');
                block(pen, out, value, column, Place::Value);
            }
            What::Text(_) | What::Token(_) => {}
        }
    }
}

/// The end of a line, now and then with a comment or a blank line.
fn end(pen: &mut Pen, out: &mut String) {
    if out.ends_with('\n') {
        return;
    }
    if pen.chance(0.05) {
        pen.note("comment");
        out.push_str(pen.pick(&[" # c", "  # c: d", "\t# c", " #"]));
    }
    out.push('\n');
    if pen.chance(0.03) {
        out.push_str(pen.pick(&["\n", "# c\n", "   # c\n", "  \n", "\n\n"]));
    }
}

/// A value on one line, or over several where flow style goes on.
fn flow(pen: &mut Pen, node: &Node, indent: usize) -> String {
    let body = match &node.what {
        What::Token(token) => token.clone(),
        What::Text(text) => scalar(pen, text, indent),
        What::List(items) => {
            let items: Vec<String> = items.iter().map(|item| flow(pen, item, indent)).collect();
            bracket(pen, '[', &items, ']', indent)
        }
        What::Map(fields) => {
            let mut entries = Vec::new();
            for (key, value) in fields {
                let (key, value) = (flow(pen, key, indent), flow(pen, value, indent));
                let question = if pen.wild(0.04) { "? " } else { "" };
                let colon = pen.pick(&[": ", ": ", ": ", ": ", " : ", ":\t", ":\n   "]);
                let colon = if key.ends_with('"') && pen.chance(0.3) {
                    ":"
                } else {
                    colon
                };
                entries.push(format!("{question}{key}{colon}{value}"));
            }
            bracket(pen, '{', &entries, '}', indent)
        }
    };
    format!("{}{body}", node.properties)
}

fn bracket(pen: &mut Pen, open: char, items: &[String], close: char, indent: usize) -> String {
    let inner = match pen.below(10) {
        0 => format!("\n{}", " ".repeat(indent + pen.below(3))),
        1 => " ".into(),
        2 if pen.wild(0.5) => " # c\n ".into(),
        3 if pen.wild(0.5) => "\n\t".into(),
        _ => String::new(),
    };
    let trailing = if !items.is_empty() && pen.chance(0.05) {
        ","
    } else {
        ""
    };
    let comma = pen.pick(&[", ", ", ", ",", " , ", ",\n  "]);
    format!("{open}{inner}{}{trailing}{inner}{close}", items.join(comma))
}

/// A text in a style that can stand in brackets. Plain is chosen also where it reads as something else.
fn scalar(pen: &mut Pen, text: &str, indent: usize) -> String {
    let safe = !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ":/-_.".contains(c))
        && !text.ends_with(':');
    match pen.below(10) {
        0..=5 if safe || pen.wild(0.15) => text.into(),
        0..=6 => double_quoted(pen, text, indent),
        _ => single_quoted(pen, text, indent),
    }
}

fn single_quoted(pen: &mut Pen, text: &str, indent: usize) -> String {
    pen.note("single quotes");
    let pad = " ".repeat(indent + 1);
    let text = text
        .replace('\'', "''")
        .replace('\n', &format!("\n\n{pad}"));
    format!("'{}'", folded(pen, &text, &pad))
}

/// Breaks a line at a space.
fn folded(pen: &mut Pen, text: &str, pad: &str) -> String {
    if !pen.chance(0.15) {
        return text.into();
    }
    pen.note("scalar over lines");
    text.replacen(' ', &format!("{}\n{pad}", pen.pick(&["", " ", "\t"])), 1)
}

fn double_quoted(pen: &mut Pen, text: &str, indent: usize) -> String {
    pen.note("double quotes");
    let pad = " ".repeat(indent + 1);
    let mut body = String::new();
    for c in text.chars() {
        let code = u32::from(c);
        match c {
            '"' | '\\' => body.extend(['\\', c]),
            '\n' => body.push_str("\\n"),
            '\t' => body.push_str(pen.pick(&["\\t", "\t", "\\\t"])),
            _ if pen.chance(0.95) => body.push(c),
            '/' => body.push_str(pen.pick(&["/", "/", "\\/"])),
            ' ' => body.push_str(pen.pick(&["\\ ", "\\x20", "\\\n"])),
            _ if code < 0x100 && pen.chance(0.4) => body.push_str(&format!("\\x{code:02X}")),
            _ if code < 0x10000 => body.push_str(&format!("\\u{code:04x}")),
            _ if pen.chance(0.2) => {
                pen.note("surrogate pair");
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    body.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => body.push_str(&format!("\\U{code:08x}")),
        }
    }
    if pen.wild(0.03) {
        pen.note("odd escape");
        body.push_str(pen.pick(&[
            "\\",
            "\\q",
            "\\x",
            "\\xg0",
            "\\u12",
            "\\ud800",
            "\\U00110000",
            "\\N",
            "\\_",
            "\\L",
            "\\P",
            "\\e",
            "\\0",
            "\\a\\b\\v\\f\\r",
            "\\'",
            "\\\r",
            "\\\u{2028}",
        ]));
    }
    format!("\"{}\"", folded(pen, &body, &pad))
}

fn block_scalar(pen: &mut Pen, node: &Node, text: &str, indent: usize) -> String {
    pen.note("block scalar");
    let column = indent + pen.pick(&[1, 2, 2, 2, 4]);
    let hint = if text.starts_with([' ', '\n']) || pen.chance(0.1) {
        let slip = if pen.wild(0.1) { 1 } else { 0 };
        (column - indent + slip).to_string()
    } else {
        String::new()
    };
    let style = pen.pick(&["|", "|", ">"]);
    let chomp = pen.pick(&["-", "-", "-", "", "+"]);
    let header = if pen.chance(0.5) {
        format!("{style}{hint}{chomp}")
    } else {
        format!("{style}{chomp}{hint}")
    };
    let comment = if pen.chance(0.05) {
        pen.pick(&[" # c", "#c", " ", "\t"])
    } else {
        ""
    };
    let mut body = String::new();
    for line in text.split('\n') {
        let pad = if line.is_empty() && pen.chance(0.8) {
            0
        } else {
            column
        };
        body.push_str(&format!("\n{}{line}", " ".repeat(pad)));
    }
    body.push_str(pen.pick(&["\n", "\n", "\n", "\n\n", "\n  \n", "\n# c\n"]));
    format!("{}{header}{comment}{body}", node.properties)
}
