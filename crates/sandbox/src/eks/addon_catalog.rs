//! Which add-ons there are: their versions, service accounts and settings.
//!
//! Names, namespaces, service accounts and policies are those of EKS. The versions are the sandbox's own, chosen so that
//! each add-on has one from before and one from after it could use Pod Identity.

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{cluster_version, page};
use crate::world::{Answer, AwsError, Call, World};

/// An add-on of the catalogue.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) name: String,
    #[serde(rename = "type")]
    kind: String,
    pub(super) namespace: String,
    owner: String,
    /// The newest first, which is the default.
    versions: Vec<String>,
    compute: Vec<String>,
    /// Some version can use Pod Identity.
    pod_identity: bool,
    /// The first version that can; without it, all can.
    pod_identity_from: Option<String>,
    pub(super) service_accounts: Vec<ServiceAccount>,
    /// Settings of its own, beside those that every add-on has.
    settings: Vec<String>,
}

/// A service account of an add-on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServiceAccount {
    pub(super) name: String,
    /// It needs permissions in AWS.
    iam: bool,
    policies: Vec<String>,
}

/// Settings that every add-on has, and their types.
const SETTINGS: &[(&str, &str)] = &[
    ("affinity", "object"),
    ("nodeSelector", "object"),
    ("podAnnotations", "object"),
    ("podLabels", "object"),
    ("replicaCount", "integer"),
    ("resources", "object"),
    ("tolerations", "array"),
];

fn catalog() -> &'static [Entry] {
    static CATALOG: OnceLock<Vec<Entry>> = OnceLock::new();
    CATALOG.get_or_init(|| serde_json::from_str(include_str!("addons.json")).unwrap_or_default())
}

/// The add-on of that name.
pub(super) fn find(name: &str) -> Result<&'static Entry, AwsError> {
    let entry = catalog().iter().find(|entry| entry.name == name);
    entry.ok_or_else(|| {
        AwsError::invalid_parameter(format!("Addon {name} specified is not supported"))
            .with("addonName", name)
    })
}

impl Entry {
    /// The version asked for, or the default.
    pub(super) fn version(&self, asked: Option<&str>) -> Result<String, AwsError> {
        let known = match asked {
            None => self.versions.first(),
            Some(asked) => self.versions.iter().find(|v| *v == asked),
        };
        known.cloned().ok_or_else(|| {
            AwsError::invalid_parameter("Addon version specified is not supported")
                .with("addonName", &self.name)
        })
    }

    /// Whether a version can use Pod Identity.
    fn has_pod_identity(&self, version: &str) -> bool {
        let place = |wanted: &str| self.versions.iter().position(|v| v == wanted);
        self.pod_identity
            && match &self.pod_identity_from {
                None => true,
                Some(first) => place(version) <= place(first),
            }
    }

    /// Refuses an association of a service account that the add-on does not take one for.
    pub(super) fn check_association(&self, version: &str, account: &str) -> Result<(), AwsError> {
        if !self.has_pod_identity(version) {
            return Err(AwsError::invalid_parameter(format!(
                "Addon {} version {version} does not support Pod Identity associations",
                self.name
            ))
            .with("addonName", &self.name));
        }
        match self
            .service_accounts
            .iter()
            .any(|a| a.iam && a.name == account)
        {
            true => Ok(()),
            false => Err(AwsError::invalid_parameter(format!(
                "The service account {account} is not supported by the addon {}",
                self.name
            ))
            .with("addonName", &self.name)),
        }
    }

    fn properties(&self) -> Map<String, Value> {
        let common = SETTINGS
            .iter()
            .map(|(name, kind)| ((*name).to_owned(), json!({"type": kind})));
        let own = self.settings.iter().map(|name| (name.clone(), json!({})));
        common.chain(own).collect()
    }

    /// The schema of its settings.
    fn schema(&self) -> Value {
        json!({
            "$schema": "http://json-schema.org/draft-06/schema#",
            "type": "object",
            "additionalProperties": false,
            "properties": self.properties(),
        })
    }

