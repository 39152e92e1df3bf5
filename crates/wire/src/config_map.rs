//! ConfigMaps: as they are read, and as they are to be written.

use std::fmt;
use std::sync::Arc;

use accord_model::claim::Owner;
use accord_model::observed::FieldManager;
use accord_model::span::{Span, TextId};
use accord_model::time::Timestamp;

use crate::quote;

/// Which ConfigMap. Printed as `ConfigMap/kube-system/aws-auth`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectName {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl ObjectName {
    /// The ConfigMap `name` in `kube-system`.
    pub fn system(name: impl Into<String>) -> Self {
        Self {
            namespace: "kube-system".into(),
            name: name.into(),
        }
    }

    /// `kube-system/aws-auth`, which the authenticator reads.
    pub fn aws_auth() -> Self {
        Self::system("aws-auth")
    }
}

impl From<&Owner> for ObjectName {
    fn from(owner: &Owner) -> Self {
        Self {
            namespace: owner.namespace.clone(),
            name: owner.name.clone(),
        }
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConfigMap/{}/{}", self.namespace, self.name)
    }
}

/// A ConfigMap as read, from a file or a cluster.
#[derive(Clone, Debug)]
pub struct ConfigMap {
    /// Which one.
    pub name: ObjectName,
    /// `metadata.uid`
    pub uid: Option<String>,
    /// `metadata.creationTimestamp`
    pub created: Option<Timestamp>,
    /// `metadata.labels`
    pub labels: Vec<(String, String)>,
    /// `immutable: true`
    pub immutable: bool,
    /// `metadata.managedFields`, as far as they concern `data`.
    pub managers: Vec<FieldManager>,
    /// `data`
    pub data: Vec<Datum>,
    /// `binaryData`, in base64.
    pub binary_data: Vec<Datum>,
    /// The object itself.
    pub span: Option<Span>,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Datum {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub span: Option<Span>,
    /// The value.
    pub value: Value,
}

/// A value of a ConfigMap.
#[derive(Clone, Debug)]
pub enum Value {
    /// Text, as it must be.
    Text {
        /// The text.
        text: Arc<str>,
        /// Under which id it is registered, if it is.
        id: Option<TextId>,
    },
    /// A list, a mapping, a number or a boolean: the API server refuses the object.
    Other {
        /// What stands there, as written.
        text: Arc<str>,
        /// Under which id it is registered.
        id: TextId,
        /// What it is: `a list`.
        what: &'static str,
    },
}

impl ConfigMap {
    /// The last value of that key under `data`.
    pub fn datum(&self, key: &str) -> Option<&Datum> {
        self.data.iter().rfind(|d| d.key == key)
    }

    /// The text of that key under `data`, if it is text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.datum(key)?.value.text()
    }

    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        let label = self.labels.iter().rfind(|(k, _)| k == key);
        label.map(|(_, value)| value.as_str())
    }

    /// The `data` that is text, in the order of the object.
    pub fn texts(&self) -> Vec<(String, String)> {
        let texts = self.data.iter().filter_map(|d| {
            let text = d.value.text()?;
            Some((d.key.clone(), text.to_owned()))
        });
        texts.collect()
    }
}

impl Value {
    /// The text, if it is text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            Self::Other { .. } => None,
        }
    }
}

/// A ConfigMap to be written: all that Accord says about it. What else the object has stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Which one.
    pub name: ObjectName,
    /// Its labels.
    pub labels: Vec<(String, String)>,
    /// `data`
    pub data: Vec<(String, String)>,
    /// `binaryData`, in base64.
    pub binary_data: Vec<(String, String)>,
}

impl Manifest {
    /// The object as a YAML document in block style, without `---`, its lines ended by `newline`.
    pub fn text(&self, newline: &str) -> String {
        let mut out = String::new();
        let mut line = |text: &str| {
            out.push_str(text);
            out.push_str(newline);
        };
        line("apiVersion: v1");
        line("kind: ConfigMap");
        line("metadata:");
        line(&format!("  name: {}", quote::block(&self.name.name)));
        line(&format!(
            "  namespace: {}",
            quote::block(&self.name.namespace)
        ));
        for (name, fields) in [
            ("  labels", &self.labels),
            ("data", &self.data),
            ("binaryData", &self.binary_data),
        ] {
            if fields.is_empty() {
                continue;
            }
            line(&format!("{name}:"));
            let indent = name.len() - name.trim_start().len() + 2;
            for (key, value) in fields {
                let entry = format!(
                    "{}{}: {}",
                    " ".repeat(indent),
                    quote::block(key),
                    quote::value(value, indent, indent + 2, newline)
                );
                line(entry.strip_suffix(newline).unwrap_or(&entry));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_block_yaml() {
        let manifest = Manifest {
            name: ObjectName::system("accord-a"),
            labels: vec![("accord.dev/aws-auth".into(), "fragment".into())],
            data: vec![
                ("mapRoles".into(), "- rolearn: a\n\n- rolearn: b\n".into()),
                ("mapUsers".into(), "[]".into()),
            ],
            binary_data: vec![("x".into(), "AAEC".into())],
        };
        insta::assert_snapshot!(manifest.text("\n"), @r"
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: accord-a
          namespace: kube-system
          labels:
            accord.dev/aws-auth: fragment
        data:
          mapRoles: |
            - rolearn: a

            - rolearn: b
          mapUsers: '[]'
        binaryData:
          x: AAEC
        ");
    }
}
