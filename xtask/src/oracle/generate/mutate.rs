//! What goes wrong with a text on its way.

use super::Pen;

/// Characters and words that have a meaning somewhere.
const PIECES: &[(&str, &str)] = &[
    ("\t", "tab"),
    ("\t", "tab"),
    (" ", "stray space"),
    ("\n", "stray line break"),
    ("\r", "carriage return"),
    ("\r\n", "CRLF"),
    ("\u{85}", "NEL, LS or PS"),
    ("\u{2028}", "NEL, LS or PS"),
    ("\u{2029}", "NEL, LS or PS"),
    ("\u{feff}", "byte order mark"),
    (":", "stray indicator"),
    (": ", "stray indicator"),
    ("-", "stray indicator"),
    ("- ", "stray indicator"),
    ("#", "stray indicator"),
    (" #", "stray comment"),
    ("[", "stray indicator"),
    ("]", "stray indicator"),
    ("{", "stray indicator"),
    ("}", "stray indicator"),
    (",", "stray indicator"),
    ("?", "stray indicator"),
    ("? ", "stray indicator"),
    ("&", "stray indicator"),
    ("*", "stray indicator"),
    ("!", "stray indicator"),
    ("|", "stray indicator"),
    (">", "stray indicator"),
    ("'", "stray quote"),
    ("\"", "stray quote"),
    ("%", "stray indicator"),
    ("@", "stray indicator"),
    ("`", "stray indicator"),
    ("\\", "stray backslash"),
    ("a", "stray letter"),
    ("\u{7}", "control character"),
    ("\u{7f}", "control character"),
    ("\u{9f}", "control character"),
    ("\u{fffe}", "control character"),
    ("\0", "control character"),
    ("\u{e9}", "beyond ASCII"),
    ("\u{1F600}", "beyond ASCII"),
    ("---\n", "document marker"),
    ("\n---\n", "document marker"),
    ("\n...\n", "document marker"),
    ("<<: ", "merge key"),
    ("~", "null"),
    ("{{", "stray indicator"),
];

/// Puts something before or behind the text: markers, directives, byte order marks, trailing content.
pub(super) fn frame(pen: &mut Pen, mut text: String) -> String {
    if pen.wild(0.35) {
        let before = pen.pick_noted(&[
            ("---\n", "document marker"),
            ("--- ", "document marker"),
            ("%YAML 1.1\n---\n", "directive"),
            ("%TAG !e! tag:yaml.org,2002:\n---\n", "directive"),
            ("%TAG !! tag:x:\n---\n", "directive"),
            ("%YAML 1.2\n---\n", "directive"),
            ("%YAML 1.1\n", "directive"),
            ("%FOO\n---\n", "directive"),
            ("%TAG !e! !\n%TAG !e! !\n---\n", "directive"),
            ("\u{feff}", "byte order mark"),
            ("\u{feff}\u{feff}", "byte order mark"),
            ("# c\n", "comment"),
            ("\n", "blank line"),
            ("   ", "odd indentation"),
            ("...\n", "document marker"),
            ("\t", "tab"),
            ("&a\n", "anchor"),
            ("!!seq\n", "tag"),
        ]);
        text.insert_str(0, before);
    } else if pen.chance(0.02) {
        pen.note("byte order mark");
        text.insert(0, '\u{feff}');
    }
    if pen.wild(0.3) {
        let after = pen.pick_noted(&[
            ("---\n- rolearn: x\n", "second document"),
            ("...\n", "document marker"),
            ("...\n@", "second document"),
            ("\n]", "trailing content"),
            (" x", "trailing content"),
            ("]", "trailing content"),
            (": x", "trailing content"),
            ("\nfoo: [", "trailing content"),
            ("# c", "comment"),
            ("\t", "tab"),
            ("\0", "control character"),
            ("foo", "trailing content"),
            ("- a", "stray entry"),
            (" @", "trailing content"),
            ("\u{2028}", "NEL, LS or PS"),
        ]);
        text.push_str(after);
    } else if pen.wild(0.1) {
        pen.note("control character behind the end");
        let filler = 512 - (text.len() + 5).min(512) + pen.below(6);
        text.push_str(&format!("\n...\n{}\u{7}", "#".repeat(filler)));
    } else if pen.wild(0.2) {
        pen.note("less indented rest");
        text = text
            .lines()
            .map(|line| format!("  {line}\n"))
            .collect::<String>()
            + "- rolearn: arn:aws:iam::111122223333:role/late\n";
    }
    text
}

/// Changes the text in a few places.
pub(super) fn mutate(pen: &mut Pen, mut text: String) -> String {
    if !pen.wild(0.5) {
        return text;
    }
    for _ in 0..pen.pick(&[1, 1, 1, 2, 3]) {
        if pen.chance(0.3) {
            text = mutate_line(pen, &text);
            continue;
        }
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        if places.is_empty() {
            return text;
        }
        let at = places[pen.below(places.len())];
        let next = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        match pen.below(20) {
            0..=7 => {
                let piece = pen.pick_noted(PIECES);
                text.insert_str(at, piece);
            }
            8..=12 => {
                pen.note("character lost");
                text.replace_range(at..next, "");
            }
            13..=15 => {
                let piece = pen.pick_noted(PIECES);
                text.replace_range(at..next, piece);
            }
            16 | 17 => {
                pen.note("part doubled");
                let part: String = text[at..].chars().take(1 + pen.below(20)).collect();
                text.insert_str(at, &part);
            }
            18 => {
                pen.note("truncated");
                text.truncate(at);
            }
            _ => {
                pen.note("CR for LF");
                text = text.replace('\n', "\r");
            }
        }
    }
    text
}

/// Changes a whole line.
fn mutate_line(pen: &mut Pen, text: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let at = pen.below(lines.len());
    if at + 1 >= lines.len() {
        return text.into();
    }
    match pen.below(8) {
        0 => {
            pen.note("line lost");
            lines.remove(at);
        }
        1 => {
            pen.note("line doubled");
            lines.insert(at, lines[at].clone());
        }
        2 => {
            pen.note("lines swapped");
            lines.swap(at, at + 1);
        }
        3 | 4 => {
            pen.note("line moved right");
            lines[at].insert_str(0, pen.pick(&[" ", "  ", "\t", "    "]));
        }
        5 => {
            pen.note("line moved left");
            let line = lines[at].strip_prefix(pen.pick(&[" ", "  "]));
            lines[at] = line.unwrap_or(&lines[at]).to_owned();
        }
        6 => {
            pen.note("lines joined");
            lines[at] = lines[at].trim_end().to_owned() + pen.pick(&["", " "]);
        }
        _ => {
            pen.note("odd line");
            let line = pen.pick(&[
                "\n",
                "  \n",
                "\t\n",
                "# c\n",
                "      # c\n",
                "foo\n",
                "    foo\n",
                "- \n",
                " - a\n",
            ]);
            lines.insert(at, line.into());
        }
    }
    lines.concat()
}
