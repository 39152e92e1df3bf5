//! The two streams: data goes to standard output, everything else to standard error.
//!
//! Text is rendered with colours; the streams strip them unless they lead to a terminal that wants them
//! (`NO_COLOR`, `CLICOLOR_FORCE` and `TERM` are respected).

use std::io::{BufRead, IsTerminal, Write};

use serde::Serialize;

use crate::args::Format;
use crate::error::{CliError, Kind, Result};
use accord_wire::report::yaml;

/// Writes to standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes to standard error. Nothing can be done if that fails.
pub(crate) fn say(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Writes a report: for people as `text` renders it, else in the format asked for.
pub(crate) fn report<T: Serialize>(
    format: Format,
    report: &T,
    text: impl FnOnce(&T) -> String,
) -> Result<()> {
    match format {
        Format::Text => print(&text(report)),
        Format::Json => print(&json(report)?),
        Format::Yaml => {
            let value = serde_json::to_value(report).map_err(not_serialisable)?;
            print(&yaml::document(&value))
        }
    }
}

/// The report as indented JSON with a line break at the end.
pub(crate) fn json<T: Serialize>(report: &T) -> Result<String> {
    let mut text = serde_json::to_string_pretty(report).map_err(not_serialisable)?;
    text.push('\n');
    Ok(text)
}

fn not_serialisable(error: serde_json::Error) -> CliError {
    CliError::new(Kind::Bug, "a report could not be written as JSON").because(error)
}

/// Whether there is somebody to ask: standard input and standard error are a terminal.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a question that is answered with yes or no; only `y` and `yes` mean yes.
pub(crate) fn ask(question: &str) -> Result<bool> {
    say(&format!("{question} [y/N] "));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    let answer = answer.trim().to_lowercase();
    Ok(answer == "y" || answer == "yes")
}
