//! Rights for users, until the next reset.

use crate::kubectl::Output;
use crate::server::ApiServer;
use crate::wait::until;

/// The label of everything made here.
const LABEL: &str = "testkit=grant";

/// The kinds of object made here.
const KINDS: &str = "roles,rolebindings,clusterroles,clusterrolebindings";

/// What a user was given.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    user: String,
    /// Nowhere in particular: in all namespaces.
    namespace: Option<String>,
    verbs: Vec<String>,
    /// Each `NAME` or `NAME.GROUP`, in the plural.
    resources: Vec<String>,
}

impl ApiServer {
    /// Lets a user do these verbs to these resources (`configmaps`, `leases.coordination.k8s.io`) in one namespace, or
    /// everywhere. Returns when the API server knows it, which takes a moment; [`ApiServer::reset`] takes it back.
    pub fn grant(&self, user: &str, namespace: Option<&str>, verbs: &[&str], resources: &[&str]) {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let grant = Grant {
            user: user.to_owned(),
            namespace: namespace.map(str::to_owned),
            verbs: owned(verbs),
            resources: owned(resources),
        };
        let mut grants = self.grants();
        grants.push(grant.clone());
        let objects = grant.objects(grants.len());
        drop(grants);
        self.kubectl_with_input(&["create", "-f", "-"], &objects)
            .ok();
        until("a grant to be known", || self.may_all(&grant).then_some(()));
    }

    /// Takes every grant back, and returns when the API server knows it.
    pub fn revoke_grants(&self) {
        let grants = std::mem::take(&mut *self.grants());
        if grants.is_empty() {
            return;
        }
        self.kubectl(&["delete", KINDS, "--all-namespaces", "-l", LABEL])
            .ok();
        for grant in grants {
            until("a grant to be forgotten", || {
                self.may_none(&grant).then_some(())
            });
        }
    }

    fn may_all(&self, grant: &Grant) -> bool {
        grant
            .questions()
            .all(|question| self.ask(grant, &question).succeeded())
    }

    fn may_none(&self, grant: &Grant) -> bool {
        grant
            .questions()
            .all(|question| self.ask(grant, &question).stdout.starts_with("no"))
    }

    fn ask(&self, grant: &Grant, [verb, resource]: &[&str; 2]) -> Output {
        let mut arguments = vec!["auth", "can-i", verb, resource];
        match &grant.namespace {
            Some(namespace) => arguments.extend(["--namespace", namespace]),
            None => arguments.push("--all-namespaces"),
        }
        self.kubectl_as(&grant.user, &arguments)
    }
}

impl Grant {
    fn questions(&self) -> impl Iterator<Item = [&str; 2]> {
        self.verbs
            .iter()
            .flat_map(|verb| self.resources.iter().map(move |it| [verb.as_str(), it]))
    }

    /// The role and its binding, as YAML.
    fn objects(&self, number: usize) -> String {
        let (kind, namespace) = match &self.namespace {
            Some(namespace) => ("Role", format!(", namespace: {namespace}")),
            None => ("ClusterRole", String::new()),
        };
        let head = |kind: &str| {
            let label = LABEL.replace('=', ": ");
            format!(
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\n\
                 metadata: {{name: testkit-{number}{namespace}, labels: {{{label}}}}}\n"
            )
        };
        let mut text = head(kind) + "rules:\n";
        for resource in &self.resources {
            let (name, group) = resource.split_once('.').unwrap_or((resource, ""));
            let verbs = self.verbs.join(", ");
            text +=
                &format!("- {{apiGroups: ['{group}'], resources: ['{name}'], verbs: [{verbs}]}}\n");
        }
        text += &format!(
            "---\n{}roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {kind}, name: testkit-{number}}}\n\
             subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: User, name: {}}}]\n",
            head(&format!("{kind}Binding")),
            self.user
        );
        text
    }
}
