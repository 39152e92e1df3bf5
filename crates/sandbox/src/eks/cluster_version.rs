//! Versions of Kubernetes that a cluster can have.

use serde::Deserialize;
use serde_json::json;

use super::update::{self, Effect, Subject};
use super::{input, page};
use crate::world::{Answer, AwsError, Call, World};

/// The version of a cluster that is made without one.
pub(crate) const DEFAULT: &str = "1.33";

/// Versions, with the times in seconds since 1970 of their release and the ends of standard and extended support.
const VERSIONS: &[(&str, u64, u64, u64)] = &[
    ("1.31", 1_727_308_800, 1_764_115_200, 1_795_651_200),
    ("1.32", 1_737_590_400, 1_774_224_000, 1_805_760_000),
    ("1.33", 1_748_476_800, 1_785_283_200, 1_816_819_200),
    ("1.34", 1_759_363_200, 1_796_169_600, 1_827_705_600),
    ("1.35", 1_769_558_400, 1_806_364_800, 1_837_900_800),
];

/// All versions, the oldest first.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    VERSIONS.iter().map(|(version, ..)| *version)
}

/// The version, if there is such a one.
pub(super) fn check(version: &str) -> Result<String, AwsError> {
    match all().any(|known| known == version) {
        true => Ok(version.to_owned()),
        false => Err(AwsError::invalid_parameter(format!(
            "unsupported Kubernetes version {version}"
        ))),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Describe {
    #[serde(default)]
    cluster_versions: Vec<String>,
    #[serde(default)]
    default_only: bool,
}

pub(super) fn describe(world: &mut World, call: &Call) -> Answer {
    let input: Describe = call.input()?;
    let now = world.now().millis / 1000;
    let wanted = |version: &str| {
        (input.cluster_versions.is_empty() || input.cluster_versions.iter().any(|v| v == version))
            && (!input.default_only || version == DEFAULT)
    };
    let versions = VERSIONS.iter().filter(|(version, ..)| wanted(version));
    let items = versions.map(|&(version, released, standard, extended)| {
        let (status, long) = match now < standard {
            true => ("standard-support", "STANDARD_SUPPORT"),
            false if now < extended => ("extended-support", "EXTENDED_SUPPORT"),
            false => ("unsupported", "UNSUPPORTED"),
        };
        let shown = json!({
            "clusterVersion": version,
            "clusterType": "eks",
            "defaultPlatformVersion": "eks.1",
            "defaultVersion": version == DEFAULT,
            "releaseDate": released,
            "endOfStandardSupportDate": standard,
            "endOfExtendedSupportDate": extended,
            "status": status,
            "versionStatus": long,
            "kubernetesPatchVersion": format!("{version}.0"),
        });
        (version.to_owned(), shown)
    });
    page::answer(world, call, "clusterVersions", items)
}

#[derive(Deserialize)]
struct Update {
    name: String,
    version: String,
}

pub(super) fn update(world: &mut World, call: &Call) -> Answer {
    let Update { name, version } = call.input()?;
    let cluster = world.cluster(call, &name)?;
    input::check_active(cluster, "UpdateClusterVersion")?;
    update::check_idle(cluster, "VersionUpdate")?;
    check(&version)?;
    let place = |version: &str| all().position(|known| known == version);
    let (from, to) = (place(&cluster.about.version), place(&version));
    if from == to {
        return Err(AwsError::invalid_parameter(format!(
            "Cluster is already at version {version}"
        ))
        .of_cluster(&name));
    }
    if from.map(|from| from + 1) != to {
        return Err(AwsError::invalid_parameter(format!(
            "Unsupported Kubernetes minor version update from {} to {version}",
            cluster.about.version
        ))
        .of_cluster(&name));
    }
    let parameters = vec![
        ("Version", json!(version)),
        ("PlatformVersion", json!("eks.1")),
    ];
    let key = call.cluster_key(&name);
    let effect = Effect::Merge("version".into(), version.into());
    update::begin(
        world,
        &key,
        Subject::Cluster,
        "VersionUpdate",
        parameters,
        effect,
    )
}
