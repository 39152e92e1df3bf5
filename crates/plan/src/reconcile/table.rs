//! What is done for one principal, decided by three things: what is claimed, what is live, what the ledger says.

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claimed {
    /// Nothing.
    No,
    /// What was claimed when the ledger's line was written, or there is no line.
    Unchanged,
    /// Something else than when the line was written.
    Changed,
}

/// What is live: the entry that decides for the principal, as the authenticator reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Live {
    /// There is none.
    Absent,
    /// It gives what is claimed.
    Same,
    /// It gives something else, which Accord wrote or found, now or earlier.
    AsWritten,
    /// It gives something else, which somebody made of it.
    Edited,
}

/// What the ledger says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// Nothing.
    No,
    /// The entry was there just as it was claimed.
    Found,
    /// Accord wrote it, or an owner took it over.
    Ours,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing, and the line stays.
    Keep,
    /// A new entry.
    Add,
    /// The entry again, which somebody removed.
    AddAgain,
    /// A line, and no byte of the map.
    Find,
    /// The claimed identity, in place.
    Update,
    /// The claimed identity again, which somebody edited.
    PutBack,
    /// Nothing: the entry is not the claimant's.
    NotHeld,
    /// Nothing: entry and claim were both changed.
    EditedByTwo,
    /// The entry goes.
    Remove,
    /// The entry stays, and the line goes.
    LetGo,
    /// The entry stays, the line goes, and somebody should look at it.
    LeaveEdited,
    /// The line goes; there is no entry.
    Forget,
    /// The entry is nobody's.
    Unclaimed,
}

/// The table.
pub(crate) const fn judge(claimed: Claimed, live: Live, recorded: Recorded) -> Verdict {
    use Claimed::{Changed, No as Nobody, Unchanged};
    use Live::{Absent, AsWritten, Edited, Same};
    use Recorded::{Found, No as Unknown, Ours};
    match (claimed, live, recorded) {
        (Unchanged | Changed, Absent, Unknown) => Verdict::Add,
        (Unchanged | Changed, Absent, Found | Ours) => Verdict::AddAgain,
        (Unchanged | Changed, Same, Unknown) => Verdict::Find,
        (Unchanged | Changed, Same, Found | Ours) => Verdict::Keep,
        (Unchanged | Changed, AsWritten | Edited, Unknown) => Verdict::NotHeld,
        (Unchanged | Changed, AsWritten, Ours) => Verdict::Update,
        (Unchanged | Changed, AsWritten, Found) => Verdict::NotHeld,
        (Unchanged, Edited, Found | Ours) => Verdict::PutBack,
        (Changed, Edited, Ours) => Verdict::EditedByTwo,
        (Changed, Edited, Found) => Verdict::NotHeld,
        (Nobody, AsWritten, Ours) => Verdict::Remove,
        (Nobody, Same | AsWritten, Found) => Verdict::LetGo,
        (Nobody, Same | Edited, Ours) | (Nobody, Edited, Found) => Verdict::LeaveEdited,
        (Nobody, Absent, Found | Ours) => Verdict::Forget,
        (Nobody, Absent | Same | AsWritten | Edited, Unknown) => Verdict::Unclaimed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_as_it_is_documented() {
        use Claimed::{Changed, No, Unchanged};
        let mut table = String::new();
        for claimed in [Unchanged, Changed, No] {
            for live in [Live::Absent, Live::Same, Live::AsWritten, Live::Edited] {
                // Nothing is the same as no claim.
                if claimed == No && live == Live::Same {
                    continue;
                }
                let row = [Recorded::No, Recorded::Found, Recorded::Ours].map(|recorded| {
                    format!("{:<12}", format!("{:?}", judge(claimed, live, recorded)))
                });
                let line = format!(
                    "{:<10} {:<10} {}",
                    format!("{claimed:?}"),
                    format!("{live:?}"),
                    row.join("")
                );
                table.push_str(line.trim_end());
                table.push('\n');
            }
        }
        insta::assert_snapshot!(table, @r"
        Unchanged  Absent     Add         AddAgain    AddAgain
        Unchanged  Same       Find        Keep        Keep
        Unchanged  AsWritten  NotHeld     NotHeld     Update
        Unchanged  Edited     NotHeld     PutBack     PutBack
        Changed    Absent     Add         AddAgain    AddAgain
        Changed    Same       Find        Keep        Keep
        Changed    AsWritten  NotHeld     NotHeld     Update
        Changed    Edited     NotHeld     NotHeld     EditedByTwo
        No         Absent     Unclaimed   Forget      Forget
        No         AsWritten  Unclaimed   LetGo       Remove
        No         Edited     Unclaimed   LeaveEdited LeaveEdited
        ");
    }
}
