//! Processes that end when the test does, however it ends.
//!
//! A test can be killed, and statics are never dropped, so a destructor is not enough. Each process starts as a shell
//! that leaves a watcher behind and then becomes the program, under the same process id. The watcher reads from a pipe
//! whose other end only the test holds: when the test is gone, or drops it, the read ends, and the watcher kills.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

/// `$1` is a folder to remove after the kill (or nothing), the rest is the program. The program gets no input, and not
/// the pipe either.
const WATCHED: &str = r#"
folder=$1
shift
exec 3<&0
(
    read -r _ <&3
    kill -9 $$
    [ -z "$folder" ] || rm -rf "$folder"
) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null
"#;

/// A running program.
#[derive(Debug)]
pub(crate) struct Process {
    name: String,
    log: PathBuf,
    child: Child,
    /// Held open for the watcher.
    pipe: Option<ChildStdin>,
}

impl Process {
    /// Starts a program that writes its log to a file. With its end, `folder` goes.
    pub(crate) fn start(
        program: &Path,
        arguments: &[String],
        log: &Path,
        folder: Option<&Path>,
    ) -> Self {
        let file = File::options().create(true).append(true).open(log);
        let file = file.unwrap_or_else(|error| panic!("cannot write {}: {error}", log.display()));
        let mut child = Command::new("sh")
            .args(["-c", WATCHED, "sh"])
            .arg(folder.unwrap_or(Path::new("")))
            .arg(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(file.try_clone().expect("a file can be cloned"))
            .stderr(file)
            .process_group(0) // a Ctrl-C is for the test, which then ends all this
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
        Self {
            name: program
                .file_name()
                .unwrap_or_default()
                .display()
                .to_string(),
            log: log.to_owned(),
            pipe: child.stdin.take(),
            child,
        }
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Its name, and the last lines that it wrote.
    pub(crate) fn last_words(&self) -> String {
        let text = std::fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        let last = lines.get(lines.len().saturating_sub(20)..).unwrap_or(&[]);
        format!("{}:\n{}", self.name, last.join("\n"))
    }
}

/// Kills it, and returns when it is gone, so that its port is free.
impl Drop for Process {
    fn drop(&mut self) {
        // The watcher does it, while nobody has waited for the process: its id cannot be another's yet.
        drop(self.pipe.take());
        let _ = self.child.wait();
    }
}
