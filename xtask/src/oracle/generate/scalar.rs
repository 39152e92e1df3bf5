//! Values.

use super::Pen;

/// Role ARNs that maps and identities draw from, so that they meet.
const ARNS: &[&str] = &[
    "arn:aws:iam::111122223333:role/A",
    "arn:aws:iam::111122223333:role/B",
    "arn:aws:iam::111122223333:role/a",
    "arn:aws:iam::111122223333:role/path/A",
    "arn:aws:iam::111122223333:role/Kk",
    "arn:aws:iam::111122223333:role/\u{212a}k",
    "arn:aws:iam::111122223333:role/s\u{17f}",
    "arn:aws:iam::111122223333:role/\u{130}i",
    "ARN:AWS:IAM::111122223333:ROLE/A",
    "arn:aws:iam::444455556666:role/A",
    "arn:aws-cn:iam::111122223333:role/A",
    "arn:aws:sts::111122223333:assumed-role/A/kim",
    "arn:aws:iam::111122223333:instance-profile/A",
    "arn:aws:iam::111122223333:role/AWSReservedSSO_Admin_0123456789abcdef",
    " arn:aws:iam::111122223333:role/A",
];

/// User ARNs, some of which differ only in case.
const USERS: &[&str] = &[
    "arn:aws:iam::111122223333:user/U",
    "arn:aws:iam::111122223333:user/u",
    "arn:aws:iam::111122223333:user/team/U",
    "arn:aws:iam::111122223333:user/\u{212a}",
    "arn:aws:iam::111122223333:user/k",
    "arn:aws:iam::111122223333:role/A",
    "arn:aws:iam::111122223333:root",
    "arn:aws:sts::111122223333:federated-user/F",
];

/// Every kind of plain token that YAML 1.1 and go-yaml may take for something else than text.
const TOKENS: &[&str] = &[
    "y",
    "Y",
    "yes",
    "No",
    "on",
    "OFF",
    "true",
    "False",
    "yEs",
    "~",
    "null",
    "Null",
    "nULL",
    "0",
    "-1",
    "+1",
    "08",
    "0777",
    "0o17",
    "0O17",
    "0x1F",
    "0x_1F",
    "0b11",
    "0b+1",
    "0b12",
    "-0b-1",
    "1_000",
    "1__0",
    "_1",
    "0_",
    "1_.5",
    ".5",
    ".5_0",
    ".5_",
    "._5",
    "5.",
    "1.e-1_0",
    "1e3",
    "1E+3",
    "1e400",
    "-1e400",
    "1e-400",
    "e3",
    "1e",
    ".inf",
    "-.INF",
    "+.inf",
    ".nan",
    ".NaN",
    "NaN",
    "inf",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "012345678901",
    "111122223333",
    "001234567012",
    "089999999999",
    "1:30",
    "190:20:30",
    "2001-01-01",
    "2001-1-1",
    "2001-01-01T00:00:00Z",
    "2001-12-14t21:59:43.10-05:00",
    "2001-13-01",
    "=",
    "<<",
    ".",
    "..",
    "-",
    "--",
    "---x",
    "0x",
    "0xG",
    "0x1p-2",
    "1-2",
    "12ab",
    "10.0.0.0/8",
    "a:b",
    ":a",
    "?a",
    "-:a",
    "a#b",
    "x%y",
    "a ,b",
    "{{x}}",
    "x:{{SessionName}}",
    "a - b",
    "\u{e9}",
    "\u{1F600}",
    "\u{200b}",
    "<x>",
    "a b",
];

/// Texts in quotes, whole or broken.
const QUOTED: &[&str] = &[
    "'it''s'",
    "\"a\\u0041\\n\"",
    "\"\\/\"",
    "\"\\ud83d\\ude00\"",
    "''",
    "\"\"",
    "\"a\\\n  b\"",
    "'a\n  b'",
    "\"a\n\n  b\"",
    "\"\\x41\\q\"",
    "\"\\xff\\u00e9\\U0001F600\"",
    "\"\\N\\_\\L\\P\\e\\ \\0\\a\"",
    "\"\\U00110000\"",
    "'12'",
    "\"yes\"",
    "'~'",
    "\"it\\'s\"",
    "\"a\\\tb\"",
    "'a\n---\nb'",
    "\"\\x4\"",
    "\"a \\\n   b\"",
    "' '",
    "\"{{SessionName}}\"",
    "'a\n\n\n b'",
];

/// Block scalars for a key indented by two.
const BLOCKS: &[&str] = &[
    "|\n    t\n",
    "|-\n    t",
    ">-\n    t\n    u",
    ">\n    t\n\n     more\n    u\n",
    "|+\n    t\n\n",
    "|2\n    t",
    "|1-\n   q",
    "| # c\n    t",
    "|x",
    "|0\n    t",
    "|10\n    t",
    "|\n\n      \n    t",
    ">2+\n    t\n\n",
    "|\n\tt",
    "|-\n    # no comment\n    t",
    ">-\n    t\n     u\n\n    v\n",
    "|--\n    t",
    "|#c\n    t",
];

/// Tags, with what may follow.
const TAGS: &[&str] = &[
    "!!int",
    "!!str",
    "!!float",
    "!!bool",
    "!!null",
    "!!binary",
    "!!timestamp",
    "!",
    "!x",
    "!<tag:yaml.org,2002:int>",
    "!!seq",
    "!!map",
    "!!merge",
    "!!s%74r",
    "!e!x",
    "!!set",
    "!!STR",
];

