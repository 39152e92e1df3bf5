//! Why an ARN matches nobody, and what to write instead where that is certain.

use accord_model::arn::{self, Arn, NotACaller, PrincipalType};
use accord_model::finding::FindingKind;
use accord_model::fold;
use accord_model::unknown;

use super::World;
use crate::caller;
use crate::near::is_invisible;

/// Why an ARN never matches.
pub(crate) struct Fault {
    pub(crate) kind: FindingKind,
    pub(crate) why: String,
    /// What to write, if it is certain.
    pub(crate) instead: Option<String>,
}

impl Fault {
    fn new(kind: FindingKind, why: impl Into<String>, instead: Option<String>) -> Self {
        Self {
            kind,
            why: why.into(),
            instead,
        }
    }
}

/// The faults of an ARN: none if some caller can have it.
pub(crate) fn judge(text: &str, world: &World<'_>) -> Vec<Fault> {
    // Most ARNs are plain: the letters of an IAM name and what stands between them, and no `XXXX` left to fill in.
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"+=,.@_-:/".contains(&b);
    if text.bytes().all(plain) && !text.contains("XXXX") && arn::is_presentable(text) {
        return Vec::new();
    }
    if !unknown::is_known(text) {
        return not_known_yet(text, world);
    }
    let visible: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    if visible != text {
        let instead = arn::without_role_path(&visible).into_owned();
        let certain = arn::is_presentable(&instead).then_some(instead);
        return vec![Fault::new(
            FindingKind::ArnInvisibleCharacter,
            "The ARN has white space, a line break or an invisible character in it, and nothing is trimmed: it never \
             matches.",
            certain,
        )];
    }
    if let Some(placeholder) = placeholder(text) {
        return vec![
            Fault::new(
                FindingKind::PlaceholderLeft,
                format!("`{placeholder}` was never filled in."),
                None,
            ),
            Fault::new(
                FindingKind::ArnMalformed,
                format!("With `{placeholder}` in it, this is no ARN that anybody has."),
                None,
            ),
        ];
    }
    if text.contains(['*', '?']) {
        return vec![Fault::new(
            FindingKind::ArnWildcard,
            "`*` and `?` are literal characters here and match nobody. List the real roles or users, or use access \
             entries.",
            None,
        )];
    }
    if arn::is_presentable(text) {
        let ascii = fold::fold_key(text).is_ascii();
        return match ascii {
            true => Vec::new(),
            false => vec![Fault::new(
                FindingKind::ArnMalformed,
                "The ARN has a letter that no IAM name can have: it never matches.",
                None,
            )],
        };
    }
    // Compared without regard to case, so judged without it; what to write keeps the author's spelling.
    let folded = fold::fold_key(text).into_owned();
    vec![
        match (Arn::parse(&folded), Arn::parse(&lower_prefix(text))) {
            (Some(parsed), Some(spelled)) => unpresentable(&folded, parsed, spelled, world),
            _ => malformed(text),
        },
    ]
}

/// The faults of an ARN of which a part is known only after a deploy: those that it has whatever that part becomes.
fn not_known_yet(text: &str, world: &World<'_>) -> Vec<Fault> {
    let cut = Arn::parse(text).filter(|a| a.service == "iam" || a.service == "sts");
    match cut {
        Some(parsed)
            if !arn::is_presentable(text) && parsed.name().is_some_and(|n| !n.is_empty()) =>
        {
            vec![unpresentable(text, parsed, parsed, world)]
        }
        _ => Vec::new(),
    }
}

/// `ARN:AWS:IAM:` in lower case, so that the rest can be cut in the author's spelling.
fn lower_prefix(text: &str) -> String {
    match text.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("arn:") => {
            format!("arn:{}", text.get(4..).unwrap_or_default())
        }
        _ => text.to_owned(),
    }
}

