//! The ledger as it is kept: JSON under one key of the ConfigMap `kube-system/accord-ledger`.
//!
//! ```json
//! {
//! "version": 1,
//! "cluster": "UID of the kube-system namespace",
//! "mapRoles": {
//! "arn:aws:iam::111122223333:role/a": {"owners":["kube-system/accord-team-a"],"origin":"added","digests":["…"]}
//! },
//! "mapUsers": {}, "mapAccounts": {},
//! "admitted": {
//! "team-b/mappings": {"uid":"…","digest":"…","claims":{"mapRoles":[{"principal":"…","username":"…","groups":["…"]}]}}
//! },
//! "suspended": [
//! {"principal":"…","until":"2026-11-02T08:00:00Z","reason":"…"}
//! ]
//! }
//! ```
//!
//! One principal, one line: a change of one shows as one line in every diff. Fields that have their usual value are
//! left out: `door` (`aws-auth`), `claimed` (the first of `digests`), `releasing`. The principal stands as it was
//! claimed. A ledger that names another version, or a field that is not known here, was written by another Accord: it
//! is not read, and so never overwritten.

use std::collections::BTreeMap;

use accord_model::arn::PrincipalKey;
use accord_model::claim::Owner;
use accord_model::ledger::{Admitted, Digest, Door, Ledger, Line, Origin, Suspension};
use accord_model::mapping::SectionName;
use serde::{Deserialize, Serialize};

use crate::config_map::{Manifest, ObjectName};
use crate::stored::{self, Claims};
use crate::time;

/// The ConfigMap's name, in `kube-system`.
pub const NAME: &str = "accord-ledger";

/// The data key.
pub const KEY: &str = "ledger.json";

/// The version written, and the only one read.
const VERSION: u32 = 1;

