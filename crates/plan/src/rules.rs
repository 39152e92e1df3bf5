//! The entries of `aws-auth` in effect, and which of them decides for a principal.
//!
//! As the authenticator keeps and searches them (`pkg/mapper/configmap`, `pkg/config/mapper.go`):
//! - Roles are kept in a map by their lower-cased ARN, or for an `sso` block by its lower-cased pattern: of equal keys
//!   the last entry replaces the others as a whole.
//! - Users are kept by their ARN as written, so only exact repetitions replace each other.
//! - Both are then *searched*, in Go's random map order, for one whose ARN equals the caller's under Unicode simple
//!   folding. Where several fit, each of them may be the answer, from one request to the next.
//! - Roles are asked before users; neither checks that the ARN is a role's or a user's. Accounts come last and are
//!   compared exactly.

use std::borrow::Cow;
use std::collections::BTreeSet;

use accord_model::arn::PrincipalKey;
use accord_model::fold;
use accord_model::mapping::{EntryId, Mapping, SectionName, Sso};
use accord_model::plan::EntryEdit;
use accord_model::reading::{AuthMap, Kept};

/// Which entry decides for a principal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deciding {
    /// None.
    None,
    /// This one, always.
    One(EntryId),
    /// One of these, at random.
    Either(Vec<EntryId>),
}

impl Deciding {
    /// The entries that may decide.
    pub fn ids(&self) -> &[EntryId] {
        match self {
            Self::None => &[],
            Self::One(id) => std::slice::from_ref(id),
            Self::Either(ids) => ids,
        }
    }

    fn of(ids: Vec<EntryId>) -> Self {
        match ids.as_slice() {
            [] => Self::None,
            [one] => Self::One(*one),
            _ => Self::Either(ids),
        }
    }
}

