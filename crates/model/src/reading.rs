//! What was read of an `aws-auth` map: what the authenticator keeps of it, and what the author wrote.
//!
//! Filled by `accord_wire::authenticator`, which states neutrally what happened to each part ([`Remark`]).
//! What that *means*, and how bad it is, is judged in `accord_plan::lint`.

use crate::mapping::{EntryId, Mapping, SectionName};
use crate::span::{Range, Span, TextId};

/// A whole map: three sections that are read independently of each other.
#[derive(Clone, Debug)]
pub struct AuthMap {
    /// `mapRoles`
    pub roles: Section,
    /// `mapUsers`
    pub users: Section,
    /// `mapAccounts`
    pub accounts: Section,
}

impl AuthMap {
    /// A map without any section.
    pub fn empty() -> Self {
        Self {
            roles: Section::absent(SectionName::Roles),
            users: Section::absent(SectionName::Users),
            accounts: Section::absent(SectionName::Accounts),
        }
    }

    /// The section of that name.
    pub fn section(&self, name: SectionName) -> &Section {
        match name {
            SectionName::Roles => &self.roles,
            SectionName::Users => &self.users,
            SectionName::Accounts => &self.accounts,
        }
    }

    /// The section of that name, to change.
    pub fn section_mut(&mut self, name: SectionName) -> &mut Section {
        match name {
            SectionName::Roles => &mut self.roles,
            SectionName::Users => &mut self.users,
            SectionName::Accounts => &mut self.accounts,
        }
    }

    /// All three sections, in order of precedence.
    pub fn sections(&self) -> impl Iterator<Item = &Section> {
        SectionName::ALL.into_iter().map(|n| self.section(n))
    }

    /// The item with that id, if the section has one.
    pub fn item(&self, id: EntryId) -> Option<&Item> {
        self.section(id.section).items.get(id.index)
    }
}

/// One section.
#[derive(Clone, Debug)]
pub struct Section {
    /// Which one.
    pub name: SectionName,
    /// The text it was read from, if any. All [`Range`]s below are in that text.
    pub text: Option<TextId>,
    /// What became of it.
    pub state: SectionState,
    /// The list items in the order of the text, skipped ones included: `items[i]` is `mapRoles[i]`.
    ///
    /// In a section that is [`SectionState::Lost`] these are salvaged line by line as far as they can be told;
    /// none of them is in effect, and `kept` says what the author seems to have meant.
    pub items: Vec<Item>,
    /// What happened to the section outside its items.
    pub remarks: Vec<Remark>,
}

impl Section {
    /// A section that is not there.
    pub fn absent(name: SectionName) -> Self {
        Self {
            name,
            text: None,
            state: SectionState::Absent,
            items: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Whether the authenticator reads this section: absent and empty ones it does, lost ones not.
    pub fn is_readable(&self) -> bool {
        !matches!(self.state, SectionState::Lost(_))
    }

    /// Whether an entry may be added to this section: it is read, or it is `{}`, which loses nobody.
    pub fn is_writable(&self) -> bool {
        match &self.state {
            SectionState::Absent | SectionState::Empty | SectionState::Read => true,
            SectionState::Lost(loss) => loss.cause == LossCause::EmptyMapping,
        }
    }

    /// A range of this section's text as a span; `None` where the section has no text.
    pub fn span(&self, range: Range) -> Option<Span> {
        self.text.map(|t| range.of(t))
    }

    /// The entries in effect, with their ids: none if the section is lost.
    pub fn kept(&self) -> impl Iterator<Item = (EntryId, &Kept)> {
        let readable = self.is_readable();
        self.items
            .iter()
            .enumerate()
            .filter(move |_| readable)
            .filter_map(|(index, item)| {
                item.kept
                    .as_ref()
                    .map(|k| (EntryId::new(self.name, index), k))
            })
    }
}

/// What became of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionState {
    /// No such data key.
    Absent,
    /// There, and empty without an error: blank spellings, an empty document, `[]`.
    Empty,
    /// A list.
    Read,
    /// Nothing of it is in effect.
    Lost(Loss),
}

/// Why a section is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What kind of reason.
    pub cause: LossCause,
    /// What is wrong, in one clause that fits after "because": `a tab is used as indentation`.
    pub message: String,
    /// Where in the section's text, as near as can be told.
    pub range: Range,
}

/// What kind of reason loses a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// Not YAML to the authenticator, or YAML that cannot become JSON (`.inf`, odd keys, tags that do not fit).
    Unparseable,
    /// A value that begins with `{{` without quotes: a map used as a key.
    UnquotedTemplate,
    /// A mapping or a scalar where the list belongs.
    NotAList,
    /// `{}` and nothing else: no list, and nothing that could be lost.
    EmptyMapping,
    /// A quoted string that holds the YAML once more.
    DoubleEncoded,
    /// The object holds a real list or mapping instead of text, so the API server refuses the object.
    NotText,
}

