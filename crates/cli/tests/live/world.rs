//! A folder to run in, and the real cluster.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use accord_testkit::{ADMIN, ApiServer};
use serde_json::Value;

/// What somebody has: username, groups, and whether by nothing at all.
pub(crate) type Access = BTreeMap<String, Option<(String, Vec<String>)>>;

/// The folder in which a test runs the program.
pub(crate) struct World<'s> {
    folder: tempfile::TempDir,
    server: &'s ApiServer,
}

impl<'s> World<'s> {
    pub(crate) fn of(server: &'s ApiServer) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            server,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// Standard output of `accord`; panics unless it exits with one of `codes`.
    pub(crate) fn accord(&self, arguments: &[&str], codes: &[i32]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_accord"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("KUBECONFIG", self.server.kubeconfig(ADMIN))
            .output()
            .unwrap();
        let code = output.status.code().unwrap_or(-1);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            codes.contains(&code),
            "accord {arguments:?}: exit {code}\n{stderr}"
        );
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn json(&self, arguments: &[&str], codes: &[i32]) -> Value {
        let text = self.accord(arguments, codes);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Writes what the cluster looks like now to a state file.
    pub(crate) fn snapshot(&self, name: &str) {
        let text = self.accord(&["snapshot"], &[0]);
        self.write(name, text);
    }

    /// What each principal has in a state, as `explain` says.
    pub(crate) fn access(&self, state: &str, principals: &[String]) -> Access {
        let mut arguments = vec!["explain", "-o", "json", "--state", state];
        arguments.extend(principals.iter().map(String::as_str));
        let json = self.json(&arguments, &[0, 4]);
        let told = json["identities"]
            .as_array()
            .unwrap()
            .iter()
            .map(|identity| {
                let groups = identity["groups"].as_array().cloned().unwrap_or_default();
                let mut groups: Vec<String> = groups
                    .iter()
                    .map(|g| g.as_str().unwrap().to_owned())
                    .collect();
                groups.sort();
                let username = identity["username"].as_str().unwrap_or_default().to_owned();
                let has = (identity["outcome"] == "mapped").then_some((username, groups));
                (identity["asked"].as_str().unwrap().to_owned(), has)
            });
        told.collect()
    }
}

/// Who has something else than before.
pub(crate) fn changed(before: &Access, after: &Access) -> Access {
    let differs =
        |(who, has): &(&String, &Option<(String, Vec<String>)>)| before.get(*who) != Some(has);
    after
        .iter()
        .filter(differs)
        .map(|(who, has)| (who.clone(), has.clone()))
        .collect()
}
