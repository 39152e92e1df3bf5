//! `cargo xtask generate`: the parts of the documentation that are made from the code.
//!
//! A part stands in a Markdown file between `<!-- generated: NAME -->` and `<!-- end -->`; the rest of the file is
//! written by people. `cargo xtask check` makes every part anew and compares.

mod command_line;
mod exit_codes;
mod findings;
mod graph;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// A file, the name of a part in it, and how the part is made.
type Part = (&'static str, &'static str, fn() -> Result<String>);

const PARTS: &[Part] = &[
    ("ARCHITECTURE.md", "crate graph", graph::text),
    (
        "docs/reference/command-line.md",
        "commands",
        command_line::text,
    ),
    (
        "docs/reference/exit-codes.md",
        "exit codes",
        exit_codes::text,
    ),
    (
        "docs/reference/findings.md",
        "finding kinds",
        findings::text,
    ),
];

/// Writes every part, and the schemas, which the tests of `accord-wire` compare.
pub(crate) fn run() -> Result<()> {
    shell::run(
        "schemas",
        shell::cargo()
            .args([
                "test",
                "--quiet",
                "--package",
                "accord-wire",
                "--test",
                "schemas",
            ])
            .env("UPDATE_SCHEMAS", "1"),
    )?;
    for (file, text) in made()? {
        if text != read(file)? {
            fs::write(shell::root().join(file), text)?;
            eprintln!("wrote {file}");
        }
    }
    Ok(())
}

/// Fails if a part is not what the code says.
pub(crate) fn check() -> Result<()> {
    eprintln!("==> generated parts");
    for (file, text) in made()? {
        if text != read(file)? {
            bail!("{file} is out of date: run `cargo xtask generate`");
        }
    }
    Ok(())
}

/// Every file with generated parts, as it should be.
fn made() -> Result<Vec<(&'static str, String)>> {
    let mut files: Vec<(&'static str, String)> = Vec::new();
    for &(file, name, make) in PARTS {
        let before = match files.iter().find(|(made, _)| *made == file) {
            Some((_, text)) => text.clone(),
            None => read(file)?,
        };
        let after = replace(&before, name, &make()?).with_context(|| file.to_owned())?;
        files.retain(|(made, _)| *made != file);
        files.push((file, after));
    }
    Ok(files)
}

/// The text with the part `name` replaced.
fn replace(text: &str, name: &str, part: &str) -> Result<String> {
    let head = format!("<!-- generated: {name} -->\n");
    let missing = || format!("no part `{name}`");
    let (before, rest) = text.split_once(&head).with_context(missing)?;
    let (_, after) = rest.split_once("<!-- end -->").with_context(missing)?;
    Ok(format!("{before}{head}{part}<!-- end -->{after}"))
}

fn read(file: &str) -> Result<String> {
    let path = shell::root().join(Path::new(file));
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}
