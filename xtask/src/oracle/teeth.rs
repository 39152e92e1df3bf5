//! Whether the generated maps exercise every rule: with one rule of our reader switched off, some map must diverge.

use anyhow::Result;

use crate::shell;

/// Where the result is kept.
#[cfg(feature = "teeth")]
const PAGE: &str = "docs/oracle-teeth.md";

/// Rules can be switched off only in a build with the feature `teeth`: this one asks cargo for it.
#[cfg(not(feature = "teeth"))]
pub(super) fn run(count: u64, seed: u64) -> Result<()> {
    let arguments = [
        "run",
        "--quiet",
        "--package",
        "xtask",
        "--features",
        "teeth",
        "--",
        "oracle",
        "--teeth",
    ];
    let mut command = shell::cargo();
    command
        .args(arguments)
        .args(["--count", &count.to_string(), "--seed", &seed.to_string()]);
    shell::run("the same with rules that can be switched off", &mut command)
}

#[cfg(feature = "teeth")]
pub(super) fn run(count: u64, seed: u64) -> Result<()> {
    use accord_wire::authenticator::teeth::{RULES, switch_off};

    use super::generate::generate;
    use super::peer::{Answer, Peer, Question};

    let mut peer = Peer::start()?;
    let questions: Vec<Question> = (0..count).map(|n| generate(seed, n).question).collect();
    let mut answers: Vec<Answer> = Vec::with_capacity(questions.len());
    for batch in questions.chunks(200) {
        answers.extend(peer.ask(&batch.iter().collect::<Vec<_>>())?);
    }
    let differing = || -> Vec<usize> {
        let pairs = questions.iter().zip(&answers).enumerate();
        pairs
            .filter(|(_, (question, theirs))| super::diverges(question, theirs))
            .map(|(n, _)| n)
            .collect()
    };
    if !differing().is_empty() {
        anyhow::bail!("there are divergences with every rule on: run without --teeth first");
    }
    let mut rows = Vec::new();
    for rule in RULES {
        switch_off(rule);
        let numbers = differing();
        eprintln!("    {:5} {rule}", numbers.len());
        rows.push((*rule, numbers.len(), numbers.first().copied()));
    }
    switch_off("");
    std::fs::write(shell::root().join(PAGE), page(count, seed, &rows))?;
    let blind: Vec<&str> = rows
        .iter()
        .filter(|(_, n, _)| *n == 0)
        .map(|(rule, ..)| *rule)
        .collect();
    if !blind.is_empty() {
        anyhow::bail!("not noticed: {}", blind.join("; "));
    }
    println!("{} rules, each noticed when switched off", rows.len());
    Ok(())
}

#[cfg(feature = "teeth")]
fn page(count: u64, seed: u64, rows: &[(&str, usize, Option<usize>)]) -> String {
    use std::fmt::Write as _;

    let mut page = format!(
        "# What the comparison with the authenticator notices\n\n\
         Made by `cargo xtask oracle --teeth --count {count} --seed {seed}`. Each rule of the reader is switched off in \
         a test build, one at a time, and the same {count} generated maps are read again: so many of them then differ \
         from what the authenticator's own packages say.\n\n\
         | rule switched off | maps that differ | first |\n|---|---:|---:|\n"
    );
    for (rule, found, first) in rows {
        let first = first.map_or_else(String::new, |n| n.to_string());
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| {rule} | {found} | {first} |");
    }
    page
}
