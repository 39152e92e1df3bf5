//! Help, versions, completions and mistakes on the command line.

use crate::common::World;

#[test]
fn the_version_is_told() {
    let out = World::new().accord("--version").exits(0);
    assert_eq!(
        out.stdout,
        format!("accord {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let out = World::new()
            .accord(&format!("completions {shell}"))
            .exits(0);
        assert!(out.stdout.contains("completions"), "{shell}");
    }
}

#[test]
fn an_unknown_command_is_a_usage_error() {
    let out = World::new().accord("frobnicate").exits(2);
    insta::assert_snapshot!(out, @r"
    exit 2
    --- stderr
    error: unrecognized subcommand 'frobnicate'

    Usage: accord <COMMAND>

    For more information, try '--help'.
    ");
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_is_no_error() {
    let world = World::new();
    let program = env!("CARGO_BIN_EXE_accord");
    let status = std::process::Command::new("sh")
        .args([
            "-c",
            &format!("'{program}' completions bash | head -c 1 >/dev/null; exit 0"),
        ])
        .current_dir(world.path("."))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&status.stderr), "");
}

#[test]
fn every_command_explains_itself_with_an_example() {
    let world = World::new();
    let help = world.accord("--help").exits(0).stdout;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .collect();
    assert!(commands.len() >= 14, "{commands:?}");
    for command in commands {
        let help = world.accord(&format!("{command} --help")).exits(0).stdout;
        assert!(help.contains(&format!("    accord {command}")), "{help}");
    }
}

#[test]
fn there_is_nothing_to_apply_without_a_declaration() {
    insta::assert_snapshot!(World::new().accord("apply --state x.yaml --yes"), @r"
    exit 2
    --- stderr
    error: nothing is declared
    hint: give `-f PATH`; to put the present claims into effect there is `accord sync`
    ");
}
