//! Times as the services print them.

use accord_model::time::Timestamp;
use accord_wire::time;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A time as EKS prints it: seconds since 1970, with a fraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp(pub(crate) Timestamp);

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.millis as f64 / 1000.0)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer).map(Self)
    }
}

/// A time as IAM and STS print it: RFC 3339 in UTC, to the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Iso(pub(crate) Timestamp);

impl Iso {
    /// The time without its fraction: what a client of IAM can see.
    pub(crate) fn text(self) -> String {
        time::print(Timestamp {
            millis: self.0.millis / 1000 * 1000,
        })
    }
}

impl Serialize for Iso {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Iso {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer).map(Self)
    }
}

/// A time in either form: state files hold what the AWS CLI prints, which is either.
fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    let read = match &value {
        serde_json::Value::String(text) => time::parse_aws(text),
        // A fraction of a second is no exact number, so it is rounded to where it came from.
        other => other
            .as_f64()
            .filter(|s| *s >= 0.0)
            .map(|seconds| Timestamp {
                millis: (seconds * 1000.0).round() as u64,
            }),
    };
    read.ok_or_else(|| D::Error::custom(format!("{value} is no time")))
}

/// A time as a saved world keeps it: milliseconds since 1970.
pub(crate) mod millis {
    use super::{Deserialize, Deserializer, Serializer, Timestamp};

    pub(crate) fn serialize<S: Serializer>(
        at: &Timestamp,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(at.millis)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Timestamp, D::Error> {
        u64::deserialize(deserializer).map(|millis| Timestamp { millis })
    }
}
