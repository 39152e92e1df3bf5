//! Usernames and groups: templates, placeholders, and groups that nobody means.

use accord_model::arn::{self, Arn};
use accord_model::finding::{Finding, FindingKind, Severity};
use accord_model::reading::What;
use accord_model::unknown;

use super::fault::placeholder;
use super::purpose::Purpose;
use super::{Entry, Look, World};
use crate::near::is_invisible;
use crate::template::Placeholder;
use crate::usage::{BOOTSTRAPPERS, EntryShape, KUBE_PROXY_WINDOWS, NODE_PROXIER, NODES};

/// Groups that only nodes need.
const NODE_GROUPS: [&str; 4] = [NODES, BOOTSTRAPPERS, NODE_PROXIER, KUBE_PROXY_WINDOWS];

/// Groups that Kubernetes and EKS know by name.
const KNOWN_GROUPS: [&str; 5] = [
    "system:masters",
    NODES,
    BOOTSTRAPPERS,
    NODE_PROXIER,
    KUBE_PROXY_WINDOWS,
];

pub(super) fn look(look: &Look<'_>) -> Vec<Finding> {
    look.entries()
        .flat_map(|entry| {
            let mut findings = username(&entry, look.world);
            findings.extend(groups(&entry, look.world));
            findings
        })
        .collect()
}

fn username(entry: &Entry<'_>, world: &World<'_>) -> Vec<Finding> {
    let name = entry.mapping.identity.username.as_str();
    let broken = || Purpose::of_item(world, entry.item).if_broken();
    let at = |kind, severity, message: String| entry.finding("username", kind, severity, message);
    if name.is_empty() {
        let told = entry.item.remarks.iter().any(|r| {
            matches!(
                &r.what,
                What::UsernameWrongType(_)
                    | What::UnknownField {
                        near: Some("username"),
                        ..
                    }
            )
        });
        let missing = entry.whole(
            FindingKind::UsernameMissing,
            Severity::Warning,
            "There is no username, so it is empty: nothing in Kubernetes tells who this was.",
        );
        return if told { Vec::new() } else { vec![missing] };
    }
    let mut findings: Vec<Finding> = unfinished(name)
        .into_iter()
        .map(|fault| {
            let finding = at(fault.kind, broken(), fault.message);
            fault.instead.into_iter().fold(finding, Finding::suggest)
        })
        .collect();
    findings.extend(template(entry, world));
    findings
}

/// What is odd about a template that the authenticator does fill.
fn template(entry: &Entry<'_>, world: &World<'_>) -> Option<Finding> {
    let mapping = entry.mapping;
    let name = mapping.identity.username.as_str();
    let broken = || Purpose::of_item(world, entry.item).if_broken();
    let parsed = Arn::parse(&mapping.arn);
    let is_role = mapping.sso.is_some()
        || unknown::is_whole(&mapping.arn)
        || parsed.is_some_and(|a| a.resource_type().eq_ignore_ascii_case("role"));
    let is_person = !is_role && arn::is_presentable(&mapping.arn);
    let role_name = parsed.and_then(|a| a.name()).unwrap_or_default();
    let is_sso = mapping.sso.is_some() || role_name.starts_with("AWSReservedSSO_");
    let in_use = world.usage.of_role(&mapping.arn).is_some();
    let session = name.contains(Placeholder::SessionName.text())
        || name.contains(Placeholder::SessionNameRaw.text());
    let shape = EntryShape::of(&mapping.identity);
    let names_nodes = |g: &String| NODE_GROUPS.iter().any(|known| g.contains(known));
    let has_other_groups =
        !mapping.identity.groups.is_empty() && !mapping.identity.groups.iter().any(names_nodes);
    let for_people = is_sso || is_person || has_other_groups;
    let at =
        |kind, severity, message: &str| Some(entry.finding("username", kind, severity, message));

    if name.contains(Placeholder::Ec2PrivateDnsName.text()) && for_people && !in_use {
        return at(
            FindingKind::NodeTemplateOnHumanRole,
            broken(),
            "`{{EC2PrivateDNSName}}` is for nodes: whoever else has this role is denied, because the session is not named \
             after an EC2 instance.",
        );
    }
    if !session {
        return None;
    }
    if is_person {
        return at(
            FindingKind::UsernameMissing,
            Severity::SilentWrong,
            "Only roles have sessions: for a user the session's name is empty, and this username is not what it seems.",
        );
    }
    if shape == Some(EntryShape::Fargate) {
        let odd = (is_sso || mapping.identity.is_admin()) && !in_use;
        return odd.then(|| {
            entry.finding(
                "username",
                FindingKind::NodeTemplateOnHumanRole,
                Severity::Warning,
                "`system:node:…` is a node's name: people who have this role look like nodes to Kubernetes.",
            )
        });
    }
    let whole = [Placeholder::SessionName, Placeholder::SessionNameRaw]
        .iter()
        .any(|p| name == p.text());
    match (is_sso, whole) {
        // IAM Identity Center names the session after the person.
        (true, _) => None,
        (false, true) => at(
            FindingKind::UsernameCallerControlled,
            Severity::Warning,
            "Whoever assumes the role chooses the session's name, and so the whole username, somebody else's too. Put a \
             prefix before it, and bind rights to the groups and never to this username.",
        ),
        (false, false) => at(
            FindingKind::UsernameCallerControlled,
            Severity::Info,
            "Whoever assumes the role chooses the session's name, and so this username: it may differ from run to run. \
             Bind rights to the groups and never to this username.",
        ),
    }
}

