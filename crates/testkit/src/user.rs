//! Users, who show a token.

use std::fmt::Write as _;

/// The user who may do everything.
pub const ADMIN: &str = "admin";

/// How many users there are by default besides the administrator.
const ORDINARY: usize = 60;

/// A user of the API server, as its token file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    pub(crate) name: String,
    pub(crate) groups: Vec<String>,
}

impl User {
    /// A user in these groups (and in `system:authenticated`, as everybody). Neither holds a comma or a quote.
    pub fn new(name: &str, groups: &[&str]) -> Self {
        for word in groups.iter().chain([&name]) {
            assert!(!word.contains([',', '"', '\n']), "odd name: {word:?}");
        }
        Self {
            name: name.to_owned(),
            groups: groups.iter().map(|&group| group.to_owned()).collect(),
        }
    }

    /// What the user shows to be believed.
    pub(crate) fn token(&self) -> String {
        format!("token-of-{}", self.name)
    }
}

/// The administrator, and `user-0` to `user-59`, who are in no group.
pub(crate) fn defaults() -> Vec<User> {
    let ordinary = (0..ORDINARY).map(|n| User::new(&format!("user-{n}"), &[]));
    std::iter::once(User::new(ADMIN, &["system:masters"]))
        .chain(ordinary)
        .collect()
}

/// The file for `--token-auth-file`: token, user, UID, groups.
pub(crate) fn token_file(users: &[User]) -> String {
    let mut text = String::new();
    for user in users {
        let (name, groups) = (&user.name, user.groups.join(","));
        let _ = writeln!(text, "{},{name},uid-of-{name},\"{groups}\"", user.token());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_file_has_a_line_per_user() {
        let users = [
            User::new("ann", &["team-a", "team-b"]),
            User::new("bob", &[]),
        ];
        assert_eq!(
            token_file(&users),
            "token-of-ann,ann,uid-of-ann,\"team-a,team-b\"\ntoken-of-bob,bob,uid-of-bob,\"\"\n"
        );
    }
}