/// The entries in effect, in the order of the text, indexed by principal.
///
/// Borrows the map it was made of. Ids are those of that map; [`Rules::after`] keeps them, so that before and after
/// can be compared entry by entry.
#[derive(Clone, Debug)]
pub struct Rules<'m> {
    roles: Vec<(EntryId, Cow<'m, Mapping>)>,
    users: Vec<(EntryId, Cow<'m, Mapping>)>,
    accounts: Vec<(EntryId, Cow<'m, str>)>,
    /// How many items each section has, skipped ones included, in the order of [`SectionName::ALL`].
    lengths: [usize; 3],
    index: Index,
}

/// Entries by principal, sorted, so that a lookup is a binary search.
#[derive(Clone, Debug, Default)]
struct Index {
    /// Entries with an ARN, by the hash of the folded ARN, then by that ARN, then by id.
    arns: Vec<Slot>,
    /// Live `sso` entries, each with the folded ARN up to its wildcard.
    sso: Vec<(String, EntryId)>,
    /// Positions of accounts, by their text, then by position.
    accounts: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slot {
    /// Of the folded ARN. ARNs begin alike, so comparing hashes first is much faster.
    hash: u64,
    folded: Box<str>,
    id: EntryId,
    /// Not replaced by a later entry with the same key.
    live: bool,
}

impl<'m> Rules<'m> {
    /// The entries that the authenticator keeps of `map`.
    pub fn of(map: &'m AuthMap) -> Self {
        let mut roles = Vec::new();
        let mut users = Vec::new();
        let mut accounts = Vec::new();
        for (id, kept) in map.sections().flat_map(|s| s.kept()) {
            match (id.section, kept) {
                (_, Kept::Account(text)) => accounts.push((id, Cow::Borrowed(text.as_str()))),
                (SectionName::Users, Kept::Mapping(m)) => users.push((id, Cow::Borrowed(m))),
                (_, Kept::Mapping(m)) => roles.push((id, Cow::Borrowed(m))),
            }
        }
        let lengths = SectionName::ALL.map(|name| map.section(name).items.len());
        Self::index(roles, users, accounts, lengths)
    }

    /// No entries at all: a map that does not exist.
    pub fn empty() -> Self {
        Self::index(Vec::new(), Vec::new(), Vec::new(), [0; 3])
    }

    fn index(
        roles: Vec<(EntryId, Cow<'m, Mapping>)>,
        users: Vec<(EntryId, Cow<'m, Mapping>)>,
        accounts: Vec<(EntryId, Cow<'m, str>)>,
        lengths: [usize; 3],
    ) -> Self {
        let mut index = Index::default();
        index.add(&roles, |m| role_key(m));
        index.add(&users, |m| Cow::Borrowed(&m.arn));
        index.arns.sort_unstable();
        index.accounts = (0..accounts.len()).collect();
        index
            .accounts
            .sort_by_key(|i| accounts.get(*i).map(|(_, a)| a));
        Self {
            roles,
            users,
            accounts,
            lengths,
            index,
        }
    }

    /// The entries after `edits`, whose positions are those of these rules. Ids stay; what is added is numbered on
    /// from the last item of its section. An edit of an entry that is not in effect changes nothing.
    pub fn after<'a>(&'a self, edits: impl IntoIterator<Item = &'a EntryEdit>) -> Rules<'a> {
        fn borrowed<'a>(
            list: &'a [(EntryId, Cow<'_, Mapping>)],
        ) -> Vec<(EntryId, Cow<'a, Mapping>)> {
            list.iter()
                .map(|(id, m)| (*id, Cow::Borrowed(&**m)))
                .collect()
        }
        let mut roles = borrowed(&self.roles);
        let mut users = borrowed(&self.users);
        let mut accounts: Vec<(EntryId, Cow<'a, str>)> = self
            .accounts
            .iter()
            .map(|(id, a)| (*id, Cow::Borrowed(&**a)))
            .collect();
        let mut lengths = self.lengths;
        let mut removed: BTreeSet<EntryId> = BTreeSet::new();
        for edit in edits {
            match edit {
                EntryEdit::Add { section, mapping } => {
                    let length = &mut lengths[*section as usize];
                    let id = EntryId::new(*section, *length);
                    *length += 1;
                    match section {
                        SectionName::Roles => roles.push((id, Cow::Borrowed(mapping))),
                        SectionName::Users => users.push((id, Cow::Borrowed(mapping))),
                        SectionName::Accounts => {
                            accounts.push((id, Cow::Borrowed(mapping.arn.as_str())))
                        }
                    }
                }
                EntryEdit::Update { id, mapping } => {
                    for list in [&mut roles, &mut users] {
                        let at = list.binary_search_by_key(id, |(i, _)| *i).ok();
                        if let Some((_, entry)) = at.and_then(|at| list.get_mut(at)) {
                            entry.to_mut().identity = mapping.identity.clone();
                        }
                    }
                }
                EntryEdit::Remove { id, .. } => {
                    removed.insert(*id);
                }
            }
        }
        roles.retain(|(id, _)| !removed.contains(id));
        users.retain(|(id, _)| !removed.contains(id));
        accounts.retain(|(id, _)| !removed.contains(id));
        Rules::index(roles, users, accounts, lengths)
    }

    /// The mappings in effect, roles before users, in the order of the text; those that a later one replaces included.
    pub fn mappings(&self) -> impl Iterator<Item = (EntryId, &Mapping)> {
        self.roles
            .iter()
            .chain(&self.users)
            .map(|(id, m)| (*id, &**m))
    }

    /// The accounts, in the order of the text.
    pub fn accounts(&self) -> impl Iterator<Item = (EntryId, &str)> {
        self.accounts.iter().map(|(id, a)| (*id, &**a))
    }

    /// The mapping with that id, if it is in effect.
    pub fn mapping(&self, id: EntryId) -> Option<&Mapping> {
        let list = match id.section {
            SectionName::Roles => &self.roles,
            SectionName::Users => &self.users,
            SectionName::Accounts => return None,
        };
        let at = list.binary_search_by_key(&id, |(i, _)| *i).ok()?;
        list.get(at).map(|(_, m)| &**m)
    }

    /// Which entry decides for a principal: an ARN in lower case, or an account.
    ///
    /// Says nothing of the account that an ARN belongs to, and `sso` entries match nobody, as on EKS.
    pub fn deciding(&self, principal: &PrincipalKey) -> Deciding {
        self.decide(principal, Vec::new())
    }

    /// The same where the authenticator's feature gate `SSORoleMatch` is on. An `sso` entry that matches competes at
    /// random with the role entries.
    ///
    /// The pattern ends in `_*` and is not anchored to the suffix that IAM Identity Center makes, so a permission set
    /// `Admin` admits `Admin_ReadOnly` too.
    pub fn deciding_with_sso(&self, principal: &PrincipalKey) -> Deciding {
        let matching = self.index.sso.iter().filter(|(prefix, _)| {
            let rest = principal.as_str().strip_prefix(prefix.as_str());
            rest.is_some_and(|r| !r.contains('\n'))
        });
        self.decide(principal, matching.map(|(_, id)| *id).collect())
    }

    fn decide(&self, principal: &PrincipalKey, sso: Vec<EntryId>) -> Deciding {
        let mut matching = sso;
        matching.extend(
            self.slots(principal.as_str())
                .filter(|s| s.live)
                .map(|s| s.id),
        );
        matching.sort_unstable();
        let first = matching.first().map(|id| id.section);
        matching.retain(|id| Some(id.section) == first);
        if matching.is_empty() {
            matching.extend(self.account(principal.as_str()));
        }
        Deciding::of(matching)
    }

    /// Every entry for a principal, in order of precedence of the sections and then of the text: those that decide and
    /// those that never do.
    pub fn all(&self, principal: &PrincipalKey) -> Vec<EntryId> {
        let accounts = self.same_accounts(principal.as_str());
        self.slots(principal.as_str())
            .map(|slot| slot.id)
            .chain(accounts)
            .collect()
    }

    /// The first entry of `mapAccounts` that is exactly this account. Repetitions mean nothing.
    pub fn account(&self, account: &str) -> Option<EntryId> {
        self.same_accounts(account).next()
    }

    fn same_accounts(&self, account: &str) -> impl Iterator<Item = EntryId> {
        let entry = |i: &usize| self.accounts.get(*i).map(|(id, text)| (*id, &**text));
        let order = &self.index.accounts;
        let start = order.partition_point(|i| entry(i).is_some_and(|(_, text)| text < account));
        let from_start = order.iter().skip(start).map_while(entry);
        from_start
            .take_while(move |(_, text)| *text == account)
            .map(|(id, _)| id)
    }

    fn slots(&self, principal: &str) -> impl Iterator<Item = &Slot> {
        let folded = fold::fold_key(principal).into_owned();
        let hash = hash(&folded);
        let arns = &self.index.arns;
        let start = arns.partition_point(|slot| (slot.hash, &*slot.folded) < (hash, &*folded));
        arns.iter()
            .skip(start)
            .take_while(move |slot| *slot.folded == *folded)
    }
}

impl Index {
    fn add<'a>(
        &mut self,
        entries: &'a [(EntryId, Cow<'_, Mapping>)],
        key: impl Fn(&'a Mapping) -> Cow<'a, str>,
    ) {
        for ((id, mapping), live) in entries.iter().zip(last_of_equals(entries, key)) {
            match &mapping.sso {
                Some(sso) if mapping.arn.is_empty() => {
                    if live {
                        self.sso.push((sso_prefix(sso), *id));
                    }
                }
                _ => {
                    let folded = fold::fold_key(&mapping.arn);
                    self.arns.push(Slot {
                        hash: hash(&folded),
                        folded: folded.into(),
                        id: *id,
                        live,
                    });
                }
            }
        }
    }
}

/// Of each entry, whether it is the last one with its key.
fn last_of_equals<'a>(
    entries: &'a [(EntryId, Cow<'_, Mapping>)],
    key: impl Fn(&'a Mapping) -> Cow<'a, str>,
) -> Vec<bool> {
    let keyed = entries.iter().enumerate().map(|(position, (_, mapping))| {
        let key = key(mapping);
        (hash(&key), key, position)
    });
    let mut keyed: Vec<(u64, Cow<'a, str>, usize)> = keyed.collect();
    keyed.sort_unstable();
    let mut last = vec![true; entries.len()];
    for pair in keyed.windows(2) {
        if let [(hash, key, position), (next_hash, next, _)] = pair
            && (hash, key) == (next_hash, next)
            && let Some(flag) = last.get_mut(*position)
        {
            *flag = false;
        }
    }
    last
}

/// FNV-1a: the same everywhere and always, unlike the hashes of the standard library.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The key under which the authenticator keeps a role entry.
fn role_key(mapping: &Mapping) -> Cow<'_, str> {
    match &mapping.sso {
        Some(sso) if mapping.arn.is_empty() => Cow::Owned(sso_prefix(sso) + "*"),
        _ => fold::to_lower(&mapping.arn),
    }
}

