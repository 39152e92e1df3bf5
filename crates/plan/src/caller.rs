//! An identity as `aws sts get-caller-identity` prints it, and what the authenticator learns of it.

use accord_model::arn::{self, Arn, NotACaller, PrincipalKey, PrincipalType};
use accord_model::observed::Observed;

/// A caller's session, which fills `{{SessionName}}` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Session {
    /// A role's session, by name.
    Named(String),
    /// A role was asked for and not a session of it: the name is not known.
    Unknown,
    /// Users, roots and federated users have none: to the authenticator it is empty.
    None,
}

impl Session {
    /// The name as the authenticator has it; `None` if it is not known.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::Unknown => None,
            Self::None => Some(""),
        }
    }

    /// Whether the name is an EC2 instance id (`^i-(\w{8}|\w{17})$`, as the authenticator tests it); `None` if the
    /// name is not known.
    pub fn is_instance(&self) -> Option<bool> {
        let id = |name: &str| {
            name.strip_prefix("i-").is_some_and(|rest| {
                matches!(rest.len(), 8 | 17)
                    && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            })
        };
        self.name().map(id)
    }
}

/// A caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// As asked, without blanks around it.
    pub asked: String,
    /// The ARN under which it is looked up, in its own case.
    pub canonical: String,
    /// What kind of caller.
    pub kind: PrincipalType,
    /// Its account.
    pub account: String,
    /// Its session.
    pub session: Session,
}

/// A text that is no identity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotAnIdentity {
    /// The text as it may be printed: a token or a signed URL is not repeated.
    pub shown: String,
    /// What it is instead, and what to ask for, in whole sentences.
    pub reason: String,
}

impl Caller {
    /// Who makes a change: whom somebody named, else whom the observation names, if that is an identity.
    ///
    /// # Errors
    /// If the one named is no identity.
    pub(crate) fn who(
        named: Option<&str>,
        observed: &Observed,
    ) -> Result<Option<Self>, NotAnIdentity> {
        match (named, &observed.caller) {
            (Some(named), _) => Self::parse(named).map(Some),
            (None, Some(seen)) => Ok(Self::parse(seen).ok()),
            (None, None) => Ok(None),
        }
    }

    /// Reads an identity.
    ///
    /// A role's ARN stands for the role without a session. It may carry the role's path, which STS would not show.
    pub fn parse(text: &str) -> Result<Self, NotAnIdentity> {
        let asked = text.trim();
        if is_secret(asked) {
            return Err(NotAnIdentity {
                shown: "(a token)".into(),
                reason: "This is a token or a signed URL, not an identity; it is not repeated here. Ask for the ARN \
                         that `aws sts get-caller-identity` prints."
                    .into(),
            });
        }
        let refuse = |reason: String| NotAnIdentity {
            shown: asked.to_owned(),
            reason,
        };
        let (kind, canonical) =
            arn::canonicalize(asked).map_err(|why| refuse(what_it_is(asked, &why)))?;
        let canonical = match kind {
            PrincipalType::Role => arn::without_role_path(asked),
            _ => canonical,
        };
        if !arn::is_presentable(&canonical) {
            return Err(refuse(what_is_wrong(&canonical)));
        }
        let session = match kind {
            PrincipalType::AssumedRole => {
                Session::Named(asked.rsplit('/').next().unwrap_or_default().to_owned())
            }
            PrincipalType::Role => Session::Unknown,
            PrincipalType::User | PrincipalType::Root | PrincipalType::FederatedUser => {
                Session::None
            }
        };
        let account = Arn::parse(&canonical).map_or("", |a| a.account).to_owned();
        Ok(Self {
            asked: asked.to_owned(),
            kind,
            account,
            session,
            canonical: canonical.into_owned(),
        })
    }

    /// The key under which it is looked up.
    pub fn key(&self) -> PrincipalKey {
        PrincipalKey::of(&self.canonical)
    }

    /// The role's name, if it is a role or a session of one.
    pub fn role_name(&self) -> Option<&str> {
        match self.kind {
            PrincipalType::Role | PrincipalType::AssumedRole => Arn::parse(&self.canonical)?.name(),
            PrincipalType::User | PrincipalType::Root | PrincipalType::FederatedUser => None,
        }
    }
}

