//! The programs that the chores need besides Rust's own: found, or built into a cache outside the tree.
//!
//! The cache is `$ACCORD_CACHE`, else `accord` under `$XDG_CACHE_HOME` or `~/.cache`. What is in it is keyed by version
//! or content, so it is never stale and may be deleted at any time.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};

use crate::shell;

/// The cache folder; it may not exist yet.
pub(crate) fn cache() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("ACCORD_CACHE") {
        return Ok(folder.into());
    }
    if let Some(folder) = std::env::var_os("XDG_CACHE_HOME") {
        return Ok(Path::new(&folder).join("accord"));
    }
    let home = std::env::var_os("HOME").context("no cache folder: set ACCORD_CACHE or HOME")?;
    Ok(Path::new(&home).join(".cache/accord"))
}

/// A cargo subcommand, of one version, so that everybody gets the same answers.
#[derive(Clone, Copy)]
pub(crate) struct CargoTool {
    name: &'static str,
    version: &'static str,
}

/// Licences, bans and sources of dependencies.
pub(crate) const CARGO_DENY: CargoTool = CargoTool {
    name: "cargo-deny",
    version: "0.20.2",
};

/// Fuzzing.
pub(crate) const CARGO_FUZZ: CargoTool = CargoTool {
    name: "cargo-fuzz",
    version: "0.13.2",
};

/// The path of a cargo subcommand, which is built first if the cache lacks it (some minutes, once).
pub(crate) fn cargo_tool(tool: CargoTool) -> Result<PathBuf> {
    let CargoTool { name, version } = tool;
    let folder = cache()?.join("tools").join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if !program.exists() {
        let mut install = shell::cargo();
        install
            .args(["install", "--quiet", "--locked", "--debug", "--no-track"])
            .arg("--root")
            .arg(&folder)
            .arg(format!("{name}@{version}"))
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        shell::run(
            &format!("install {name} {version} (once, some minutes)"),
            &mut install,
        )
        .with_context(|| format!("{name} is missing; get it with `cargo install {name}`"))?;
    }
    Ok(program)
}

/// A Go program of this repository, built from `folder` (below the top) into the cache.
pub(crate) fn go_program(folder: &str) -> Result<PathBuf> {
    let built = go_built(folder, &[folder], "", |into| {
        let mut build = go_build(&shell::root().join(folder));
        build.arg("-o").arg(into.join(folder)).arg(".");
        shell::run(&format!("build {folder} (Go; once, a minute)"), &mut build)
    })?;
    Ok(built.join(folder))
}

/// A folder of Go programs in the cache, which `build` fills if it is not there.
///
/// The key is the content of the modules (folders below the top), the version of Go, and `salt`.
pub(crate) fn go_built(
    name: &str,
    modules: &[&str],
    salt: &str,
    build: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let version = shell::output(Command::new("go").arg("version")).context(
        "Go is missing: install it from your system's packages (golang) or from https://go.dev/dl",
    )?;
    let mut key = version + salt;
    for module in modules {
        key = digest_of(&shell::root().join(module), &["go", "mod", "sum"], &key)?;
    }
    let parent = cache()?.join("go").join(name);
    let folder = parent.join(key);
    if !folder.exists() {
        std::fs::create_dir_all(&parent).with_context(|| parent.display().to_string())?;
        let unfinished = tempfile::Builder::new()
            .prefix(".unfinished-")
            .tempdir_in(&parent)?;
        let filled = unfinished.path().join(name);
        std::fs::create_dir(&filled)?;
        build(&filled)?;
        match std::fs::rename(&filled, &folder) {
            Err(error) if !folder.exists() => return Err(error.into()),
            _ => {} // or somebody else was quicker, with the same
        }
    }
    Ok(folder)
}

/// `go build` in a module's folder, so that the same sources give the same program everywhere.
pub(crate) fn go_build(module: &Path) -> Command {
    let mut build = Command::new("go");
    build
        .args(["build", "-mod=readonly", "-trimpath"])
        .current_dir(module)
        .env("CGO_ENABLED", "0");
    build
}

/// Packages for Python: a name for the set, each as pip wants it, and a program that succeeds where they are there.
#[derive(Clone, Copy)]
pub(crate) struct PythonPackages {
    name: &'static str,
    packages: &'static [&'static str],
    check: &'static str,
}

/// For the cases.
const PYYAML: PythonPackages = PythonPackages {
    name: "python",
    packages: &["PyYAML==6.0.3"],
    check: "import yaml",
};

