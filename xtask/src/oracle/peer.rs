//! The oracle process: questions and answers, one JSON line each.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use crate::tools;

/// A map, and identities as STS shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) data: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) identities: Vec<String>,
    /// The feature gate `SSORoleMatch`.
    #[serde(default)]
    pub(crate) sso: bool,
}

/// What the authenticator keeps of the map, and who each identity may be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) roles: Vec<Entry>,
    pub(crate) users: Vec<Entry>,
    pub(crate) accounts: Vec<String>,
    /// The sections of which nothing can be in effect.
    pub(crate) lost: BTreeSet<String>,
    /// The sections about which the authenticator logs an error; in our answer, those about which we have a remark.
    pub(crate) faulty: BTreeSet<String>,
    pub(crate) who: Vec<Resolved>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) panic: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) arn: String,
    pub(crate) username: String,
    /// `null` and an empty list mean the same, and are not told apart here.
    #[serde(deserialize_with = "nullable")]
    pub(crate) groups: Vec<String>,
    pub(crate) userid: String,
    pub(crate) sso: Option<Sso>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sso {
    pub(crate) permission_set_name: String,
    #[serde(rename = "accountID")]
    pub(crate) account_id: String,
    pub(crate) partition: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Resolved {
    pub(crate) identity: String,
    pub(crate) canonical: String,
    /// It has no canonical form.
    pub(crate) error: bool,
    /// All that it may be, in no order; sorted by [`Answer::sorted`].
    pub(crate) may: Vec<Who>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Who {
    pub(crate) username: String,
    #[serde(deserialize_with = "nullable")]
    pub(crate) groups: Vec<String>,
}

fn nullable<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl Answer {
    /// The same, with each set of possible identities in order and without doubles, and the accounts in order: they are
    /// a set, too.
    pub(crate) fn sorted(mut self) -> Self {
        self.accounts.sort();
        for resolved in &mut self.who {
            resolved.may.sort();
            resolved.may.dedup();
        }
        self
    }

    /// Whether this answer of ours is the same as `theirs`, and tells of every fault that they tell of. Ours may tell of
    /// more: much that deserves a remark is no error to the authenticator.
    pub(crate) fn agrees_with(&self, theirs: &Self) -> bool {
        let faulty = self.faulty.clone();
        faulty.is_superset(&theirs.faulty)
            && *self
                == Self {
                    faulty,
                    ..theirs.clone()
                }
    }
}

/// The running oracle.
pub(crate) struct Peer {
    child: Child,
    stdin: Option<BufWriter<ChildStdin>>,
    stdout: BufReader<ChildStdout>,
}

impl Peer {
    /// Builds the oracle if the cache lacks it, and starts it.
    pub(crate) fn start() -> Result<Self> {
        let program = tools::go_program("oracle")?;
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("the oracle has no pipes");
        };
        Ok(Self {
            child,
            stdin: Some(BufWriter::new(stdin)),
            stdout: BufReader::new(stdout),
        })
    }

    /// Asks a batch that both pipes can hold, and returns the answers, sorted, in the same order.
    pub(crate) fn ask(&mut self, questions: &[&Question]) -> Result<Vec<Answer>> {
        let stdin = self.stdin.as_mut().context("the oracle is closed")?;
        let mut answers = Vec::with_capacity(questions.len());
        std::thread::scope(|scope| {
            // Writing beside reading: neither waits for the other's pipe to empty.
            let writer = scope.spawn(move || -> Result<()> {
                for question in questions {
                    serde_json::to_writer(&mut *stdin, question)?;
                    stdin.write_all(b"\n")?;
                }
                stdin.flush()?;
                Ok(())
            });
            let mut line = String::new();
            for _ in questions {
                line.clear();
                if self.stdout.read_line(&mut line)? == 0 {
                    bail!("the oracle stopped");
                }
                let answer: Answer = serde_json::from_str(&line)
                    .with_context(|| format!("the oracle says {line}"))?;
                answers.push(answer.sorted());
            }
            writer
                .join()
                .map_err(|_| anyhow::anyhow!("the writer panicked"))?
        })?;
        Ok(answers)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.wait();
    }
}
