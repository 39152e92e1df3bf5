//! `cargo xtask envtest`: the kube-apiserver, etcd and kubectl that tests start, and Terraform's Kubernetes provider.
//!
//! The first three are those of `$KUBEBUILDER_ASSETS` (the variable that other projects' tests use too), or else built
//! once from their Go modules, which `envtest/` pins down to the last byte; the provider is built likewise.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::{shell, tools};

/// The variable that names the folder of the programs.
pub(crate) const VARIABLE: &str = "KUBEBUILDER_ASSETS";

/// What the folder must hold.
const PROGRAMS: [&str; 3] = ["kube-apiserver", "etcd", "kubectl"];

/// The module of kube-apiserver and kubectl.
const KUBERNETES: &str = "envtest/kubernetes";

/// The module of etcd.
const ETCD: &str = "envtest/etcd";

/// The module of Terraform's Kubernetes provider.
const TERRAFORM: &str = "envtest/terraform";

/// The variable that names the folder of Terraform's providers.
pub(crate) const PROVIDERS: &str = "ACCORD_TERRAFORM_PROVIDERS";

/// Prints the lines that a shell needs to run single tests: `eval "$(cargo xtask envtest)"`.
pub(crate) fn run() -> Result<()> {
    println!("export {VARIABLE}={}", shell::quoted(&assets()?));
    println!("export {PROVIDERS}={}", shell::quoted(&providers()?));
    Ok(())
}

/// The folder of Terraform's providers, built once.
pub(crate) fn providers() -> Result<PathBuf> {
    tools::go_built("terraform", &[TERRAFORM], "", |folder| {
        build(TERRAFORM, "tool", "-s -w", folder)
    })
}

/// The folder of the programs, which are built first (some minutes, once) if nobody gave it.
pub(crate) fn assets() -> Result<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(folder) if !folder.is_empty() => given(folder.into()),
        _ => built(),
    }
}

fn given(folder: PathBuf) -> Result<PathBuf> {
    let missing: Vec<&str> = PROGRAMS
        .into_iter()
        .filter(|name| !folder.join(name).is_file())
        .collect();
    if !missing.is_empty() {
        bail!(
            "{VARIABLE} is {}, which lacks {}: add what is missing, or unset {VARIABLE} to have all of them built",
            folder.display(),
            missing.join(", ")
        );
    }
    Ok(std::path::absolute(folder)?)
}

fn built() -> Result<PathBuf> {
    tools::go_built(
        "envtest",
        &[KUBERNETES, ETCD],
        &version_flags()?,
        |folder| {
            build(KUBERNETES, "tool", &version_flags()?, folder)?;
            build(ETCD, ".", &version_flags()?, folder)
        },
    )
}

/// Builds some packages of a module into a folder, with these flags of the linker.
fn build(module: &str, packages: &str, flags: &str, folder: &Path) -> Result<()> {
    let module_folder = shell::root().join(module);
    let all = shell::output(
        Command::new("go")
            .args(["list", "-mod=readonly", "-deps", packages])
            .current_dir(&module_folder)
            .env("CGO_ENABLED", "0"),
    )
    .with_context(|| format!("cannot fetch the modules of {module}"))?;
    let mut build = tools::go_build(&module_folder);
    build
        .args(["-v", "-ldflags", flags, "-o"])
        .arg(folder.join("")) // ends with a slash: a folder
        .arg(packages);
    shell::run_counting(
        &format!("build {module} (Go; once, some minutes)"),
        &mut build,
        all.lines().count(),
    )
}

/// The linker's flags without which Kubernetes does not know its version, and clients cannot read the one it says.
fn version_flags() -> Result<String> {
    let file = shell::root().join(KUBERNETES).join("go.mod");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let version = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes "))
        .and_then(|rest| rest.split(' ').next()) // a comment may follow
        .with_context(|| format!("{} requires no k8s.io/kubernetes", file.display()))?;
    let mut numbers = version.trim_start_matches('v').split('.');
    let mut flags = "-s -w".to_owned();
    for (variable, value) in [
        ("gitVersion", Some(version)),
        ("gitMajor", numbers.next()),
        ("gitMinor", numbers.next()),
    ] {
        let value = value.with_context(|| format!("odd version {version}"))?;
        flags += &format!(" -X k8s.io/component-base/version.{variable}={value}");
    }
    Ok(flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linker_is_told_the_version_of_the_module() {
        let flags = version_flags().unwrap();
        assert!(flags.contains(".gitVersion=v1."), "{flags}");
        assert!(flags.contains(".gitMajor=1 "), "{flags}");
    }

    #[test]
    fn what_a_given_folder_lacks_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("etcd"), "").unwrap();
        let error = given(folder.path().into()).unwrap_err().to_string();
        assert!(error.contains("lacks kube-apiserver, kubectl:"), "{error}");
        for name in PROGRAMS {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(given(folder.path().into()).unwrap(), folder.path());
    }
}
