//! Identifiers in the forms that AWS gives them, from a seed.

use serde::{Deserialize, Serialize};

/// A source of identifiers. What is saved is its state, so that a loaded world goes on where it was.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "u64", into = "u64")]
pub(crate) struct Random(fastrand::Rng);

impl From<u64> for Random {
    fn from(seed: u64) -> Self {
        Self::new(seed)
    }
}

impl From<Random> for u64 {
    fn from(random: Random) -> Self {
        random.0.get_seed()
    }
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// So many characters out of `alphabet`.
    fn word(&mut self, alphabet: &[u8], length: usize) -> String {
        let letter = |_| {
            self.0
                .choice(alphabet)
                .map_or('a', |&byte| char::from(byte))
        };
        (0..length).map(letter).collect()
    }

    /// So many lower-case hexadecimal digits.
    pub(crate) fn hex(&mut self, length: usize) -> String {
        self.word(b"0123456789abcdef", length)
    }

    /// `8-4-4-4-12` hexadecimal digits, a random UUID of version 4.
    pub(crate) fn uuid(&mut self) -> String {
        let digits = self.hex(32);
        let part = |range: std::ops::Range<usize>| digits.get(range).unwrap_or_default();
        format!(
            "{}-{}-4{}-a{}-{}",
            part(0..8),
            part(8..12),
            part(13..16),
            part(17..20),
            part(20..32)
        )
    }

    /// IAM's unique id of 21 characters with its prefix: `AROA…` of a role, `AIDA…` of a user, `ANPA…` of a policy.
    pub(crate) fn unique_id(&mut self, prefix: &str) -> String {
        format!(
            "{prefix}{}",
            self.word(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 17)
        )
    }

    /// A text of letters and digits, as access keys, tokens and the ids of issuers are.
    pub(crate) fn upper(&mut self, length: usize) -> String {
        self.word(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", length)
    }

    /// The same in lower case.
    pub(crate) fn lower(&mut self, length: usize) -> String {
        self.word(b"abcdefghijklmnopqrstuvwxyz0123456789", length)
    }
}
