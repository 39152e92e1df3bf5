//! Kubeconfig files, one per user.

use crate::user::User;

/// The file of the certificate authority, beside the kubeconfigs.
pub(crate) const CA: &str = "ca.crt";

/// The name of a user's file.
pub(crate) fn file_name(user: &User) -> String {
    format!("kubeconfig-{}.yaml", user.name)
}

/// The content of a file: `cluster` says where the cluster is, in the form of YAML's flow mappings.
pub(crate) fn text(cluster: &str, user: &str, token: &str) -> String {
    format!(
        "apiVersion: v1
kind: Config
current-context: testkit
contexts:
- name: testkit
  context: {{cluster: testkit, user: {user}}}
clusters:
- name: testkit
  cluster: {{{cluster}}}
users:
- name: {user}
  user: {{token: {token}}}
"
    )
}

/// The authority in the chain that a server has made for itself: the last certificate.
pub(crate) fn authority(chain: &str) -> &str {
    let start = chain.rfind("-----BEGIN CERTIFICATE-----");
    start.and_then(|start| chain.get(start..)).unwrap_or(chain)
}