fn groups(entry: &Entry<'_>, world: &World<'_>) -> Vec<Finding> {
    let broken = || Purpose::of_item(world, entry.item).if_broken();
    let mut findings = Vec::new();
    for (index, group) in entry.mapping.identity.groups.iter().enumerate() {
        let place = format!(".groups[{index}]");
        if entry.item.remarks.iter().any(|r| r.at == place) {
            continue;
        }
        let at =
            |kind, severity, message: String| entry.group_finding(index, kind, severity, message);
        let faults = unfinished(group);
        let finished = faults.is_empty();
        findings.extend(faults.into_iter().map(|fault| {
            let finding = at(fault.kind, broken(), fault.message);
            fault.instead.into_iter().fold(finding, Finding::suggest)
        }));
        if let Some((severity, message, instead)) =
            suspicious(entry, group, world).filter(|_| finished)
        {
            let finding = at(FindingKind::GroupSuspicious, severity, message);
            findings.push(instead.into_iter().fold(finding, Finding::suggest));
        }
    }
    findings
}

/// Why nobody means this group, how bad that is, and what is meant.
fn suspicious(
    entry: &Entry<'_>,
    group: &str,
    world: &World<'_>,
) -> Option<(Severity, String, Option<String>)> {
    let identity = &entry.mapping.identity;
    let if_meant = |meant: Vec<String>| {
        let mut groups = identity.groups.clone();
        groups.extend(meant);
        Purpose::of(world, &entry.mapping.arn, &identity.username, &groups).if_broken()
    };
    if group.is_empty() {
        return Some((Severity::Warning, "This group is empty text.".into(), None));
    }
    for separator in [" - ", ", ", ","] {
        if group.contains(separator) {
            let parts: Vec<String> = group
                .split(separator)
                .map(|p| p.trim().to_owned())
                .filter(|p| !p.is_empty())
                .collect();
            let message = format!(
                "This is one group with the name `{group}`: {} were joined by a stray {}. Give each a line of its own, \
                 with its dash in the same column.",
                super::listed(&parts.iter().map(|p| format!("`{p}`")).collect::<Vec<_>>()),
                match separator {
                    " - " => "indentation",
                    _ => "comma",
                }
            );
            return Some((if_meant(parts), message, None));
        }
    }
    let visible: String = group.chars().filter(|c| !is_invisible(*c)).collect();
    if visible != group {
        let message = format!(
            "The group `{}` has white space or an invisible character in it, and nothing is trimmed.",
            group.escape_debug()
        );
        return Some((if_meant(vec![visible.clone()]), message, Some(visible)));
    }
    let meant = KNOWN_GROUPS
        .into_iter()
        .find(|k| *k != group && skeleton(k) == skeleton(group))?;
    let message = format!("`{group}` is not `{meant}`: groups are compared exactly.");
    Some((
        if_meant(vec![meant.to_owned()]),
        message,
        Some(meant.to_owned()),
    ))
}

/// A name without what people get wrong in it: letter case, plural, and what joins its words.
fn skeleton(group: &str) -> String {
    let letters = group.chars().filter(|c| c.is_ascii_alphanumeric());
    let lower: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    lower.trim_end_matches('s').replace("systems", "system")
}

/// Something in a username or group that should have been filled in.
struct Unfinished {
    kind: FindingKind,
    message: String,
    instead: Option<String>,
}

fn unfinished(text: &str) -> Vec<Unfinished> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("{{") {
        let Some((name, after)) = behind.split_once("}}") else {
            break;
        };
        rest = after;
        if !Placeholder::ALL.iter().any(|p| p.name() == name) {
            let meant = Placeholder::ALL
                .into_iter()
                .find(|p| p.name().eq_ignore_ascii_case(name.trim()));
            found.push(Unfinished {
                kind: FindingKind::TemplateUnknown,
                message: format!(
                    "The authenticator does not know `{{{{{name}}}}}`, which stays as it is{}.",
                    match meant {
                        Some(p) => format!("; `{}` is meant", p.text()),
                        None => String::new(),
                    }
                ),
                instead: meant
                    .map(|p| in_quotes(&text.replace(&format!("{{{{{name}}}}}"), p.text()))),
            });
        }
    }
    let mut plain = text.to_owned();
    for known in Placeholder::ALL {
        plain = plain.replace(known.text(), "");
    }
    // `<system:node:{{…}}>` is a placeholder around a template.
    let bracketed = text.starts_with('<') && text.ends_with('>');
    let left = match bracketed {
        true => Some(text),
        false => placeholder(&plain).filter(|p| !p.starts_with("{{") && !p.starts_with('X')),
    };
    if let Some(left) = left {
        found.push(Unfinished {
            kind: FindingKind::PlaceholderLeft,
            message: format!("`{left}` is taken literally: a placeholder was never filled in, or its brackets were kept."),
            instead: bracketed.then(|| in_quotes(text.trim_matches(['<', '>']))),
        });
    }
    found
}

/// A value as it is written: braces need quotes at its beginning, and anywhere in flow style.
fn in_quotes(text: &str) -> String {
    match text.contains('{') {
        true => format!("\"{text}\""),
        false => text.to_owned(),
    }
}
