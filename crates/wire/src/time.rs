//! Moments as text: RFC 3339, which Kubernetes and AWS print and people type.

use accord_model::time::Timestamp;

/// Reads an RFC 3339 time, with any offset: `2026-11-02T08:00:00Z`, `2026-11-02T10:00:00.25+02:00`.
///
/// `None` if it is no time, has no offset, or is before 1970. What is finer than a millisecond is cut off.
pub fn parse(text: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = text.trim().parse().ok()?;
    let millis = u64::try_from(moment.as_millisecond()).ok()?;
    Some(Timestamp { millis })
}

/// Reads a time as the AWS CLI prints it: RFC 3339, or seconds since 1970 (`1700000000.123`), which version 1 prints.
pub fn parse_aws(text: &str) -> Option<Timestamp> {
    parse(text).or_else(|| {
        let seconds: f64 = text.trim().parse().ok()?;
        let millis = seconds * 1000.0;
        // Beyond the year 9999 nobody means a time.
        ((0.0..253_402_300_800_000.0).contains(&millis)).then_some(Timestamp {
            millis: millis as u64,
        })
    })
}

/// Prints a time in UTC, to the second as Kubernetes does, with a fraction only where there is one.
///
/// A time beyond the year 9999 is printed as the last one of that year.
pub fn print(at: Timestamp) -> String {
    let moment = i64::try_from(at.millis)
        .ok()
        .and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok())
        .unwrap_or(jiff::Timestamp::MAX);
    moment.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_kubernetes_and_aws_print() {
        let noon = Timestamp {
            millis: 1_793_620_800_000,
        };
        assert_eq!(parse("2026-11-02T12:00:00Z"), Some(noon));
        assert_eq!(parse_aws("2026-11-02T14:00:00+02:00"), Some(noon));
        assert_eq!(parse_aws("1793620800.0"), Some(noon));
        assert_eq!(
            parse_aws("2026-11-02T12:00:00.123456+00:00"),
            Some(Timestamp {
                millis: noon.millis + 123
            })
        );
        assert_eq!(print(noon), "2026-11-02T12:00:00Z");
    }

    #[test]
    fn no_time_is_no_time() {
        for text in [
            "",
            "2026-11-02",
            "2026-11-02T12:00:00",
            "1969-12-31T23:59:59Z",
            "soon",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse_aws("-1"), None);
        assert_eq!(parse_aws("NaN"), None);
        assert_eq!(parse_aws("1e300"), None);
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read(millis in 0u64..253_402_207_200_000) {
            let at = Timestamp { millis };
            prop_assert_eq!(parse(&print(at)), Some(at));
        }

        #[test]
        fn any_moment_is_printed(millis: u64, text in "\\PC{0,30}") {
            print(Timestamp { millis });
            parse_aws(&text);
        }
    }
}
