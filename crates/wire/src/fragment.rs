//! Fragments: ConfigMaps with one owner's mappings, in the format of `aws-auth`.
//!
//! What `accord` stores for a bare list is such a ConfigMap too, so that an owner's claims look the same whether they
//! came from the command line or from Git. Beside what `aws-auth` has, a mapping may carry `policies`.

use accord_model::claim::{Admission, Claim, Fragment, Owner};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::mapping::SectionName;

use crate::claims::Claims;
use crate::config_map::{ConfigMap, Datum, Manifest, ObjectName, Value};
use crate::sources::Sources;
use crate::{aws_auth, journal, ledger, quote};

/// The label that makes a ConfigMap a fragment.
pub const LABEL: &str = "accord.dev/aws-auth";

/// The label's value.
pub const LABEL_VALUE: &str = "fragment";

/// Whether an object with these labels is a fragment.
pub fn is_labelled(labels: &[(String, String)]) -> bool {
    let label = labels.iter().rfind(|(key, _)| key == LABEL);
    label.is_some_and(|(_, value)| value == LABEL_VALUE)
}

/// Why a name cannot be given to `--owner`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadOwner {
    /// Kubernetes would refuse the ConfigMap.
    #[error(
        "`{0}` cannot be an owner's name: lower-case letters, digits, `-` and `.` are allowed, the ends must be letters \
         or digits, and `accord-` in front must not make it longer than 253"
    )]
    Form(String),
    /// Accord's own ConfigMaps have that name.
    #[error("`{0}` cannot be an owner's name, because Accord keeps its own records under it")]
    Reserved(String),
}

/// The owner that `--owner name` stands for.
///
/// # Errors
/// If no ConfigMap can have the name (RFC 1123 subdomains, as Kubernetes demands), or Accord uses it itself.
pub fn owner_named(name: &str) -> Result<Owner, BadOwner> {
    let owner = Owner::named(name);
    let is_part = |part: &str| {
        let end = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let bytes = part.as_bytes();
        let allowed = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
        end(bytes.first()) && end(bytes.last()) && bytes.iter().all(allowed)
    };
    if owner.name.len() > 253 || !owner.name.split('.').all(is_part) {
        Err(BadOwner::Form(name.to_owned()))
    } else if owner.name == ledger::NAME || owner.name.starts_with(journal::PREFIX) {
        Err(BadOwner::Reserved(name.to_owned()))
    } else {
        Ok(owner)
    }
}

/// Reads a fragment as it is on the cluster.
///
/// A section with a problem is unreadable as a whole: its owner's former claims stay in effect meanwhile. Each problem
/// becomes a finding of the kind `object-malformed` in the place of its cause.
pub fn read(object: &ConfigMap, sources: &mut Sources) -> (Fragment, Vec<Finding>) {
    let (mut fragment, problems) = read_strictly(object, sources);
    let mut findings = Vec::new();
    for problem in problems {
        // The key that the problem is in, however it is spelled.
        let at = problem.at.as_deref().unwrap_or_default();
        let key = at.split(['[', '.']).next().unwrap_or(at);
        if let Some(section) = aws_auth::meant(key)
            && !fragment.unreadable.iter().any(|(s, _)| *s == section)
        {
            fragment.unreadable.push((section, problem.message.clone()));
        }
        findings.push(Finding {
            kind: FindingKind::ObjectMalformed,
            severity: Severity::Warning,
            ..problem
        });
    }
    let unreadable = &fragment.unreadable;
    fragment.claims.retain(|claim| {
        unreadable
            .iter()
            .all(|(section, _)| *section != claim.section)
    });
    (fragment, findings)
}

/// Reads a fragment, and each problem under its own kind.
pub(crate) fn read_strictly(object: &ConfigMap, sources: &mut Sources) -> (Fragment, Vec<Finding>) {
    let mut read = Claims::default();
    for section in SectionName::ALL {
        if let Some(datum) = object.datum(section.key()) {
            read_section(&mut read, section, datum, sources);
        }
    }
    let data = object.data.iter().map(|datum| (datum, false));
    let binary = object.binary_data.iter().map(|datum| (datum, true));
    read.problems.extend(data.chain(binary).filter_map(stray));
    read.refuse_repetition();
    for problem in &mut read.problems {
        problem.object = Some(object.name.to_string());
    }
    let owner = Owner {
        namespace: object.name.namespace.clone(),
        name: object.name.name.clone(),
    };
    let admission = if owner.namespace == "kube-system" {
        Admission::Trusted
    } else {
        Admission::Asked {
            uid: object.uid.clone(),
        }
    };
    let fragment = Fragment {
        owner,
        admission,
        created: object.created,
        claims: read.claims,
        unreadable: Vec::new(),
    };
    (fragment, read.problems)
}

