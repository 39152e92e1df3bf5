//! The journal as it is kept: one ConfigMap `kube-system/accord-journal-UUIDv7` for each applied plan.
//!
//! `binaryData` holds JSON, packed with gzip, since it has whole texts from before and after. The labels let people
//! list the entries (`kubectl get cm -n kube-system -l accord.dev/journal`) without unpacking any.

use std::io::Read as _;

use accord_model::claim::PolicyGrant;
use accord_model::finding::FindingKind;
use accord_model::journal::{JournalEntry, ObjectChange};
use accord_model::plan::{Change, Holder, Refusal, Rights};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config_map::{ConfigMap, Manifest, ObjectName};
use crate::stored::{self, Policy};
use crate::time;

/// What the ConfigMaps' names begin with; the entry's id follows.
pub const PREFIX: &str = "accord-journal-";

/// The label that all of them have; its value is the command.
pub const LABEL: &str = "accord.dev/journal";

/// The key under `binaryData`.
pub const KEY: &str = "entry.json.gz";

/// The version written, and the only one read.
const VERSION: u32 = 1;

/// No entry unpacks to more than this; a ConfigMap holds 1 MiB, and texts pack to a tenth.
const MAX_UNPACKED: u64 = 64 << 20;

/// Why a journal entry cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// No such key under `binaryData`.
    #[error("it has no `{KEY}` under binaryData")]
    Missing,
    /// Not base64.
    #[error("its `{KEY}` is not base64")]
    Base64(#[source] base64::DecodeError),
    /// Not gzip, or cut off.
    #[error("its `{KEY}` cannot be unpacked")]
    Gzip(#[source] std::io::Error),
    /// It unpacks to more than 64 MiB.
    #[error("its `{KEY}` unpacks to more than {} MiB", MAX_UNPACKED >> 20)]
    TooLarge,
    /// Not JSON of this shape.
    #[error("it is not a journal entry that this version of Accord knows")]
    Shape(#[source] serde_json::Error),
    /// Another version.
    #[error("it has version {0}, and this Accord knows version {VERSION}")]
    Version(u32),
    /// An owner, a time or a kind that is none.
    #[error("`{0}` is not what belongs there")]
    Value(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    version: u32,
    id: String,
    at: String,
    command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    caller: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    allowed: Vec<String>,
    done: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<KeptChange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    refusals: Vec<KeptRefusal>,
    objects: Vec<KeptObject>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptChange {
    principal: String,
    before: Option<KeptRights>,
    after: Option<KeptRights>,
    admin: bool,
    owner: KeptHolder,
    reason: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptRights {
    username: String,
    groups: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    policies: Vec<Policy>,
}

/// `"eks"`, `"unclaimed"` or `{"owners": ["namespace/name"]}`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum KeptHolder {
    Owners(Vec<String>),
    Eks,
    Unclaimed,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptRefusal {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    held_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    allow: Option<String>,
    askers: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptObject {
    object: String,
    before: Option<Map<String, Value>>,
    after: Option<Map<String, Value>>,
}

/// The value of [`KEY`]: base64, as it stands under `binaryData`.
///
/// # Errors
/// None that can happen while memory lasts: packing into memory does not fail.
pub fn pack(entry: &JournalEntry) -> Result<String, JournalError> {
    let kept = Kept {
        version: VERSION,
        id: entry.id.clone(),
        at: time::print(entry.at),
        command: entry.command.clone(),
        caller: entry.caller.clone(),
        reason: entry.reason.clone(),
        allowed: entry.allowed.clone(),
        done: entry.done,
        undoes: entry.undoes.clone(),
        changes: entry.changes.iter().map(KeptChange::from).collect(),
        refusals: entry.refusals.iter().map(KeptRefusal::from).collect(),
        objects: entry.objects.iter().map(KeptObject::from).collect(),
    };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    serde_json::to_writer(&mut gzip, &kept).map_err(JournalError::Shape)?;
    let packed = gzip.finish().map_err(JournalError::Gzip)?;
    Ok(BASE64_STANDARD.encode(packed))
}

/// The name of the ConfigMap that keeps the entry with that id.
pub fn object(id: &str) -> ObjectName {
    ObjectName::system(format!("{PREFIX}{id}"))
}

/// The id of the entry that a ConfigMap of that name keeps.
pub fn id(name: &ObjectName) -> Option<&str> {
    let is_system = name.namespace == ObjectName::aws_auth().namespace;
    name.name.strip_prefix(PREFIX).filter(|_| is_system)
}

/// The ConfigMap that keeps an entry.
///
/// # Errors
/// As [`pack`].
pub fn manifest(entry: &JournalEntry) -> Result<Manifest, JournalError> {
    Ok(Manifest {
        name: object(&entry.id),
        labels: vec![(LABEL.to_owned(), entry.command.clone())],
        data: Vec::new(),
        binary_data: vec![(KEY.to_owned(), pack(entry)?)],
    })
}

/// Reads the entry that a ConfigMap keeps.
///
/// # Errors
/// As [`unpack`], or if there is nothing to unpack.
pub fn read(object: &ConfigMap) -> Result<JournalEntry, JournalError> {
    let datum = object.binary_data.iter().rfind(|d| d.key == KEY);
    unpack(
        datum
            .and_then(|d| d.value.text())
            .ok_or(JournalError::Missing)?,
    )
}

/// Reads what [`pack`] made.
///
/// # Errors
/// If it is not an entry of this version, whole.
pub fn unpack(base64: &str) -> Result<JournalEntry, JournalError> {
    // As Kubernetes' decoder does, line breaks in it are passed over.
    let compact: String = base64.split_ascii_whitespace().collect();
    let packed = BASE64_STANDARD
        .decode(compact)
        .map_err(JournalError::Base64)?;
    let mut json = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice())
        .take(MAX_UNPACKED + 1)
        .read_to_end(&mut json)
        .map_err(JournalError::Gzip)?;
    if json.len() as u64 > MAX_UNPACKED {
        return Err(JournalError::TooLarge);
    }
    parse(&json)
}

fn parse(json: &[u8]) -> Result<JournalEntry, JournalError> {
    /// The version alone, so that another one is named before its unknown fields are.
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version } = serde_json::from_slice(json).map_err(JournalError::Shape)?;
    if version != VERSION {
        return Err(JournalError::Version(version));
    }
    let kept: Kept = serde_json::from_slice(json).map_err(JournalError::Shape)?;
    Ok(JournalEntry {
        id: kept.id,
        at: time::parse(&kept.at).ok_or(JournalError::Value(kept.at))?,
        command: kept.command,
        caller: kept.caller,
        reason: kept.reason,
        allowed: kept.allowed,
        done: kept.done,
        undoes: kept.undoes,
        changes: restore(kept.changes)?,
        refusals: restore(kept.refusals)?,
        objects: restore(kept.objects)?,
    })
}

fn restore<K, T: TryFrom<K, Error = JournalError>>(kept: Vec<K>) -> Result<Vec<T>, JournalError> {
    kept.into_iter().map(T::try_from).collect()
}

impl From<&Change> for KeptChange {
    fn from(change: &Change) -> Self {
        Self {
            principal: change.principal.clone(),
            before: change.before.as_ref().map(KeptRights::from),
            after: change.after.as_ref().map(KeptRights::from),
            admin: change.admin,
            owner: match &change.owner {
                Holder::Owners(owners) => {
                    KeptHolder::Owners(owners.iter().map(stored::owner_text).collect())
                }
                Holder::Eks => KeptHolder::Eks,
                Holder::Unclaimed => KeptHolder::Unclaimed,
            },
            reason: change.reason.clone(),
        }
    }
}

impl TryFrom<KeptChange> for Change {
    type Error = JournalError;

    fn try_from(kept: KeptChange) -> Result<Self, JournalError> {
        let owner = match kept.owner {
            KeptHolder::Owners(owners) => Holder::Owners(
                owners
                    .into_iter()
                    .map(|o| stored::owner(&o).ok_or(JournalError::Value(o)))
                    .collect::<Result<_, _>>()?,
            ),
            KeptHolder::Eks => Holder::Eks,
            KeptHolder::Unclaimed => Holder::Unclaimed,
        };
        Ok(Self {
            principal: kept.principal,
            before: kept.before.map(Rights::from),
            after: kept.after.map(Rights::from),
            admin: kept.admin,
            owner,
            reason: kept.reason,
        })
    }
}

impl From<&Rights> for KeptRights {
    fn from(rights: &Rights) -> Self {
        Self {
            username: rights.username.clone(),
            groups: rights.groups.clone(),
            policies: rights.policies.iter().map(Policy::from).collect(),
        }
    }
}

impl From<KeptRights> for Rights {
    fn from(kept: KeptRights) -> Self {
        Self {
            username: kept.username,
            groups: kept.groups,
            policies: kept.policies.into_iter().map(PolicyGrant::from).collect(),
        }
    }
}

impl From<&Refusal> for KeptRefusal {
    fn from(refusal: &Refusal) -> Self {
        Self {
            kind: refusal.kind.name().to_owned(),
            principal: refusal.principal.clone(),
            message: refusal.message.clone(),
            held_by: refusal.held_by.clone(),
            allow: refusal.allow.clone(),
            askers: refusal.askers,
        }
    }
}

impl TryFrom<KeptRefusal> for Refusal {
    type Error = JournalError;

    fn try_from(kept: KeptRefusal) -> Result<Self, JournalError> {
        let kind: Result<FindingKind, _> = kept.kind.parse();
        Ok(Self {
            kind: kind.map_err(|_| JournalError::Value(kept.kind))?,
            principal: kept.principal,
            message: kept.message,
            held_by: kept.held_by,
            allow: kept.allow,
            askers: kept.askers,
        })
    }
}

impl From<&ObjectChange> for KeptObject {
    fn from(change: &ObjectChange) -> Self {
        let data = |data: &Vec<(String, String)>| {
            let pairs = data.iter().cloned();
            pairs.map(|(k, v)| (k, Value::String(v))).collect()
        };
        Self {
            object: change.object.clone(),
            before: change.before.as_ref().map(data),
            after: change.after.as_ref().map(data),
        }
    }
}

impl TryFrom<KeptObject> for ObjectChange {
    type Error = JournalError;

    fn try_from(kept: KeptObject) -> Result<Self, JournalError> {
        let data = |data: Map<String, Value>| {
            let pairs = data.into_iter().map(|(key, value)| match value {
                Value::String(text) => Ok((key, text)),
                other => Err(JournalError::Value(other.to_string())),
            });
            pairs.collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            object: kept.object,
            before: kept.before.map(data).transpose()?,
            after: kept.after.map(data).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use accord_model::claim::Owner;
    use accord_model::time::Timestamp;
    use proptest::prelude::*;

    fn entry() -> JournalEntry {
        let rights = Rights {
            username: "kim".into(),
            groups: vec!["system:masters".into()],
            policies: vec![PolicyGrant {
                policy: "AmazonEKSViewPolicy".into(),
                namespaces: None,
            }],
        };
        let change = |owner| Change {
            principal: "arn:aws:iam::111122223333:role/a".into(),
            before: Some(rights.clone()),
            after: None,
            admin: true,
            owner,
            reason: "given up".into(),
        };
        JournalEntry {
            id: "019a1b2c-0000-7000-8000-000000000001".into(),
            at: Timestamp {
                millis: 1_793_620_800_123,
            },
            command: "apply".into(),
            caller: Some("arn:aws:sts::111122223333:assumed-role/a/kim".into()),
            reason: Some("handed over".into()),
            allowed: vec!["last-admin-removed=arn:aws:iam::111122223333:role/a".into()],
            done: false,
            changes: vec![
                change(Holder::Owners(vec![Owner::named("team-a")])),
                change(Holder::Eks),
                change(Holder::Unclaimed),
            ],
            refusals: vec![Refusal {
                kind: FindingKind::HeldByOther,
                principal: None,
                message: "no".into(),
                held_by: Some("eks".into()),
                allow: None,
                askers: true,
            }],
            objects: vec![ObjectChange {
                object: "ConfigMap/kube-system/aws-auth".into(),
                before: Some(vec![
                    ("mapUsers".into(), "[]".into()),
                    ("mapRoles".into(), "- rolearn: a\r\n".into()),
                ]),
                after: None,
            }],
            undoes: Some("019a1b2c-0000-7000-8000-000000000000".into()),
        }
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        assert_eq!(unpack(&pack(&entry()).unwrap()).unwrap(), entry());
    }

    #[test]
    fn what_is_no_entry_is_said_to_be_none() {
        let gzip = |json: &str| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut gzip, json.as_bytes()).unwrap();
            BASE64_STANDARD.encode(gzip.finish().unwrap())
        };
        let packed = pack(&entry()).unwrap();
        let told: Vec<String> = [
            "%",
            "AAAA",
            &packed[..packed.len() / 2 / 4 * 4],
            &gzip("{}"),
            &gzip("{\"version\": 7}"),
        ]
        .iter()
        .map(|text| unpack(text).unwrap_err().to_string())
        .collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        its `entry.json.gz` is not base64
        its `entry.json.gz` cannot be unpacked
        its `entry.json.gz` cannot be unpacked
        it is not a journal entry that this version of Accord knows
        it has version 7, and this Accord knows version 1
        ");
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let zeros = vec![b' '; 1 << 20];
        for _ in 0..65 {
            std::io::Write::write_all(&mut gzip, &zeros).unwrap();
        }
        let bomb = BASE64_STANDARD.encode(gzip.finish().unwrap());
        assert!(matches!(unpack(&bomb), Err(JournalError::TooLarge)));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[A-Za-z0-9+/=]{0,80}|\\PC{0,20}") {
            let _ = unpack(&text);
        }
    }
}
