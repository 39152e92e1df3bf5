//! `cargo xtask guides`: runs the examples of the README and the guides, and compares what they print.
//!
//! Every ```` ```console ```` block of one Markdown file is run in one temporary folder, which holds a copy of
//! `examples/`, from top to bottom: a line that begins with `$ ` goes to `sh`, and what follows it, up to the next such
//! line, is what it must print (stdout, then stderr). `accord` is the binary built from this tree;
//! `cargo run --quiet --` means the same, for the reader who has nothing installed. A command may fail: what it says
//! is the point. Ids and times differ from run to run and are compared by shape only.

mod page;
mod session;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::tally::Tally;
use crate::{shell, tools};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write what the commands print into the files, instead of comparing.
    #[arg(long)]
    update: bool,
    /// Only files whose path holds this.
    #[arg(long, default_value = "")]
    only: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let tally = replay(&arguments.only, arguments.update)?;
    println!("{tally}");
    if tally.failed > 0 {
        bail!("an example prints something else: see above, or run `cargo xtask guides --update`");
    }
    Ok(())
}

/// All guides, as a suite of `cargo xtask test`.
pub(crate) fn test() -> Result<Tally> {
    replay("", false)
}

/// Replays every page whose path holds `only`; a command is a test.
fn replay(only: &str, update: bool) -> Result<Tally> {
    let accord = tools::accord(tools::Profile::Dev)?;
    let mut tally = Tally::default();
    for path in pages()? {
        let name = path
            .strip_prefix(shell::root())
            .unwrap_or(&path)
            .display()
            .to_string();
        if !name.contains(only) {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| name.clone())?;
        let page = page::Page::of(&text);
        if page.commands().next().is_none() {
            continue;
        }
        eprintln!("==> {name}");
        let session = session::Session::new(&accord)?;
        let mut printed = Vec::new();
        for command in page.commands() {
            let actual = session.run(&command.text)?;
            if session::same(&command.output, &actual) {
                tally.passed += 1;
                printed.push(command.output.clone());
                continue;
            }
            if !update {
                tally.failed += 1;
                eprintln!(
                    "{name}:{}: $ {}\n--- the page says\n{}--- it prints\n{actual}",
                    command.line, command.text, command.output
                );
            }
            printed.push(actual);
        }
        if update {
            let after = page.with(&printed);
            if after != text {
                fs::write(&path, after)?;
                eprintln!("wrote {name}");
            }
        }
    }
    Ok(tally)
}

/// The README, and every Markdown file under `docs/`.
fn pages() -> Result<Vec<PathBuf>> {
    let mut pages = vec![shell::root().join("README.md")];
    let mut folders = vec![shell::root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}
