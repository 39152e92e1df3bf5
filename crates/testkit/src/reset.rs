//! The server as if nobody had written a map yet.

use std::collections::BTreeMap;

use crate::server::ApiServer;

/// Prints namespace, name and, if there is one, the value of the label that makes a fragment, of every ConfigMap.
const CONFIG_MAPS: &str = r#"jsonpath={range .items[*]}{.metadata.namespace} {.metadata.name} {.metadata.labels.accord\.dev/aws-auth}{"\n"}{end}"#;

impl ApiServer {
    /// Deletes `aws-auth`, the ConfigMaps that Accord keeps in `kube-system` (`accord-*`), and every fragment, and takes
    /// back every [grant](ApiServer::grant). All else stays, so tests that make namespaces, roles or custom resources
    /// name them after themselves.
    pub fn reset(&self) {
        self.revoke_grants();
        let list = self
            .kubectl(&["get", "configmaps", "--all-namespaces", "-o", CONFIG_MAPS])
            .ok();
        let mut doomed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for line in list.lines() {
            let mut words = line.split_whitespace();
            let (Some(namespace), Some(name)) = (words.next(), words.next()) else {
                continue;
            };
            let ours = name == "aws-auth" || name.starts_with("accord-");
            if words.next().is_some() || (namespace == "kube-system" && ours) {
                doomed.entry(namespace).or_default().push(name);
            }
        }
        for (namespace, names) in doomed {
            let mut arguments = vec!["delete", "configmaps", "--namespace", namespace];
            arguments.extend(["--wait=false", "--ignore-not-found"]);
            arguments.extend(names);
            self.kubectl(&arguments).ok();
        }
    }
}
