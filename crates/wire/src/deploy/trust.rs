//! Trust policies, as far as workloads need them: which service or provider may assume a role, by which call.

use accord_model::deploy::Trust;
use accord_model::span::TextId;

use super::value::{Kind, Node};

/// Reads a trust policy. What is not known makes the answer unknown; a `Deny`, or a condition, is not looked into.
pub(crate) fn trust(policy: &Node, file: TextId) -> Trust {
    let mut trust = Trust {
        known: !has_unknown(policy.get("Statement").unwrap_or(policy)),
        span: Some(policy.range.of(file)),
        ..Trust::default()
    };
    for statement in each(policy.get("Statement")) {
        if statement.get("Effect").and_then(Node::text).as_deref() != Some("Allow") {
            continue;
        }
        let actions: Vec<String> = each(statement.get("Action"))
            .filter_map(Node::text)
            .collect();
        let may = |call: &str| actions.iter().any(|action| covers(action, call));
        let service = each(statement.find(&["Principal", "Service"]))
            .filter_map(Node::text)
            .any(|service| service == "pods.eks.amazonaws.com");
        if service {
            trust.pods_assume |= may("sts:AssumeRole");
            trust.pods_tag |= may("sts:TagSession");
        }
        trust.web_identity |= statement.find(&["Principal", "Federated"]).is_some()
            && may("sts:AssumeRoleWithWebIdentity");
    }
    trust
}

/// The items of a list, or the one value that stands for a list of it.
fn each<'n>(node: Option<&'n Node>) -> impl Iterator<Item = &'n Node> {
    let items: &'n [Node] = match node.map(|n| &n.kind) {
        Some(Kind::List(items)) => items,
        _ => node.map(std::slice::from_ref).unwrap_or_default(),
    };
    items.iter()
}

/// Whether an action of a policy, with `*` for any text and without regard to case, covers a call.
fn covers(action: &str, call: &str) -> bool {
    let (action, call) = (action.to_ascii_lowercase(), call.to_ascii_lowercase());
    match action.split_once('*') {
        Some((head, "")) => call.starts_with(head),
        Some(_) => wild(action.as_bytes(), call.as_bytes()),
        None => action == call,
    }
}

fn wild(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            (0..=text.len()).any(|from| wild(rest, text.get(from..).unwrap_or_default()))
        }
        (Some((p, rest)), Some((t, tail))) => (*p == b'?' || p == t) && wild(rest, tail),
        _ => false,
    }
}

/// Whether who may do what is not known. Conditions may hold anything.
fn has_unknown(node: &Node) -> bool {
    match &node.kind {
        Kind::Unknown(_) => true,
        Kind::List(items) => items.iter().any(has_unknown),
        Kind::Map(fields) => fields
            .iter()
            .filter(|(key, _)| {
                matches!(key.as_str(), "Effect" | "Action" | "Principal" | "Service")
            })
            .any(|(_, value)| has_unknown(value)),
        Kind::Null | Kind::Text(_) | Kind::Flag(_) => false,
    }
}
