//! Trust policies, as far as the sandbox looks into them: which service or provider may assume a role, by which action.

use accord_model::arn::Arn;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::world::AwsError;

/// The trust policy of a role of which only the ARN is known.
pub(super) const ANYBODY: &str = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"*","Service":"*"},"Action":["sts:AssumeRole","sts:TagSession"]}]}"#;

/// The trust policy that lets one service in.
pub(super) fn of_service(service: &str) -> String {
    json!({
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}],
    })
    .to_string()
}

/// A policy's text as IAM puts it into answers: percent-encoded as RFC 3986 says.
pub(super) fn encoded(document: &str) -> String {
    const PLAIN: &percent_encoding::AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~');
    utf8_percent_encode(document, PLAIN).to_string()
}

/// Whether a text is a policy document at all.
pub(super) fn check(document: &str) -> Result<(), AwsError> {
    let malformed = |message: &str| Err(AwsError::new("MalformedPolicyDocument", 400, message));
    let Ok(Value::Object(policy)) = serde_json::from_str::<Value>(document) else {
        return malformed("This policy contains invalid Json");
    };
    let statements = match policy.get("Statement") {
        Some(Value::Array(list)) => list.clone(),
        Some(one @ Value::Object(_)) => vec![one.clone()],
        _ => return malformed("Missing required field Statement"),
    };
    for statement in &statements {
        let effect = statement.get("Effect").and_then(Value::as_str);
        if !matches!(effect, Some("Allow" | "Deny")) {
            return malformed("Missing required field Effect");
        }
        if statement.get("Action").is_none() && statement.get("NotAction").is_none() {
            return malformed("Missing required field Action");
        }
    }
    Ok(())
}

/// Whether some statement lets `principal` of `kind` (`Service`, `Federated`) do every one of `actions`. Conditions are
/// handed to `condition`, which says whether they hold.
pub(crate) fn allows(
    document: &str,
    kind: &str,
    principal: &str,
    actions: &[&str],
    condition: impl Fn(&Value) -> bool,
) -> bool {
    let policy: Value = serde_json::from_str(document).unwrap_or_default();
    let statements = list(policy.get("Statement"));
    let fits = |statement: &&Value| {
        let named = match statement.get("Principal") {
            Some(Value::String(text)) => text == "*",
            Some(principals) => texts(principals.get(kind))
                .iter()
                .any(|p| p == "*" || p == principal),
            None => false,
        };
        named && statement.get("Condition").is_none_or(&condition)
    };
    let with = |effect: &'static str| {
        let of_effect = move |s: &&Value| s.get("Effect").and_then(Value::as_str) == Some(effect);
        statements.iter().copied().filter(of_effect).filter(fits)
    };
    let does = |statement: &Value, action: &str| {
        let patterns = texts(statement.get("Action"));
        patterns.iter().any(|pattern| matches(pattern, action))
    };
    actions.iter().all(|action| {
        with("Allow").any(|s| does(s, action)) && !with("Deny").any(|s| does(s, action))
    })
}

fn list(value: Option<&Value>) -> Vec<&Value> {
    match value {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    }
}

/// A text, or a list of texts.
pub(crate) fn texts(value: Option<&Value>) -> Vec<String> {
    let items = list(value).into_iter();
    items
        .filter_map(|v| v.as_str().map(str::to_owned))
        .collect()
}

/// Whether a text fits a pattern with `*` and `?`, whatever the letter case.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || text.get(t) == Some(c) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    p = at + 1;
                    t = from + 1;
                    star = Some((at, t));
                }
                None => return false,
            },
        }
    }
    pattern
        .get(p..)
        .unwrap_or_default()
        .iter()
        .all(|c| *c == '*')
}

/// The kind, the path and the name of a role's or user's ARN.
pub(crate) fn split_arn(arn: &str) -> Option<(String, String, String)> {
    let parsed = Arn::parse(arn).filter(|a| a.service == "iam" && a.has_account())?;
    let name = parsed.name().filter(|name| !name.is_empty())?;
    let path = match parsed.path().filter(|path| !path.is_empty()) {
        Some(path) => format!("/{path}/"),
        None => "/".into(),
    };
    Some((parsed.resource_type().to_owned(), path, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, fits) in [
            ("sts:AssumeRole", "sts:assumerole", true),
            ("sts:*", "sts:TagSession", true),
            (
                "system:serviceaccount:*:efs-csi-*",
                "system:serviceaccount:kube-system:efs-csi-node-sa",
                true,
            ),
            ("a*b", "aXc", false),
            ("*", "", true),
            ("?", "", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn every_action_must_be_allowed_and_none_denied() {
        let trust = |action: Value| {
            json!({"Statement": {"Effect": "Allow", "Principal": {"Service": "pods.eks.amazonaws.com"}, "Action": action}})
                .to_string()
        };
        let both = ["sts:AssumeRole", "sts:TagSession"];
        let allows = |document: &str| {
            allows(document, "Service", "pods.eks.amazonaws.com", &both, |_| {
                true
            })
        };
        assert!(!allows(&trust(json!("sts:AssumeRole"))));
        assert!(allows(&trust(json!(["sts:AssumeRole", "sts:TagSession"]))));
        assert!(allows(ANYBODY));
        assert!(!allows("not json"));
    }
}
