use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::error::Result;
use crate::{App, ui};

/// Print a completion script for a shell
///
///     accord completions bash > ~/.local/share/bash-completion/completions/accord
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut App::command(), "accord", &mut script);
    ui::print(&String::from_utf8_lossy(&script))?;
    Ok(crate::exit::DONE)
}
