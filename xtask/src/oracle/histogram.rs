//! Which features the maps had, and how many of those maps could be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Counts per feature.
#[derive(Default)]
pub(super) struct Histogram {
    features: BTreeMap<&'static str, Count>,
    all: Count,
}

#[derive(Clone, Copy, Default)]
struct Count {
    maps: u64,
    readable: u64,
}

impl Count {
    fn add(&mut self, readable: bool) {
        self.maps += 1;
        self.readable += u64::from(readable);
    }

    fn share(self) -> f64 {
        self.readable as f64 / self.maps.max(1) as f64
    }
}

impl Histogram {
    /// Counts a map.
    pub(super) fn add(&mut self, features: &BTreeSet<&'static str>, readable: bool) {
        self.all.add(readable);
        for feature in features {
            self.features.entry(feature).or_default().add(readable);
        }
    }

    /// How many maps were counted.
    pub(super) fn maps(&self) -> u64 {
        self.all.maps
    }

    /// The share of maps all of whose sections can be read and in which some entry is in effect.
    pub(super) fn readable_share(&self) -> f64 {
        self.all.share()
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut features: Vec<_> = self.features.iter().collect();
        features.sort_by_key(|(name, count)| (std::cmp::Reverse(count.maps), **name));
        writeln!(f, "{:36} {:>8} {:>9}", "feature", "maps", "readable")?;
        for (name, count) in features {
            writeln!(
                f,
                "{name:36} {:>8} {:>7.0} %",
                count.maps,
                100.0 * count.share()
            )?;
        }
        write!(
            f,
            "{:36} {:>8} {:>7.0} %",
            "all",
            self.all.maps,
            100.0 * self.all.share()
        )
    }
}
