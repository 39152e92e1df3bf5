//! Rules of working on a live cluster that a test build can switch off, one at a time.
//!
//! That many writers lose nothing is shown by looking at everything that they ever stored. That proves little unless a
//! broken rule would be noticed: so with the feature `teeth` (for tests only) each rule below can be switched off by its
//! name in the environment variable `ACCORD_TEETH`. Without the feature every rule holds, at no cost.

macro_rules! rules {
    ($($rule:ident = $name:literal,)*) => {
        /// A rule that can be switched off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Rule {
            $(#[doc = $name] $rule,)*
        }

        #[cfg(feature = "teeth")]
        const ALL: &[(&str, Rule)] = &[$(($name, Rule::$rule),)*];
    };
}

rules! {
    ClaimsLast = "claims are listed after the map",
    Versions = "a write carries the version that was read",
    DecideAnew = "after a conflict everything is decided anew",
}

/// Whether a rule holds: always, unless a test has switched it off.
#[cfg(not(feature = "teeth"))]
#[inline(always)]
pub(crate) const fn holds(_: Rule) -> bool {
    true
}

/// Whether a rule holds: unless the environment says otherwise.
///
/// # Panics
/// If it names no rule.
#[cfg(feature = "teeth")]
#[allow(clippy::panic, reason = "only in a build for tests")]
pub(crate) fn holds(rule: Rule) -> bool {
    let Ok(off) = std::env::var("ACCORD_TEETH") else {
        return true;
    };
    match ALL.iter().find(|(name, _)| *name == off) {
        Some((_, off)) => *off != rule,
        None => panic!("there is no rule `{off}`"),
    }
}
