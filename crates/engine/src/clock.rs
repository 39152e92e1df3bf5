//! Where time and randomness enter. Everything below is told both.

use std::time::{SystemTime, UNIX_EPOCH};

use accord_model::time::Timestamp;

/// What tells the time: the system's clock, or a fixed moment for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    fixed: Option<Timestamp>,
}

impl Clock {
    /// The system's clock.
    pub const fn system() -> Self {
        Self { fixed: None }
    }

    /// A clock that stands still.
    pub const fn fixed(at: Timestamp) -> Self {
        Self { fixed: Some(at) }
    }

    /// Now. A system clock before 1970 counts as 1970.
    pub fn now(self) -> Timestamp {
        self.fixed.unwrap_or_else(|| {
            let since = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            Timestamp {
                millis: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            }
        })
    }
}

/// A new journal entry's id: a UUIDv7, so that ids sort by time.
///
/// `last` is the newest entry there is: the new id sorts behind it even within one millisecond, or if the clock was
/// set back.
pub fn journal_id(now: Timestamp, last: Option<&str>) -> String {
    let mut millis = now.millis;
    if let Some(last) = last.and_then(|id| uuid::Uuid::parse_str(id).ok()) {
        let (seconds, nanos) = last.get_timestamp().map_or((0, 0), |t| t.to_unix());
        millis = millis.max(seconds * 1000 + u64::from(nanos) / 1_000_000 + 1);
    }
    let nanos = u32::try_from(millis % 1000).unwrap_or_default() * 1_000_000;
    uuid::Uuid::new_v7(uuid::Timestamp::from_unix(
        uuid::NoContext,
        millis / 1000,
        nanos,
    ))
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_even_within_one_millisecond() {
        let now = Timestamp {
            millis: 1_767_225_600_000,
        };
        let first = journal_id(now, None);
        let second = journal_id(now, Some(&first));
        let third = journal_id(Timestamp { millis: 5 }, Some(&second));
        assert!(first < second && second < third, "{first} {second} {third}");
    }
}
