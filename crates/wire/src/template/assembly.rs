//! The folder `cdk.out`: which stacks there are, their templates and assets, and from where in a program a resource comes.
//!
//! Source: the cloud assembly schema of the CDK. Metadata stand in the manifest, or (since 2026) in a file beside it; the
//! place in the program is in `aws:cdk:creationStack` or in a `trace`, if the CDK was told to keep one.

use std::collections::BTreeMap;
use std::sync::Arc;

use accord_model::deploy::Deploy;
use accord_model::finding::Origin;
use accord_model::span::Place;

use super::{Beside, Ground, Target, Template, empty, is_template};
use crate::deploy::Kind;
use crate::sources::{Misread, Sources};
use crate::state;
use crate::view::{Fault, View};
use crate::yaml::{self, Dialect, Tree};

/// What `manifest.json` names. Paths are relative to its folder.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// The stacks, in its order.
    pub stacks: Vec<StackFiles>,
    /// Folders of assemblies inside this one.
    pub assemblies: Vec<String>,
}

/// A stack in a manifest.
#[derive(Clone, Debug, Default)]
pub struct StackFiles {
    /// The stack, its account and region.
    pub target: Target,
    /// Its template.
    pub template: String,
    /// Where its metadata are, if they have a file of their own.
    pub metadata: Option<String>,
    /// Manifests of assets.
    pub assets: Vec<String>,
    /// From where resources come, as far as the manifest itself says.
    pub origins: BTreeMap<String, Origin>,
}

/// A stack with the texts of its files.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The stack, its account and region.
    pub target: Target,
    /// The template's name for people.
    pub name: String,
    /// The template.
    pub text: Arc<str>,
    /// From where its resources come.
    pub origins: BTreeMap<String, Origin>,
    /// The files of assets, by their hash.
    pub assets: BTreeMap<String, String>,
}

/// Reads `manifest.json`; `None` if it is something else.
///
/// # Errors
/// If it cannot be read.
pub fn manifest(
    name: &str,
    bytes: &[u8],
    sources: &mut Sources,
) -> Result<Option<Manifest>, Misread> {
    let text = state::text(name, bytes)?;
    let id = sources.add_file(name, text);
    let misread = |fault: Fault| sources.misread(fault.range.of(id), fault.message);
    let tree =
        yaml::first_document(text, Dialect::Json).map_err(|e| misread(state::unreadable(e)))?;
    let root = View::root(&tree).filter(|root| root.has("artifacts") && root.has("version"));
    root.map(|root| read_manifest(&root))
        .transpose()
        .map_err(misread)
}

fn read_manifest(root: &View<'_>) -> Result<Manifest, Fault> {
    let mut manifest = Manifest::default();
    let artifacts = root.pairs("artifacts")?;
    let asset_file = |id: &str| -> Option<String> {
        let (_, artifact) = artifacts.iter().find(|(name, _)| name == id)?;
        let kind = artifact.text("type").ok()??;
        (kind == "cdk:asset-manifest").then(|| artifact.get("properties")?.text("file").ok()?)?
    };
    for (id, artifact) in &artifacts {
        let properties = artifact.mapping("properties")?;
        match artifact.text("type")?.as_deref() {
            Some("aws:cloudformation:stack") => {
                let Some(properties) = properties else {
                    continue;
                };
                let mut target = environment(&artifact.text("environment")?.unwrap_or_default());
                target.stack = properties.text("stackName")?.or_else(|| Some(id.clone()));
                let dependencies = artifact.texts("dependencies")?;
                manifest.stacks.push(StackFiles {
                    target,
                    template: properties.need_text("templateFile")?,
                    metadata: artifact.text("additionalMetadataFile")?,
                    assets: dependencies.iter().filter_map(|d| asset_file(d)).collect(),
                    origins: artifact
                        .mapping("metadata")?
                        .map(|m| origins_in(&m))
                        .unwrap_or_default(),
                });
            }
            Some("cdk:cloud-assembly") => {
                let folder = properties
                    .map(|p| p.text("directoryName"))
                    .transpose()?
                    .flatten();
                manifest.assemblies.extend(folder);
            }
            _ => {}
        }
    }
    Ok(manifest)
}

/// `aws://111122223333/eu-west-1`; what is unknown to the CDK stays so.
fn environment(text: &str) -> Target {
    let mut parts = text.strip_prefix("aws://").unwrap_or_default().split('/');
    let mut known = || {
        let part = parts
            .next()
            .filter(|p| !p.is_empty() && !p.starts_with("unknown-"))?;
        Some(part.to_owned())
    };
    let (account, region) = (known(), known());
    Target {
        partition: region.as_deref().map(|r| partition_of(r).to_owned()),
        region,
        account,
        stack: None,
    }
}

/// The partition that a region is in, by its name.
fn partition_of(region: &str) -> &'static str {
    let known = [
        ("cn-", "aws-cn"),
        ("us-gov-", "aws-us-gov"),
        ("us-isob-", "aws-iso-b"),
        ("us-isof-", "aws-iso-f"),
        ("eu-isoe-", "aws-iso-e"),
        ("us-iso-", "aws-iso"),
        ("eusc-", "aws-eusc"),
    ];
    let found = known.iter().find(|(prefix, _)| region.starts_with(prefix));
    found.map_or("aws", |(_, partition)| partition)
}

/// A file of metadata: from where resources come. One that cannot be read says nothing.
pub fn origins(text: &str) -> BTreeMap<String, Origin> {
    let tree = yaml::first_document(text, Dialect::Json).ok();
    let root = tree.as_ref().and_then(View::root);
    root.map(|root| origins_in(&root)).unwrap_or_default()
}

