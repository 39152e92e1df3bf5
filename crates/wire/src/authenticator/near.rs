//! Which known field a misspelled one seems to mean.

/// What other tools and people call the fields, in small letters without `_`, `-` and blanks.
const SYNONYMS: &[(&str, &[&str])] = &[
    (
        "arn",
        &[
            "arn",
            "role",
            "iamrole",
            "iamrolearn",
            "rolearns",
            "iamuser",
            "iamuserarn",
            "principal",
            "principalarn",
            "iamarn",
            "rolearn",
            "userarn",
        ],
    ),
    (
        "username",
        &[
            "user",
            "name",
            "kubernetesusername",
            "kubernetesuser",
            "k8susername",
        ],
    ),
    (
        "groups",
        &[
            "group",
            "kubernetesgroups",
            "kubernetesgroup",
            "k8sgroups",
            "roles",
        ],
    ),
    ("permissionSetName", &["permissionset", "permissionsetarn"]),
    ("accountID", &["account", "awsaccountid"]),
];

/// The field of `known` that `key` seems to mean. `value` is the text it holds, if it holds text: an ARN under a name
/// that says nothing of groups or usernames is meant as the entry's ARN.
pub(super) fn near(
    key: &str,
    value: Option<&str>,
    known: &'static [&'static str],
) -> Option<&'static str> {
    let plain: String = key
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    if plain.is_empty() {
        return None;
    }
    let arn_field = known.iter().find(|f| f.ends_with("arn"));
    if value.is_some_and(|v| v.starts_with("arn:")) && arn_field.is_some() {
        return arn_field.copied();
    }
    let synonym = SYNONYMS
        .iter()
        .find(|(_, names)| names.contains(&plain.as_str()))
        .and_then(|(field, _)| known.iter().find(|k| k.ends_with(field)));
    synonym
        .or_else(|| {
            let limit = (plain.chars().count() / 4).clamp(1, 2);
            known
                .iter()
                .filter(|field| field.len().abs_diff(plain.len()) <= limit)
                .map(|field| (distance(&plain, &field.to_lowercase()), field))
                .filter(|(distance, _)| *distance <= limit)
                .min_by_key(|(distance, _)| *distance)
                .map(|(_, field)| field)
        })
        .copied()
}

/// How many letters must be added, dropped, replaced or swapped with their neighbour to make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(40).collect(), b.chars().collect());
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let same = a[i - 1] == b[j - 1];
            row[j] = (last[j - 1] + usize::from(!same))
                .min(last[j] + 1)
                .min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_fields_are_recognised() {
        let known = &["rolearn", "sso", "username", "groups", "userid"];
        for (key, value, field) in [
            ("role_arn", None, Some("rolearn")),
            ("role-arn", None, Some("rolearn")),
            ("userarn", None, Some("rolearn")),
            ("rolearm", None, Some("rolearn")),
            ("role", None, Some("rolearn")),
            (
                "x",
                Some("arn:aws:iam::111122223333:role/A"),
                Some("rolearn"),
            ),
            ("group", None, Some("groups")),
            ("gruops", None, Some("groups")),
            ("user_name", None, Some("username")),
            ("user", None, Some("username")),
            ("userId2", None, Some("userid")),
            ("comment", None, None),
            ("tags", None, None),
            ("", None, None),
        ] {
            assert_eq!(near(key, value, known), field, "{key}");
        }
    }
}