/// One list item.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The item in the section's text, from its first to its last byte, without the dash.
    pub range: Range,
    /// The fields as the author wrote them, in the order of the text; empty if the item is no mapping.
    /// Fields that come from a merge key are not repeated here.
    pub written: Vec<Field>,
    /// What the authenticator keeps; `None` if it skips the item.
    pub kept: Option<Kept>,
    /// Of an item that it skips, what the author seems to have meant, as far as it can be told: the ARN or account under
    /// whatever key it stands, groups and username.
    pub meant: Option<Box<Salvaged>>,
    /// What happened to this item.
    pub remarks: Vec<Remark>,
}

/// What the authenticator keeps of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// An entry of `mapRoles` or `mapUsers`.
    Mapping(Mapping),
    /// An entry of `mapAccounts`: the raw text.
    Account(String),
}

impl Kept {
    /// The mapping, if it is one.
    pub fn mapping(&self) -> Option<&Mapping> {
        match self {
            Self::Mapping(m) => Some(m),
            Self::Account(_) => None,
        }
    }

    /// The account's text, if it is one.
    pub fn account(&self) -> Option<&str> {
        match self {
            Self::Mapping(_) => None,
            Self::Account(a) => Some(a),
        }
    }
}

/// A field of an item as the author wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key's text, decoded.
    pub key: Box<str>,
    /// The key.
    pub key_range: Range,
    /// The value.
    pub value_range: Range,
    /// What stands there.
    pub shape: Shape,
    /// For a list, its elements; for the value of `sso`, empty (its fields are in [`Field::fields`]).
    pub elements: Vec<Element>,
    /// For a mapping, its fields, one level deep; else empty.
    pub fields: Vec<Field>,
}

/// An element of a written list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Where it stands.
    pub range: Range,
    /// What stands there.
    pub shape: Shape,
}

/// What stands where a value belongs, in the words of JSON, which is what the authenticator decodes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing, `~`, `null`.
    Null,
    /// A boolean; YAML 1.1 also spells it `yes`, `on`, `y`, …
    Bool,
    /// A number.
    Number,
    /// Text.
    String,
    /// A list.
    List,
    /// A mapping.
    Map,
}

/// What stands where a value belongs, with the text as it is written, quotes and all; of long values the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// What it is.
    pub shape: Shape,
    /// The text of it.
    pub text: String,
}

/// Something that happened in reading, stated neutrally: a deviation from what the author wrote, or a form that
/// other readers take differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What happened.
    pub what: What,
    /// Where, in the section's text.
    pub range: Range,
    /// The path below the item, as it is printed: `.groups[0]`, `.sso.accountID`; empty for the item or section.
    pub at: String,
}

/// What happened in reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A list item that is no mapping: skipped.
    EntryWrongType(Written),
    /// Neither an ARN nor an `sso` block: skipped. The field that seems to be meant, as it is spelled (`role_arn`).
    MissingArn {
        /// The near miss, if there is one.
        near: Option<String>,
    },
    /// The ARN field holds something else than text: it counts for nothing, so that the entry is skipped unless it has an
    /// `sso` block or the field in another spelling.
    ArnWrongType(Written),
    /// A field that the authenticator ignores.
    UnknownField {
        /// The field's key.
        key: String,
        /// The known field that seems to be meant.
        near: Option<&'static str>,
        /// Its value.
        value: Written,
    },
    /// The same field twice in one item, in the same or another spelling; how the values combine.
    DuplicateKey {
        /// The key as spelled here.
        key: String,
        /// What is in effect, in words: `the last one wins`, `the lists are overlaid`, …
        effect: String,
    },
    /// A merge key that overrides a field written before it.
    MergeOverrides {
        /// The field.
        key: String,
    },
    /// `groups` is not a list.
    GroupsWrongType(Written),
    /// One group is not text: it is read as an empty group.
    GroupWrongType(Written),
    /// `username` is not text: it is read as empty.
    UsernameWrongType(Written),
    /// `userid` is not text.
    UserIdWrongType(Written),
    /// An `sso` block that the authenticator drops, with its reason.
    SsoInvalid {
        /// The reason, in words.
        reason: String,
    },
    /// A field of an `sso` block that is not text: it is read as if it were not there.
    SsoFieldWrongType(Written),
    /// Unquoted digits in `accountID`: a number to the decoder, so the entry is dropped.
    SsoAccountNumber {
        /// The digits.
        text: String,
    },
    /// An account that is a list or mapping: dropped. The digits found inside, if any.
    AccountWrongType {
        /// What stands there.
        shape: Shape,
        /// Twelve digits found inside it.
        inside: Option<String>,
    },
    /// Unquoted digits that other readers take for a number (leading zero, underscore, exponent).
    AccountAmbiguousNumber {
        /// The text.
        text: String,
    },
    /// A tag that does not fit empties this account and all later ones.
    AccountsVoidedFromHere,
    /// A second document: what follows is not read.
    SecondDocument {
        /// Entries lost behind it, as far as they can be told.
        lost: Vec<Salvaged>,
    },
    /// The list ended early: what follows is not read.
    TrailingContent {
        /// Entries lost behind it, as far as they can be told.
        lost: Vec<Salvaged>,
    },
    /// A byte order mark at the start.
    ByteOrderMark,
}

/// An entry that is not in effect, told from the text as far as it can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// The ARN or account.
    pub arn: String,
    /// Its groups.
    pub groups: Vec<String>,
    /// Its username.
    pub username: String,
}
