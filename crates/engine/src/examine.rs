//! What is wrong in files that people hand in: a map, a fragment, a bare list, a state file, a template.

use std::path::Path;

use accord_model::deploy::Deploy;
use accord_model::finding::Finding;
use accord_model::observed::{AwsAuth, Observed};
use accord_model::reading::AuthMap;
use accord_model::time::Timestamp;
use accord_plan::lint::{self, World};
use accord_wire::config_map::ObjectName;
use accord_wire::declaration;
use accord_wire::sources::{Misread, Sources};
use accord_wire::state::StateFile;
use accord_wire::template::{self, Target};
use accord_wire::terraform;

use crate::assembly;
use crate::input::Input;

/// What a bare list is called where an object is named.
pub(crate) const BARE: &str = "list of mappings";

/// One file, as its shape tells.
#[derive(Debug)]
pub enum Examined {
    /// A list of mappings, or a mapping of sections, without an object around it.
    Bare(Box<AuthMap>),
    /// Documents: a manifest, a fragment, a whole state.
    Documents(Box<Observed>, Box<StateFile>),
    /// What another tool is about to do.
    Deploy(Box<Deploy>),
}

/// Reads a file of any kind. `facts` are further documents that are known, `live` is the cluster that it is for.
///
/// # Errors
/// If it is of no kind, or contradicts the facts.
pub fn read(
    input: &Input,
    facts: &[StateFile],
    live: Option<&Observed>,
    now: Timestamp,
    sources: &mut Sources,
) -> Result<Examined, Misread> {
    let arn = live.and_then(|l| l.cluster.as_ref()?.arn.as_deref());
    let target = arn.map(Target::of_arn).unwrap_or_default();
    let folder = Path::new(&input.name).parent().unwrap_or(Path::new(""));
    let beside = |path: &str| assembly::text_beside(folder, path);
    let (name, bytes) = (input.name.as_str(), input.bytes.as_slice());
    let deploy = match terraform::read(name, bytes, &target, sources)? {
        Some(plan) => Some(plan),
        None => template::read(name, bytes, &target, &beside, sources)?,
    };
    if let Some(deploy) = deploy {
        return Ok(Examined::Deploy(Box::new(deploy)));
    }
    if let Some(map) = declaration::as_map(&input.name, &input.bytes, sources)? {
        return Ok(Examined::Bare(Box::new(map)));
    }
    let file = StateFile::parse(&input.name, &input.bytes, sources)?;
    let observed = file.observed(now, facts, sources)?;
    Ok(Examined::Documents(Box::new(observed), Box::new(file)))
}

impl Examined {
    /// Everything that is wrong or risky in it. `cluster` is what is known of the cluster that it is for, if that is
    /// not in the file itself. What another tool is about to do is judged by [`accord_plan::deploy`].
    pub fn findings(&self, cluster: Option<&Observed>) -> Vec<Finding> {
        match self {
            Self::Deploy(_) => Vec::new(),
            Self::Bare(map) => {
                let world = cluster.map(World::of).unwrap_or_default();
                lint::lint_map(map, &[], BARE, &world)
            }
            Self::Documents(observed, file) => {
                let mut findings = match (cluster, &observed.aws_auth) {
                    (None, _) => lint::lint(observed),
                    (Some(cluster), Some(aws_auth)) => of_map(aws_auth, cluster),
                    (Some(_), None) => Vec::new(),
                };
                let world = World::of(cluster.unwrap_or(observed));
                for (owner, fragment) in file.fragment_maps() {
                    let object = ObjectName::from(&owner).to_string();
                    let found =
                        lint::lint_map(&fragment.map, &fragment.stray_keys, &object, &world);
                    findings.extend(found);
                }
                findings.extend(observed.findings.iter().cloned());
                findings
            }
        }
    }

    /// The `aws-auth` object in it.
    pub fn aws_auth(&self) -> Option<&AwsAuth> {
        match self {
            Self::Bare(_) | Self::Deploy(_) => None,
            Self::Documents(observed, _) => observed.aws_auth.as_ref(),
        }
    }
}

/// Findings in a map that is to be put in place on `cluster`.
fn of_map(aws_auth: &AwsAuth, cluster: &Observed) -> Vec<Finding> {
    lint::lint_map(
        &aws_auth.map,
        &aws_auth.stray_keys,
        lint::AWS_AUTH,
        &World::of(cluster),
    )
}
