//! Waiting for a condition.

use std::time::{Duration, Instant};

/// How long to wait for what takes a second or two on an idle machine: a busy one is allowed to be slow.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns what `look` finds, which is asked again and again, and panics after two minutes.
///
/// `what` completes the sentence "waited in vain for …".
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
