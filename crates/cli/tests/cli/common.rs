//! A world of its own for each test: an empty folder, no environment, a fixed clock and width.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder in which a test runs the program.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A world with one file.
    pub(crate) fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let world = Self::new();
        world.write(name, content);
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names of all files, sorted: temporary files that were left behind show here.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs `accord` with arguments separated by spaces.
    pub(crate) fn accord(&self, arguments: &str) -> Output {
        self.accord_with(&arguments.split_whitespace().collect::<Vec<_>>(), "")
    }

    /// Runs `accord` with `stdin`.
    pub(crate) fn accord_with(&self, arguments: &[&str], stdin: &str) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input closes the pipe; that is no failure of the test.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        Output {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The command, to be run in another way.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_accord"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("ACCORD_NOW", "2026-01-02T03:04:05Z")
            .env("COLUMNS", "100");
        command
    }
}

/// What a run left behind. To be looked at.
#[must_use]
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// The JSON on standard output.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }

    /// Fails unless the exit code is that.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }
}

impl fmt::Display for Output {
    /// Exit code, standard output and standard error, journal ids blanked out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => writeln!(f, "exit {code}")?,
            None => writeln!(f, "killed")?,
        }
        f.write_str(&blank_ids(&self.stdout))?;
        if !self.stderr.is_empty() {
            writeln!(f, "--- stderr")?;
            f.write_str(&blank_ids(&self.stderr))?;
        }
        Ok(())
    }
}

/// Replaces UUIDs, which are random, by `ID`.
fn blank_ids(text: &str) -> String {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    const LENGTH: usize = 36;
    let is_id = |candidate: &str| {
        candidate.split('-').map(str::len).eq(GROUPS)
            && candidate.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        match rest.get(..LENGTH) {
            Some(candidate) if is_id(candidate) => {
                out.push_str("ID");
                rest = &rest[LENGTH..];
            }
            _ => {
                out.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    out
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
