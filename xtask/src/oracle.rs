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

use std::io::{IsTerminal as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Result, bail};

use generate::{Case, generate};
use histogram::Histogram;
use peer::{Answer, Peer, Question};

use crate::tally::Tally;

/// How many maps are asked at a time.
const BATCH: u64 = 200;

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
    let mut peer = Peer::start()?;
    let mut histogram = Histogram::default();
    let mut found = 0;
    for start in (0..arguments.count).step_by(usize::try_from(BATCH)?) {
        let cases: Vec<Case> = (start..arguments.count.min(start + BATCH))
            .map(|n| generate(arguments.seed, n))
            .collect();
        let questions: Vec<&Question> = cases.iter().map(|case| &case.question).collect();
        for ((case, theirs), number) in cases.iter().zip(peer.ask(&questions)?).zip(start..) {
            histogram.add(&case.features, ours::is_readable(&case.question));
            if diverges(&case.question, &theirs) {
                found += 1;
                eprintln!(
                    "\nmap {number} of seed {} diverges; made small:",
                    arguments.seed
                );
                report(&mut peer, case.question.clone())?;
                if found >= arguments.divergences {
                    bail!("{found} divergence(s) in {} maps", number + 1);
                }
            }
        }
        if std::io::stderr().is_terminal() {
            eprint!(
                "\r    {} of {} maps",
                start + cases.len() as u64,
                arguments.count
            );
            std::io::stderr().flush()?;
        }
    }
    eprintln!();
    println!("{histogram}");
    if found > 0 {
        bail!("{found} divergence(s) in {} maps", arguments.count);
    }
    if histogram.readable_share() < 0.4 {
        bail!(
            "only {:.0} % of the maps are readable: the generator is too wild",
            100.0 * histogram.readable_share()
        );
    }
    println!(
        "{} maps, seed {}: no divergence",
        arguments.count, arguments.seed
    );
    Ok(())
}

/// As a suite of `cargo xtask test`: one test, of as many maps as the defaults say.
pub(crate) fn test() -> Result<Tally> {
    eprintln!("==> oracle");
    run(&Arguments {
        count: COUNT,
        seed: 1,
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
            assert_eq!(
                ours::answer(&regression.question),
                regression.answer.sorted(),
                "{line}"
            );
        }
    }
}
