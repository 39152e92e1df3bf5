//! How many tests passed: read from what test runners print, and added up.

use std::fmt;
use std::ops::AddAssign;

/// Counts of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests that did not run.
    pub skipped: usize,
}

impl Tally {
    /// Adds up the closing lines of test runners in `output`: `cargo test`'s
    /// (`test result: ok. 3 passed; 0 failed; 1 ignored; …`) and the plain one (`3 passed, 0 failed, 1 skipped`).
    pub(crate) fn read(output: &str) -> Self {
        let mut sum = Self::default();
        for line in output.lines() {
            let counts = match line.strip_prefix("test result: ") {
                Some(rest) => rest.split_once(". ").map_or(rest, |(_, counts)| counts),
                None if line.starts_with(|first: char| first.is_ascii_digit()) => line,
                None => continue,
            };
            for count in counts.split([';', ',']) {
                let Some((number, what)) = count.trim().split_once(' ') else {
                    continue;
                };
                let number = number.parse().unwrap_or(0);
                match what {
                    "passed" => sum.passed += number,
                    "failed" => sum.failed += number,
                    "ignored" | "skipped" => sum.skipped += number,
                    _ => {}
                }
            }
        }
        sum
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_cargo_test_and_the_plain_line() {
        let output = "running 3 tests\n\
            test result: ok. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            62 passed, 4 failed, 30 skipped\n\
            3 maps read\n";
        assert_eq!(
            Tally::read(output),
            Tally {
                passed: 65,
                failed: 5,
                skipped: 32
            }
        );
    }
}
