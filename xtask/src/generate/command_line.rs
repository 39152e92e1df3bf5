//! Every command's help, as the program prints it.

use std::process::Command;

use anyhow::Result;

use crate::{shell, tools};

pub(super) fn text() -> Result<String> {
    let accord = tools::accord(tools::Profile::Dev)?;
    let help = |arguments: &[&str]| {
        shell::output(
            Command::new(&accord)
                .args(arguments)
                .arg("--help")
                .env("COLUMNS", "100")
                .env("NO_COLOR", "1"),
        )
    };
    let top = help(&[])?;
    let mut text = section("accord", &top);
    for command in commands(&top) {
        text.push_str(&section(&format!("accord {command}"), &help(&[command])?));
    }
    Ok(text)
}

fn section(title: &str, help: &str) -> String {
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    format!(
        "## `{title}`\n\n```text\n{}\n```\n\n",
        help.join("\n").trim_end()
    )
}

/// The names in the list of commands of a help text.
fn commands(help: &str) -> impl Iterator<Item = &str> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_commands_and_not_their_wrapped_descriptions() {
        let help = "Usage: accord\n\nCommands:\n  explain  Who is\n           this\n  check    Findings\n  help     Print\n\nOptions:\n  -h\n";
        assert_eq!(commands(help).collect::<Vec<_>>(), ["explain", "check"]);
    }
}
