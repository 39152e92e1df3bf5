//! The real kubectl.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::assets;
use crate::server::ApiServer;
use crate::user::ADMIN;

/// What a program printed, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// What it printed as its answer.
    pub stdout: String,
    /// What it printed besides.
    pub stderr: String,
}

impl Output {
    /// Runs a program with this input.
    pub fn of(command: &mut Command, input: &str) -> Self {
        let program = command.get_program().display().to_string();
        let spawned = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.unwrap_or_else(|error| panic!("cannot start {program}: {error}"));
        let stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                // It may end without having read everything.
                stdin.map(|mut stdin| stdin.write_all(input.as_bytes()))
            });
            child.wait_with_output()
        });
        let output = output.unwrap_or_else(|error| panic!("cannot run {program}: {error}"));
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Whether the exit code is 0.
    pub fn succeeded(&self) -> bool {
        self.code == Some(0)
    }

    /// Its answer; it must have succeeded.
    #[track_caller]
    pub fn ok(self) -> String {
        assert!(
            self.succeeded(),
            "failed with {:?}: {}",
            self.code,
            self.stderr
        );
        self.stdout
    }

    /// Why it failed, which it must have.
    #[track_caller]
    pub fn err(self) -> String {
        assert!(!self.succeeded(), "did not fail: {}", self.stdout);
        self.stderr
    }
}

impl ApiServer {
    /// Runs kubectl as the administrator.
    pub fn kubectl(&self, arguments: &[&str]) -> Output {
        self.kubectl_with_input(arguments, "")
    }

    /// Runs kubectl as the administrator, with an input: for `apply -f -`.
    pub fn kubectl_with_input(&self, arguments: &[&str], input: &str) -> Output {
        Output::of(self.kubectl_command(ADMIN).args(arguments), input)
    }

    /// Runs kubectl as a user whom the server knows.
    pub fn kubectl_as(&self, user: &str, arguments: &[&str]) -> Output {
        Output::of(self.kubectl_command(user).args(arguments), "")
    }

    /// A kubectl that acts as a user whom the server knows, to be given arguments.
    pub fn kubectl_command(&self, user: &str) -> Command {
        let mut command = Command::new(assets::program("kubectl"));
        command
            .env("KUBECONFIG", self.kubeconfig(user))
            // What kubectl caches of a server, by its port, must not be another server's.
            .env("HOME", self.folder());
        command
    }
}
