//! A temporary folder in which a page's commands run, one after the other.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use crate::shell;

/// The moment at which every page is read.
const NOW: &str = "2026-03-02T09:30:00Z";

/// The folder: `examples/` beside what the commands make, and `accord` first in the search path.
pub(super) struct Session {
    folder: TempDir,
    programs: TempDir,
}

impl Session {
    pub(super) fn new(accord: &Path) -> Result<Self> {
        let session = Self {
            folder: TempDir::new()?,
            programs: TempDir::new()?,
        };
        symlink(accord, session.programs.path().join("accord"))?;
        let examples = session.folder.path().join("examples");
        fs::create_dir(&examples)?;
        for entry in fs::read_dir(shell::root().join("examples"))? {
            let path = entry?.path();
            if path.is_file() {
                fs::copy(&path, examples.join(path.file_name().unwrap_or_default()))?;
            }
        }
        Ok(session)
    }

    /// What a command prints: stdout, then stderr. Colours, credentials and the terminal's width are kept out.
    pub(super) fn run(&self, command: &str) -> Result<String> {
        let mut path = self.programs.path().as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let output = Command::new("sh")
            .arg("-c")
            .arg(command.replace("cargo run --quiet -- ", "accord "))
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .env("LC_ALL", "C.UTF-8")
            .env("NO_COLOR", "1")
            .env("ACCORD_NOW", NOW)
            .stdin(Stdio::null())
            .output()
            .context("cannot start sh")?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }
}

/// Whether two outputs are the same but for ids (UUIDs) and moments (RFC 3339).
pub(super) fn same(expected: &str, actual: &str) -> bool {
    shape(expected) == shape(actual)
}

/// The text with every id and moment replaced by its kind.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '.' | '+');
    for piece in text.split_inclusive(|c| !is_part(c)) {
        let word = piece.trim_end_matches(|c| !is_part(c));
        if let Some(start) = uuid_start(word) {
            shape.push_str(&word[..start]);
            shape.push_str("UUID");
        } else if is_moment(word) {
            shape.push_str("TIME");
        } else {
            shape.push_str(word);
        }
        shape.push_str(&piece[word.len()..]);
    }
    shape
}

/// Where a UUID at the end of a word begins: `accord-journal-0198…` has one too.
fn uuid_start(word: &str) -> Option<usize> {
    let start = word.len().checked_sub(36)?;
    let is_uuid = word.as_bytes()[start..]
        .iter()
        .enumerate()
        .all(|(i, byte)| match i {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    is_uuid.then_some(start)
}

/// `2026-01-31T12:00:00Z`, with or without a fraction.
fn is_moment(word: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    word.len() > FORM.len()
        && word.bytes().zip(FORM).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            _ => byte == *form,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_moments_are_compared_by_shape() {
        assert!(same(
            "journal accord-journal-0198c0de-0000-7000-8000-000000000001 (2026-01-31T12:00:00Z)\n",
            "journal accord-journal-0198c0df-1111-7000-8000-000000000002 (2026-02-01T00:00:00.5Z)\n",
        ));
        assert!(!same("111122223333 gains\n", "111122223334 gains\n"));
        assert!(!same("a b\n", "a  b\n"));
    }
}