/// An ARN with all its sections, which nobody has.
fn unpresentable(folded: &str, parsed: Arn<'_>, spelled: Arn<'_>, world: &World<'_>) -> Fault {
    let malformed = |why: String, instead| Fault::new(FindingKind::ArnMalformed, why, instead);
    let role = |name: &str| {
        format!(
            "arn:{}:iam::{}:role/{name}",
            parsed.partition, parsed.account
        )
    };
    match arn::canonicalize(folded) {
        Err(NotACaller::UnknownPartition(partition)) => Fault::new(
            FindingKind::UnknownPartition,
            format!("There is no partition `{partition}`."),
            world.partition.map(|p| {
                format!(
                    "arn:{p}:{}:{}:{}:{}",
                    parsed.service, parsed.region, parsed.account, spelled.resource
                )
            }),
        ),
        Err(NotACaller::Resource(_)) if spelled.resource.starts_with(':') => {
            let rest = spelled.resource.trim_start_matches(':');
            let instead = format!(
                "arn:{}:{}::{}:{rest}",
                parsed.partition, parsed.service, parsed.account
            );
            malformed(
                "There is a colon too many behind the account.".into(),
                certain(&instead),
            )
        }
        Err(NotACaller::Resource(resource))
            if resource.starts_with("role:") || resource.starts_with("user:") =>
        {
            let instead = format!(
                "arn:{}:iam::{}:{}",
                parsed.partition,
                parsed.account,
                spelled.resource.replacen(':', "/", 1)
            );
            malformed(
                "Behind the kind of resource comes a slash, not a colon.".into(),
                certain(&instead),
            )
        }
        Err(NotACaller::Resource(_) | NotACaller::Service(_)) => {
            not_a_principal(parsed, spelled, world)
        }
        Err(NotACaller::NoSession) | Ok((PrincipalType::AssumedRole, _)) => {
            let name = spelled
                .resource
                .split('/')
                .nth_back(1)
                .filter(|n| *n != "assumed-role");
            let name = name.or(spelled.name()).unwrap_or_default();
            let instead = role(name);
            Fault::new(
                FindingKind::ArnAssumedRole,
                "This is the ARN of a session, as `aws sts get-caller-identity` prints it: it never matches, because the \
                 authenticator compares the role's.",
                certain(&instead),
            )
        }
        Err(NotACaller::NotAnArn) => self::malformed(folded),
        Ok(_) if !parsed.has_account() => malformed(account_fault(parsed.account), None),
        Ok(_) if !parsed.region.is_empty() => {
            let instead = format!(
                "arn:{}:{}::{}:{}",
                parsed.partition, parsed.service, parsed.account, spelled.resource
            );
            malformed(
                format!(
                    "IAM has no regions, and this ARN has `{}` for one.",
                    parsed.region
                ),
                certain(&arn::without_role_path(&instead)),
            )
        }
        Ok((PrincipalType::Role, _)) => match spelled.name().filter(|n| !n.is_empty()) {
            Some(name) => Fault::new(
                FindingKind::ArnHasPath,
                format!(
                    "A role's ARN with its path never matches, because STS does not show the path.{}",
                    match name.starts_with("AWSReservedSSO_") {
                        true =>
                            " The suffix of the name changes when the permission set is provisioned anew.",
                        false => "",
                    }
                ),
                certain(&role(name)),
            ),
            None => malformed("The role's name is missing.".into(), None),
        },
        Ok((kind, _)) => malformed(
            match kind {
                PrincipalType::Root => format!(
                    "`{}` is nobody; the root of an account is `root`.",
                    spelled.resource
                ),
                _ => "The name is missing.".to_owned(),
            },
            None,
        ),
    }
}

fn certain(instead: &str) -> Option<String> {
    arn::is_presentable(instead).then(|| instead.to_owned())
}

fn account_fault(account: &str) -> String {
    let digits = account.bytes().all(|b| b.is_ascii_digit());
    match (digits, account.len()) {
        (true, 0) => "The account is missing.".into(),
        (true, 11) => format!(
            "The account `{account}` has eleven digits; perhaps a leading zero was lost: `0{account}`."
        ),
        (true, n) => format!("The account `{account}` has {n} digits and not twelve."),
        (false, _) => format!("The account `{account}` is not twelve digits."),
    }
}

