//! Values first, text later: entries as trees of plain values, which [`super::print`] writes in every style.

use super::Pen;

/// A value, with the tag and anchor to be written before it.
pub(super) struct Node {
    pub(super) properties: &'static str,
    pub(super) what: What,
}

pub(super) enum What {
    /// Text to be written so that it reads as this text, where the style can.
    Text(String),
    /// To be written as it stands: a token, an alias.
    Token(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

const ROLES: &[&str] = &[
    "arn:aws:iam::111122223333:role/A",
    "arn:aws:iam::111122223333:role/B",
    "arn:aws:iam::111122223333:role/C",
    "arn:aws:iam::111122223333:role/a",
    "Arn:aws:iam::111122223333:role/A",
    "arn:aws:iam::111122223333:role/ci/A",
    "arn:aws-cn:iam::111122223333:role/A",
    "arn:aws:iam::444455556666:role/A",
    "arn:aws:iam::111122223333:role/\u{212a}s",
    "arn:aws:iam::111122223333:role/K\u{17f}",
    "arn:aws:iam::111122223333:user/U",
    "arn:aws:iam::111122223333:root",
    "arn:aws:iam::111122223333:role/A\n",
    "arn:aws:iam::111122223333:role/A ",
    "",
];

/// Spellings of a field: each is the field to the authenticator.
const ARN: [&[&str]; 2] = [
    &["RoleArn", "ROLEARN", "roleARN"],
    &["UserArn", "u\u{17f}erarn", "USERARN"],
];
const USERNAME: &[&str] = &["Username", "USERNAME", "u\u{17f}ername", "userName"];
const GROUPS: &[&str] = &["Groups", "GROUPS", "group\u{17f}", "gROUPS"];

impl Node {
    fn text(text: impl Into<String>) -> Self {
        Self::of(What::Text(text.into()))
    }

    fn token(text: impl Into<String>) -> Self {
        Self::of(What::Token(text.into()))
    }

    fn of(what: What) -> Self {
        Self {
            properties: "",
            what,
        }
    }

    fn map(fields: Vec<(Self, Self)>) -> Self {
        Self::of(What::Map(fields))
    }
}

impl Pen {
    /// A list of entries for that section.
    pub(super) fn entries(&mut self, section: &str) -> Node {
        let items = (0..self.below(5)).map(|_| match section {
            "mapAccounts" => self.account(),
            _ => self.entry(section),
        });
        Node::of(What::List(items.collect()))
    }

    fn account(&mut self) -> Node {
        let mut account = match self.below(10) {
            0..=5 => Node::text(self.pick(&["111122223333", "012345678901", "444455556666"])),
            6 | 7 => Node::token(self.pick(&["111122223333", "012345678901", "0x1F", "1_0", "~"])),
            _ => self.any(1),
        };
        if self.wild(0.15) {
            self.note("tag or anchor");
            account.properties = self.pick(&["!!int ", "!!str ", "!!binary ", "!!null ", "&a "]);
        }
        account
    }

    fn entry(&mut self, section: &str) -> Node {
        if self.wild(0.1) {
            return self.any(1);
        }
        let mut fields = Vec::new();
        let (arn, spellings) = match section {
            "mapUsers" => ("userarn", ARN[1]),
            _ => ("rolearn", ARN[0]),
        };
        self.field(&mut fields, arn, spellings, |pen| {
            Node::text(if pen.chance(0.7) {
                pen.pick(&ROLES[..3])
            } else {
                pen.pick(ROLES)
            })
        });
        self.field(&mut fields, "username", USERNAME, Self::name);
        self.field(&mut fields, "groups", GROUPS, Self::groups);
        if self.chance(0.1) {
            self.field(
                &mut fields,
                "userid",
                &["UserID", "u\u{17f}erid"],
                Self::name,
            );
        }
        if self.chance(0.06) {
            self.note("sso block");
            self.field(
                &mut fields,
                "sso",
                &["SSO", "\u{17f}so", "Sso"],
                Self::sso_block,
            );
            if self.chance(0.7) {
                fields.retain(|(key, _)| !matches!(&key.what, What::Text(k) if k == "rolearn"));
            }
        }
        if self.wild(0.25) {
            self.note("unknown key");
            let field = (self.odd_key(), self.any(1));
            fields.push(field);
        }
        if self.wild(0.3) {
            self.note("merge key");
            let field = (Node::token("<<"), self.merged());
            fields.push(field);
        }
        if self.chance(0.5) {
            self.rng.shuffle(&mut fields);
        }
        let mut entry = Node::map(fields);
        if self.wild(0.25) {
            self.note("anchor on an entry");
            entry.properties = self.pick(&["&a ", "&b ", "!!map ", "&a !x "]);
        }
        entry
    }

    /// A field once, or now and then in several spellings or not at all.
    fn field(
        &mut self,
        fields: &mut Vec<(Node, Node)>,
        name: &'static str,
        spellings: &[&'static str],
        value: impl Fn(&mut Self) -> Node,
    ) {
        if self.wild(0.08) {
            self.note("field left out");
            return;
        }
        let times = if self.wild(0.25) {
            self.note("field given again");
            2 + self.below(2)
        } else {
            1
        };
        for _ in 0..times {
            let key = if self.wild(0.1) || times > 1 && self.chance(0.6) {
                self.note("key in other case");
                self.pick(spellings)
            } else {
                name
            };
            let value = if times > 1 && self.chance(0.25) {
                self.note("null given again");
                Node::token("~")
            } else if self.wild(0.1) {
                self.note("value of another kind");
                self.any(1)
            } else {
                value(self)
            };
            fields.push((Node::text(key), value));
        }
    }

    fn name(&mut self) -> Node {
        let mut node = match self.below(12) {
            0..=7 => Node::text(self.pick(&["u", "kim", "ci:{{SessionName}}", "a b", "x:y"])),
            8 if self.chance(0.5) => Node::token(self.pick(&["~", "yes", "12", "*a", "*b", ""])),
            9 => Node::token(self.numberlike()),
            _ => Node::text(self.words()),
        };
        if self.wild(0.1) {
            self.note("tag or anchor");
            node.properties =
                self.pick(&["!!str ", "&a ", "&b ", "! ", "!x ", "!!binary ", "!!int "]);
        }
        node
    }

    fn groups(&mut self) -> Node {
        let mut items: Vec<Node> = (0..self.below(5)).map(|_| self.name()).collect();
        if self.chance(0.2) {
            items.push(Node::text("system:masters"));
        }
        if self.wild(0.2) {
            self.note("null among groups");
            let at = self.below(items.len() + 1);
            items.insert(at, Node::token(self.pick(&["~", "null", ""])));
        }
        let mut list = Node::of(What::List(items));
        if self.wild(0.1) {
            self.note("tag or anchor");
            list.properties = self.pick(&["&a ", "&b ", "!!seq ", "!x "]);
        }
        list
    }

    fn sso_block(&mut self) -> Node {
        let mut fields = Vec::new();
        for (key, good) in [
            ("permissionSetName", "Admin"),
            ("accountID", "111122223333"),
            ("partition", "aws"),
        ] {
            if key == "partition" && self.chance(0.7) || self.wild(0.15) {
                continue;
            }
            for _ in 0..if self.wild(0.1) { 2 } else { 1 } {
                let key = if self.wild(0.2) {
                    self.pick(&[
                        "permissionsetname",
                        "AccountId",
                        "PARTITION",
                        "permi\u{17f}\u{17f}ionSetName",
                    ])
                } else {
                    key
                };
                let value = if self.wild(0.2) {
                    self.name()
                } else {
                    Node::text(good)
                };
                fields.push((Node::text(key), value));
            }
        }
        Node::map(fields)
    }

    /// What may stand behind `<<`.
    fn merged(&mut self) -> Node {
        match self.below(6) {
            0 | 1 => Node::token(self.pick(&["*a", "*b"])),
            2 => {
                let items = (0..1 + self.below(3)).map(|_| self.merged());
                Node::of(What::List(items.collect()))
            }
            3 if self.chance(0.4) => self.any(2),
            _ => {
                let mut fields = Vec::new();
                self.field(&mut fields, "username", USERNAME, Self::name);
                self.field(&mut fields, "groups", GROUPS, Self::groups);
                if self.chance(0.3) {
                    fields.push((Node::text("rolearn"), Node::text(self.pick(ROLES))));
                }
                if self.chance(0.2) {
                    fields.push((Node::token("<<"), self.merged()));
                }
                Node::map(fields)
            }
        }
    }

    fn odd_key(&mut self) -> Node {
        match self.below(8) {
            0..=2 => Node::text(self.words()),
            3 => Node::token(self.numberlike()),
            _ => Node::token(self.key()),
        }
    }

    /// Any value at all.
    pub(super) fn any(&mut self, depth: usize) -> Node {
        let mut node = match self.below(8) {
            0 => Node::token(self.numberlike()),
            1 => Node::text(self.words()),
            2 => self.name(),
            3 | 4 if depth < 4 => {
                let items = (0..self.below(4)).map(|_| self.any(depth + 1));
                Node::of(What::List(items.collect()))
            }
            5 | 6 if depth < 4 => {
                let fields = (0..self.below(4)).map(|_| (self.odd_key(), self.any(depth + 1)));
                Node::map(fields.collect())
            }
            _ => Node::token(self.pick(&["~", "x", "12", "yes", "*a", "*b", "''", "", "<<"])),
        };
        if self.wild(0.15) {
            node.properties = self.pick(&[
                "&a ", "&b ", "!!str ", "!x ", "!!float ", "!!null ", "! &a ",
            ]);
        }
        node
    }

    /// Text that is, or nearly is, a number, a date or another word with a type.
    pub(super) fn numberlike(&mut self) -> String {
        self.note("random token");
        let alphabet: Vec<char> = self
            .pick(&[
                "01_", "0127_xo", "01.eE+-_", "0bB1_+", "0xXaF_19", "18:.", ".infNaAI", "0-9T:Z2",
                "yesYESno", "=<~.-+",
            ])
            .chars()
            .collect();
        let length = 1 + self.below(6);
        (0..length).map(|_| self.pick(&alphabet)).collect()
    }

    /// Text of which every character may mean something.
    fn words(&mut self) -> String {
        self.note("random text");
        let alphabet: Vec<char> = self
            .pick(&[
                "ab ",
                "ab \n",
                "a: #",
                "a-?:,",
                "a[]{}",
                "a'\"\\",
                "a&*!|>%@`",
                "a\té\u{85}\u{2028}",
                "a\u{1F600}\u{feff}ſ",
                "a b\n\n \t",
            ])
            .chars()
            .collect();
        let length = self.below(12);
        (0..length).map(|_| self.pick(&alphabet)).collect()
    }
}
