//! Every rule of reading with its examples, each verified with the authenticator's own packages.
//!
//! `examples.jsonl` has one example a line: the sections, what is kept of them (`[arn, username, groups]`, with
//! `userid=…` and `sso` behind if there are any; accounts as a list), and the sections that are lost. What is not named
//! is empty. In texts, `⏎` is a line feed, `⇥` a tab, `‹0085›` a character by its number, `‹9 × #›` a repetition,
//! `‹A›` … `‹C›` role ARNs, `‹U›` a user's, `‹role›`, `‹user›` and `‹sts›` their beginnings.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "outside test functions clippy does not see that this is a test"
)]

use std::sync::Mutex;

use accord_model::mapping::SectionName;
use accord_model::reading::{Kept, SectionState};
use accord_wire::authenticator::read_section;
use serde_json::{Value, json};

const EXAMPLES: &str = include_str!("examples.jsonl");

const ROLE: &str = "arn:aws:iam::111122223333:role";

fn expand(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['⏎', '⇥', '‹']) {
        out += &rest[..at];
        let sign = rest[at..].chars().next().unwrap();
        rest = &rest[at + sign.len_utf8()..];
        match sign {
            '⏎' => out.push('\n'),
            '⇥' => out.push('\t'),
            _ => {
                let (name, behind) = rest.split_once('›').unwrap();
                out += &placeholder(name);
                rest = behind;
            }
        }
    }
    out + rest
}

fn placeholder(name: &str) -> String {
    match name {
        "A" | "B" | "C" => format!("{ROLE}/{name}"),
        "A with \\/" => format!("{ROLE}\\/A"),
        "U" => "arn:aws:iam::111122223333:user/U".into(),
        "role" => ROLE.into(),
        "user" => "arn:aws:iam::111122223333:user".into(),
        "sts" => "arn:aws:sts::111122223333".into(),
        _ => {
            let (count, what) = name
                .split_once(" × ")
                .or_else(|| name.split_once(" blanks").map(|(n, _)| (n, " ")))
                .unwrap_or(("1", name));
            match count.parse() {
                Ok(count) if what != name => what.repeat(count),
                _ => {
                    let number = u32::from_str_radix(name, 16).unwrap();
                    char::from_u32(number).unwrap().into()
                }
            }
        }
    }
}

fn expanded(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(expand(text)),
        Value::Array(items) => items.iter().map(expanded).collect(),
        other => other.clone(),
    }
}

fn kept_as_json(kept: &Kept) -> Value {
    match kept {
        Kept::Account(account) => json!(account),
        Kept::Mapping(mapping) => {
            let mut fields = vec![
                json!(mapping.arn),
                json!(mapping.identity.username),
                json!(mapping.identity.groups),
            ];
            fields.extend(
                mapping
                    .user_id
                    .iter()
                    .map(|id| json!(format!("userid={id}"))),
            );
            fields.extend(mapping.sso.iter().map(|_| json!("sso")));
            json!(fields)
        }
    }
}

/// How an example is read, in the form of its line; `None` if that is how the authenticator reads it.
fn difference(line: &str) -> Option<Value> {
    let example: Value = serde_json::from_str(line).unwrap();
    let (mut read_as, mut expected) = (json!({ "lost": [] }), json!({ "lost": example["lost"] }));
    for (section, results) in SectionName::ALL
        .into_iter()
        .zip(["roles", "users", "accounts"])
    {
        let Some(text) = example[section.key()].as_str().map(expand) else {
            continue;
        };
        let read = read_section(section, None, &text);
        read_as[results] = read.kept().map(|(_, kept)| kept_as_json(kept)).collect();
        expected[results] = expanded(example.get(results).unwrap_or(&json!([])));
        if let SectionState::Lost(loss) = &read.state {
            assert!(text.get(loss.range.bytes()).is_some(), "{line}");
            read_as["lost"]
                .as_array_mut()
                .unwrap()
                .push(json!(section.key()));
        }
    }
    (read_as != expected).then_some(read_as)
}

/// Rules are switched off for the whole process: no two tests at once.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn every_example_is_read_as_the_authenticator_reads_it() {
    let _alone = ALONE.lock();
    for line in EXAMPLES.lines() {
        assert_eq!(difference(line), None, "{line}");
    }
    assert_eq!(EXAMPLES.lines().count(), 234);
}

#[cfg(feature = "teeth")]
#[test]
fn every_rule_that_can_be_switched_off_is_shown_by_an_example() {
    use accord_wire::teeth::{RULES, switch_off};

    let _alone = ALONE.lock();
    for rule in RULES {
        assert!(switch_off(rule));
        let shown = EXAMPLES.lines().any(|line| difference(line).is_some());
        switch_off("");
        assert!(shown, "{rule}");
    }
}

/// What `username: TOKEN` makes of the username.
fn username(token: &str) -> Option<String> {
    let text = format!("- rolearn: {ROLE}/A\n  username: {token}\n");
    read_section(SectionName::Roles, None, &text)
        .kept()
        .find_map(|(_, kept)| Some(kept.mapping()?.identity.username.clone()))
}

#[test]
fn plain_tokens_have_the_types_of_go_yaml() {
    let _alone = ALONE.lock();
    let table = include_str!("tokens.txt");
    let mut count = 0;
    for line in table.lines() {
        let (class, tokens) = line.split_once(": ").unwrap();
        for token in tokens.split(' ') {
            let expected = match class {
                "text" => Some(token.to_owned()),
                "bool" | "number" | "null" => Some(String::new()),
                "lost" => None,
                _ => panic!("{class}"),
            };
            assert_eq!(username(token), expected, "{class} {token}");
            count += 1;
        }
    }
    assert!(count > 190, "{count}");
}
