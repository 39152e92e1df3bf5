//! Making a divergence small.

use super::peer::Question;

/// The smallest question found that still `diverges`: identities, sections, lines and characters are left out one after
/// the other as long as something can be.
pub(crate) fn shrink(
    mut question: Question,
    mut diverges: impl FnMut(&Question) -> bool,
) -> Question {
    for identity in question.identities.clone() {
        let mut smaller = question.clone();
        smaller.identities.retain(|i| *i != identity);
        if diverges(&smaller) {
            question = smaller;
        }
    }
    for key in question.data.clone().into_keys() {
        let mut smaller = question.clone();
        smaller.data.remove(&key);
        if diverges(&smaller) {
            question = smaller;
        }
    }
    for key in question.data.clone().into_keys() {
        let mut size = question
            .data
            .get(&key)
            .map_or(0, |t| t.chars().count())
            .div_ceil(2);
        while size > 0 {
            let mut at = 0;
            loop {
                let text: Vec<char> = question
                    .data
                    .get(&key)
                    .map(|t| t.chars().collect())
                    .unwrap_or_default();
                if at >= text.len() {
                    break;
                }
                let shorter: String = text
                    .iter()
                    .take(at)
                    .chain(text.iter().skip(at + size))
                    .collect();
                let mut smaller = question.clone();
                smaller.data.insert(key.clone(), shorter);
                if diverges(&smaller) {
                    question = smaller;
                } else {
                    at += size;
                }
            }
            size /= 2;
        }
    }
    question
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_only_what_matters() {
        let data = [("mapRoles", "- a\n- needle\n- b\n"), ("mapUsers", "x")];
        let question = Question {
            data: data.map(|(k, v)| (k.into(), v.into())).into(),
            identities: vec!["a".into()],
            sso: false,
        };
        let small = shrink(question, |q| q.data.values().any(|t| t.contains("dle")));
        assert_eq!(small.data.into_values().collect::<Vec<_>>(), ["dle"]);
        assert!(small.identities.is_empty());
    }
}
