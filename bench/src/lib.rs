//! Inputs for measuring: maps and state files of any size, the same on every run.
//!
//! An entry is what people have in large maps: a role, a username and one group in block style, about 89 bytes, so
//! that 5,000 of them make 447 kB, near the half of what the API server takes.

use std::fmt::Write as _;

/// The sizes at which maps are measured.
pub const SIZES: [usize; 4] = [10, 500, 5_000, 10_000];

/// The principal of entry `i`.
pub fn principal(i: usize) -> String {
    format!("arn:aws:iam::111122223333:role/team-{i:05}")
}

/// The text of `mapRoles` with `entries` entries.
pub fn roles(entries: usize) -> String {
    let mut text = String::new();
    for i in 0..entries {
        let _ = write!(
            text,
            "- rolearn: {}\n  username: u{i:05}\n  groups:\n  - g{}\n",
            principal(i),
            i % 100
        );
    }
    text
}

/// A state file whose `aws-auth` has `entries` entries.
pub fn state(entries: usize) -> String {
    let mut text = String::from(
        "cluster:\n  name: large\n  arn: arn:aws:eks:eu-central-1:111122223333:cluster/large\n  accessConfig:\n    \
         authenticationMode: CONFIG_MAP\n---\n",
    );
    config_map(&mut text, "  name: aws-auth\n", entries);
    text
}

/// The same, and a fragment that claims the first `claims` principals of such maps.
pub fn claimed_state(entries: usize, claims: usize) -> String {
    let mut text = state(entries);
    text.push_str("---\n");
    let name = "  name: accord-team\n  labels:\n    accord.dev/aws-auth: fragment\n";
    config_map(&mut text, name, claims);
    text
}

/// Appends a ConfigMap in `kube-system` with `mapRoles`.
fn config_map(text: &mut String, metadata: &str, entries: usize) {
    text.push_str("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  namespace: kube-system\n");
    text.push_str(metadata);
    text.push_str("data:\n  mapRoles: |\n");
    for line in roles(entries).lines() {
        let _ = writeln!(text, "    {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_thousand_entries_are_447_kilobytes() {
        let size = roles(5_000).len();
        assert!((440_000..455_000).contains(&size), "{size}");
    }
}
