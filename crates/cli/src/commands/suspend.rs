use accord_model::arn::PrincipalKey;
use accord_model::ledger::Suspension;
use accord_model::time::Timestamp;
use accord_plan::reconcile::decide;
use accord_plan::request::{Intent, Request};
use accord_wire::time;
use clap::Args;

use crate::args::{ClusterArgs, OutputArgs, WriteArgs};
use crate::commands::perform::{Manner, perform};
use crate::error::{self, CliError, Result};
use crate::session::Session;

/// Stop putting an entry back for a while
///
/// For the night when a role must be thrown out by hand: until the given time
/// Accord leaves the entry as it finds it.
///
///     accord suspend --state cluster.yaml arn:aws:iam::111122223333:role/a --until 2026-10-01T08:00:00Z --reason leak
///     accord suspend --state cluster.yaml --all --until 2h --reason "incident 17"
#[derive(Args, Clone, Debug)]
#[command(verbatim_doc_comment, group = clap::ArgGroup::new("what").required(true).args(["principal", "all"]))]
pub(crate) struct SuspendArgs {
    /// The principal
    #[arg(value_name = "PRINCIPAL")]
    pub(crate) principal: Option<String>,

    /// Every principal
    #[arg(long)]
    pub(crate) all: bool,

    /// Until when: a time in RFC 3339, or from now on, such as `90m`, `2h` or `3d`
    #[arg(long, value_name = "TIME", required = true)]
    pub(crate) until: String,

    /// Why, for the ledger and the journal
    #[arg(long, value_name = "TEXT", required = true)]
    pub(crate) reason: String,

    /// Do not ask
    #[arg(short, long, help_heading = "Writing")]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

pub(crate) fn run(args: &SuspendArgs) -> Result<u8> {
    let mut session = Session::open(&args.cluster)?;
    let until = until(&args.until, session.clock.now())?;
    let write = WriteArgs {
        yes: args.yes,
        reason: Some(args.reason.clone()),
    };
    let manner = Manner::new("suspend", &write, args.output.output);
    let request = Request::new(Intent::Suspend(Suspension {
        principal: args.principal.as_deref().map(PrincipalKey::of),
        until,
        reason: args.reason.clone(),
    }));
    perform(&mut session, &manner, &|observed| {
        decide(observed, &request).map_err(error::of_request)
    })
}

/// A time in RFC 3339, or a number of minutes, hours or days from now on. It must be in the future.
fn until(text: &str, now: Timestamp) -> Result<Timestamp> {
    let until = time::parse(text).or_else(|| later(text, now));
    let until = until.ok_or_else(|| {
        CliError::usage(format!("`{text}` is no time"))
            .hint("give a time such as `2026-10-01T08:00:00Z`, or `90m`, `2h`, `3d` from now on")
    })?;
    if until <= now {
        return Err(CliError::usage(format!("`{text}` is already over")));
    }
    Ok(until)
}

fn later(text: &str, now: Timestamp) -> Option<Timestamp> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let minutes = match unit {
        "m" => 1,
        "h" => 60,
        "d" => 24 * 60,
        _ => return None,
    };
    let number: u64 = number.parse().ok()?;
    let millis = number.checked_mul(minutes)?.checked_mul(60_000)?;
    Some(Timestamp {
        millis: now.millis.checked_add(millis)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_may_be_told_from_now_on() {
        let now = Timestamp { millis: 1000 };
        let in_two_hours = until("2h", now).unwrap();
        assert_eq!(in_two_hours.millis, 1000 + 2 * 3_600_000);
        for wrong in [
            "",
            "h",
            "2",
            "2w",
            "-1h",
            "99999999999999999999d",
            "1970-01-01T00:00:00Z",
            "é",
        ] {
            assert!(until(wrong, now).is_err(), "{wrong}");
        }
    }
}
