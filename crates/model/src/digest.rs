//! Digests of meaning, by which Accord recognises what it wrote, whatever bytes it stands in now.
//!
//! Two entries have the same digest exactly if they give the same rights: letter case of an ARN, order and repetition
//! of groups, quoting and comments do not count. Fields that the authenticator ignores do not count either.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use crate::arn::PrincipalKey;
use crate::claim::Claim;
use crate::ledger::Digest;
use crate::mapping::Identity;

impl Digest {
    /// The digest of an entry: 32 hexadecimal digits, since a ledger holds thousands of them.
    pub fn of_entry(key: &PrincipalKey, identity: &Identity) -> Self {
        let mut hash = Sha256::new();
        text(&mut hash, key.as_str());
        meaning(&mut hash, identity);
        Self(hex(&hash.finalize()[..16]))
    }

    /// The digest of all claims of one owner, in whatever order: 64 hexadecimal digits, since people are trusted by it.
    pub fn of_claims(claims: &[Claim]) -> Self {
        let each: BTreeSet<[u8; 32]> = claims.iter().map(of_claim).collect();
        let mut hash = Sha256::new();
        for one in each {
            hash.update(one);
        }
        Self(hex(&hash.finalize()))
    }
}

fn of_claim(claim: &Claim) -> [u8; 32] {
    let mut hash = Sha256::new();
    text(&mut hash, claim.section.key());
    text(&mut hash, claim.key().as_str());
    meaning(&mut hash, &claim.identity);
    let policies: BTreeSet<(&str, Option<BTreeSet<&str>>)> = claim
        .policies
        .iter()
        .map(|p| {
            let namespaces = p.namespaces.as_ref();
            let namespaces = namespaces.map(|n| n.iter().map(String::as_str).collect());
            (p.policy.as_str(), namespaces)
        })
        .collect();
    count(&mut hash, policies.len());
    for (policy, namespaces) in policies {
        text(&mut hash, policy);
        // A whole cluster is told from no namespace at all.
        count(&mut hash, namespaces.as_ref().map_or(0, |n| n.len() + 1));
        for namespace in namespaces.into_iter().flatten() {
            text(&mut hash, namespace);
        }
    }
    hash.finalize().into()
}

fn meaning(hash: &mut Sha256, identity: &Identity) {
    text(hash, &identity.username);
    let groups: BTreeSet<&String> = identity.groups.iter().collect();
    count(hash, groups.len());
    for group in groups {
        text(hash, group);
    }
}

/// With its length in front, so that no two lists of texts run together into the same bytes.
fn text(hash: &mut Sha256, text: &str) {
    count(hash, text.len());
    hash.update(text);
}

fn count(hash: &mut Sha256, n: usize) {
    hash.update((n as u64).to_be_bytes());
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::SectionName;

    fn identity(username: &str, groups: &[&str]) -> Identity {
        Identity {
            username: username.into(),
            groups: groups.iter().map(|g| (*g).to_owned()).collect(),
        }
    }

    fn digest(arn: &str, username: &str, groups: &[&str]) -> Digest {
        Digest::of_entry(&PrincipalKey::of(arn), &identity(username, groups))
    }

    fn claim(arn: &str, policies: &[(&str, Option<&[&str]>)]) -> Claim {
        Claim {
            section: SectionName::Roles,
            principal: arn.into(),
            identity: identity("u", &["g"]),
            policies: policies
                .iter()
                .map(|(policy, namespaces)| crate::claim::PolicyGrant {
                    policy: (*policy).into(),
                    namespaces: namespaces.map(|n| n.iter().map(|n| (*n).to_owned()).collect()),
                })
                .collect(),
            span: None,
            at: String::new(),
        }
    }

    #[test]
    fn order_case_and_repetition_do_not_count() {
        assert_eq!(
            digest("arn:aws:iam::1:role/A", "u", &["b", "a", "b"]),
            digest("ARN:aws:iam::1:role/a", "u", &["a", "b"])
        );
    }

    #[test]
    fn everything_else_counts() {
        let all = [
            digest("a", "u", &["g"]),
            digest("a", "ug", &[]),
            digest("a", "u", &["g", ""]),
            digest("au", "", &["g"]),
            digest("a", "u", &["G"]),
            digest("a", "", &["u", "g"]),
        ];
        let distinct: BTreeSet<&Digest> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn the_form_is_kept_for_ledgers_already_written() {
        assert_eq!(
            digest("arn:aws:iam::111122223333:role/a", "u", &["g"]).0,
            "fc526b893354706d7dd788df9a1e2c30"
        );
    }

    #[test]
    fn claims_are_a_set_and_policies_count() {
        let (a, b) = (claim("a", &[]), claim("b", &[]));
        assert_eq!(
            Digest::of_claims(&[a.clone(), b.clone()]),
            Digest::of_claims(&[b, a.clone()])
        );
        let all = [
            vec![],
            vec![a],
            vec![claim("a", &[("View", None)])],
            vec![claim("a", &[("View", Some(&[]))])],
            vec![claim("a", &[("View", Some(&["n"]))])],
            vec![claim("a", &[("View", Some(&["n"])), ("Edit", None)])],
        ];
        let distinct: BTreeSet<Digest> = all.iter().map(|c| Digest::of_claims(c)).collect();
        assert_eq!(distinct.len(), all.len());
    }
}
