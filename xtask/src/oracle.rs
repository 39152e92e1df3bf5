//! `cargo xtask oracle`: generated maps, read by the authenticator's own packages and by ours.
//!
//! Decoded entries must be equal, and so must be the *set* of identities that each caller may get. The first
//! divergence is made small and printed as a question for `oracle/`, whose answer belongs into
//! `oracle/regressions.jsonl`: those are replayed by the tests, without Go.

mod generate;
mod histogram;
mod ours;
mod peer;
mod shrink;
mod teeth;

use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use generate::{Case, generate};
use histogram::Histogram;
use peer::{Answer, Peer, Question};

use crate::tally::Tally;

/// How many maps are asked at a time.
const BATCH: usize = 200;

/// How many maps, unless more are asked for.
const COUNT: u64 = 5_000;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many maps.
    #[arg(long, default_value_t = COUNT)]
    count: u64,
    /// Which maps: each seed gives others.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The questions of this file instead, one JSON object a line, as they are printed for a divergence.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "seed", "teeth"])]
    from: Option<PathBuf>,
    /// Print this many divergences before giving up.
    #[arg(long, default_value_t = 1)]
    divergences: usize,
    /// Switch off one rule of our reader after the other, and show that each is noticed: writes docs/oracle-teeth.md.
    #[arg(long)]
    teeth: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.teeth {
        return teeth::run(arguments.count, arguments.seed);
    }
    let cases: Box<dyn Iterator<Item = Case>> = match &arguments.from {
        Some(file) => Box::new(given(file)?.into_iter()),
        None => Box::new((0..arguments.count).map(|n| generate(arguments.seed, n))),
    };
    let histogram = compare(cases, arguments.divergences)?;
    println!("{histogram}");
    if arguments.from.is_none() && histogram.readable_share() < 0.4 {
        bail!(
            "only {:.0} % of the maps are readable: the generator is too wild",
            100.0 * histogram.readable_share()
        );
    }
    println!("no divergence in {} maps", histogram.maps());
    Ok(())
}

/// The questions of a file.
fn given(file: &Path) -> Result<Vec<Case>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let cases = text.lines().enumerate().map(|(n, line)| {
        let question =
            serde_json::from_str(line).with_context(|| format!("{}:{}", file.display(), n + 1))?;
        Ok(Case {
            question,
            features: BTreeSet::new(),
        })
    });
    cases.collect()
}

/// Compares the answers. Divergences are printed, made small; after so many it gives up, and any is an error.
fn compare(mut cases: impl Iterator<Item = Case>, most: usize) -> Result<Histogram> {
    let mut peer = Peer::start()?;
    let mut histogram = Histogram::default();
    let mut found = 0;
    loop {
        let batch: Vec<Case> = cases.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let questions: Vec<&Question> = batch.iter().map(|case| &case.question).collect();
        for (case, theirs) in batch.iter().zip(peer.ask(&questions)?) {
            if diverges(&case.question, &theirs) {
                found += 1;
                eprintln!("\nmap {} diverges; made small:", histogram.maps());
                report(&mut peer, case.question.clone())?;
                if found >= most {
                    bail!("{found} divergence(s) in {} maps", histogram.maps() + 1);
                }
            }
            histogram.add(&case.features, ours::is_readable(&case.question));
        }
        if std::io::stderr().is_terminal() {
            eprint!("\r    {} maps", histogram.maps());
            std::io::stderr().flush()?;
        }
    }
    eprintln!();
    if found > 0 {
        bail!("{found} divergence(s) in {} maps", histogram.maps());
    }
    Ok(histogram)
}

/// As a suite of `cargo xtask test`: one test, of as many maps as the defaults say.
pub(crate) fn test() -> Result<Tally> {
    eprintln!("==> oracle");
    run(&Arguments {
        count: COUNT,
        seed: 1,
        from: None,
        divergences: 1,
        teeth: false,
    })?;
    Ok(Tally {
        passed: 1,
        ..Tally::default()
    })
}

/// Whether our answer is another one. A panic of ours is one too.
fn diverges(question: &Question, theirs: &Answer) -> bool {
    catch_unwind(AssertUnwindSafe(|| ours::answer(question)))
        .map_or(true, |ours| !ours.agrees_with(theirs))
}

/// Makes a diverging question small and prints it with both answers.
fn report(peer: &mut Peer, question: Question) -> Result<()> {
    let mut broken = None;
    let small = shrink::shrink(question, |q| match peer.ask(&[q]) {
        Ok(answers) => answers.first().is_some_and(|theirs| diverges(q, theirs)),
        Err(error) => {
            broken = Some(error);
            false
        }
    });
    if let Some(error) = broken {
        return Err(error);
    }
    for theirs in peer.ask(&[&small])? {
        println!(
            "{}",
            serde_json::json!({"question": small, "answer": theirs})
        );
        match catch_unwind(AssertUnwindSafe(|| ours::answer(&small))) {
            Ok(ours) => eprintln!("ours: {}", serde_json::to_string(&ours)?),
            Err(_) => eprintln!("ours: a panic"),
        }
    }
    Ok(())
}

/// What the oracle said when our reader said something else: each line a question and its answer.
#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Regression {
        question: Question,
        answer: Answer,
    }

    #[test]
    fn what_once_diverged_agrees() {
        let file = crate::shell::root().join("oracle/regressions.jsonl");
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let regression: Regression = serde_json::from_str(line).unwrap();
            let (ours, theirs) = (
                ours::answer(&regression.question),
                regression.answer.sorted(),
            );
            assert!(ours.agrees_with(&theirs), "{line}\nours: {ours:?}");
        }
    }
}
