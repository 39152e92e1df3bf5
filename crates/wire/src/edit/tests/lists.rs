//! Sections as people and programs write them, in every style.

use accord_model::mapping::Identity;
use proptest::prelude::*;
use proptest::sample::select;

/// A comment that belongs to nothing: it survives every edit.
pub(super) const APART: &str = "# apart";

/// Items of a block list: `|` ends a line, `N` is the item's number.
const BLOCK_ITEMS: &[&str] = &[
    "rolearn: arn:aws:iam::1:role/N|  username: u|  groups:|    - g|    - h",
    "rolearn: arn:aws:iam::1:role/N|  groups:|  - g|  - 'h' # why",
    "rolearn: arn:aws:iam::1:role/N # why|  username: 'u'|  groups: [g, \"h\"] # x|  note: {a: [b]}",
    "\"groups\":|  - \"g\"|  \"rolearn\": \"arn:aws:iam::1:role/N\"|  \"username\": \"u:{{SessionName}}\"",
    "{rolearn: 'arn:aws:iam::1:role/N', groups: [g]}",
    "rolearn: >-|    arn:aws:iam::1:role/N|  username: |-|    u|    v",
    "groups:|  # first|  - g # one||  - h|  roleARN: arn:aws:iam::1:role/N",
    "groups: [|      g, # one|      h,|    ]|  rolearn: arn:aws:iam::1:role/N",
    "rolearn: arn:aws:iam::1:role/N|  groups:",
    "rolearn: arn:aws:iam::1:role/N|  username: 12|  groups: [g, 12, ~]",
    "rolearn: arn:aws:iam::1:role/N|  groups: {g: h}|  userid: x",
    "|  rolearn: arn:aws:iam::1:role/N|  username: u",
    "# on the dash|  rolearn: arn:aws:iam::1:role/N|  username: u|",
    "? rolearn|  : arn:aws:iam::1:role/N|  ? groups|  : - g|    - h",
    "&aN|  rolearn: arn:aws:iam::1:role/N|  groups: &gN [g]",
    "<<: {username: m, groups: [g]}|  rolearn: arn:aws:iam::1:role/N",
    "rolearn: arn:aws:iam::1:role/N|  username: a|    b|  groups:|  - g|   - h",
    "rolearn: arn:aws:iam::1:role/N|  USERNAME: \"a\\|    b\"|  groups: !!seq|  - !!str g",
    "just text",
    "",
    "{username: nobody}",
];

const FLOW_ITEMS: &[&str] = &[
    r#"{"rolearn":"arn:aws:iam::1:role/N","groups":["g","h"],"username":"u"}"#,
    "{rolearn: arn:aws:iam::1:role/N, groups: [g]}",
    "{ \"rolearn\": \"arn:aws:iam::1:role/N\" , }",
    "{|  rolearn: arn:aws:iam::1:role/N, # why|  groups: [|    g,|    h # last|  ]|}",
    "{rolearn: arn:aws:iam::1:role/N, groups: [g, h, i], note: [a, {b: c}]}",
    "&aN {rolearn: arn:aws:iam::1:role/N, username: &uN u}",
    "x",
];

fn line_breaks() -> impl Strategy<Value = &'static str> {
    select(vec!["\n", "\n", "\r\n", "\r", "\u{85}", "\u{2028}"])
}

/// What stands before the list.
fn heads() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        "",
        "",
        "\u{feff}",
        "---|",
        "# apart||",
        "%YAML 1.1|--- # x|",
        "# ours|",
    ])
}

/// A list in block style, with `last` as its last item if that is not empty.
fn block_list(last: &'static str) -> impl Strategy<Value = String> {
    let gaps = select(vec![
        "",
        "",
        "",
        "# about the next",
        "|",
        "  # deeper",
        "|# apart||# b",
        "      # much deeper||",
    ]);
    let list = prop::collection::vec((select(BLOCK_ITEMS), gaps), 1..5);
    (list, 0..4usize, heads(), any::<bool>(), line_breaks()).prop_map(
        move |(mut list, indent, head, ends, line_break)| {
            if !last.is_empty() {
                list.push((last, ""));
            }
            let spaces = " ".repeat(indent);
            let mut lines = Vec::new();
            for (number, (item, gap)) in list.iter().enumerate() {
                let gap = gap.split('|').filter(|_| !gap.is_empty());
                lines.extend(gap.map(|l| format!("{spaces}{l}")));
                let item = item.replace('N', &number.to_string());
                lines.extend(item.split('|').enumerate().map(|(i, line)| match i {
                    0 => format!("{spaces}- {line}"),
                    _ => format!("{spaces}{line}"),
                }));
            }
            let lines: Vec<&str> = lines.iter().map(|l| l.trim_end()).collect();
            let text = format!("{head}{}{}", lines.join("|"), if ends { "|" } else { "" });
            text.replace('|', line_break)
        },
    )
}

/// The same in brackets.
fn flow_list(last: &'static str) -> impl Strategy<Value = String> {
    let commas = select(vec![", ", ",", ",|  ", ",|  # a comment|  "]);
    let ends = select(vec!["", "|", ",", " # end|", "|  # apart|"]);
    let items = prop::collection::vec(select(FLOW_ITEMS), 1..5);
    (items, commas, ends, heads(), line_breaks()).prop_map(
        move |(mut items, comma, end, head, line_break)| {
            if !last.is_empty() {
                items.push(last);
            }
            let numbered = items.iter().enumerate();
            let items: Vec<String> = numbered
                .map(|(n, item)| item.replace('N', &n.to_string()))
                .collect();
            format!("{head}[{}{end}]", items.join(comma)).replace('|', line_break)
        },
    )
}

/// A list in which each entry stands for itself.
pub(super) fn lists() -> impl Strategy<Value = String> {
    prop_oneof![2 => block_list(""), 1 => flow_list("")]
}

/// A list whose last entry is made of the first, if that has an anchor; else it cannot be read.
pub(super) fn lists_with_aliases() -> impl Strategy<Value = String> {
    let last = select(vec![
        "*a0",
        "{<<: *a0, rolearn: B}",
        "{rolearn: B, groups: *g0}",
        "{<<: *a0, rolearn: B, username: own}",
    ]);
    last.prop_flat_map(|last| prop_oneof![2 => block_list(last), 1 => flow_list(last)])
}

pub(super) fn identities() -> impl Strategy<Value = Identity> {
    let username = select(vec![
        "",
        "u",
        "yes",
        "a: b",
        "{{SessionName}}",
        "it's",
        "x:{{SessionNameRaw}}",
    ]);
    let group = select(vec![
        "g",
        "h",
        "system:masters",
        "12",
        "- x",
        "a,b",
        "\u{e9}\n",
    ]);
    (username, prop::collection::btree_set(group, 0..4)).prop_map(|(username, groups)| Identity {
        username: username.into(),
        groups: groups.into_iter().map(Into::into).collect(),
    })
}