impl Pen {
    /// An ARN for that section, mostly a good one.
    pub(super) fn arn(&mut self, section: &str) -> &'static str {
        let choices = if section == "mapUsers" { USERS } else { ARNS };
        let arn = if self.chance(0.6) {
            choices[0]
        } else {
            self.pick(choices)
        };
        if !arn.is_ascii() {
            self.note("ARN beyond ASCII");
        }
        arn
    }

    /// A scalar as it may stand behind `key:` in block style, indented by two.
    pub(super) fn scalar(&mut self) -> String {
        if !self.wild(1.2) {
            return self
                .pick(&[
                    "a",
                    "b",
                    "u",
                    "system:masters",
                    "system:node:{{EC2PrivateDNSName}}",
                    "'q'",
                    "\"d\"",
                ])
                .into();
        }
        match self.below(20) {
            0..=5 => {
                self.note("YAML 1.1 token");
                self.pick(TOKENS).into()
            }
            6..=8 => {
                self.note("quoted scalar");
                self.pick(QUOTED).into()
            }
            9..=10 => {
                self.note("block scalar");
                self.pick(BLOCKS).into()
            }
            11..=13 => {
                self.note("tag");
                let value = self.pick(&[
                    "x",
                    "12",
                    "dQ==",
                    "dQ",
                    "gA==",
                    "\"12\"",
                    "",
                    "'~'",
                    "yes",
                    "2001-01-01",
                    "1.5",
                    "~",
                    "dXNlcm5hbWU=",
                ]);
                format!("{} {value}", self.pick(TAGS))
            }
            14 => {
                self.note("alias");
                format!("*{}", self.pick(&["a", "b", "c"]))
            }
            15 => {
                self.note("anchor");
                format!(
                    "&{} {}",
                    self.pick(&["a", "b", "c", "a.b"]),
                    self.pick(&["v", "~", "12", "[a, b]"])
                )
            }
            16 => {
                self.note("plain scalar over lines");
                self.pick(&[
                    "a\n    b",
                    "a\n   - b",
                    "a\n   \tb",
                    "a # c\n    b",
                    "a\n\n    b",
                    "a\n    # c",
                ])
                .into()
            }
            17 => self.pick(TOKENS).to_owned() + self.pick(&[" ", "\t", "", " # c", "\t# c"]),
            _ => self.flow(0),
        }
    }

    /// A scalar or collection as it may stand inside brackets, or anywhere on one line.
    pub(super) fn flow(&mut self, depth: usize) -> String {
        match self.below(10) {
            _ if depth > 3 => self.pick(TOKENS).into(),
            0..=3 => self.pick(TOKENS).into(),
            4 => self.pick(QUOTED).into(),
            5 => self
                .pick(&["a", "b", "&a x", "*a", "!!str 1", "!!int x", "? a"])
                .into(),
            6 | 7 => {
                self.note("flow list");
                let items: Vec<String> = (0..self.below(4)).map(|_| self.flow(depth + 1)).collect();
                let close = self.pick(&["]", "]", "]", ",]", ",,]", ""]);
                format!(
                    "[{}{close}",
                    items.join(self.pick(&[", ", ",", " , ", ",\n    "]))
                )
            }
            _ => {
                self.note("flow mapping");
                let entries: Vec<String> = (0..self.below(4))
                    .map(|_| {
                        let (key, value) = (self.key(), self.flow(depth + 1));
                        format!(
                            "{key}{}{value}",
                            self.pick(&[": ", ": ", ": ", ":", " : ", ""])
                        )
                    })
                    .collect();
                let close = self.pick(&["}", "}", "}", ",}", ""]);
                format!("{{{}{close}", entries.join(", "))
            }
        }
    }

    /// Any key.
    pub(super) fn key(&mut self) -> &'static str {
        if !self.wild(1.0) {
            return self.pick(&["rolearn", "username", "groups", "userarn", "note"]);
        }
        self.pick_noted(&[
            ("rolearn", "plain key"),
            ("username", "plain key"),
            ("groups", "plain key"),
            ("userid", "plain key"),
            ("userarn", "plain key"),
            ("sso", "sso block"),
            ("Username", "key in other case"),
            ("USERNAME", "key in other case"),
            ("Groups", "key in other case"),
            ("GROUPS", "key in other case"),
            ("u\u{17f}ername", "key folded beyond ASCII"),
            ("group\u{17f}", "key folded beyond ASCII"),
            ("roleARN", "key in other case"),
            ("x", "unknown key"),
            ("~", "null key"),
            ("1", "number key"),
            ("yes", "boolean key"),
            ("null", "null key"),
            (".inf", "number key"),
            ("<<", "merge key"),
            ("<<", "merge key"),
            ("'<<'", "quoted merge key"),
            ("!!merge <<", "merge key"),
            ("!!str <<", "quoted merge key"),
            ("18446744073709551615", "number key"),
            ("[a]", "collection key"),
            ("{a: b}", "collection key"),
            ("? x", "explicit key"),
            ("? username", "explicit key"),
            ("!!binary dXNlcm5hbWU=", "binary key"),
            ("", "empty key"),
            ("\"username\"", "quoted key"),
            ("'groups'", "quoted key"),
            ("2001-01-01", "date key"),
            ("*a", "alias key"),
            ("!!int 1", "tagged key"),
            ("1.5", "number key"),
        ])
    }
}
