//! Running programs: each is named on stderr before it starts, with the time it took when it is done.

use std::io::{BufRead as _, BufReader, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

/// The top folder of this repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
        .to_path_buf()
}

/// The cargo that runs this program, in the top folder.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a program, its output going where ours goes; an exit code other than 0 is an error.
pub(crate) fn run(title: &str, command: &mut Command) -> Result<()> {
    eprintln!("==> {title}");
    let start = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| cannot_start(command))?;
    if !status.success() {
        bail!("{title}: failed ({status})\n    {}", line(command));
    }
    eprintln!("    {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs `go build -v`, which names each package on stderr when it has compiled it, and counts them instead: some of
/// `all` may be compiled already. What else it says is shown.
pub(crate) fn run_counting(title: &str, command: &mut Command, all: usize) -> Result<()> {
    eprintln!("==> {title}");
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| cannot_start(command))?;
    let terminal = std::io::stderr().is_terminal();
    let mut done = 0;
    for line in BufReader::new(child.stderr.take().context("no stderr")?).lines() {
        let line = line?;
        if line.contains(char::is_whitespace) {
            eprintln!("{line}");
            continue;
        }
        done += 1;
        if terminal {
            eprint!("\r    {done} of {all} packages");
        } else if done % 250 == 0 {
            eprintln!("    {done} of {all} packages");
        }
    }
    if terminal {
        eprintln!();
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{title}: failed ({status})\n    {}", line(command));
    }
    eprintln!("    {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs a program, shows what it prints, and returns its stdout and whether it succeeded.
pub(crate) fn tee(title: &str, command: &mut Command) -> Result<(String, bool)> {
    eprintln!("==> {title}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| cannot_start(command))?;
    let mut text = String::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            text.push_str(&line);
            text.push('\n');
        }
    }
    Ok((text, child.wait()?.success()))
}

/// Runs a program and returns what it prints on stdout; its stderr goes where ours goes.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| cannot_start(command))?;
    if !output.status.success() {
        bail!("failed ({}): {}", output.status, line(command));
    }
    String::from_utf8(output.stdout).with_context(|| format!("not text: {}", line(command)))
}

/// Whether a program starts and succeeds; nothing is shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A path as a word of a shell's line.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:,".contains(c);
    if text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start {}", command.get_program().display())
}

/// The command as a person would type it.
fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
