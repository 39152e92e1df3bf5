//! The sandbox's clock: the machine's, moved by as much as a test wants, or standing still.

use std::time::{Duration, SystemTime};

use accord_model::time::Timestamp;

/// What time it is on this machine.
pub fn machine_time() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Timestamp {
        millis: since.map_or(0, |since| since.as_millis() as u64),
    }
}

/// A clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// The sandbox's time when it was last set.
    set_to: Timestamp,
    /// The machine's time then; `None` while the clock stands.
    set_at: Option<Timestamp>,
}

impl Clock {
    /// A clock that shows `now`.
    pub(super) fn new(now: Timestamp, frozen: bool) -> Self {
        let mut clock = Self {
            set_to: now,
            set_at: None,
        };
        clock.freeze(frozen);
        clock
    }

    /// What it shows.
    pub(super) fn now(&self) -> Timestamp {
        let passed = match self.set_at {
            Some(at) => machine_time().millis.saturating_sub(at.millis),
            None => 0,
        };
        Timestamp {
            millis: self.set_to.millis + passed,
        }
    }

    /// Whether it stands.
    pub(super) const fn is_frozen(&self) -> bool {
        self.set_at.is_none()
    }

    /// Stops it, or lets it go on.
    pub(super) fn freeze(&mut self, frozen: bool) {
        self.set_to = self.now();
        self.set_at = (!frozen).then(machine_time);
    }

    /// Puts it forward to `to`. It never goes back.
    pub(super) fn set(&mut self, to: Timestamp) {
        let frozen = self.is_frozen();
        self.set_to = self.now().max(to);
        self.set_at = (!frozen).then(machine_time);
    }

    /// How long until it shows `at`; `None` if it stands.
    pub(super) fn until(&self, at: Timestamp) -> Option<Duration> {
        let millis = at.millis.saturating_sub(self.now().millis);
        (!self.is_frozen()).then(|| Duration::from_millis(millis))
    }
}
