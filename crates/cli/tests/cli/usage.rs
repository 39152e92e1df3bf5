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
