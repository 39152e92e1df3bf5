//! The same answers from this project's own reader.

use std::collections::BTreeSet;

use accord_model::arn::{Arn, PrincipalKey, canonicalize};
use accord_model::mapping::{Mapping, SectionName};
use accord_model::reading::{AuthMap, Section, SectionState};
use accord_plan::rules::{Deciding, Rules};
use accord_wire::authenticator::read_map;

use super::peer::{Answer, Entry, Question, Resolved, Sso, Who};

/// Answers a question.
pub(crate) fn answer(question: &Question) -> Answer {
    let map = read(question);
    let rules = Rules::of(&map);
    let mappings = |section: &Section| {
        section
            .kept()
            .filter_map(|(_, k)| k.mapping())
            .map(entry)
            .collect()
    };
    Answer {
        roles: mappings(&map.roles),
        users: mappings(&map.users),
        accounts: map
            .accounts
            .kept()
            .filter_map(|(_, k)| k.account())
            .map(str::to_owned)
            .collect(),
        who: question
            .identities
            .iter()
            .map(|identity| resolve(&rules, identity, question.sso))
            .collect(),
        lost: names(&map, |s| !s.is_readable()),
        faulty: names(&map, |s| {
            let remarked = s.items.iter().any(|item| !item.remarks.is_empty());
            !s.is_readable() || !s.remarks.is_empty() || remarked
        }),
        panic: String::new(),
    }
    .sorted()
}

fn names(map: &AuthMap, fit: impl Fn(&Section) -> bool) -> BTreeSet<String> {
    let fitting = map.sections().filter(|section| fit(section));
    fitting.map(|section| section.name.to_string()).collect()
}

fn read(question: &Question) -> AuthMap {
    let texts: Vec<_> = SectionName::ALL
        .into_iter()
        .filter_map(|name| Some((name, None, question.data.get(name.key())?.as_str())))
        .collect();
    read_map(&texts)
}

/// Whether every section can be read, and some entry is in effect.
pub(crate) fn is_readable(question: &Question) -> bool {
    let map = read(question);
    map.sections()
        .all(|s| !matches!(s.state, SectionState::Lost(_)))
        && map.sections().any(|s| s.kept().next().is_some())
}

fn entry(mapping: &Mapping) -> Entry {
    Entry {
        arn: mapping.arn.clone(),
        username: mapping.identity.username.clone(),
        groups: mapping.identity.groups.clone(),
        userid: mapping.user_id.as_deref().unwrap_or_default().to_owned(),
        sso: mapping.sso.as_ref().map(|sso| Sso {
            permission_set_name: sso.permission_set_name.clone(),
            account_id: sso.account_id.clone(),
            partition: sso.partition.clone(),
        }),
    }
}

fn resolve(rules: &Rules<'_>, identity: &str, sso: bool) -> Resolved {
    let Ok((_, canonical)) = canonicalize(identity) else {
        return Resolved {
            identity: identity.into(),
            canonical: String::new(),
            error: true,
            may: Vec::new(),
        };
    };
    let key = PrincipalKey::of(&canonical);
    let deciding = if sso {
        rules.deciding_with_sso(&key)
    } else {
        rules.deciding(&key)
    };
    let mut may: Vec<Who> = deciding
        .ids()
        .iter()
        .filter_map(|&id| rules.mapping(id))
        .map(|m| Who {
            username: m.identity.username.clone(),
            groups: m.identity.groups.clone(),
        })
        .collect();
    let account = Arn::parse(identity).map_or("", |arn| arn.account);
    if matches!(deciding, Deciding::None) && rules.account(account).is_some() {
        may.push(Who {
            username: canonical.clone().into_owned(),
            groups: Vec::new(),
        });
    }
    Resolved {
        identity: identity.into(),
        canonical: canonical.into_owned(),
        error: false,
        may,
    }
}
