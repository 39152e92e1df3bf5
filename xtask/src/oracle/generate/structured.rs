//! Entries as people and tools write them, in every style, with the slips that leave them well-formed.

use super::Pen;

/// One field: its key and how it is written in block and in flow style.
struct Field {
    key: String,
    value: Value,
}

enum Value {
    Scalar(String),
    List(Vec<String>),
}

/// A section's text.
pub(super) fn section(pen: &mut Pen, name: &str) -> String {
    if name == "mapAccounts" {
        return accounts(pen);
    }
    let entries: Vec<Vec<Field>> = (0..1 + pen.below(4)).map(|_| entry(pen, name)).collect();
    match pen.below(10) {
        0 | 1 => {
            pen.note("JSON style");
            json(&entries, pen.chance(0.5))
        }
        2 => {
            pen.note("flow style");
            let items: Vec<String> = entries.iter().map(|e| flow_entry(e)).collect();
            format!("[{}]{}", items.join(", "), pen.pick(&["", "\n"]))
        }
        _ => block(pen, &entries),
    }
}

fn entry(pen: &mut Pen, section: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    let scalar = |key: &str, text: String| Field {
        key: key.into(),
        value: Value::Scalar(text),
    };
    if pen.wild(0.1) {
        pen.note("no ARN");
    } else {
        let key = if section == "mapUsers" {
            "userarn"
        } else {
            "rolearn"
        };
        let arn = pen.arn(section);
        fields.push(scalar(
            key,
            if arn.starts_with(' ') {
                format!("'{arn}'")
            } else {
                arn.into()
            },
        ));
    }
    if pen.chance(0.85) {
        let text = pen.scalar();
        fields.push(scalar("username", text));
    }
    if pen.chance(0.8) {
        let groups = (0..pen.below(4)).map(|_| pen.scalar()).collect();
        fields.push(Field {
            key: "groups".into(),
            value: Value::List(groups),
        });
    }
    if pen.wild(0.15) {
        pen.note("userid");
        let text = pen.scalar();
        fields.push(scalar("userid", text));
    }
    if section == "mapRoles" && pen.chance(0.08) {
        fields.push(sso(pen));
        if pen.chance(0.7) {
            fields.retain(|f| f.key != "rolearn");
        }
    }
    if pen.wild(0.5) {
        let key = pen.key();
        let value = match key {
            "<<" | "!!merge <<" => pen
                .pick(&[
                    "*a",
                    "*b",
                    "{username: m, groups: [m]}",
                    "[{Username: p}, {username: q, rolearn: z}]",
                    "[*a, {groups: ~}]",
                    "{<<: {userid: n, groups: [~, k]}, username: ~}",
                    "~",
                    "x",
                ])
                .into(),
            _ => pen.scalar(),
        };
        fields.push(Field {
            key: key.into(),
            value: Value::Scalar(value),
        });
    }
    if pen.wild(0.4) {
        pen.note("key in several spellings");
        let key = pen.pick(&[
            "Username",
            "USERNAME",
            "Groups",
            "GROUPS",
            "u\u{17f}ername",
            "group\u{17f}",
            "RoleARN",
            "username",
            "groups",
        ]);
        let value = if key.to_lowercase().starts_with("group") {
            pen.pick(&[
                "[x, y, z]",
                "[~, x]",
                "[1, ~, ~]",
                "[]",
                "~",
                "g",
                "[system:masters]",
            ])
            .into()
        } else {
            pen.scalar()
        };
        fields.push(Field {
            key: key.into(),
            value: Value::Scalar(value),
        });
    }
    pen.rng.shuffle(&mut fields);
    fields
}

fn sso(pen: &mut Pen) -> Field {
    pen.note("sso block");
    let mut parts = Vec::new();
    for (key, good) in [
        ("permissionSetName", "Admin"),
        ("accountID", "'111122223333'"),
        ("partition", "aws"),
    ] {
        if key == "partition" && pen.chance(0.7) || pen.wild(0.3) {
            continue;
        }
        let key = if pen.wild(0.3) {
            key.to_lowercase()
        } else {
            key.to_owned()
        };
        let value = if pen.wild(0.4) {
            pen.pick(&[
                "111122223333",
                "''",
                "~",
                "Admin_*",
                "aws-us-gov",
                "[x]",
                "nowhere",
                "\"a b\"",
            ])
        } else {
            good
        };
        parts.push(format!("{key}: {value}"));
    }
    let value = if pen.wild(0.2) {
        pen.pick(&["{}", "~", "x", "12", "[]"]).into()
    } else {
        format!("{{{}}}", parts.join(", "))
    };
    Field {
        key: pen.pick(&["sso", "sso", "SSO"]).into(),
        value: Value::Scalar(value),
    }
}

