//! Which crate may use which: arrows point down only, and what decides sees no format.

use anyhow::{Result, bail};
use serde_json::Value;

use crate::tools;

/// Each crate of the product, from the top down, and the ones it may depend on.
const ALLOWED: [(&str, &[&str]); 8] = [
    (
        "cli",
        &["sandbox", "engine", "kube", "plan", "wire", "model"],
    ),
    ("sandbox", &["plan", "wire", "model"]),
    ("engine", &["kube", "plan", "wire", "model"]),
    ("kube", &[]),
    ("plan", &["model"]),
    ("wire", &["model"]),
    ("model", &[]),
    ("testkit", &[]), // below nobody: only tests depend on it
];

/// Every crate of the product and the ones it depends on (not for its tests), by short name, from the top down.
pub(crate) fn arrows() -> Result<Vec<(String, Vec<String>)>> {
    let metadata = tools::metadata()?;
    let packages = metadata["packages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let short = |value: &Value| Some(value["name"].as_str()?.strip_prefix("accord-")?.to_owned());
    let place = |name: &str| ALLOWED.iter().position(|(crate_, _)| *crate_ == name);
    let mut arrows = Vec::new();
    for package in packages {
        let Some(name) = short(package) else { continue };
        let dependencies = package["dependencies"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let mut below: Vec<String> = dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "dev")
            .filter_map(short)
            .collect();
        below.sort_by_key(|name| place(name));
        below.dedup();
        arrows.push((name, below));
    }
    arrows.sort_by_key(|(name, _)| place(name));
    Ok(arrows)
}

pub(super) fn check() -> Result<()> {
    eprintln!("==> crate graph");
    for (name, below) in arrows()? {
        let Some((_, allowed)) = ALLOWED.iter().find(|(crate_, _)| *crate_ == name) else {
            bail!(
                "accord-{name} is new: give it a place in xtask/src/check/graph.rs and ARCHITECTURE.md"
            );
        };
        for dependency in below {
            if !allowed.contains(&dependency.as_str()) {
                bail!("accord-{name} must not depend on accord-{dependency}: see ARCHITECTURE.md");
            }
        }
    }
    Ok(())
}