/// Tokens begin with `k8s-aws-v1.`, or with `eyJ` if they are JSON Web Tokens; a signed URL is signed in its query.
fn is_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.starts_with("k8s-aws-v1.")
        || lower.contains("x-amz-signature")
        || lower.contains("x-amz-security-token")
        || lower.contains("bearer ")
        || text.starts_with("eyJ")
}

fn what_it_is(text: &str, why: &NotACaller) -> String {
    const ASK: &str = "Ask for the ARN that `aws sts get-caller-identity` prints";
    match why {
        NotACaller::NotAnArn if arn::is_account(text) => format!(
            "This is an account, not an identity. {ASK} there, or for `arn:aws:iam::{text}:root`."
        ),
        NotACaller::NotAnArn => match text.get(..4) {
            Some("AKIA" | "ASIA") => format!("This is an access key's id, not an identity. {ASK}."),
            Some("AROA" | "AIDA" | "AGPA" | "AIPA") => {
                format!("This is a unique id, which the authenticator does not look up. {ASK}.")
            }
            Some(prefix) if prefix != "arn:" && prefix.eq_ignore_ascii_case("arn:") => {
                format!("An ARN begins with `arn:` in lower case. {ASK}.")
            }
            _ => format!("This is not an ARN: {why}. {ASK}."),
        },
        NotACaller::UnknownPartition(partition) => format!(
            "There is no partition `{partition}`. The partitions are {}.",
            arn::PARTITIONS.join(", ")
        ),
        NotACaller::NoSession => {
            format!(
                "The session's name is missing: a session is `assumed-role/ROLE/SESSION`. {ASK}."
            )
        }
        NotACaller::Resource(_) | NotACaller::Service(_) => {
            format!(
                "This is {}: nobody authenticates as that. {ASK}.",
                noun(text)
            )
        }
    }
}

/// What an ARN that is no caller's names, with its article: `an instance profile`.
pub fn noun(arn: &str) -> String {
    let Some(parsed) = Arn::parse(arn) else {
        return "not an ARN".into();
    };
    let known = match (parsed.service, parsed.resource_type()) {
        ("iam", "instance-profile") => "an instance profile",
        ("iam", "group") => "an IAM group",
        ("iam", "policy") => "an IAM policy",
        ("iam", "saml-provider") => "a SAML provider",
        ("iam", "oidc-provider") => "an OpenID Connect provider",
        ("iam", "mfa") => "an MFA device",
        ("iam", "server-certificate") => "a server certificate",
        ("eks", "fargateprofile") => "a Fargate profile",
        ("eks", "nodegroup") => "a node group",
        ("eks", "cluster") => "an EKS cluster",
        ("eks", "access-entry") => "an access entry",
        (service, _) => return format!("something of the service `{service}`"),
    };
    known.into()
}

