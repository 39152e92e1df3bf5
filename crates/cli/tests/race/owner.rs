//! Owners: each runs the real program.

use std::path::Path;
use std::process::Command;

use accord_testkit::{ADMIN, ApiServer, Output};

/// A folder in which owners have their files.
pub(crate) struct Owners<'s> {
    pub(crate) server: &'s ApiServer,
    pub(crate) program: &'s Path,
    folder: tempfile::TempDir,
}

/// What an owner wants in a round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    pub(crate) owner: usize,
    pub(crate) round: usize,
}

impl Wish {
    /// A role with one of two groups, which change from round to round; and in every tenth round, each owner in another
    /// one, a guest who is gone in the next.
    fn declaration(self) -> String {
        let Self { owner, round } = self;
        let group = ["viewers", "editors"][(owner + round) % 2];
        let entry = |name: &str| {
            format!(
                "- rolearn: arn:aws:iam::111122223333:role/{name}\n  username: {name}\n  groups: [{group}]\n"
            )
        };
        let mut text = entry(&format!("team-{owner}"));
        if owner % 10 == round % 10 {
            text += &entry(&format!("guest-{round}-of-{owner}"));
        }
        text
    }
}

impl<'s> Owners<'s> {
    pub(crate) fn of(server: &'s ApiServer, program: &'s Path) -> Self {
        Self {
            server,
            program,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// An owner's `apply`.
    pub(crate) fn apply(&self, wish: Wish) -> Output {
        let kubeconfig = self.server.kubeconfig(ADMIN);
        Output::of(&mut self.command(&kubeconfig, wish), "")
    }

    /// The same, to be started.
    pub(crate) fn command(&self, kubeconfig: &Path, wish: Wish) -> Command {
        let file = self.folder.path().join(format!("{}.yaml", wish.owner));
        std::fs::write(&file, wish.declaration()).unwrap();
        let owner = format!("team-{}", wish.owner);
        let mut command = self.accord(kubeconfig);
        command.args(["apply", "--yes", "--prune", "--owner", &owner, "-f"]);
        command.arg(&file);
        command
    }

    /// A `sync`, by anyone.
    pub(crate) fn sync(&self) -> Output {
        let mut command = self.accord(&self.server.kubeconfig(ADMIN));
        Output::of(command.args(["sync", "--yes"]), "")
    }

    fn accord(&self, kubeconfig: &Path) -> Command {
        let mut command = Command::new(self.program);
        command
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("KUBECONFIG", kubeconfig);
        command
    }
}
