//! Latency, throttling and errors that a test asks for.

use serde::{Deserialize, Serialize};

use super::{AwsError, World};

/// What is wrong with an operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Fault {
    /// Each answer comes so many milliseconds late, by the machine's clock.
    pub latency: u64,
    /// At most so many calls in a second of the sandbox's clock; the others are throttled.
    pub per_second: Option<u32>,
    /// The error to answer with.
    pub error: Option<Failure>,
    /// How often the error is answered; without it, always.
    pub times: Option<u32>,
    /// The second in which calls were last counted, and how many there were.
    #[serde(skip)]
    seen: (u64, u32),
}

/// An error to answer with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Failure {
    /// `AccessDeniedException`
    pub code: String,
    /// The HTTP status.
    pub status: u16,
    /// For people.
    #[serde(default)]
    pub message: String,
}

/// How a call is struck.
#[derive(Clone, Debug, Default)]
pub(crate) struct Struck {
    /// Milliseconds before the answer.
    pub(crate) latency: u64,
    /// What is answered instead.
    pub(crate) error: Option<AwsError>,
}

impl World {
    /// What strikes a call of `operation` of `service`. The most exact name counts: `iam:GetRole` before `GetRole`
    /// before `iam:*` before `*`.
    pub(crate) fn strike(&mut self, service: &str, operation: &str) -> Struck {
        if self.settings.faults.is_empty() {
            return Struck::default();
        }
        let second = self.now.millis / 1000;
        let names = [
            format!("{service}:{operation}"),
            operation.to_owned(),
            format!("{service}:*"),
            "*".to_owned(),
        ];
        let faults = &mut self.settings.faults;
        let Some(name) = names.iter().find(|name| faults.contains_key(*name)) else {
            return Struck::default();
        };
        let Some(fault) = faults.get_mut(name) else {
            return Struck::default();
        };
        Struck {
            latency: fault.latency,
            error: fault.throttle(second, service).or_else(|| fault.fail()),
        }
    }
}

impl Fault {
    fn throttle(&mut self, second: u64, service: &str) -> Option<AwsError> {
        let limit = self.per_second?;
        if self.seen.0 != second {
            self.seen = (second, 0);
        }
        self.seen.1 += 1;
        if self.seen.1 <= limit {
            return None;
        }
        Some(match service {
            "eks" => AwsError::new("ThrottlingException", 429, "Rate exceeded"),
            _ => AwsError::new("Throttling", 400, "Rate exceeded"),
        })
    }

    fn fail(&mut self) -> Option<AwsError> {
        let failure = self.error.clone()?;
        if let Some(times) = &mut self.times {
            *times = times.checked_sub(1)?;
        }
        Some(AwsError::new(
            &failure.code,
            failure.status,
            failure.message,
        ))
    }
}
