//! Amazon Resource Names of those who call, and the form in which the authenticator compares them.

use std::fmt;

/// The form of a principal under which two spellings are the same entry to the authenticator: lower-cased as Go does
/// it. For an account, the text as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PrincipalKey(String);

impl PrincipalKey {
    /// The key of an ARN or account text as it stands in a map.
    pub fn of(text: &str) -> Self {
        Self(text.to_lowercase())
    }

    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PrincipalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