/// A key that somebody meant to be a section: unnoticed, its claims would be taken for given up.
fn stray((datum, binary): (&Datum, bool)) -> Option<Finding> {
    let meant = aws_auth::meant(&datum.key)?;
    let (kind, message) = match (datum.key == meant.key(), binary) {
        (true, false) => return None,
        (false, false) => (
            FindingKind::SectionKeyCase,
            format!("`{}` is no section; `{meant}` is.", datum.key),
        ),
        (_, true) => (
            FindingKind::SectionInBinaryData,
            format!(
                "`{}` is under binaryData; a section belongs under data.",
                datum.key
            ),
        ),
    };
    let problem = Finding::new(kind, Severity::SilentWrong, message);
    Some(
        problem
            .at(datum.key.clone(), datum.span)
            .suggest(meant.key()),
    )
}

fn read_section(read: &mut Claims, section: SectionName, datum: &Datum, sources: &mut Sources) {
    match &datum.value {
        Value::Text { text, id } => {
            // Without a registered text there would be no places.
            let id = id.unwrap_or_else(|| sources.add_object(section.key(), text.clone()));
            read.read_text(section, text, id);
        }
        Value::Other { what, .. } => {
            let message = format!("`{section}` is {what} and not a string; write `{section}: |`.");
            let problem = Finding::new(
                FindingKind::SectionWrongType,
                Severity::SilentWrong,
                message,
            );
            read.problems.push(problem.at(section.key(), datum.span));
        }
    }
}

/// The ConfigMap that holds a fragment.
pub fn manifest(fragment: &Fragment) -> Manifest {
    let sections = SectionName::ALL.into_iter();
    let data = sections.filter_map(|section| {
        let text = section_text(section, &fragment.claims);
        (!text.is_empty()).then(|| (section.key().to_owned(), text))
    });
    Manifest {
        name: ObjectName::from(&fragment.owner),
        labels: vec![(LABEL.to_owned(), LABEL_VALUE.to_owned())],
        data: data.collect(),
        binary_data: Vec::new(),
    }
}

/// The claims of one section as the text of `aws-auth`, in block style; empty if there are none.
pub fn section_text(section: SectionName, claims: &[Claim]) -> String {
    let of_section = claims.iter().filter(|c| c.section == section);
    of_section.map(entry_text).collect()
}

/// The claims as a bare list, which `-f` reads with `--owner`: a list of role mappings, or a mapping of sections if
/// there are others.
pub fn bare_list(fragment: &Fragment) -> String {
    let sections =
        SectionName::ALL.map(|section| (section, section_text(section, &fragment.claims)));
    if let [(_, roles), (_, users), (_, accounts)] = &sections
        && users.is_empty()
        && accounts.is_empty()
    {
        return if roles.is_empty() {
            "[]\n".to_owned()
        } else {
            roles.clone()
        };
    }
    let mut out = String::new();
    for (section, text) in sections.iter().filter(|(_, text)| !text.is_empty()) {
        out += &format!("{section}:\n");
        out.extend(text.lines().map(|line| format!("  {line}\n")));
    }
    out
}

fn entry_text(claim: &Claim) -> String {
    let principal = quote::block(&claim.principal);
    let Some(field) = claim.section.arn_field() else {
        return format!("- {principal}\n");
    };
    let mut out = format!("- {field}: {principal}\n");
    if !claim.identity.username.is_empty() {
        out += &format!("  username: {}\n", quote::block(&claim.identity.username));
    }
    if !claim.identity.groups.is_empty() {
        out += "  groups:\n";
    }
    for group in &claim.identity.groups {
        out += &format!("    - {}\n", quote::block(group));
    }
    if !claim.policies.is_empty() {
        out += "  policies:\n";
    }
    for grant in &claim.policies {
        out += &format!("    - policy: {}\n", quote::block(&grant.policy));
        let Some(namespaces) = &grant.namespaces else {
            continue;
        };
        let names: Vec<_> = namespaces.iter().map(|n| quote::flow(n)).collect();
        out += &format!("      namespaces: [{}]\n", names.join(", "));
    }
    out
}
