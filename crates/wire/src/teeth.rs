//! Rules of reading that a test build can switch off, one at a time.
//!
//! Agreement with the authenticator is shown by comparing many generated maps. That proves little unless the maps
//! exercise every rule: so with the feature `teeth` (for tests only) each rule below can be switched off, and the
//! comparison must then find a difference. Without the feature every rule holds, at no cost.

macro_rules! rules {
    ($($rule:ident = $name:literal,)*) => {
        /// A rule that can be switched off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Rule {
            $(#[doc = $name] $rule,)*
        }

        /// The names of all rules.
        pub const RULES: &[&str] = &[$($name,)*];

        #[cfg(feature = "teeth")]
        const ALL: &[(&str, Rule)] = &[$(($name, Rule::$rule),)*];
    };
}

rules! {
    ByteOrderMark = "a byte order mark at the start is dropped",
    CarriageReturn = "a carriage return ends a line",
    UnicodeLineBreaks = "U+0085, U+2028 and U+2029 end a line",
    TabIndentation = "a tab is no indentation",
    SimpleKeyLimit = "a key reaches at most 1,024 characters",
    Yaml11Booleans = "yes, no, on, off, y and n are booleans",
    OctalNumbers = "a leading zero or 0o makes an octal number",
    FloatLoss = "infinities and NaN lose a section",
    NullKeyLoss = "a null key loses a section",
    MergeOverrides = "a merge key overrides the keys before it",
    Binary = "!!binary is decoded",
    SecondDocument = "a second document is ignored",
    TrailingContent = "text behind the end of the root is ignored",
    FoldedKeys = "fields match without regard to case",
    VariantOrder = "spellings of a field apply in byte order",
    LastDuplicate = "of equal keys the last counts",
    ListOverlay = "a second list is laid over the first",
    NullResetsList = "null empties a list",
    SsoBesideArn = "an sso block beside an ARN drops the entry",
    AccountText = "accounts keep their text",
    AccountVoiding = "a tag that does not fit empties the accounts from there on",
}

/// Whether a rule holds: always, unless a test has switched it off.
#[cfg(not(feature = "teeth"))]
#[inline(always)]
pub(crate) const fn holds(_: Rule) -> bool {
    true
}

#[cfg(feature = "teeth")]
pub(crate) use switch::holds;
#[cfg(feature = "teeth")]
pub use switch::switch_off;

#[cfg(feature = "teeth")]
mod switch {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{ALL, Rule};

    /// The number of the rule that is off; out of range for none.
    static OFF: AtomicUsize = AtomicUsize::new(usize::MAX);

    /// Switches off the rule of that name, for the whole process, and all others on. No such name: all are on.
    /// Returns whether a rule is off now.
    pub fn switch_off(name: &str) -> bool {
        let number = ALL.iter().position(|&(n, _)| n == name);
        OFF.store(number.unwrap_or(usize::MAX), Ordering::SeqCst);
        number.is_some()
    }

    pub(crate) fn holds(rule: Rule) -> bool {
        OFF.load(Ordering::Relaxed) != rule as usize
    }
}