fn what_is_wrong(canonical: &str) -> String {
    let Some(parsed) = Arn::parse(canonical) else {
        return "This is not an ARN.".into();
    };
    if !parsed.has_account() {
        format!("The account `{}` is not twelve digits.", parsed.account)
    } else if !parsed.region.is_empty() {
        format!(
            "An identity has no region, and this one has `{}`.",
            parsed.region
        )
    } else {
        format!("`{}` names nobody.", parsed.resource)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kind_of_caller_is_read() {
        for (asked, canonical, session) in [
            (
                "arn:aws:sts::111122223333:assumed-role/Admins/kim@example.com",
                "arn:aws:iam::111122223333:role/Admins",
                Session::Named("kim@example.com".into()),
            ),
            (
                " arn:aws-us-gov:iam::111122223333:role/a/b/Ops\n",
                "arn:aws-us-gov:iam::111122223333:role/Ops",
                Session::Unknown,
            ),
            (
                "arn:aws:iam::111122223333:user/ops/Lee",
                "arn:aws:iam::111122223333:user/ops/Lee",
                Session::None,
            ),
            (
                "arn:aws-cn:iam::111122223333:root",
                "arn:aws-cn:iam::111122223333:root",
                Session::None,
            ),
            (
                "arn:aws:sts::111122223333:federated-user/ann",
                "arn:aws:sts::111122223333:federated-user/ann",
                Session::None,
            ),
        ] {
            let caller = Caller::parse(asked).unwrap();
            assert_eq!((&*caller.canonical, &caller.session), (canonical, &session));
            assert_eq!(
                (&*caller.asked, &*caller.account),
                (asked.trim(), "111122223333")
            );
        }
    }

    #[test]
    fn an_instance_is_told_by_its_sessions_name() {
        for (name, is) in [
            ("i-0abc1234def567890", true),
            ("i-1234abcd", true),
            ("i-123", false),
            ("i-0abc1234def56789", false),
            ("i-12é4abc", false),
            ("my-laptop", false),
        ] {
            assert_eq!(
                Session::Named(name.into()).is_instance(),
                Some(is),
                "{name}"
            );
        }
        assert_eq!(Session::Unknown.is_instance(), None);
        assert_eq!(Session::None.is_instance(), Some(false));
    }

    #[test]
    fn what_is_no_identity_is_told() {
        let asked = [
            "arn:aws:iam::111122223333:group/admins",
            "arn:aws:iam::111122223333:instance-profile/ng-node",
            "arn:aws:iam::aws:policy/ReadOnlyAccess",
            "arn:aws:eks:eu-west-1:111122223333:fargateprofile/demo/default/a1",
            "arn:aws:s3:::bucket",
            "arn:aws:sts::111122223333:assumed-role/Admins",
            "arn:aws-xx:iam::111122223333:role/a",
            "arn:aws:iam::11112222333:role/a",
            "arn:aws:iam::111122223333:role/",
            "ARN:aws:iam::111122223333:role/a",
            "111122223333",
            "AROAEXAMPLE0000000001:kim",
            "AKIAEXAMPLE000000001",
            "kim",
            "",
        ];
        let told: Vec<String> = asked
            .iter()
            .map(|a| Caller::parse(a).unwrap_err().to_string())
            .collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        This is an IAM group: nobody authenticates as that. Ask for the ARN that `aws sts get-caller-identity` prints.
        This is an instance profile: nobody authenticates as that. Ask for the ARN that `aws sts get-caller-identity` prints.
        This is an IAM policy: nobody authenticates as that. Ask for the ARN that `aws sts get-caller-identity` prints.
        This is a Fargate profile: nobody authenticates as that. Ask for the ARN that `aws sts get-caller-identity` prints.
        This is something of the service `s3`: nobody authenticates as that. Ask for the ARN that `aws sts get-caller-identity` prints.
        The session's name is missing: a session is `assumed-role/ROLE/SESSION`. Ask for the ARN that `aws sts get-caller-identity` prints.
        There is no partition `aws-xx`. The partitions are aws, aws-cn, aws-us-gov, aws-iso, aws-iso-b, aws-iso-e, aws-iso-f, aws-eusc.
        The account `11112222333` is not twelve digits.
        `role/` names nobody.
        An ARN begins with `arn:` in lower case. Ask for the ARN that `aws sts get-caller-identity` prints.
        This is an account, not an identity. Ask for the ARN that `aws sts get-caller-identity` prints there, or for `arn:aws:iam::111122223333:root`.
        This is a unique id, which the authenticator does not look up. Ask for the ARN that `aws sts get-caller-identity` prints.
        This is an access key's id, not an identity. Ask for the ARN that `aws sts get-caller-identity` prints.
        This is not an ARN: it is not of the form arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE. Ask for the ARN that `aws sts get-caller-identity` prints.
        This is not an ARN: it is not of the form arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE. Ask for the ARN that `aws sts get-caller-identity` prints.
        ");
    }

    #[test]
    fn a_token_is_never_repeated() {
        for secret in [
            "k8s-aws-v1.aHR0cHM6Ly9zdHM",
            "K8S-AWS-V1.aHR0cHM6Ly9zdHM",
            "https://sts.amazonaws.com/?X-Amz-Signature=c0ffee",
            "Bearer k8s-aws-v1.aHR0",
        ] {
            let refused = Caller::parse(secret).unwrap_err();
            assert_eq!(refused.shown, "(a token)");
            assert!(!refused.reason.contains("aHR0") && !refused.reason.contains("c0ffee"));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_caller_or_is_refused(text in "(arn:aws:(iam|sts)::[0-9]{10,12}:(role|user|root|assumed-role)(/[a-z]{0,2}){0,4}|\\PC{0,30})") {
            if let Ok(caller) = Caller::parse(&text) {
                prop_assert!(arn::is_presentable(&caller.canonical));
                let again = Caller::parse(&caller.canonical).unwrap();
                prop_assert_eq!(again.canonical, caller.canonical);
            }
        }
    }
}
