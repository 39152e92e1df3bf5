//! `cargo xtask test`: every test, suite by suite, and one closing line that adds them up.

use std::time::Instant;

use anyhow::{Result, bail};

use crate::tally::Tally;
use crate::{cases, envtest, guides, oracle, sandbox, shell, templates};

/// A suite's name, and how it runs.
type Suite = (&'static str, fn() -> Result<Tally>);

const SUITES: &[Suite] = &[
    ("crates", crates),
    ("guides", guides::test),
    ("cases", cases::test),
    ("templates", templates::test),
    ("sandbox", sandbox::test),
    ("oracle", oracle::test),
];

pub(crate) fn run() -> Result<()> {
    let mut sum = Tally::default();
    let mut lines = Vec::new();
    for (name, suite) in SUITES {
        let start = Instant::now();
        let tally = suite().unwrap_or_else(|error| {
            eprintln!("{name}: {error:#}");
            Tally {
                failed: 1,
                ..Tally::default()
            }
        });
        let seconds = start.elapsed().as_secs_f64();
        lines.push(format!("{name:8} {seconds:6.1} s  {tally}"));
        sum += tally;
    }
    println!("\n{}\n\n{sum}", lines.join("\n"));
    if sum.failed > 0 {
        bail!("tests failed");
    }
    Ok(())
}

/// The tests of every crate, and the examples in their documentation.
fn crates() -> Result<Tally> {
    let mut test = shell::cargo();
    test.args(["test", "--locked", "--workspace", "--no-fail-fast"]);
    match envtest::assets() {
        Ok(folder) => drop(test.env(envtest::VARIABLE, folder)),
        // The other tests can run; those that need an API server fail.
        Err(error) => eprintln!("no API server: {error:#}"),
    }
    match envtest::providers() {
        Ok(folder) => drop(test.env(envtest::PROVIDERS, folder)),
        Err(error) => eprintln!("no provider for Terraform: {error:#}"),
    }
    let (output, ok) = shell::tee("tests of the crates", &mut test)?;
    let mut tally = Tally::read(&output);
    if !ok && tally.failed == 0 {
        tally.failed = 1; // it does not compile
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use crate::shell;

    /// The README's second command is the one that CI runs.
    #[test]
    fn ci_runs_what_the_readme_says() {
        let read = |name: &str| std::fs::read_to_string(shell::root().join(name)).unwrap();
        let readme = read("README.md");
        let (_, section) = readme.split_once("## Run every test").unwrap();
        let command = section
            .split("```")
            .nth(1)
            .unwrap()
            .trim_start_matches("sh")
            .trim();
        assert_eq!(command, "cargo xtask test");
        assert!(read(".ci/run").contains(command));
    }
}