fn block(pen: &mut Pen, entries: &[Vec<Field>]) -> String {
    let indent = " ".repeat(pen.pick(&[0, 0, 0, 1, 2, 4]));
    let line_break = pen.pick(&["\n", "\n", "\n", "\n", "\r\n"]);
    let list_indent = pen.pick(&["", "", "  "]);
    let dash = pen.pick(&["- ", "- ", "-   "]);
    let inner = format!("{indent}{}", " ".repeat(dash.len()));
    let mut text = String::new();
    for (number, fields) in entries.iter().enumerate() {
        if pen.chance(0.1) {
            pen.note("comment");
            text.push_str(&format!("{indent}# about the next{line_break}"));
        }
        if pen.chance(0.06) {
            text.push_str(line_break);
        }
        let property = if pen.wild(0.2) && !fields.is_empty() {
            pen.note("anchor on an entry");
            format!(
                "{}{line_break}{inner}",
                pen.pick(&["&a", "&b", "!!map", "!x &a"])
            )
        } else {
            String::new()
        };
        text.push_str(&format!("{indent}{dash}{property}"));
        if fields.is_empty() {
            text.push_str(line_break);
        }
        for (place, field) in fields.iter().enumerate() {
            if place > 0 {
                // Now and then an entry is indented otherwise than its first line says.
                text.push_str(if pen.wild(0.03) {
                    &inner[..inner.len() - 1]
                } else {
                    &inner
                });
            }
            text.push_str(&field.key);
            text.push_str(pen.pick(&[":", ":", ":", ":", " :"]));
            match &field.value {
                Value::Scalar(value) => {
                    text.push_str(&format!(" {}", value.replace('\n', &format!("\n{indent}"))));
                    text.push_str(line_break);
                }
                Value::List(items) if items.is_empty() => {
                    text.push_str(&format!(" []{line_break}"))
                }
                Value::List(items) => {
                    text.push_str(line_break);
                    for item in items {
                        let item = item.replace('\n', &format!("\n{indent}  "));
                        text.push_str(&format!("{inner}{list_indent}- {item}{line_break}"));
                    }
                }
            }
        }
        if number == 0 && pen.wild(0.05) {
            pen.note("entry without a space behind the dash");
            text = text.replacen("- ", "-", 1);
        }
    }
    if line_break == "\r\n" {
        pen.note("CRLF");
    }
    if pen.chance(0.15) {
        text.truncate(text.trim_end().len());
    }
    text
}

fn flow_entry(fields: &[Field]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|field| match &field.value {
            Value::Scalar(value) => format!("{}: {value}", field.key),
            Value::List(items) => format!("{}: [{}]", field.key, items.join(", ")),
        })
        .collect();
    format!("{{{}}}", fields.join(", "))
}

fn json(entries: &[Vec<Field>], pretty: bool) -> String {
    // A scalar that is written oddly in YAML becomes a string that holds those characters.
    let string = |text: &str| serde_json::Value::String(text.trim_matches(['\'', '"']).to_owned());
    let entries: Vec<serde_json::Value> = entries
        .iter()
        .map(|fields| {
            let fields = fields.iter().map(|field| {
                let value = match &field.value {
                    Value::Scalar(value) => string(value),
                    Value::List(items) => items.iter().map(|i| string(i)).collect(),
                };
                (field.key.clone(), value)
            });
            serde_json::Value::Object(fields.collect())
        })
        .collect();
    let written = if pretty {
        serde_json::to_string_pretty(&entries)
    } else {
        serde_json::to_string(&entries)
    };
    written.unwrap_or_default()
}

fn accounts(pen: &mut Pen) -> String {
    let items: Vec<String> = (0..1 + pen.below(4))
        .map(|_| {
            if pen.wild(0.6) {
                pen.note("odd account");
                pen.scalar()
            } else {
                pen.pick(&[
                    "111122223333",
                    "'444455556666'",
                    "\"012345678901\"",
                    "012345678901",
                ])
                .into()
            }
        })
        .collect();
    if pen.chance(0.2) {
        return format!("[{}]", items.join(", "));
    }
    items.iter().map(|item| format!("- {item}\n")).collect()
}