/// The AWS CLI, boto3 and moto: the sandbox's clients, and a second opinion. Of one version, because the service models in
/// them are what answers are compared with.
pub(crate) const AWS_CLIENTS: PythonPackages = PythonPackages {
    name: "python-aws-1.43.11",
    packages: &[
        "awscli==1.45.11",
        "boto3==1.43.11",
        "botocore==1.43.11",
        "moto[server]==5.2.1",
    ],
    check: "import awscli, boto3, botocore, moto.server as _, moto\n\
            assert [m.__version__ for m in (awscli, boto3, botocore, moto)] == ['1.45.11', '1.43.11', '1.43.11', '5.2.1']",
};

/// A Python that has PyYAML.
pub(crate) fn python() -> Result<PathBuf> {
    python_with(PYYAML)
}

/// A Python that has these packages: the system's, or else one of a virtual environment in the cache.
pub(crate) fn python_with(set: PythonPackages) -> Result<PathBuf> {
    let has = |python: &Path| shell::succeeds(Command::new(python).args(["-c", set.check]));
    let system = Path::new("python3");
    if has(system) {
        return Ok(system.to_path_buf());
    }
    let folder = cache()?.join(set.name);
    let python = folder.join("bin/python3");
    if !has(&python) {
        shell::run(
            "make a Python environment",
            Command::new(system)
                .args(["-m", "venv", "--clear"])
                .arg(&folder),
        )
        .context("Python 3 with its venv module is missing: install python3 and python3-venv")?;
        shell::run(
            &format!("install {}", set.packages.join(", ")),
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet"])
                .args(set.packages),
        )?;
    }
    Ok(python)
}

/// The folder `node_modules` with these packages (`name@version`), installed into the cache if it is not there.
pub(crate) fn node_modules(packages: &[&str]) -> Result<PathBuf> {
    let name = packages.join("+").replace(['@', '/'], "-");
    let parent = cache()?.join("node");
    let folder = parent.join(name);
    if !folder.exists() {
        std::fs::create_dir_all(&parent).with_context(|| parent.display().to_string())?;
        let unfinished = tempfile::Builder::new()
            .prefix(".unfinished-")
            .tempdir_in(&parent)?;
        let mut install = Command::new("npm");
        install
            .args([
                "install",
                "--no-audit",
                "--no-fund",
                "--no-save",
                "--ignore-scripts",
                "--loglevel=error",
            ])
            .arg("--prefix")
            .arg(unfinished.path())
            .args(packages);
        shell::run("install the CDK (once)", &mut install).context(
            "Node.js with npm is missing: install nodejs and npm from your system's packages",
        )?;
        match std::fs::rename(unfinished.path(), &folder) {
            Err(error) if !folder.exists() => return Err(error.into()),
            _ => {} // or somebody else was quicker, with the same
        }
    }
    Ok(folder.join("node_modules"))
}

/// How a binary is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quick to build, with debug assertions.
    Dev,
    /// As it is shipped.
    Release,
}

/// The binary `accord`, built anew where its sources changed.
pub(crate) fn accord(profile: Profile) -> Result<PathBuf> {
    let mut build = shell::cargo();
    build.args([
        "build",
        "--quiet",
        "--package",
        "accord-cli",
        "--bin",
        "accord",
    ]);
    let folder = match profile {
        Profile::Dev => "debug",
        Profile::Release => {
            build.arg("--release");
            "release"
        }
    };
    shell::run("build accord", &mut build)?;
    let program = target_folder()?.join(folder).join("accord");
    if !program.exists() {
        bail!("cargo built no {}", program.display());
    }
    Ok(program)
}

/// Cargo's target folder, wherever the environment or a configuration puts it.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let metadata = metadata()?;
    let folder = metadata["target_directory"]
        .as_str()
        .context("cargo metadata names no target folder")?;
    Ok(folder.into())
}

/// What `cargo metadata` says of the workspace, without its dependencies.
pub(crate) fn metadata() -> Result<serde_json::Value> {
    let text = shell::output(shell::cargo().args([
        "metadata",
        "--format-version=1",
        "--no-deps",
        "--offline",
    ]))?;
    Ok(serde_json::from_str(&text)?)
}

/// A short digest of the files of a folder that have one of these endings, and of a salt.
fn digest_of(folder: &Path, endings: &[&str], salt: &str) -> Result<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let ending = path.extension().and_then(|e| e.to_str());
        if ending.is_some_and(|ending| endings.contains(&ending)) {
            files.push(path);
        }
    }
    files.sort();
    let mut digest = Sha256::new();
    digest.update(salt);
    for file in files {
        digest.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        digest.update(std::fs::read(&file)?);
    }
    Ok(digest
        .finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
