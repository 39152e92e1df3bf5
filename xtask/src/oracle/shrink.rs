//! Making a divergence small.

use super::peer::Question;

/// The smallest question found that still `diverges`: identities, sections and ever smaller parts of the texts are left
/// out one after the other, until nothing more can be.
pub(crate) fn shrink(
    mut question: Question,
    mut diverges: impl FnMut(&Question) -> bool,
) -> Question {
    loop {
        let before = question.clone();
        for identity in &before.identities {
            let mut smaller = question.clone();
            smaller.identities.retain(|i| i != identity);
            if diverges(&smaller) {
                question = smaller;
            }
        }
        for key in before.data.keys() {
            let mut smaller = question.clone();
            let Some(text) = smaller.data.remove(key) else {
                continue;
            };
            if diverges(&smaller) {
                question = smaller;
                continue;
            }
            let shortest = shorten(&text, |shorter| {
                smaller.data.insert(key.clone(), shorter.into());
                diverges(&smaller)
            });
            question.data.insert(key.clone(), shortest);
        }
        if question == before {
            return question;
        }
    }
}

/// Leaves out halves of the text, then quarters, down to single characters, where what remains still `diverges`.
fn shorten(text: &str, mut diverges: impl FnMut(&str) -> bool) -> String {
    let mut text: Vec<char> = text.chars().collect();
    let mut size = text.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < text.len() {
            let kept = text.iter().take(at).chain(text.iter().skip(at + size));
            let shorter: String = kept.collect();
            if diverges(&shorter) {
                text = shorter.chars().collect();
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    text.into_iter().collect()
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
