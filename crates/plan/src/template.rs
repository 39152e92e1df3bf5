//! How the authenticator fills the templates of usernames and groups (`renderTemplate` in `pkg/server/server.go`).
//!
//! Plain replacement, in this order: `{{EC2PrivateDNSName}}`, `{{AccountID}}`, `{{SessionName}}` with `@` written as
//! `-`, `{{SessionNameRaw}}`, `{{AccessKeyID}}`. What is not known here stays as it is, and is named.

use crate::caller::Caller;

/// The placeholders, in the order in which they are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Placeholder {
    /// `{{EC2PrivateDNSName}}`: asked of EC2, for an instance's session only.
    Ec2PrivateDnsName,
    /// `{{AccountID}}`
    AccountId,
    /// `{{SessionName}}`
    SessionName,
    /// `{{SessionNameRaw}}`
    SessionNameRaw,
    /// `{{AccessKeyID}}`: never known here.
    AccessKeyId,
}

impl Placeholder {
    /// All, in the order in which they are replaced.
    pub const ALL: [Self; 5] = [
        Self::Ec2PrivateDnsName,
        Self::AccountId,
        Self::SessionName,
        Self::SessionNameRaw,
        Self::AccessKeyId,
    ];

    /// The name between the braces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ec2PrivateDnsName => "EC2PrivateDNSName",
            Self::AccountId => "AccountID",
            Self::SessionName => "SessionName",
            Self::SessionNameRaw => "SessionNameRaw",
            Self::AccessKeyId => "AccessKeyID",
        }
    }

    /// As it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Ec2PrivateDnsName => "{{EC2PrivateDNSName}}",
            Self::AccountId => "{{AccountID}}",
            Self::SessionName => "{{SessionName}}",
            Self::SessionNameRaw => "{{SessionNameRaw}}",
            Self::AccessKeyId => "{{AccessKeyID}}",
        }
    }

    /// Those that `template` holds.
    pub fn in_text(template: &str) -> impl Iterator<Item = Self> {
        Self::ALL
            .into_iter()
            .filter(move |p| template.contains(p.text()))
    }
}

/// The template needs the private DNS name of an EC2 instance, and the session is none's: the authenticator denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{{{{EC2PrivateDNSName}}}}` needs a session that is named after an EC2 instance")]
pub struct NotAnInstance;

/// What templates are filled with.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// Who calls.
    pub caller: &'a Caller,
    /// The private DNS name that EC2 would give for the caller's instance, if known.
    pub ec2_private_dns: Option<&'a str>,
}

impl Filling<'_> {
    /// Fills one username or group. The names of placeholders that could not be filled are added to `unfilled`, once
    /// each.
    pub fn fill(
        &self,
        template: &str,
        unfilled: &mut Vec<Placeholder>,
    ) -> Result<String, NotAnInstance> {
        let mut filled = template.to_owned();
        for placeholder in Placeholder::ALL {
            if !filled.contains(placeholder.text()) {
                continue;
            }
            match self.value(placeholder)? {
                Some(value) => filled = filled.replace(placeholder.text(), &value),
                None if unfilled.contains(&placeholder) => {}
                None => unfilled.push(placeholder),
            }
        }
        Ok(filled)
    }

    fn value(&self, placeholder: Placeholder) -> Result<Option<String>, NotAnInstance> {
        let session = self.caller.session.name();
        Ok(match placeholder {
            Placeholder::Ec2PrivateDnsName => match self.caller.session.is_instance() {
                Some(false) => return Err(NotAnInstance),
                Some(true) | None => self.ec2_private_dns.map(str::to_owned),
            },
            Placeholder::AccountId => Some(self.caller.account.clone()),
            Placeholder::SessionName => session.map(|s| s.replace('@', "-")),
            Placeholder::SessionNameRaw => session.map(str::to_owned),
            Placeholder::AccessKeyId => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(
        asked: &str,
        dns: Option<&str>,
        template: &str,
    ) -> (Result<String, NotAnInstance>, Vec<&'static str>) {
        let caller = Caller::parse(asked).unwrap();
        let filling = Filling {
            caller: &caller,
            ec2_private_dns: dns,
        };
        let mut unfilled = Vec::new();
        let filled = filling.fill(template, &mut unfilled);
        (filled, unfilled.iter().map(|p| p.name()).collect())
    }

    #[test]
    fn a_session_fills_as_the_server_does() {
        let kim = "arn:aws:sts::111122223333:assumed-role/Dev/kim@example.com";
        for (template, filled, unfilled) in [
            ("dev:{{SessionName}}", "dev:kim-example.com", vec![]),
            ("raw:{{SessionNameRaw}}", "raw:kim@example.com", vec![]),
            (
                "{{AccountID}}/{{AccountID}}",
                "111122223333/111122223333",
                vec![],
            ),
            ("{{AccessKeyID}}", "{{AccessKeyID}}", vec!["AccessKeyID"]),
            (
                "{{sessionname}} {{ SessionName }}",
                "{{sessionname}} {{ SessionName }}",
                vec![],
            ),
            ("", "", vec![]),
        ] {
            assert_eq!(fill(kim, None, template), (Ok(filled.into()), unfilled));
        }
    }

    #[test]
    fn only_an_instance_has_a_private_dns_name() {
        let node = "system:node:{{EC2PrivateDNSName}}";
        let instance = "arn:aws:sts::111122223333:assumed-role/ng/i-1234abcd";
        assert_eq!(
            fill(instance, Some("ip-10-0-0-1.ec2.internal"), node),
            (Ok("system:node:ip-10-0-0-1.ec2.internal".into()), vec![])
        );
        assert_eq!(
            fill(instance, None, node),
            (Ok(node.into()), vec!["EC2PrivateDNSName"])
        );
        let person = "arn:aws:sts::111122223333:assumed-role/ng/kim";
        assert_eq!(fill(person, Some("x"), node).0, Err(NotAnInstance));
        let user = "arn:aws:iam::111122223333:user/kim";
        assert_eq!(fill(user, Some("x"), node).0, Err(NotAnInstance));
        let role = "arn:aws:iam::111122223333:role/ng";
        assert_eq!(
            fill(role, None, node),
            (Ok(node.into()), vec!["EC2PrivateDNSName"])
        );
    }

    #[test]
    fn without_a_session_the_name_is_empty_or_unknown() {
        assert_eq!(
            fill(
                "arn:aws:iam::111122223333:user/kim",
                None,
                "u:{{SessionName}}"
            ),
            (Ok("u:".into()), vec![])
        );
        assert_eq!(
            fill(
                "arn:aws:iam::111122223333:role/r",
                None,
                "u:{{SessionName}}"
            ),
            (Ok("u:{{SessionName}}".into()), vec!["SessionName"])
        );
    }
}