/// Why a ledger cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// Not JSON of this shape.
    #[error("it is not a ledger that this version of Accord knows")]
    Shape(#[source] serde_json::Error),
    /// Another version.
    #[error("it has version {0}, and this Accord knows version {VERSION}")]
    Version(u32),
    /// An owner that is not `namespace/name`.
    #[error("`{0}` is no owner: the form is namespace/name")]
    Owner(String),
    /// A line without owners or digests.
    #[error("the line of `{0}` has no owner or no digest")]
    Line(String),
    /// A time that is none.
    #[error("`{0}` is no time")]
    Time(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Kept {
    /// Looked at before the rest.
    #[serde(rename = "version")]
    _version: u32,
    #[serde(default)]
    cluster: Option<String>,
    #[serde(default)]
    map_roles: BTreeMap<String, KeptLine>,
    #[serde(default)]
    map_users: BTreeMap<String, KeptLine>,
    #[serde(default)]
    map_accounts: BTreeMap<String, KeptLine>,
    #[serde(default)]
    admitted: BTreeMap<String, KeptAdmitted>,
    #[serde(default)]
    suspended: Vec<KeptSuspension>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptLine {
    owners: Vec<String>,
    origin: KeptOrigin,
    digests: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claimed: Option<String>,
    #[serde(default, skip_serializing_if = "KeptDoor::is_usual")]
    door: KeptDoor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    releasing: Option<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum KeptOrigin {
    Added,
    Adopted,
    Found,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum KeptDoor {
    #[default]
    AwsAuth,
    AccessEntry,
}

impl KeptDoor {
    const fn is_usual(&self) -> bool {
        matches!(self, Self::AwsAuth)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptAdmitted {
    uid: String,
    digest: String,
    claims: Claims,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptSuspension {
    /// A [`PrincipalKey`]; left out, all are suspended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    until: String,
    reason: String,
}

/// Reads a ledger.
///
/// # Errors
/// If it is not a ledger of this version, whole and in order: then nothing of it may be used, nor overwritten.
pub fn parse(text: &str) -> Result<Ledger, LedgerError> {
    /// The version alone, so that another one is named before its unknown fields are.
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version } = serde_json::from_str(text).map_err(LedgerError::Shape)?;
    if version != VERSION {
        return Err(LedgerError::Version(version));
    }
    let kept: Kept = serde_json::from_str(text).map_err(LedgerError::Shape)?;
    let mut ledger = Ledger {
        cluster: kept.cluster,
        ..Ledger::default()
    };
    for (section, lines) in [
        (SectionName::Roles, kept.map_roles),
        (SectionName::Users, kept.map_users),
        (SectionName::Accounts, kept.map_accounts),
    ] {
        for (principal, kept) in lines {
            let line = kept.restore(section, principal)?;
            ledger.lines.insert(line.key(), line);
        }
    }
    for (name, kept) in kept.admitted {
        let admitted = Admitted {
            uid: kept.uid,
            digest: Digest(kept.digest),
            claims: kept.claims.restore(),
        };
        ledger.admitted.insert(owner(name)?, admitted);
    }
    for kept in kept.suspended {
        ledger.suspended.push(Suspension {
            // The key as it stands: it was folded when it was made.
            principal: kept.principal.map(|key| PrincipalKey::of_account(&key)),
            until: time::parse(&kept.until).ok_or(LedgerError::Time(kept.until))?,
            reason: kept.reason,
        });
    }
    Ok(ledger)
}

fn owner(text: String) -> Result<Owner, LedgerError> {
    stored::owner(&text).ok_or(LedgerError::Owner(text))
}

impl KeptLine {
    fn restore(self, section: SectionName, principal: String) -> Result<Line, LedgerError> {
        let owners: Vec<Owner> = self
            .owners
            .into_iter()
            .map(owner)
            .collect::<Result<_, _>>()?;
        let digests: Vec<Digest> = self.digests.into_iter().map(Digest).collect();
        let claimed = match (self.claimed, digests.first()) {
            (Some(claimed), Some(_)) => Digest(claimed),
            (None, Some(first)) => first.clone(),
            (_, None) => return Err(LedgerError::Line(principal)),
        };
        if owners.is_empty() {
            return Err(LedgerError::Line(principal));
        }
        Ok(Line {
            section,
            principal,
            owners,
            door: match self.door {
                KeptDoor::AwsAuth => Door::AwsAuth,
                KeptDoor::AccessEntry => Door::AccessEntry,
            },
            origin: match self.origin {
                KeptOrigin::Added => Origin::Added,
                KeptOrigin::Adopted => Origin::Adopted,
                KeptOrigin::Found => Origin::Found,
            },
            digests,
            claimed,
            releasing: self.releasing,
        })
    }

    fn keep(line: &Line) -> Self {
        let claimed = (line.digests.first() != Some(&line.claimed)).then(|| line.claimed.0.clone());
        Self {
            owners: line.owners.iter().map(stored::owner_text).collect(),
            origin: match line.origin {
                Origin::Added => KeptOrigin::Added,
                Origin::Adopted => KeptOrigin::Adopted,
                Origin::Found => KeptOrigin::Found,
            },
            digests: line.digests.iter().map(|d| d.0.clone()).collect(),
            claimed,
            door: match line.door {
                Door::AwsAuth => KeptDoor::AwsAuth,
                Door::AccessEntry => KeptDoor::AccessEntry,
            },
            releasing: line.releasing.clone(),
        }
    }
}

/// The ConfigMap that keeps a ledger.
pub fn manifest(ledger: &Ledger) -> Manifest {
    Manifest {
        name: ObjectName::system(NAME),
        labels: Vec::new(),
        data: vec![(KEY.to_owned(), print(ledger))],
        binary_data: Vec::new(),
    }
}

/// The ledger's text: the value of [`KEY`].
pub fn print(ledger: &Ledger) -> String {
    let mut fields = vec![format!("\"version\": {VERSION}")];
    if let Some(uid) = &ledger.cluster {
        fields.push(format!("\"cluster\": {}", json(uid)));
    }
    for section in SectionName::ALL {
        let lines = ledger.lines.values().filter(|l| l.section == section);
        let lines = lines.map(|l| (l.principal.clone(), KeptLine::keep(l)));
        fields.extend(object(section.key(), lines));
    }
    let admitted = ledger.admitted.iter().map(|(owner, admitted)| {
        let kept = KeptAdmitted {
            uid: admitted.uid.clone(),
            digest: admitted.digest.0.clone(),
            claims: Claims::keep(&admitted.claims),
        };
        (stored::owner_text(owner), kept)
    });
    fields.extend(object("admitted", admitted));
    let suspended: Vec<String> = ledger
        .suspended
        .iter()
        .map(|s| {
            json(&KeptSuspension {
                principal: s.principal.as_ref().map(|p| p.as_str().to_owned()),
                until: time::print(s.until),
                reason: s.reason.clone(),
            })
        })
        .collect();
    if !suspended.is_empty() {
        fields.push(format!("\"suspended\": [\n{}\n]", suspended.join(",\n")));
    }
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}

/// A field that holds an object with one entry a line, in the order of its keys; nothing if it is empty.
fn object<T: Serialize>(name: &str, entries: impl Iterator<Item = (String, T)>) -> Option<String> {
    let entries: BTreeMap<String, T> = entries.collect();
    let lines: Vec<String> = entries
        .iter()
        .map(|(key, value)| format!("{}: {}", json(key), json(value)))
        .collect();
    (!lines.is_empty()).then(|| format!("{}: {{\n{}\n}}", json(name), lines.join(",\n")))
}

/// In one line. Nothing here can fail to be JSON: every key is text, and every value text or a list of it.
fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use accord_model::claim::{Claim, PolicyGrant};
    use accord_model::mapping::Identity;
    use accord_model::time::Timestamp;
    use proptest::prelude::*;

    fn line(section: SectionName, principal: &str) -> Line {
        Line {
            section,
            principal: principal.into(),
            owners: vec![Owner::named("team-a")],
            door: Door::AwsAuth,
            origin: Origin::Added,
            digests: vec![Digest("0a".into())],
            claimed: Digest("0a".into()),
            releasing: None,
        }
    }

    fn ledger(lines: impl IntoIterator<Item = Line>) -> Ledger {
        Ledger {
            cluster: Some("6b1f".into()),
            lines: lines.into_iter().map(|l| (l.key(), l)).collect(),
            ..Ledger::default()
        }
    }

    fn full() -> Ledger {
        let role = line(SectionName::Roles, "arn:aws:iam::111122223333:role/A");
        let user = Line {
            owners: vec![Owner::named("team-a"), stored::owner("b/c").unwrap()],
            door: Door::AccessEntry,
            origin: Origin::Found,
            digests: vec![Digest("0b".into()), Digest("0a".into())],
            releasing: Some("nodes use it".into()),
            ..line(SectionName::Users, "arn:aws:iam::111122223333:user/kim")
        };
        let mut ledger = ledger([role, user, line(SectionName::Accounts, "012345678901")]);
        let claim = Claim {
            section: SectionName::Roles,
            principal: "arn:aws:iam::111122223333:role/B".into(),
            identity: Identity {
                username: "b".into(),
                groups: vec!["g".into()],
            },
            policies: vec![PolicyGrant {
                policy: "AmazonEKSViewPolicy".into(),
                namespaces: Some(vec!["n".into()]),
            }],
            span: None,
            at: "mapRoles[0]".into(),
        };
        ledger.admitted.insert(
            stored::owner("team-b/mappings").unwrap(),
            Admitted {
                uid: "77aa".into(),
                digest: Digest::of_claims(std::slice::from_ref(&claim)),
                claims: vec![claim],
            },
        );
        let suspension = |principal| Suspension {
            principal,
            until: Timestamp {
                millis: 1_793_620_800_000,
            },
            reason: "thrown out by hand".into(),
        };
        ledger.suspended = vec![
            suspension(Some(PrincipalKey::of("arn:aws:iam::111122223333:role/A"))),
            suspension(None),
        ];
        ledger
    }

    #[test]
    fn one_principal_is_one_line() {
        insta::assert_snapshot!(print(&full()), @r#"
        {
        "version": 1,
        "cluster": "6b1f",
        "mapRoles": {
        "arn:aws:iam::111122223333:role/A": {"owners":["kube-system/accord-team-a"],"origin":"added","digests":["0a"]}
        },
        "mapUsers": {
        "arn:aws:iam::111122223333:user/kim": {"owners":["kube-system/accord-team-a","b/c"],"origin":"found","digests":["0b","0a"],"claimed":"0a","door":"access-entry","releasing":"nodes use it"}
        },
        "mapAccounts": {
        "012345678901": {"owners":["kube-system/accord-team-a"],"origin":"added","digests":["0a"]}
        },
        "admitted": {
        "team-b/mappings": {"uid":"77aa","digest":"ce9f94a9953c87600d2df281f2e465d4fd96ad1c28bf529826bfc1cb5a7a5cbd","claims":{"mapRoles":[{"principal":"arn:aws:iam::111122223333:role/B","username":"b","groups":["g"],"policies":[{"policy":"AmazonEKSViewPolicy","namespaces":["n"]}]}]}}
        },
        "suspended": [
        {"principal":"arn:aws:iam::111122223333:role/a","until":"2026-11-02T12:00:00Z","reason":"thrown out by hand"},
        {"until":"2026-11-02T12:00:00Z","reason":"thrown out by hand"}
        ]
        }
        "#);
    }

    #[test]
    fn what_is_printed_is_read() {
        assert_eq!(parse(&print(&full())).unwrap(), full());
        assert_eq!(
            parse(&print(&Ledger::default())).unwrap(),
            Ledger::default()
        );
    }

    #[test]
    fn what_is_not_known_is_not_read() {
        let told: Vec<String> = [
            "",
            "{\"version\": 2, \"lines\": []}",
            "{\"version\": 1, \"lines\": []}",
            "{\"version\": 1, \"mapRoles\": {\"a\": {\"owners\": [\"x\"], \"origin\": \"added\", \"digests\": [\"d\"]}}}",
            "{\"version\": 1, \"mapRoles\": {\"a\": {\"owners\": [\"x/y\"], \"origin\": \"added\", \"digests\": []}}}",
            "{\"version\": 1, \"suspended\": [{\"until\": \"soon\", \"reason\": \"r\"}]}",
        ]
        .iter()
        .map(|text| parse(text).unwrap_err().to_string())
        .collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        it is not a ledger that this version of Accord knows
        it has version 2, and this Accord knows version 1
        it is not a ledger that this version of Accord knows
        `x` is no owner: the form is namespace/name
        the line of `a` has no owner or no digest
        `soon` is no time
        ");
    }

    #[test]
    fn five_thousand_lines_fit_into_a_configmap() {
        let lines = (0..5000).map(|n| Line {
            digests: vec![Digest("0".repeat(32)), Digest("1".repeat(32))],
            claimed: Digest("0".repeat(32)),
            ..line(
                SectionName::Roles,
                &format!("arn:aws:iam::111122223333:role/team-number-{n}"),
            )
        });
        let size = print(&ledger(lines)).len();
        assert!(size < 1_048_576, "{size} bytes");
    }

    proptest! {
        #[test]
        fn any_principal_survives(principals in prop::collection::btree_set("\\PC{0,12}", 0..5)) {
            let ledger = ledger(principals.iter().map(|p| line(SectionName::Accounts, p)));
            prop_assert_eq!(parse(&print(&ledger)).unwrap(), ledger);
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = parse(&text);
        }
    }
}