/// The pattern of an `sso` block up to its `*`. A partition that is given is dropped by `SSOArnLike`, so that such a
/// pattern begins with `arn::iam:` and matches nobody.
fn sso_prefix(sso: &Sso) -> String {
    let partition = if sso.partition.is_empty() { "aws" } else { "" };
    let pattern = format!(
        "arn:{partition}:iam::{}:role/AWSReservedSSO_{}_",
        sso.account_id, sso.permission_set_name
    );
    fold::to_lower(&pattern).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::map;
    use SectionName::{Accounts, Roles, Users};
    use proptest::prelude::*;

    const ROLE: &str = "arn:aws:iam::111122223333:role/";
    const USER: &str = "arn:aws:iam::111122223333:user/";

    fn key(arn: &str) -> PrincipalKey {
        PrincipalKey::of(arn)
    }

    fn id(section: SectionName, index: usize) -> EntryId {
        EntryId::new(section, index)
    }

    #[test]
    fn of_roles_in_any_case_the_last_wins() {
        let map = map()
            .role("role/A", "one", &["g"])
            .role("ROLE/a", "", &[])
            .role("role/B", "b", &[])
            .build();
        let rules = Rules::of(&map);
        assert_eq!(
            rules.deciding(&key(&format!("{ROLE}A"))),
            Deciding::One(id(Roles, 1))
        );
        assert_eq!(
            rules.all(&key(&format!("{ROLE}a"))),
            [id(Roles, 0), id(Roles, 1)]
        );
        assert_eq!(rules.deciding(&key(&format!("{ROLE}c"))), Deciding::None);
    }

    #[test]
    fn of_users_that_differ_in_case_either_wins() {
        let map = map()
            .user("user/u", "one", &[])
            .user("user/U", "two", &[])
            .user("user/u", "three", &[])
            .build();
        let rules = Rules::of(&map);
        // The first is replaced by the third, which is spelled the same.
        assert_eq!(
            rules.deciding(&key(&format!("{USER}U"))),
            Deciding::Either(vec![id(Users, 1), id(Users, 2)])
        );
    }

    #[test]
    fn beyond_ascii_keys_and_comparison_differ() {
        // `ſ` is its own lower case, and equals `s`: both entries live on, and either may answer.
        let long_s = map()
            .role("role/s", "", &[])
            .role("role/ſ", "", &[])
            .build();
        assert_eq!(
            Rules::of(&long_s).deciding(&key(&format!("{ROLE}S"))),
            Deciding::Either(vec![id(Roles, 0), id(Roles, 1)])
        );
        // `İ` has the lower case `i` and equals nothing else: it replaces the other entry, and matches nobody.
        let dotted = map()
            .role("role/i", "", &[])
            .role("role/İ", "", &[])
            .build();
        assert_eq!(
            Rules::of(&dotted).deciding(&key(&format!("{ROLE}i"))),
            Deciding::None
        );
        let kelvin = map().role("role/KK", "", &[]).build();
        assert_eq!(
            Rules::of(&kelvin).deciding(&key(&format!("{ROLE}kk"))),
            Deciding::One(id(Roles, 0))
        );
    }

    #[test]
    fn roles_are_asked_before_users_whatever_the_arn() {
        let map = map()
            .user("user/dana", "from-users", &[])
            .user("role/ops", "role-as-user", &[])
            .role("user/dana", "from-roles", &[])
            .account("111122223333")
            .build();
        let rules = Rules::of(&map);
        assert_eq!(
            rules.deciding(&key(&format!("{USER}dana"))),
            Deciding::One(id(Roles, 0))
        );
        assert_eq!(
            rules.all(&key(&format!("{USER}dana"))),
            [id(Roles, 0), id(Users, 0)]
        );
        assert_eq!(
            rules.deciding(&key(&format!("{ROLE}ops"))),
            Deciding::One(id(Users, 1))
        );
    }

    #[test]
    fn accounts_are_compared_exactly() {
        let map = map()
            .account("0x1F")
            .account("111122223333")
            .account("111122223333")
            .build();
        let rules = Rules::of(&map);
        let account = PrincipalKey::of_account;
        assert_eq!(
            rules.deciding(&account("111122223333")),
            Deciding::One(id(Accounts, 1))
        );
        assert_eq!(rules.deciding(&account("0x1f")), Deciding::None);
        assert_eq!(rules.account("0x1F"), Some(id(Accounts, 0)));
    }

    #[test]
    fn sso_entries_match_only_behind_the_gate_and_then_too_much() {
        let map = map()
            .sso("Admin", "")
            .sso("Admin", "aws")
            .role("role/AWSReservedSSO_Admin_0123456789abcdef", "plain", &[])
            .build();
        let rules = Rules::of(&map);
        let admin = key(&format!("{ROLE}AWSReservedSSO_Admin_0123456789abcdef"));
        let other = key(&format!(
            "{ROLE}AWSReservedSSO_Admin_ReadOnly_0123456789abcdef"
        ));
        assert_eq!(rules.deciding(&admin), Deciding::One(id(Roles, 2)));
        assert_eq!(
            rules.deciding_with_sso(&admin),
            Deciding::Either(vec![id(Roles, 0), id(Roles, 2)])
        );
        assert_eq!(rules.deciding(&other), Deciding::None);
        assert_eq!(rules.deciding_with_sso(&other), Deciding::One(id(Roles, 0)));
    }

    /// The authenticator's own way: maps of last entries, searched one by one.
    fn searched(map: &AuthMap, principal: &str) -> Vec<EntryId> {
        let subject = fold::to_lower(principal);
        for section in [&map.roles, &map.users] {
            let mut kept: std::collections::BTreeMap<String, (EntryId, &Mapping)> =
                Default::default();
            for (id, entry) in section.kept() {
                let mapping = entry.mapping().unwrap();
                let key = match id.section {
                    Users => mapping.arn.clone(),
                    Roles | Accounts => fold::to_lower(&mapping.arn).into_owned(),
                };
                kept.insert(key, (id, mapping));
            }
            let mut found: Vec<EntryId> = kept
                .values()
                .filter(|(_, m)| fold::equal_fold(&m.arn, &subject))
                .map(|(id, _)| *id)
                .collect();
            found.sort_unstable();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    proptest! {
        #[test]
        fn the_index_answers_as_a_search_does(
            entries in prop::collection::vec((any::<bool>(), "[kK\u{212A}sS\u{17F}iI\u{130}]{1,2}"), 0..12),
            asked in "[kKsSiI]{1,2}",
        ) {
            let mut built = map();
            for (role, name) in entries {
                let arn = format!("role/{name}");
                built = match role {
                    true => built.role(&arn, "", &[]),
                    false => built.user(&arn, "", &[]),
                };
            }
            let built = built.build();
            let asked = format!("{ROLE}{asked}");
            let rules = Rules::of(&built);
            let deciding = rules.deciding(&key(&asked));
            prop_assert_eq!(deciding.ids(), searched(&built, &asked));
        }
    }

    #[test]
    fn edits_keep_the_ids_of_the_map() {
        let map = map()
            .role("role/a", "a", &["g"])
            .skipped()
            .role("role/b", "b", &[])
            .build();
        let rules = Rules::of(&map);
        let mapping = |arn: &str, username: &str| Mapping {
            arn: format!("arn:aws:iam::111122223333:{arn}"),
            identity: accord_model::mapping::Identity {
                username: username.into(),
                groups: vec![],
            },
            ..Mapping::default()
        };
        let edits = [
            EntryEdit::Remove {
                id: id(Roles, 0),
                principal: String::new(),
            },
            EntryEdit::Update {
                id: id(Roles, 2),
                mapping: mapping("role/ignored", "new"),
            },
            EntryEdit::Add {
                section: Roles,
                mapping: mapping("role/c", "c"),
            },
        ];
        let after = rules.after(&edits);
        assert_eq!(after.deciding(&key(&format!("{ROLE}a"))), Deciding::None);
        assert_eq!(
            after.deciding(&key(&format!("{ROLE}c"))),
            Deciding::One(id(Roles, 3))
        );
        let b = after.mapping(id(Roles, 2)).unwrap();
        assert_eq!(
            (b.arn.as_str(), b.identity.username.as_str()),
            (&*format!("{ROLE}b"), "new")
        );
        assert_eq!(
            rules.deciding(&key(&format!("{ROLE}a"))),
            Deciding::One(id(Roles, 0))
        );
    }
}
