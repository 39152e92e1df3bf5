//! Maps of every kind, from a seed: well-formed ones in every style, and what becomes of them in the hands of people.
//!
//! 1. [`scalar`]: values, from ordinary ones to every trap of YAML 1.1.
//! 2. [`structured`]: entries as people and tools write them. [`tree`] and [`mod@print`]: trees of values, each written in
//!    every style. [`wild`]: whatever the grammar allows. [`soup`]: words of YAML in no order.
//! 3. [`mutate`]: what goes wrong: tabs, line breaks, markers, truncation, stray characters.
//! 4. [`identity`]: callers who are in the map, and callers who nearly are.
//!
//! A map is told by its seed and number alone, so that each can be looked at again.

mod identity;
mod mutate;
mod print;
mod scalar;
mod soup;
mod structured;
mod tree;
mod wild;

use std::collections::BTreeSet;

use super::peer::Question;

/// A generated map, and which features it was meant to have.
pub(crate) struct Case {
    pub(crate) question: Question,
    pub(crate) features: BTreeSet<&'static str>,
}

/// A source of chance that notes what it was used for.
pub(crate) struct Pen {
    rng: fastrand::Rng,
    features: BTreeSet<&'static str>,
    /// From 0 (an ordinary map) to 1 (anything goes).
    wildness: f64,
}

impl Pen {
    /// True with this probability.
    fn chance(&mut self, probability: f64) -> bool {
        self.rng.f64() < probability
    }

    /// True with this probability in the wildest maps, and seldom in ordinary ones.
    fn wild(&mut self, probability: f64) -> bool {
        self.rng.f64() < probability * self.wildness
    }

    fn below(&mut self, end: usize) -> usize {
        self.rng.usize(0..end.max(1))
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.rng.usize(0..choices.len())]
    }

    fn note(&mut self, feature: &'static str) {
        self.features.insert(feature);
    }

    /// One of the choices, each with the feature that it stands for.
    fn pick_noted(&mut self, choices: &[(&'static str, &'static str)]) -> &'static str {
        let (text, feature) = self.pick(choices);
        self.note(feature);
        text
    }
}

/// The map with that number under that seed.
pub(crate) fn generate(seed: u64, number: u64) -> Case {
    let mut pen = Pen {
        // Neighbouring numbers give unrelated maps: the generator mixes its seed well.
        rng: fastrand::Rng::with_seed(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number),
        features: BTreeSet::new(),
        wildness: 0.0,
    };
    pen.wildness = pen.pick(&[0.0, 0.03, 0.1, 0.3, 1.0]);
    let mut question = Question {
        sso: pen.chance(0.2),
        ..Question::default()
    };
    if question.sso {
        pen.note("sso gate on");
    }
    let sections: &[&str] = pen.pick(&[
        &["mapRoles"],
        &["mapRoles"],
        &["mapRoles"],
        &["mapUsers"],
        &["mapAccounts"],
        &["mapRoles", "mapUsers"],
        &["mapRoles", "mapUsers", "mapAccounts"],
    ]);
    for &section in sections {
        let text = if pen.wild(0.3) {
            wild::section(&mut pen)
        } else if pen.wild(0.3) {
            soup::section(&mut pen)
        } else if pen.chance(0.5) {
            let entries = pen.entries(section);
            print::section(&mut pen, &entries)
        } else {
            structured::section(&mut pen, section)
        };
        let text = mutate::frame(&mut pen, text);
        let text = mutate::mutate(&mut pen, text);
        let key = if pen.wild(0.03) {
            pen.note("data key in other case");
            section.to_lowercase()
        } else {
            section.to_owned()
        };
        question.data.insert(key, text);
    }
    question.identities = identity::identities(&mut pen, &question);
    Case {
        question,
        features: pen.features,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_told_by_its_seed_and_number() {
        let text = |seed, number| serde_json::to_string(&generate(seed, number).question).unwrap();
        assert_eq!(text(1, 7), text(1, 7));
        assert_ne!(text(1, 7), text(1, 8));
        assert_ne!(text(1, 7), text(2, 7));
    }
}