/// Metadata by the path of the construct: each has the logical id that it stands for, and perhaps a stack trace.
fn origins_in(metadata: &View<'_>) -> BTreeMap<String, Origin> {
    let tree = metadata.tree;
    let mut origins = BTreeMap::new();
    for (path, entries) in tree.entries(metadata.node) {
        let construct = tree.scalar(tree.target(path)).trim_start_matches('/');
        let Some(entries) = View::of(tree, entries, String::new()) else {
            continue;
        };
        let (mut id, mut place) = (None, None);
        for entry in entries.as_list().unwrap_or_default() {
            match entry.text("type").ok().flatten().as_deref() {
                Some("aws:cdk:logicalId") => {
                    id = entry.text("data").ok().flatten();
                    place = place.or_else(|| place_in(&entry, "trace"));
                }
                Some("aws:cdk:creationStack") => place = place.or_else(|| place_in(&entry, "data")),
                _ => {}
            }
        }
        if let Some(id) = id {
            let construct = construct.to_owned();
            origins.insert(id, Origin { construct, place });
        }
    }
    origins
}

/// The first frame of a stack trace that is not the CDK's own: `<anonymous> (/app/bin/app.ts:9:11)`.
fn place_in(entry: &View<'_>, field: &str) -> Option<Place> {
    let frames = entry.texts(field).ok()?;
    frames.iter().find_map(|frame| {
        let foreign = [
            "node_modules",
            "node:internal",
            "jsii-kernel",
            "aws-cdk-lib",
        ];
        if foreign.iter().any(|word| frame.contains(word)) {
            return None;
        }
        let inner = match frame.rsplit_once('(') {
            Some((_, inner)) => inner.trim_end_matches(')'),
            None => frame.trim().trim_start_matches("at "),
        };
        let mut parts = inner.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        Some(Place {
            file: Some(parts.next()?.to_owned()),
            line,
            column,
        })
    })
}

/// A manifest of assets: the files by their hash. One that cannot be read names none.
pub fn assets(text: &str) -> BTreeMap<String, String> {
    let Ok(tree) = yaml::first_document(text, Dialect::Json) else {
        return BTreeMap::new();
    };
    let files = View::root(&tree).and_then(|root| root.pairs("files").ok());
    let files = files.unwrap_or_default().into_iter();
    files
        .filter_map(|(hash, file)| Some((hash, file.get("source")?.text("path").ok()??)))
        .collect()
}

/// Reads stacks together, those of one account and region as one deploy: what one exports, another may import.
///
/// # Errors
/// If a template cannot be read.
pub fn read(
    stacks: &[Stack],
    beside: Beside<'_>,
    sources: &mut Sources,
) -> Result<Vec<Deploy>, Misread> {
    let mut trees: Vec<(usize, Tree<'_>, accord_model::span::TextId)> = Vec::new();
    for (index, stack) in stacks.iter().enumerate() {
        let id = sources.add_file(stack.name.as_str(), stack.text.clone());
        let tree = yaml::first_document(&stack.text, Dialect::Json).map_err(|error| {
            let fault = state::unreadable(error);
            sources.misread(fault.range.of(id), fault.message)
        })?;
        trees.push((index, tree, id));
    }
    let grounds = grounds(stacks, &trees, beside);
    let mut deploys: Vec<Deploy> = Vec::new();
    for ((index, tree, id), ground) in trees.iter().zip(&grounds) {
        let Some(stack) = stacks.get(*index) else {
            continue;
        };
        let Some(root) = View::root(tree).filter(is_template) else {
            continue;
        };
        let template = Template::of(tree, root.node, *id, ground);
        let (account, region) = (&stack.target.account, &stack.target.region);
        let same = |d: &&mut Deploy| d.account == *account && d.region == *region;
        match deploys.iter_mut().find(same) {
            Some(deploy) => {
                deploy.stack = None;
                template.resources(deploy, sources);
            }
            None => {
                let mut deploy = empty(&stack.name, &stack.target);
                template.resources(&mut deploy, sources);
                deploys.push(deploy);
            }
        }
    }
    Ok(deploys)
}

/// What is exported in each account and region.
type Exports = BTreeMap<(Option<String>, Option<String>), BTreeMap<String, Kind>>;

/// What surrounds each template. Exports may rest on other stacks' exports, so they are looked for until no more come.
fn grounds<'t>(
    stacks: &'t [Stack],
    trees: &[(usize, Tree<'_>, accord_model::span::TextId)],
    beside: Beside<'t>,
) -> Vec<Ground<'t>> {
    let several = stacks.len() > 1;
    let place = |stack: &Stack| (stack.target.account.clone(), stack.target.region.clone());
    let ground = |exports: &Exports, stack: &'t Stack| Ground {
        target: &stack.target,
        beside,
        assets: stack.assets.clone(),
        exports: exports.get(&place(stack)).cloned().unwrap_or_default(),
        origins: stack.origins.clone(),
        space: match &stack.target.stack {
            Some(name) if several => format!("{name}/"),
            _ => String::new(),
        },
    };
    let count = |exports: &Exports| exports.values().map(BTreeMap::len).sum::<usize>();
    let mut exports = Exports::new();
    for _ in 0..stacks.len() {
        let before = count(&exports);
        for (index, tree, id) in trees {
            let (Some(stack), Some(root)) = (stacks.get(*index), View::root(tree)) else {
                continue;
            };
            let ground = ground(&exports, stack);
            let template = Template::of(tree, root.node, *id, &ground);
            let exported = template.outputs().1;
            exports.entry(place(stack)).or_default().extend(exported);
        }
        if count(&exports) == before {
            break;
        }
    }
    trees
        .iter()
        .filter_map(|(index, ..)| Some(ground(&exports, stacks.get(*index)?)))
        .collect()
}
