//! Whatever the grammar allows, and a little more: block and flow collections in each other, at odd indentation.

use super::Pen;

/// A text that need not be a list.
pub(super) fn section(pen: &mut Pen) -> String {
    pen.note("arbitrary YAML");
    match pen.below(8) {
        0 => pen.flow(0),
        1 => {
            pen.note("begins with {");
            pen.pick(&[
                "{}",
                "{ }\n",
                "{\"rolearn\": \"x\"}",
                "{a: b}",
                "{",
                "  {}",
                "{} # c",
                "{[]}",
            ])
            .into()
        }
        2 => {
            pen.note("nothing or a scalar");
            pen.pick(&[
                "",
                " \n",
                "''",
                "\"\"",
                "``",
                "```",
                "null",
                "~",
                "---\n",
                "# c\n",
                "foo",
                "12",
                "\u{a0}\u{3000}",
                "\u{200b}",
                "\u{feff}",
                "[]",
                "'- rolearn: x'",
                "\"\" # c",
            ])
            .into()
        }
        3 => long_key(pen),
        4 => aliases(pen),
        _ => list(pen, 0),
    }
}

fn list(pen: &mut Pen, indent: usize) -> String {
    (0..1 + pen.below(3))
        .map(|_| format!("{}-{}", " ".repeat(indent), item(pen, indent + 2, 0)))
        .collect()
}

fn item(pen: &mut Pen, indent: usize, depth: usize) -> String {
    match pen.below(10) {
        0..=2 => format!(" {}\n", pen.flow(1)),
        3 => "\n".into(),
        4 => format!(
            " {}\n",
            pen.pick(&["&a x", "*a", "- x", "? x", "!!seq", "&b"])
        ),
        5 => format!("\n{}", mapping(pen, indent, depth + 1)),
        _ => format!(" {}", &mapping(pen, indent, depth + 1)[indent..]),
    }
}

fn mapping(pen: &mut Pen, indent: usize, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + pen.below(4) {
        let key = if text.is_empty() && pen.chance(0.7) {
            "rolearn"
        } else {
            pen.key()
        };
        let colon = pen.pick(&[":", ":", ":", ":", ":", " :", "\t:"]);
        text.push_str(&format!(
            "{}{key}{colon}{}",
            " ".repeat(indent),
            value(pen, indent, depth)
        ));
    }
    text
}

fn value(pen: &mut Pen, indent: usize, depth: usize) -> String {
    let odd = if pen.wild(0.2) { pen.pick(&[1, 2]) } else { 0 };
    match pen.below(10) {
        _ if depth > 3 => " deep\n".into(),
        0..=5 => {
            let end = pen.pick(&[
                "\n", "\n", "\n", " # c\n", "\t\n", "\r\n", "\r", "\u{85}", "\u{2028}",
            ]);
            let space = pen.pick(&[" ", " ", "\t", "  "]);
            format!("{space}{}{end}", pen.scalar())
        }
        6 | 7 => {
            let head = pen.pick(&["\n", "\n", " &a\n", " !!seq\n", " # c\n"]);
            let indent = (indent + odd).saturating_sub(pen.pick(&[0, 0, 0, 2]));
            let items: String = (0..1 + pen.below(3))
                .map(|_| {
                    format!(
                        "{}-{}",
                        " ".repeat(indent),
                        item(pen, indent + 2, depth + 1)
                    )
                })
                .collect();
            format!("{head}{items}")
        }
        _ => {
            let head = pen.pick(&["\n", "\n", " &b\n", " !!map\n"]);
            format!("{head}{}", mapping(pen, indent + 2 + odd, depth + 1))
        }
    }
}

/// A key around the limit of 1,024 characters.
fn long_key(pen: &mut Pen) -> String {
    pen.note("key near the length limit");
    let length = 1_020 + pen.below(8);
    let key = match pen.below(3) {
        0 => "k".repeat(length),
        1 => "\u{e9}".repeat(length),
        _ => format!("x{}", " ".repeat(length - 1)),
    };
    let explicit = if pen.chance(0.2) { "? " } else { "" };
    format!("- rolearn: arn:aws:iam::111122223333:role/A\n  {explicit}{key}: v\n")
}

/// Aliases of aliases: a small bomb, below and above the limit, or nesting near the depth limit.
fn aliases(pen: &mut Pen) -> String {
    let entry = "- rolearn: arn:aws:iam::111122223333:role/A\n  x: ";
    if pen.chance(0.1) {
        pen.note("deep nesting");
        let depth = pen.pick(&[100, 9_990, 9_998, 10_001]);
        return format!("{entry}{}{}\n", "[".repeat(depth), "]".repeat(depth));
    }
    pen.note("aliases of aliases");
    let width = 2 + pen.below(9);
    let mut levels = vec![format!("&l0 [{}]", vec!["q"; width].join(","))];
    for level in 1..2 + pen.below(4) {
        levels.push(format!(
            "&l{level} [{}]",
            vec![format!("*l{}", level - 1); width].join(",")
        ));
    }
    format!("{entry}[{}]\n", levels.join(", "))
}
