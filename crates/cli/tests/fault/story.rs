//! The story that is told again and again: team-a changes one of its entries, adds one and gives one up, on a map that
//! others write too. Before it, team-c's access was revoked.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use accord_testkit::{ADMIN, ApiServer, Output, Proxy};
use serde_json::{Value, json};

use crate::cluster::{self, Stored};

pub(crate) const ROLE: &str = "arn:aws:iam::111122223333:role/";

/// The map as others wrote it. Odd, but sound: none of it is Accord's to change.
pub(crate) const FOREIGN: &str = "# node groups, do not touch
- rolearn: 'arn:aws:iam::111122223333:role/nodes'
  username: system:node:{{EC2PrivateDNSName}}
  groups: [ system:bootstrappers, system:nodes ]   # both!
-   groups:
      - system:masters
    rolearn: arn:aws:iam::111122223333:role/platform
    username: platform
";

const BEFORE: &str = "
- {rolearn: arn:aws:iam::111122223333:role/a-changes, username: a-changes, groups: [viewers]}
- {rolearn: arn:aws:iam::111122223333:role/a-stays, username: a-stays, groups: [viewers]}
- {rolearn: arn:aws:iam::111122223333:role/a-goes, username: a-goes, groups: [viewers]}
";

const AFTER: &str = "
- {rolearn: arn:aws:iam::111122223333:role/a-changes, username: a-changes, groups: [editors]}
- {rolearn: arn:aws:iam::111122223333:role/a-stays, username: a-stays, groups: [viewers]}
- {rolearn: arn:aws:iam::111122223333:role/a-comes, username: a-comes, groups: [viewers]}
";

/// Where the story takes place.
pub(crate) struct Stage<'s> {
    pub(crate) server: &'s ApiServer,
    pub(crate) proxy: Proxy,
    story: Story,
    folder: tempfile::TempDir,
    kubeconfig: PathBuf,
    /// What is stored before the story.
    pub(crate) before: Stored,
    /// What is stored after it, where nothing goes wrong.
    pub(crate) after: Stored,
}

impl<'s> Stage<'s> {
    pub(crate) fn set(server: &'s ApiServer) -> Self {
        Self::for_story(server, Story::Change)
    }

    pub(crate) fn for_story(server: &'s ApiServer, story: Story) -> Self {
        let proxy = Proxy::before(server);
        let mut stage = Self {
            server,
            story,
            kubeconfig: proxy.kubeconfig(ADMIN),
            proxy,
            folder: tempfile::tempdir().unwrap(),
            before: Stored::new(),
            after: Stored::new(),
        };
        stage.write("before.yaml", BEFORE);
        stage.write("after.yaml", AFTER);
        let other = |name: &str| {
            format!("- {{rolearn: {ROLE}{name}, username: {name}, groups: [viewers]}}\n")
        };
        stage.write("b.yaml", &other("b"));
        stage.write("revoked.yaml", &other("revoked"));
        if story == Story::First {
            stage.before = Stored::new();
        } else {
            stage.prepare();
            stage.before = cluster::stored(server);
        }
        stage.reset();
        stage.tell().ok();
        stage.after = cluster::stored(server);
        stage
    }

    /// What has happened before the story.
    fn prepare(&self) {
        let map = json!({"aws-auth": {"data": {"mapRoles": FOREIGN, "note": "keep me\n"}}});
        cluster::put_back(self.server, &serde_json::from_value(map).unwrap());
        for (owner, file) in [
            ("team-a", "before.yaml"),
            ("team-b", "b.yaml"),
            ("team-c", "revoked.yaml"),
        ] {
            let apply = ["apply", "--yes", "--owner", owner, "-f", file];
            self.accord(&apply).ok();
        }
        self.accord(&["remove", "--yes", "team-c"]).ok();
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// From the beginning, and nothing goes wrong.
    pub(crate) fn reset(&self) {
        self.reset_cluster();
        self.proxy.heal();
    }

    /// From the beginning.
    pub(crate) fn reset_cluster(&self) {
        cluster::put_back(self.server, &self.before);
    }

    /// Runs the story.
    pub(crate) fn tell(&self) -> Output {
        self.accord(self.story.arguments())
    }

    /// Starts the story, to be killed.
    pub(crate) fn begin(&self) -> Child {
        let mut command = self.command(self.story.arguments());
        let quiet = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        quiet.spawn().unwrap()
    }

    pub(crate) fn accord(&self, arguments: &[&str]) -> Output {
        Output::of(&mut self.command(arguments), "")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        command(&self.kubeconfig, self.folder.path(), arguments)
    }

    /// What the journal says, newest first.
    pub(crate) fn history(&self) -> Vec<Value> {
        let text = self.accord(&["history", "-o", "json"]).ok();
        let history: Value = serde_json::from_str(&text).unwrap();
        history["entries"].as_array().unwrap().clone()
    }
}

/// A story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Story {
    /// Team-a changes an entry, adds one and gives one up.
    Change,
    /// Team-a gives up everything.
    Remove,
    /// Team-a is the first to write anything at all: there is no map, and nothing of Accord's.
    First,
}

impl Story {
    pub(crate) const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Change | Self::First => &STORY,
            Self::Remove => &["remove", "--yes", "team-a", "-o", "json"],
        }
    }
}

pub(crate) const STORY: [&str; 9] = [
    "apply",
    "--yes",
    "--prune",
    "--owner",
    "team-a",
    "-f",
    "after.yaml",
    "-o",
    "json",
];

/// `accord` in a world of its own.
fn command(kubeconfig: &Path, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_accord"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("KUBECONFIG", kubeconfig)
        .env("ACCORD_NOW", "2026-01-02T03:04:05Z")
        .env("COLUMNS", "100");
    command
}