    /// Refuses settings that the schema does not have, or that are of another type.
    pub(super) fn check_settings(&self, text: &str) -> Result<(), AwsError> {
        let refuse = |why: String| {
            Err(AwsError::invalid_parameter(format!(
                "ConfigurationValue provided in request is not supported: {why}"
            ))
            .with("addonName", &self.name))
        };
        let values = match accord_wire::state::values(text) {
            Ok(values) => values,
            Err(error) => return refuse(error.to_string()),
        };
        let Some(Value::Object(values)) = values.into_iter().next() else {
            return refuse("it is no mapping".into());
        };
        let properties = self.properties();
        for (name, value) in &values {
            let Some(property) = properties.get(name) else {
                return refuse(format!(
                    "Json schema validation failed with error: [$.{name}: is not defined in the schema and the schema does not allow additional properties]"
                ));
            };
            let fits = match property.get("type").and_then(Value::as_str) {
                Some("object") => value.is_object(),
                Some("array") => value.is_array(),
                Some("integer") => value.is_i64() || value.is_u64(),
                _ => true,
            };
            if !fits {
                return refuse(format!(
                    "Json schema validation failed with error: [$.{name}: is of another type]"
                ));
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Versions {
    addon_name: Option<String>,
    kubernetes_version: Option<String>,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    publishers: Vec<String>,
    #[serde(default)]
    owners: Vec<String>,
}

pub(super) fn describe_versions(world: &mut World, call: &Call) -> Answer {
    let input: Versions = call.input()?;
    if let Some(name) = &input.addon_name {
        find(name)?;
    }
    if let Some(version) = &input.kubernetes_version {
        cluster_version::check(version)?;
    }
    let among = |list: &[String], value: &str| list.is_empty() || list.iter().any(|v| v == value);
    let wanted = |entry: &&Entry| {
        input
            .addon_name
            .as_ref()
            .is_none_or(|name| entry.name == *name)
            && among(&input.types, &entry.kind)
            && among(&input.owners, &entry.owner)
            && among(&input.publishers, "eks")
    };
    let mut items: Vec<(String, Value)> = catalog()
        .iter()
        .filter(wanted)
        .map(|entry| {
            (
                entry.name.clone(),
                shown(entry, input.kubernetes_version.as_deref()),
            )
        })
        .collect();
    items.sort_by(|(a, _), (b, _)| a.cmp(b));
    page::answer(world, call, "addons", items)
}

fn shown(entry: &Entry, kubernetes: Option<&str>) -> Value {
    let clusters =
        || cluster_version::all().filter(|v| kubernetes.is_none_or(|wanted| wanted == *v));
    let needs_iam = entry.service_accounts.iter().any(|account| account.iam);
    let versions = entry.versions.iter().enumerate().map(|(at, version)| {
        let compatible = clusters().map(|cluster| {
            json!({"clusterVersion": cluster, "platformVersions": ["*"], "defaultVersion": at == 0})
        });
        json!({
            "addonVersion": version,
            "architecture": ["amd64", "arm64"],
            "computeTypes": entry.compute.iter().map(|c| c.to_lowercase()).collect::<Vec<_>>(),
            "compatibilities": compatible.collect::<Vec<_>>(),
            "requiresConfiguration": false,
            "requiresIamPermissions": needs_iam,
        })
    });
    json!({
        "addonName": entry.name,
        "type": entry.kind,
        "addonVersions": versions.collect::<Vec<_>>(),
        "publisher": "eks",
        "owner": entry.owner,
        "defaultNamespace": entry.namespace,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Configuration {
    addon_name: String,
    addon_version: String,
}

pub(super) fn describe_configuration(_world: &mut World, call: &Call) -> Answer {
    let input: Configuration = call.input()?;
    let entry = find(&input.addon_name)?;
    let version = entry.version(Some(&input.addon_version))?;
    let accounts = entry.service_accounts.iter().filter(|account| account.iam);
    let mut answer = json!({
        "addonName": entry.name,
        "addonVersion": version,
        "configurationSchema": entry.schema().to_string(),
    });
    if entry.has_pod_identity(&version) {
        let configuration = accounts.map(|account| {
            json!({"serviceAccount": account.name, "recommendedManagedPolicies": account.policies})
        });
        answer["podIdentityConfiguration"] = configuration.collect();
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_can_be_read() {
        assert_eq!(catalog().len(), 22);
        let csi = find("aws-ebs-csi-driver").unwrap();
        let newest = csi.version(None).unwrap();
        assert!(
            csi.check_association(&newest, "ebs-csi-controller-sa")
                .is_ok()
        );
        assert!(
            csi.check_association("v1.25.0-eksbuild.1", "ebs-csi-controller-sa")
                .is_err()
        );
        assert!(csi.check_association(&newest, "ebs-csi-node-sa").is_err());
    }

    #[test]
    fn settings_are_json_or_yaml_of_the_schema() {
        let csi = find("aws-ebs-csi-driver").unwrap();
        assert!(csi.check_settings("{\"controller\": {\"x\": 1}}").is_ok());
        assert!(csi.check_settings("replicaCount: 2\n").is_ok());
        for bad in ["replicaCount: two", "nonsense: 1", "- a", "{"] {
            assert!(csi.check_settings(bad).is_err(), "{bad}");
        }
    }
}
