//! Rights in the cluster: what a refused request would have needed, and the manifest that grants it.
//!
//! Kubernetes says in its 403 what was forbidden, in a sentence. The request itself says it better: a verb, a resource,
//! a namespace and a name, which is what a rule of RBAC is made of
//! (<https://kubernetes.io/docs/reference/access-authn-authz/rbac/>).

use std::collections::BTreeMap;
use std::fmt;

use crate::resource::{Collection, Kind, Object};

/// What somebody may do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Right {
    /// The verb of RBAC: `get`.
    pub verb: &'static str,
    /// On what.
    pub kind: Kind,
    /// In which namespace; `None`: in all of them, or what has none.
    pub namespace: Option<String>,
    /// On which object; `None`: on all. A `create` or `list` cannot be limited to a name.
    pub name: Option<String>,
}

impl Right {
    /// To do `verb` to one object.
    pub fn on(verb: &'static str, object: &Object) -> Self {
        Self {
            verb,
            kind: object.kind,
            namespace: object.namespace.clone(),
            name: (verb != "create").then(|| object.name.clone()),
        }
    }

    /// To do `verb` to a collection.
    pub fn on_all(verb: &'static str, collection: &Collection) -> Self {
        Self {
            verb,
            kind: collection.kind,
            namespace: collection.namespace.clone(),
            name: None,
        }
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.kind.plural())?;
        if let Some(name) = &self.name {
            write!(f, " `{name}`")?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " in namespace {namespace}"),
            None if self.kind == Kind::Namespace || self.kind == Kind::Node => Ok(()),
            None => f.write_str(" in all namespaces"),
        }
    }
}

/// The manifest that grants the rights: a Role for each namespace, and a ClusterRole for what has none or is wanted in
/// all. It says whom to bind them to, which is for an administrator to fill in.
pub fn manifest(rights: &[Right]) -> String {
    let mut roles: BTreeMap<Option<&str>, Vec<&Right>> = BTreeMap::new();
    for right in rights {
        roles
            .entry(right.namespace.as_deref())
            .or_default()
            .push(right);
    }
    let texts = roles
        .iter()
        .map(|(namespace, rights)| role(*namespace, rights));
    texts.collect::<Vec<_>>().join("---\n")
}

fn role(namespace: Option<&str>, rights: &[&Right]) -> String {
    let kind = if namespace.is_some() {
        "Role"
    } else {
        "ClusterRole"
    };
    let place = namespace.map_or_else(String::new, |n| format!("  namespace: {n}\n"));
    let mut text = format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata:\n  name: accord\n{place}rules:\n"
    );
    // Verbs on the same objects are one rule.
    let mut rules: BTreeMap<(Kind, Option<&str>), Vec<&str>> = BTreeMap::new();
    for right in rights {
        let verbs = rules
            .entry((right.kind, right.name.as_deref()))
            .or_default();
        if !verbs.contains(&right.verb) {
            verbs.push(right.verb);
        }
    }
    for ((resource, name), verbs) in rules {
        let names = name.map_or_else(String::new, |name| format!("  resourceNames: [{name}]\n"));
        text += &format!(
            "- apiGroups: [\"\"]\n  resources: [{}]\n{names}  verbs: [{}]\n",
            resource.plural(),
            verbs.join(", ")
        );
    }
    text + &format!(
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}Binding\nmetadata:\n  name: accord\n{place}\
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {kind}, name: accord}}\n\
         subjects:\n- {{apiGroup: rbac.authorization.k8s.io, kind: Group, name: YOUR-GROUP}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_is_told_and_granted() {
        let rights = [
            Right::on("get", &Object::config_map("kube-system", "aws-auth")),
            Right::on("patch", &Object::config_map("kube-system", "aws-auth")),
            Right::on(
                "create",
                &Object::config_map("kube-system", "accord-ledger"),
            ),
            Right::on_all("list", &Collection::all(Kind::ConfigMap)),
            Right::on("get", &Object::namespace("kube-system")),
        ];
        let told: Vec<String> = rights.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "get configmaps `aws-auth` in namespace kube-system",
                "patch configmaps `aws-auth` in namespace kube-system",
                "create configmaps in namespace kube-system",
                "list configmaps in all namespaces",
                "get namespaces `kube-system`",
            ]
        );
        assert_eq!(
            manifest(&rights),
            r#"apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: accord
rules:
- apiGroups: [""]
  resources: [configmaps]
  verbs: [list]
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [kube-system]
  verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: accord
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: accord}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: YOUR-GROUP}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: accord
  namespace: kube-system
rules:
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [aws-auth]
  verbs: [get, patch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: accord
  namespace: kube-system
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: accord}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: YOUR-GROUP}
"#
        );
    }
}