/// Too few sections, or no ARN at all.
fn malformed(text: &str) -> Fault {
    let sections: Vec<&str> = text.split(':').collect();
    let (why, instead) = match sections.as_slice() {
        [prefix, partition, service, account, resource]
            if prefix.eq_ignore_ascii_case("arn") && arn::is_account(account) =>
        {
            let whole = format!("arn:{partition}:{service}::{account}:{resource}");
            (
                "There is a colon missing before the account.".to_owned(),
                certain(&whole),
            )
        }
        [account] if arn::is_account(account) => (
            "This is an account and not an ARN; whole accounts belong in mapAccounts.".to_owned(),
            None,
        ),
        _ => (
            "This is not an ARN, which has the form arn:PARTITION:iam::ACCOUNT:role/NAME."
                .to_owned(),
            None,
        ),
    };
    Fault::new(FindingKind::ArnMalformed, why, instead)
}

/// Something that nobody authenticates as; and the role behind it, where it is known.
fn not_a_principal(parsed: Arn<'_>, spelled: Arn<'_>, world: &World<'_>) -> Fault {
    let text = format!(
        "arn:{}:{}:{}:{}:{}",
        parsed.partition, parsed.service, parsed.region, parsed.account, spelled.resource
    );
    // `nodegroup/CLUSTER/NAME/ID`, `fargateprofile/CLUSTER/NAME/ID`
    let name = spelled.resource.split('/').nth(2).unwrap_or_default();
    let (role, advice) = match parsed.resource_type() {
        "instance-profile" => {
            let mut groups = world.node_groups.iter();
            let group = groups.find(|g| g.instance_profile.as_deref() == Some(&*text));
            let guess = format!(
                "Write the ARN of the profile's role; it is often named alike, role/{} (a guess).",
                spelled.name().unwrap_or_default()
            );
            (group.and_then(|g| g.role.clone()), guess)
        }
        "fargateprofile" => {
            let mut profiles = world.fargate_profiles.iter();
            let profile = profiles.find(|p| p.arn.as_deref() == Some(&*text) || p.name == name);
            (
                profile.and_then(|p| p.role.clone()),
                "Write the ARN of its pod execution role.".to_owned(),
            )
        }
        "nodegroup" => {
            let group = world.node_groups.iter().find(|g| g.name == name);
            (group.and_then(|g| g.role.clone()), "Write the ARN of its node role.".to_owned())
        }
        "group" => (
            None,
            "IAM groups do not sign in: map a role that the group's members may assume, or list the users.".to_owned(),
        ),
        _ => (None, "Write the ARN of a role or user.".to_owned()),
    };
    let instead = role.map(|r| arn::without_role_path(&r).into_owned());
    let why = format!(
        "This is {}: nobody authenticates as that.",
        caller::noun(&text)
    );
    let why = match instead {
        Some(_) => why,
        None => format!("{why} {advice}"),
    };
    Fault::new(FindingKind::ArnNotAPrincipal, why, instead)
}

/// The first placeholder in an ARN: `${…}`, `$(…)`, `{{…}}`, `<…>`, or `XXXX`.
pub(super) fn placeholder(text: &str) -> Option<&str> {
    let enclosed = [("${", "}"), ("$(", ")"), ("{{", "}}"), ("<", ">")]
        .into_iter()
        .find_map(|(open, close)| {
            let start = text.find(open)?;
            let length = text.get(start..)?.find(close)?;
            text.get(start..start + length + close.len())
        });
    enclosed.or_else(|| {
        let marks = |c: char| c == 'X';
        let start = text.find("XXXX")?;
        let rest = text.get(start..)?;
        let end = rest.find(|c| !marks(c)).unwrap_or(rest.len());
        rest.get(..end)
    })
}
