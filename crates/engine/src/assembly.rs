//! The folder `cdk.out`, which the CDK synthesizes, with all its stacks; and files that lie beside a template.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use accord_model::deploy::Deploy;
use accord_wire::sources::{Misread, Sources};
use accord_wire::template::assembly::{self, Stack, StackFiles};

use crate::file::{self, FileError};

/// Assemblies nested deeper than this are not followed.
const MAX_LEVEL: u32 = 8;

/// Why a folder is no synthesized app.
#[derive(Debug, thiserror::Error)]
pub enum AssemblyError {
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file that cannot be understood.
    #[error(transparent)]
    Misread(#[from] Misread),
    /// Another folder.
    #[error("folder `{}` is not what the CDK synthesizes: it has no `manifest.json` with stacks, and no templates", .0.display())]
    NoManifest(PathBuf),
}

/// The folder that `path` is, or whose `manifest.json` it is.
pub fn folder(path: &Path) -> Option<&Path> {
    if path.is_dir() {
        return Some(path);
    }
    let is_manifest = path.file_name().is_some_and(|name| name == "manifest.json");
    let folder = path.parent().filter(|_| is_manifest)?;
    // Any tool may call a file so: the CDK puts one of this name beside it.
    folder.join("cdk.out").is_file().then_some(folder)
}

/// Reads a folder with everything in it: one deploy for each account and region.
///
/// # Errors
/// If it is no synthesized app, or one of its files cannot be read.
pub fn read(folder: &Path, sources: &mut Sources) -> Result<Vec<Deploy>, AssemblyError> {
    let mut stacks = Vec::new();
    match folder.join("manifest.json").is_file() {
        true => collect(folder, Path::new(""), 0, &mut stacks, sources)?,
        false => stacks = templates(folder)?,
    }
    if stacks.is_empty() {
        return Err(AssemblyError::NoManifest(folder.to_owned()));
    }
    let beside = |path: &str| text_beside(folder, path);
    Ok(assembly::read(&stacks, &beside, sources)?)
}

/// The templates of a folder whose manifest was not kept, without those of nested stacks.
fn templates(folder: &Path) -> Result<Vec<Stack>, AssemblyError> {
    let failed = |error| FileError::Read(folder.to_owned(), error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let name = entry
            .map_err(failed)?
            .file_name()
            .to_string_lossy()
            .into_owned();
        let is_template = [".template.json", ".template.yaml", ".template.yml"]
            .iter()
            .any(|ending| name.ends_with(ending));
        if is_template && !name.contains(".nested.") {
            names.push(name);
        }
    }
    names.sort();
    let stacks = names.into_iter().map(|template| {
        let files = StackFiles {
            template,
            ..StackFiles::default()
        };
        load(folder, Path::new(""), &files)
    });
    stacks.collect()
}

/// The stacks of the assembly in `below` of `folder`, and of those inside it.
fn collect(
    folder: &Path,
    below: &Path,
    level: u32,
    stacks: &mut Vec<Stack>,
    sources: &mut Sources,
) -> Result<(), AssemblyError> {
    let path = folder.join(below).join("manifest.json");
    if !path.is_file() {
        return Err(AssemblyError::NoManifest(folder.join(below)));
    }
    let bytes = file::read(&path)?;
    let name = path.display().to_string();
    let Some(manifest) = assembly::manifest(&name, &bytes, sources)? else {
        return Err(AssemblyError::NoManifest(folder.join(below)));
    };
    for stack in &manifest.stacks {
        stacks.push(load(folder, below, stack)?);
    }
    for inner in manifest.assemblies {
        let is_below = is_inside(Path::new(&inner)) && level < MAX_LEVEL;
        if is_below {
            collect(folder, &below.join(inner), level + 1, stacks, sources)?;
        }
    }
    Ok(())
}

fn load(folder: &Path, below: &Path, stack: &StackFiles) -> Result<Stack, AssemblyError> {
    let path = folder.join(below).join(&stack.template);
    let bytes = file::read(&path)?;
    let text = |name: &String| {
        let path = below.join(name);
        text_beside(folder, path.to_str()?).map(|(_, text)| text)
    };
    let mut origins = stack.origins.clone();
    if let Some(metadata) = stack.metadata.as_ref().and_then(text) {
        origins.extend(assembly::origins(&metadata));
    }
    let mut assets: BTreeMap<String, String> = BTreeMap::new();
    for manifest in stack.assets.iter().filter_map(text) {
        let files = assembly::assets(&manifest).into_iter();
        assets.extend(files.map(|(hash, path)| (hash, below.join(path).display().to_string())));
    }
    Ok(Stack {
        target: stack.target.clone(),
        name: path.display().to_string(),
        text: String::from_utf8_lossy(&bytes).into(),
        origins,
        assets,
    })
}

/// A text inside a folder, by its relative path; `None` if it is not there, or is no text.
pub(crate) fn text_beside(folder: &Path, path: &str) -> Option<(String, Arc<str>)> {
    if !is_inside(Path::new(path)) {
        return None;
    }
    let path = folder.join(path);
    let text = String::from_utf8(file::read(&path).ok()?).ok()?;
    Some((path.display().to_string(), text.into()))
}

/// Whether a path leads to nowhere but below its folder.
fn is_inside(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
