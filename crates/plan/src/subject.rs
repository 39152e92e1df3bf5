//! What can be asked about beside an identity: a node, a Fargate profile, an event that names one.

use accord_model::observed::Observed;

use crate::caller::{Caller, NotAnIdentity, Session};

/// What was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// As asked.
    pub(crate) asked: String,
    /// Who it stands for.
    pub(crate) caller: Caller,
    /// The private DNS name of the node asked about.
    pub(crate) private_dns: Option<String>,
    /// How it was understood, if it is no identity itself.
    pub(crate) note: Option<String>,
}

/// Understands `asked`.
pub(crate) fn of(asked: &str, observed: &Observed) -> Result<Subject, NotAnIdentity> {
    let asked = asked.trim();
    if let Some(name) = asked.strip_prefix("node/") {
        node(asked, name, observed)
    } else if let Some(name) = asked
        .strip_prefix("fargate-profile/")
        .or_else(|| profile_in_event(asked))
    {
        fargate_profile(asked, name, observed)
    } else {
        Ok(Subject {
            asked: asked.to_owned(),
            caller: Caller::parse(asked)?,
            private_dns: None,
            note: None,
        })
    }
}

/// The profile that the Fargate scheduler's event names: `Misconfigured Fargate Profile: fargate profile NAME blocked
/// for new launches due to: …`.
fn profile_in_event(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("fargate profile ")?;
    rest.split_whitespace().next()
}

fn fargate_profile(asked: &str, name: &str, observed: &Observed) -> Result<Subject, NotAnIdentity> {
    let profiles = &observed.compute.fargate_profiles.items;
    let Some(profile) = profiles.iter().find(|p| p.name == name) else {
        let known: Vec<&str> = profiles.iter().map(|p| p.name.as_str()).collect();
        return Err(unknown(asked, &format!("Fargate profile `{name}`"), &known));
    };
    let Some(role) = &profile.role else {
        return Err(refuse(
            asked,
            format!("The role of Fargate profile `{name}` is not known."),
        ));
    };
    Ok(Subject {
        asked: asked.to_owned(),
        caller: Caller::parse(role)?,
        private_dns: None,
        note: Some(format!(
            "Fargate profile {name} runs pods under the role {role}."
        )),
    })
}

fn node(asked: &str, name: &str, observed: &Observed) -> Result<Subject, NotAnIdentity> {
    let nodes = &observed.compute.nodes.items;
    let Some(node) = nodes.iter().find(|n| n.name == name) else {
        let known: Vec<&str> = nodes.iter().map(|n| n.name.as_str()).collect();
        return Err(unknown(asked, &format!("node `{name}`"), &known));
    };
    let mut groups = observed.compute.node_groups.items.iter();
    let group = groups.find(|g| Some(&g.name) == node.node_group.as_ref());
    let Some((group, role)) = group.and_then(|g| Some((g, g.role.as_ref()?))) else {
        return Err(refuse(
            asked,
            format!(
                "Node `{name}` belongs to no node group whose role is known, and a Node object does not tell its role: \
                 ask for the role of its instance profile."
            ),
        ));
    };
    let mut caller = Caller::parse(role)?;
    if let Some(instance) = &node.instance {
        caller.session = Session::Named(instance.clone());
    }
    Ok(Subject {
        asked: asked.to_owned(),
        caller,
        private_dns: Some(node.name.clone()),
        note: Some(format!(
            "Node {name} belongs to node group {} and has the role {role}.",
            group.name
        )),
    })
}

fn unknown(asked: &str, what: &str, known: &[&str]) -> NotAnIdentity {
    let known = match known {
        [] => "none is known".to_owned(),
        names => format!("known are {}", names.join(", ")),
    };
    refuse(asked, format!("There is no {what}: {known}."))
}

fn refuse(asked: &str, reason: String) -> NotAnIdentity {
    NotAnIdentity {
        shown: asked.to_owned(),
        reason,
    }
}
